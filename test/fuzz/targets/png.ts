import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { crc32, deflateSync } from 'node:zlib';
import { decodePng } from '../../../src/receipt/png-decoder.ts';
import { PngFault } from '../../../src/receipt/png-header.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const dotsMax = 200_000;
const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const types = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'tEXt', 'ABCD'] as const;

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const small = fc.integer({ min: 0, max: 40 });
const size = fc.oneof({ weight: 9, arbitrary: small }, fc.constantFrom(0x7fffffff, 0xffffffff, 200_000));

/** A header of which most are possible. */
const header = fc
  .tuple(size, size, fc.constantFrom(1, 2, 4, 8, 16, 3), fc.constantFrom(0, 2, 3, 4, 6, 1), fc.constantFrom(0, 0, 1, 2))
  .map(([width, height, depth, colour, interlacing]) => {
    const content = Buffer.alloc(13);
    content.writeUInt32BE(width, 0);
    content.writeUInt32BE(height, 4);
    content.set([depth, colour, 0, 0, interlacing], 8);
    return chunk('IHDR', content);
  });

/** Rows whose filters mostly exist, deflated. */
const rows = fc.uint8Array({ maxLength: 4_000 }).map((bytes) =>
  chunk(
    'IDAT',
    deflateSync(
      bytes.map((byte) => (byte < 200 ? byte % 5 : byte)),
      { level: 1 },
    ),
  ),
);

const other = fc
  .tuple(fc.constantFrom(...types), fc.uint8Array({ maxLength: 60 }))
  .map(([type, content]) => chunk(type, content));

/** PNGs with correct checksums, because behind them everything else is read. */
const pictures = fc
  .tuple(header, fc.array(other, { maxLength: 2 }), rows, fc.array(fc.oneof(rows, other, header), { maxLength: 2 }))
  .map(([first, before, middle, after]) =>
    Buffer.concat([signature, first, ...before, middle, ...after, chunk('IEND', Buffer.alloc(0))]),
  );

const seed = Buffer.concat([
  signature,
  chunk('IHDR', Buffer.from('00000008000000080100000000', 'hex')),
  chunk('IDAT', deflateSync(Buffer.alloc(16))),
  chunk('IEND', Buffer.alloc(0)),
]);

export const pngPictures: Target = {
  name: 'png-pictures',
  share: 4,
  inputs: fc.oneof(
    { weight: 3, arbitrary: pictures },
    hostile({ seeds: [seed], tokens: types.map((each) => Buffer.from(each)) }),
  ),
  async check(input) {
    try {
      const { width, height, luma } = await decodePng(input, dotsMax);
      assert.ok(width > 0 && height > 0 && width * height <= dotsMax);
      assert.equal(luma.length, width * height);
    } catch (error) {
      if (!(error instanceof PngFault)) throw error;
      assertSilent(error.message);
    }
  },
};
