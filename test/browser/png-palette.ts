import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { writeChunks } from './png-chunks.ts';

/** As many colours as a palette has. */
const most = 256;

/**
 * The same picture in at most 256 colours, without transparency: the most frequent ones, and for each other pixel the nearest of
 * them. A screen's areas keep their colours, only the edges of letters lose some; it is a fifth as large.
 */
export function inPalette(png: Uint8Array): Buffer {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  const pixels = Array.from({ length: width * height }, (_, pixel) => data.readUIntBE(4 * pixel, 3));
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const colours = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const palette = colours.slice(0, most);
  const places = new Map(colours.map((colour, at) => [colour, at < most ? at : nearest(palette, colour)]));
  const rows = Buffer.alloc((width + 1) * height);
  // Each row begins with its filter, none.
  for (const [pixel, colour] of pixels.entries()) {
    rows[pixel + Math.floor(pixel / width) + 1] = places.get(colour) ?? 0;
  }
  return written(width, height, palette, rows);
}

function nearest(palette: readonly number[], colour: number): number {
  const distances = palette.map((each) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((each >> shift) & 0xff) - ((colour >> shift) & 0xff)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function written(width: number, height: number, colours: readonly number[], rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each pixel, a number in the palette.
  header.set([8, 3], 8);
  const palette = Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]));
  return writeChunks([
    { type: 'IHDR', data: header },
    { type: 'PLTE', data: palette },
    { type: 'IDAT', data: deflateSync(rows, { level: 9 }) },
    { type: 'IEND', data: Buffer.alloc(0) },
  ]);
}
