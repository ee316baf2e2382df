import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { writeChunks } from './png-chunks.ts';

/** Each channel is rounded to a multiple of one of these, as few as leave at most 256 colours. */
const steps = [1, 4, 8, 16, 24, 32, 48];

/** The same picture in at most 256 colours, without transparency: a screen of flat areas is a fifth as large. */
export function inPalette(png: Uint8Array): Buffer {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  for (const step of steps) {
    const colours = new Map<number, number>();
    const rows = Buffer.alloc((width + 1) * height);
    for (let pixel = 0; pixel < width * height && colours.size <= 256; pixel++) {
      const [red, green, blue] = [0, 1, 2].map((channel) => rounded(data[4 * pixel + channel] ?? 0, step)) as Colour;
      const colour = (red << 16) | (green << 8) | blue;
      const index = colours.get(colour) ?? colours.size;
      colours.set(colour, index);
      // Each row begins with its filter, none.
      rows[pixel + Math.floor(pixel / width) + 1] = index;
    }
    if (colours.size <= 256) return written(width, height, [...colours.keys()], rows);
  }
  throw new Error('this picture has too many colours');
}

type Colour = [number, number, number];

function rounded(value: number, step: number): number {
  return Math.min(255, Math.round(value / step) * step);
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
