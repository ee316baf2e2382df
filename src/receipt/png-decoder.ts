import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { crc32, inflate } from 'node:zlib';
import { type Pass, passesOf, PngFault, type PngHeader, readHeader, rowBytesOf } from './png-header.ts';
import { type ShadeOf, shadeReader } from './png-shades.ts';

const inflated = promisify(inflate);

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
/** After so many samples of a picture the event loop has its turn: it also serves the card reader. */
const samplesAtOnce = 65_536;
/** The cost of a row besides its samples, as a number of samples: a picture may have very many short rows. */
const samplesOfRow = 64;

/** A decoded picture: one byte per dot, row by row, 0 is black and 255 white. Transparent dots are on white paper. */
export interface Shades {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
}

/**
 * Decodes a PNG (W3C PNG, third edition) to shades of grey. Rejects with PngFault for anything that is not a complete
 * and correct PNG, and for one of more than `dotsMax` dots. Takes no more memory than such a picture needs, because the
 * data is inflated up to the size that the header gives and no further, and never blocks the event loop for longer than
 * a few rows take.
 */
export async function decodePng(bytes: Uint8Array, dotsMax: number): Promise<Shades> {
  const { header, palette, transparency, data } = readChunks(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    dotsMax,
  );
  const passes = passesOf(header);
  const length = passes.reduce((sum, pass) => sum + (1 + rowBytesOf(header, pass.width)) * pass.height, 0);
  const rows = await inflateExactly(data, length);
  const shadeOf = shadeReader(header, palette, transparency);
  const pixelBytes = Math.max(1, (header.depth * header.channels) / 8);
  const luma = new Uint8Array(header.width * header.height);
  let at = 0;
  let samples = 0;
  for (const pass of passes) {
    const rowBytes = rowBytesOf(header, pass.width);
    let above: Buffer = Buffer.alloc(rowBytes);
    for (let y = 0; y < pass.height; y++) {
      const row = rows.subarray(at + 1, at + 1 + rowBytes);
      reverseFilter(rows[at] ?? 0, row, above, pixelBytes);
      placeRow(row, pass, y, header.width, luma, shadeOf);
      above = row;
      at += 1 + rowBytes;
      samples += rowBytes + samplesOfRow;
      if (samples >= samplesAtOnce) {
        samples = 0;
        await setImmediate();
      }
    }
  }
  return { width: header.width, height: header.height, luma };
}

interface Chunks {
  readonly header: PngHeader;
  readonly palette: Uint8Array | undefined;
  readonly transparency: Uint8Array | undefined;
  readonly data: Buffer;
}

/** Clause 5: signature and chunks. Ancillary chunks are passed over; an unknown critical one can't be. */
function readChunks(bytes: Buffer, dotsMax: number): Chunks {
  if (!bytes.subarray(0, signature.length).equals(signature)) throw new PngFault('it is no PNG');
  const data: Buffer[] = [];
  const once = new Map<string, Buffer>();
  let header: PngHeader | undefined;
  let isDataOver = false;
  for (let at = signature.length; at < bytes.length; ) {
    const { type, content, end } = readChunk(bytes, at);
    at = end;
    if (!header) {
      if (type !== 'IHDR') throw new PngFault('its header is not first');
      header = readHeader(content, dotsMax);
    } else if (type === 'IDAT') {
      if (isDataOver) throw new PngFault('its data is in two places');
      data.push(content);
    } else if (type === 'IEND') {
      return { header, palette: once.get('PLTE'), transparency: once.get('tRNS'), data: Buffer.concat(data) };
    } else if (type === 'PLTE' || type === 'tRNS') {
      if (once.has(type) || data.length > 0) throw new PngFault(`its ${type} is not where it must be`);
      once.set(type, content);
    } else if (isCritical(type)) {
      throw new PngFault('it has a chunk that is critical and unknown, or its header twice');
    }
    isDataOver = data.length > 0 && type !== 'IDAT';
  }
  throw new PngFault('its end is missing');
}

function readChunk(
  bytes: Buffer,
  at: number,
): { readonly type: string; readonly content: Buffer; readonly end: number } {
  const length = at + 12 <= bytes.length ? bytes.readUInt32BE(at) : Infinity;
  const end = at + 12 + length;
  if (end > bytes.length) throw new PngFault('a chunk is cut off');
  const body = bytes.subarray(at + 4, end - 4);
  if (crc32(body) !== bytes.readUInt32BE(end - 4)) throw new PngFault('a checksum is wrong');
  return { type: body.toString('latin1', 0, 4), content: body.subarray(4), end };
}

/** Clause 5.4: bit 5 of the first letter. */
function isCritical(type: string): boolean {
  return (type.charCodeAt(0) & 0x20) === 0;
}

async function inflateExactly(data: Buffer, length: number): Promise<Buffer> {
  let rows: Buffer;
  try {
    rows = await inflated(data, { maxOutputLength: length });
  } catch {
    throw new PngFault('its data does not inflate to its size');
  }
  if (rows.length !== length) throw new PngFault('its data is shorter than its size');
  return rows;
}

/** Clause 9: undoes the filter of a row in place. */
function reverseFilter(filter: number, row: Buffer, above: Buffer, pixelBytes: number): void {
  const toLeft = (at: number): number => (at < pixelBytes ? 0 : (row[at - pixelBytes] ?? 0));
  const up = (at: number): number => above[at] ?? 0;
  const toUpperLeft = (at: number): number => (at < pixelBytes ? 0 : (above[at - pixelBytes] ?? 0));
  const add = (predict: (at: number) => number): void => {
    for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) + predict(at);
  };
  switch (filter) {
    case 0:
      return;
    case 1:
      return add(toLeft);
    case 2:
      return add(up);
    case 3:
      return add((at) => (toLeft(at) + up(at)) >> 1);
    case 4:
      return add((at) => paeth(toLeft(at), up(at), toUpperLeft(at)));
    default:
      throw new PngFault('a row has a filter that does not exist');
  }
}

function paeth(left: number, up: number, toUpperLeft: number): number {
  const estimate = left + up - toUpperLeft;
  const [byLeft, byUp, byUpLeft] = [
    Math.abs(estimate - left),
    Math.abs(estimate - up),
    Math.abs(estimate - toUpperLeft),
  ];
  if (byLeft <= byUp && byLeft <= byUpLeft) return left;
  return byUp <= byUpLeft ? up : toUpperLeft;
}

function placeRow(row: Buffer, pass: Pass, y: number, width: number, luma: Uint8Array, shadeOf: ShadeOf): void {
  const start = (pass.top + y * pass.stepY) * width + pass.left;
  for (let x = 0; x < pass.width; x++) luma[start + x * pass.stepX] = shadeOf(row, x);
}
