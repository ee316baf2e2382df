import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { PNG } from 'pngjs';
import { readPicture } from '../../src/screen/picture-file.ts';

const bounds = { bytesMax: 4_096, dotsMax: 64 };
const directory = mkdtempSync(path.join(tmpdir(), 'poid-picture-'));

after(() => rmSync(directory, { recursive: true }));

function kept(name: string, content: string | Uint8Array): string {
  const file = path.join(directory, name);
  writeFileSync(file, content);
  return file;
}

const png = (width: number, height: number) => PNG.sync.write(new PNG({ width, height }));

test('a PNG and an SVG are told apart by what they contain', async () => {
  assert.equal((await readPicture(kept('logo', png(64, 16)), bounds)).type, 'image/png');
  for (const head of ['', '<?xml version="1.0"?>\n', '<!-- made by hand -->', '\uFEFF']) {
    const file = kept('logo', `${head}<svg xmlns="http://www.w3.org/2000/svg"/>`);
    assert.equal((await readPicture(file, bounds)).type, 'image/svg+xml', head);
  }
});

test('what a browser would not draw is refused with the reason', async () => {
  for (const [content, reason] of [
    ['GIF89a', /no PNG/],
    ['<html><svg></svg></html>', /no PNG/],
    [png(65, 16), /65 × 16 dots/],
    [png(16, 15), /16 × 15 dots/],
    [Buffer.concat([png(64, 64).subarray(0, 40), Buffer.alloc(100)]), /damaged/],
    [`<svg>${' '.repeat(4_096)}</svg>`, /at most 4096/],
  ] as const) {
    await assert.rejects(readPicture(kept('logo', content), bounds), reason);
  }
  await assert.rejects(readPicture(path.join(directory, 'none'), bounds), /ENOENT/);
  await assert.rejects(readPicture(directory, bounds), /no file/);
});
