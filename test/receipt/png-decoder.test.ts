import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { PNG } from 'pngjs';
import { decodePng } from '../../src/receipt/png-decoder.ts';
import { PngFault } from '../../src/receipt/png-header.ts';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const dotsMax = 10_000;

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly colour?: number;
  readonly interlacing?: number;
}

function header({ width, height, depth = 1, colour = 0, interlacing = 0 }: Header): Buffer {
  const content = Buffer.alloc(13);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  content.set([depth, colour, 0, 0, interlacing], 8);
  return chunk('IHDR', content);
}

const data = (rows: Uint8Array) => chunk('IDAT', deflateSync(rows));
const end = chunk('IEND', Buffer.alloc(0));
const made = (...chunks: readonly Uint8Array[]) => Buffer.concat([signature, ...chunks]);

const shadesOf = async (bytes: Uint8Array) => [...(await decodePng(bytes, dotsMax)).luma];

/** What another decoder makes of it: grey of its red, green and blue on white. */
function shadesByPngjs(bytes: Buffer): number[] {
  const { data: rgba, width, height } = PNG.sync.read(bytes);
  return Array.from({ length: width * height }, (_, dot) => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(4 * dot, 4 * dot + 4);
    return Math.round(255 + ((0.299 * red + 0.587 * green + 0.114 * blue - 255) * alpha) / 255);
  });
}

function assertAlmostEqual(shades: readonly number[], expected: readonly number[], what: string): void {
  assert.equal(shades.length, expected.length, what);
  const apart = Math.max(...shades.map((shade, at) => Math.abs(shade - (expected[at] ?? Infinity))));
  // pngjs rounds each colour of 16 bits to 8 before.
  assert.ok(apart <= 1, `${what}: ${apart} apart`);
}

/** Colour type, its samples for a dot, and the depths that it may have (W3C PNG, third edition, table 8). */
const kinds = [
  [0, 1, [1, 2, 4, 8, 16]],
  [2, 3, [8, 16]],
  [3, 1, [1, 2, 4, 8]],
  [4, 2, [8, 16]],
  [6, 4, [8, 16]],
] as const;

/** Widths and heights of the passes of Adam7, written out from the pattern of clause 8.2. */
function passSizes(width: number, height: number): (readonly [number, number])[] {
  const pattern = ['16462646', '77777777', '56565656', '77777777', '36463646', '77777777', '56565656', '77777777'];
  return [1, 2, 3, 4, 5, 6, 7].map((pass) => {
    const columns = new Set<number>();
    const rows = new Set<number>();
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (pattern[y % 8]?.[x % 8] !== String(pass)) continue;
        columns.add(x);
        rows.add(y);
      }
    }
    return [columns.size, rows.size] as const;
  });
}

test('every colour type, depth, filter and interlacing is decoded as another decoder does', async () => {
  for (const [colour, channels, depths] of kinds) {
    for (const depth of depths) {
      for (const interlacing of [0, 1]) {
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 20 }),
            fc.integer({ min: 1, max: 20 }),
            fc.infiniteStream(fc.nat(255)),
            fc.boolean(),
            async (width, height, noise, isClear) => {
              const sizes = interlacing ? passSizes(width, height) : [[width, height] as const];
              const byte = () => noise.next().value as number;
              const rows = sizes.flatMap(([across, down]) =>
                across === 0 || down === 0
                  ? []
                  : Array.from({ length: down }, () => {
                      const length = Math.ceil((across * channels * depth) / 8);
                      return Buffer.from([byte() % 5, ...Array.from({ length }, byte)]);
                    }),
              );
              const palette = chunk('PLTE', Buffer.from(Array.from({ length: 3 * 2 ** depth }, byte)));
              const clear = colour === 3 ? [byte(), byte()] : Array.from({ length: 2 * channels }, () => 0);
              const bytes = made(
                header({ width, height, depth, colour, interlacing }),
                ...(colour === 3 ? [palette] : []),
                ...(isClear && channels !== 2 && channels !== 4 ? [chunk('tRNS', Buffer.from(clear))] : []),
                data(Buffer.concat(rows)),
                end,
              );
              assertAlmostEqual(await shadesOf(bytes), shadesByPngjs(bytes), `${colour}/${depth}/${interlacing}`);
            },
          ),
          { numRuns: 20 },
        );
      }
    }
  }
});

test('data in several chunks, and ancillary chunks around it', async () => {
  const rows = deflateSync(Buffer.from([0, 0b10101010, 0, 0b01010101]));
  const bytes = made(
    header({ width: 8, height: 2 }),
    chunk('gAMA', Buffer.alloc(4)),
    chunk('IDAT', rows.subarray(0, 3)),
    chunk('IDAT', Buffer.alloc(0)),
    chunk('IDAT', rows.subarray(3)),
    chunk('tEXt', Buffer.from('a\0b')),
    end,
  );
  const [even, odd] = [
    [255, 0, 255, 0, 255, 0, 255, 0],
    [0, 255, 0, 255, 0, 255, 0, 255],
  ] as const;
  assert.deepEqual(await shadesOf(bytes), [...even, ...odd]);
});

const small = header({ width: 8, height: 8 });
const eightRows = Buffer.alloc(16);

/** What is wrong, and a word of the reason. */
const faulty: readonly (readonly [what: string, bytes: Uint8Array, reason: RegExp])[] = [
  ['nothing', Buffer.alloc(0), /no PNG/],
  ['another signature', Buffer.from('GIF89a'), /no PNG/],
  ['no header', made(data(eightRows), end), /not first/],
  ['a second header', made(small, header({ width: 40_000, height: 40_000 }), data(eightRows), end), /twice/],
  ['a short header', made(chunk('IHDR', Buffer.alloc(12)), end), /wrong length/],
  ['no width', made(header({ width: 0, height: 8 }), data(eightRows), end), /0 × 8 dots/],
  ['too many dots', made(header({ width: 101, height: 100 }), data(eightRows), end), /at most 10000/],
  ['2^32 - 1 wide', made(header({ width: 0xffffffff, height: 0xffffffff }), data(eightRows), end), /at most/],
  [
    'a depth that its colour type has not',
    made(header({ width: 8, height: 8, depth: 1, colour: 2 }), end),
    /no PNG has/,
  ],
  ['a colour type that is none', made(header({ width: 8, height: 8, depth: 8, colour: 5 }), end), /no PNG has/],
  ['interlacing that is none', made(header({ width: 8, height: 8, interlacing: 2 }), end), /no PNG has/],
  ['fewer rows than its header says', made(small, data(Buffer.alloc(12)), end), /shorter/],
  ['more data than its header says', made(small, data(Buffer.alloc(17)), end), /inflate/],
  ['40 MB of data', made(small, data(Buffer.alloc(40_000_000)), end), /inflate/],
  ['a filter that is none', made(small, data(Buffer.alloc(16, 9)), end), /filter/],
  ['data that does not inflate', made(small, chunk('IDAT', Buffer.alloc(9, 1)), end), /inflate/],
  ['no data', made(small, end), /inflate|shorter/],
  ['no end', made(small, data(eightRows)), /end is missing/],
  [
    'data in two places',
    made(small, data(eightRows), chunk('tEXt', Buffer.alloc(1)), data(eightRows), end),
    /two places/,
  ],
  ['an unknown critical chunk', made(small, chunk('ABCD', Buffer.alloc(1)), data(eightRows), end), /critical/],
  [
    'a palette without one',
    made(header({ width: 8, height: 8, depth: 8, colour: 3 }), data(Buffer.alloc(72)), end),
    /palette/,
  ],
  [
    'a colour that its palette lacks',
    made(
      header({ width: 1, height: 1, depth: 8, colour: 3 }),
      chunk('PLTE', Buffer.alloc(3)),
      data(Buffer.from([0, 1])),
      end,
    ),
    /no colour/,
  ],
  ['a palette behind the data', made(small, data(eightRows), chunk('PLTE', Buffer.alloc(3)), end), /PLTE/],
  ['a wrong checksum', made(small.with(small.length - 1, (small.at(-1) ?? 0) ^ 1), data(eightRows), end), /checksum/],
];
for (const [what, bytes, reason] of faulty) {
  test(`is refused: ${what}`, async () => {
    await assert.rejects(decodePng(bytes, dotsMax), (error) => {
      assert.ok(error instanceof PngFault, String(error));
      assert.match(error.message, reason);
      return true;
    });
  });
}

test('every truncation of a PNG is refused', async () => {
  const whole = made(small, data(eightRows), end);
  for (let length = 0; length < whole.length; length++) {
    await assert.rejects(decodePng(whole.subarray(0, length), dotsMax), PngFault);
  }
  assert.equal((await shadesOf(whole)).length, 64);
});

test('a picture within the dots whose colours take too many bytes is refused', async () => {
  const bytes = made(header({ width: 4096, height: 4096, depth: 16, colour: 6 }), data(eightRows), end);
  await assert.rejects(decodePng(bytes, 16_777_216), /take 134217728 bytes, at most 33554432/);
});

for (const interlacing of [0, 1]) {
  test(`the event loop has its turn after a thousand rows, however short they are: interlacing ${interlacing}`, async (t) => {
    const height = 200_000;
    const bytes = made(header({ width: 1, height, interlacing }), data(Buffer.alloc(2 * height)), end);
    let turns = 0;
    const hook = createHook({ init: (_id, type) => (turns += type === 'Immediate' ? 1 : 0) }).enable();
    t.after(() => hook.disable());
    await decodePng(bytes, height);
    assert.ok(turns > height / 1_024, `${turns} turns`);
  });
}
