import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { PNG } from 'pngjs';
import { receiptJob } from '../../drivers/printer/escpos/receipt-job.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { receiptPng } from '../../src/receipt/picture.ts';
import { samples, visaSale } from './documents.ts';
import { paperOf } from './paper.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'poid-receipt-'));
});
after(() => rm(folder, { recursive: true }));

/** A picture of one shade, a number from 0 (black) to 255, or one that does not cover. */
function shade(width: number, height: number, grey: number, alpha = 255): Buffer {
  const picture = new PNG({ width, height });
  for (let at = 0; at < width * height; at++) picture.data.set([grey, grey, grey, alpha], at * 4);
  return PNG.sync.write(picture);
}

const url = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;

function isInk(picture: PNG, x: number, y: number): boolean {
  return picture.data[(y * picture.width + x) * 4] === 0;
}

function inkShare(data: Uint8Array): number {
  return data.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0) / (data.length * 8);
}

async function printedLogo(logo: string, columns = 48) {
  const reported: Error[] = [];
  const onFailure = (error: unknown): void => void (error instanceof Error && reported.push(error));
  const { bytes: job } = await receiptJob(receiptLines(visaSale(), columns), columns, { logo, onFailure });
  const { images, lines } = paperOf(job);
  return { reported, images, lines };
}

test('a receipt as a picture is as wide as its paper, black on white', async () => {
  for (const [columns, width] of [
    [48, 576],
    [32, 384],
  ] as const) {
    const lines = receiptLines(visaSale(), columns);
    const picture = PNG.sync.read(Buffer.from(await receiptPng(lines, columns)));
    assert.equal(picture.width, width);
    const doubles = lines.filter((line) => 'size' in line && line.size === 'double').length;
    assert.equal(picture.height, 2 * 24 + 30 * lines.length + 24 * doubles);
    const values = new Set(picture.data.filter((_, at) => at % 4 === 0));
    assert.deepEqual(values, new Set([0, 255]));
  }
});

test('rules go from edge to edge, margins are white, and text is where the layout has it', async () => {
  const text = { kind: 'text', align: 'right', bold: false, size: 'normal' } as const;
  const lines = [{ kind: 'rule' }, { ...text, text: '港' }] as const;
  const picture = PNG.sync.read(Buffer.from(await receiptPng(lines, 48)));
  const row = (y: number): number[] => Array.from({ length: 576 }, (_, x) => x).filter((x) => isInk(picture, x, y));
  for (let y = 0; y < 24; y++) assert.deepEqual(row(y), []);
  assert.deepEqual(
    [row(24 + 10).length, row(24 + 11).length, row(24 + 12).length, row(24 + 13).length],
    [0, 576, 576, 0],
  );
  const inked = Array.from({ length: 24 }, (_, y) => row(54 + y)).flat();
  assert.ok(inked.length > 50);
  assert.ok(Math.min(...inked) >= 576 - 24);
});

test('bold and double are seen', async () => {
  const line = { kind: 'text', text: 'AAAA', align: 'left', bold: false, size: 'normal' } as const;
  const inkOf = async (changes: object): Promise<number> => {
    const picture = PNG.sync.read(Buffer.from(await receiptPng([{ ...line, ...changes }], 48)));
    return picture.data.filter((value, at) => at % 4 === 0 && value === 0).length;
  };
  const plain = await inkOf({});
  assert.ok((await inkOf({ bold: true })) > plain * 1.2);
  assert.ok((await inkOf({ size: 'double' })) > plain * 2.5);
});

test('a logo from a file or a data: URL stands in the middle above the shop, black where it is black', async () => {
  const bytes = shade(100, 20, 0);
  const file = path.join(folder, 'logo.png');
  await writeFile(file, bytes);
  for (const logo of [file, url(bytes)]) {
    const { images, lines, reported } = await printedLogo(logo);
    assert.deepEqual(reported, []);
    assert.equal(lines[0]?.text.trim(), 'Harbour Caf\x82');
    // (576 - 100) / 2 + 100 = 338 dots are 43 bytes; 20 rows and 12 of paper below.
    assert.deepEqual(
      images.map(({ widthBytes, height, after }) => [widthBytes, height, after]),
      [[43, 32, 0]],
    );
    const row = Buffer.from(images[0]?.data.subarray(0, 43) ?? []).toString('hex');
    assert.equal(row, `${'00'.repeat(29)}03${'ff'.repeat(12)}c0`);
    const picture = PNG.sync.read(Buffer.from(await receiptPng([], 48, { logo })));
    assert.deepEqual(
      [isInk(picture, 237, 30), isInk(picture, 238, 30), isInk(picture, 337, 43), isInk(picture, 338, 43)],
      [false, true, true, false],
    );
  }
});

test('a wide logo is scaled down to the paper, a high one too, a small one never up', async () => {
  const wide = await printedLogo(url(shade(2000, 100, 0)));
  assert.deepEqual([wide.images[0]?.widthBytes, wide.images[0]?.height], [72, 28 + 12]);
  const narrow = await printedLogo(url(shade(2000, 100, 0)), 32);
  assert.deepEqual([narrow.images[0]?.widthBytes, narrow.images[0]?.height], [48, 19 + 12]);
  const high = await printedLogo(url(shade(100, 1000, 0)));
  assert.equal(
    high.images.reduce((sum, { height }) => sum + height, 0),
    320 + 12,
  );
  const small = await printedLogo(url(shade(8, 8, 0)));
  assert.equal(small.images[0]?.height, 8 + 12);
});

test('grey is as many dots as it is dark, and what is transparent is paper', async () => {
  for (const grey of [64, 128, 192]) {
    const { images } = await printedLogo(url(shade(576, 96, grey)));
    const data = images[0]?.data.subarray(0, 72 * 96) ?? new Uint8Array();
    assert.ok(Math.abs(inkShare(data) - (1 - grey / 255)) < 0.02, `${grey}: ${inkShare(data)}`);
  }
  const { images } = await printedLogo(url(shade(576, 96, 0, 0)));
  assert.equal(inkShare(images[0]?.data ?? Uint8Array.of(1)), 0);
});

test('a logo that is none costs no receipt: it is printed without, and the failure is told once', async () => {
  const file = path.join(folder, 'broken.png');
  await writeFile(file, shade(10, 10, 0).subarray(0, 40));
  const bomb = shade(10, 10, 0);
  bomb.writeUInt32BE(100_000_000, 16);
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
  const large = path.join(folder, 'large.png');
  await writeFile(large, Buffer.alloc(2 * 1024 * 1024 + 1));
  for (const [logo, why] of [
    [path.join(folder, 'none.png'), /ENOENT/],
    [folder, /not a file/],
    [large, /2097153 bytes/],
    [file, /./],
    [url(Buffer.from('GIF89a')), /no PNG/],
    [url(bomb), /100000000 × 10 dots/],
    ['data:image/png;base64,!!!!', /not a data: URL/],
    ['data:image/svg+xml,<svg/>', /not a data: URL/],
  ] as const) {
    const { reported, images, lines } = await printedLogo(logo);
    assert.equal(reported.length, 1, String(why));
    assert.match(reported[0]?.message ?? '', why);
    assert.equal(images.length, 0);
    assert.ok(lines.some(({ text }) => text.trim() === 'APPROVED'));
    const failures: unknown[] = [];
    await receiptPng(receiptLines(visaSale(), 48), 48, { logo, onFailure: (error) => failures.push(error) });
    assert.equal(failures.length, 1);
  }
  assert.deepEqual((await printedLogo('')).reported, []);
});

test('pictures of all samples are drawn, at every width', async () => {
  const pictures = await Promise.all(
    Object.values(samples).map((document) => receiptPng(receiptLines(document, 32), 32)),
  );
  assert.equal(new Set(pictures.map((picture) => Buffer.from(picture).toString('base64'))).size, pictures.length);
});
