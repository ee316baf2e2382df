import { constants, open } from 'node:fs/promises';
import { decodePng } from '../receipt/png-decoder.ts';

/** The signature of a PNG, and the head of its first chunk, which has the size (PNG, 5.2 and 11.2.2). */
const opening = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const dotsMin = 16;

export interface PictureBounds {
  readonly bytesMax: number;
  /** Of a PNG, each way. */
  readonly dotsMax: number;
}

/** Limit of the shop's logo on the screen. */
export const screenLogoBounds: PictureBounds = { bytesMax: 262_144, dotsMax: 2_048 };
/** Of a method's logo: the screen sends each with every page, and decodes it. No phone company's logo needs more. */
export const methodLogoBounds: PictureBounds = { bytesMax: 65_536, dotsMax: 512 };

export interface Picture {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly bytes: Uint8Array;
}

/** A PNG for the screen. Rejects with an error that completes "… is left out: ". */
export async function readPng(path: string, bounds: PictureBounds): Promise<Uint8Array> {
  const bytes = await readBounded(path, bounds);
  await checkPng(bytes, bounds);
  return bytes;
}

/**
 * A PNG or an SVG for the screen, as `readPng`. A browser runs no script of an SVG that stands in a page as a picture.
 */
export async function readPicture(path: string, bounds: PictureBounds): Promise<Picture> {
  const bytes = await readBounded(path, bounds);
  if (/^\uFEFF?\s*(?:<\?xml|<!--|<!DOCTYPE svg|<svg)/.test(bytes.toString('utf8', 0, 200)) && bytes.includes('<svg')) {
    return { type: 'image/svg+xml', bytes };
  }
  await checkPng(bytes, bounds);
  return { type: 'image/png', bytes };
}

/**
 * The logos of payment methods, by code. `files`: their files, by code. One that can't be used is left out, and
 * `onFailure` gets the reason: its code is then shown by its name.
 */
export async function readLogos(
  files: ReadonlyMap<string, string>,
  onFailure: (error: Error) => void,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const logos = new Map<string, Uint8Array>();
  for (const [code, file] of files) {
    try {
      logos.set(code, await readPng(file, methodLogoBounds));
    } catch (error) {
      onFailure(new Error(`the logo of ${code} is left out: ${(error as Error).message}`));
    }
  }
  return logos;
}

async function readBounded(path: string, { bytesMax }: PictureBounds): Promise<Buffer> {
  // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const known = await file.stat();
    if (!known.isFile()) throw new Error('it is no file');
    if (known.size > bytesMax) throw new Error(`it has ${known.size} bytes, at most ${bytesMax} are allowed`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Throws for an SVG that a browser would draw differently. */
async function checkPng(bytes: Buffer, { dotsMax }: PictureBounds): Promise<void> {
  if (bytes.length < 33 || !bytes.subarray(0, opening.length).equals(opening)) throw new Error('it is no PNG');
  // Before decoding: a small file can contain a picture that exhausts the memory.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (Math.min(width, height) < dotsMin || Math.max(width, height) > dotsMax) {
    throw new Error(`it has ${width} × ${height} dots, ${dotsMin} to ${dotsMax} each way are allowed`);
  }
  await decodePng(bytes, dotsMax * dotsMax).catch(() => {
    throw new Error('its picture is damaged');
  });
}
