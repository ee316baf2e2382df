import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { type Documented, documented } from './documented.ts';
import { readChunks, writeChunks } from './png-chunks.ts';
import { inPalette } from './png-palette.ts';

const directory = process.env['POID_SCREENSHOTS'];
/** `npm run screens`: the pictures of the documentation are taken anew. */
const isDrawing = process.env['POID_SCREENS'] === 'draw';
export const screensDir = fileURLToPath(new URL('../../docs/screens/', import.meta.url));
/** The text chunk of a picture that says what its screen said. */
const keyword = 'Comment\0poid ';

/**
 * Keeps what a page shows for those who want to look at it, in the directory that POID_SCREENSHOTS names, and where the
 * documentation has a picture of it, asserts that the screen still says the same. Pixels are not compared, because machines have
 * different fonts.
 */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const picture = documented.get(name);
  if (directory === undefined && !picture) {
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    return;
  }
  if (directory !== undefined) {
    mkdirSync(directory, { recursive: true });
    await page.screenshot({ path: path.join(directory, `${name}.png`) });
  }
  if (!picture) return;
  const digest = await digestOf(page);
  if (isDrawing) draw(picture, await page.screenshot(), digest);
  else if (!picture.isLive) assert.equal(digest, digestIn(picture), `${picture.file} is older: npm run screens`);
}

/** Of the words that can be seen. Digits are left out, because times and numbers of transactions change. */
async function digestOf(page: Page): Promise<string> {
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  const words = String(await page.evaluate('document.body.innerText'))
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\s+/g, ' ');
  return createHash('sha256').update(words).digest('hex').slice(0, 16);
}

function draw({ file }: Documented, png: Uint8Array, digest: string): void {
  const [header, ...rest] = readChunks(inPalette(png));
  assert.ok(header);
  const said = { type: 'tEXt', data: Buffer.from(keyword + digest, 'latin1') };
  mkdirSync(screensDir, { recursive: true });
  writeFileSync(path.join(screensDir, file), writeChunks([header, said, ...rest]));
}

function digestIn({ file }: Documented): string | undefined {
  const chunks = readChunks(readFileSync(path.join(screensDir, file)));
  const said = chunks.find(({ type, data }) => type === 'tEXt' && data.toString('latin1').startsWith(keyword));
  return said?.data.toString('latin1', keyword.length);
}
