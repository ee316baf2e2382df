import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import type { Dots } from './dots.ts';

const compressed = promisify(deflate);
const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** A bitmap as PNG: grey, one bit per dot, ink black (W3C PNG, third edition). */
export async function png(dots: Dots): Promise<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(dots.width, 0);
  header.writeUInt32BE(dots.height, 4);
  // Bit depth 1, colour type 0 (grey), then compression, filter method and interlacing: 0.
  header.set([1, 0, 0, 0, 0], 8);
  const scanlines = Buffer.alloc((dots.rowBytes + 1) * dots.height);
  for (let y = 0; y < dots.height; y++) {
    // Each row begins with its filter type 0 (none). A set bit means ink here, and white in PNG.
    for (let x = 0; x < dots.rowBytes; x++) {
      scanlines[y * (dots.rowBytes + 1) + 1 + x] = ~(dots.rows[y * dots.rowBytes + x] ?? 0) & 0xff;
    }
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', await compressed(scanlines)),
    chunk('IEND', new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
