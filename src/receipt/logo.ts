import { readFile, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { Dots } from './dots.ts';

/** Maximum size of a logo. A larger file is a mistake in the configuration. */
const fileBytesMax = 2 * 1024 * 1024;
/** Maximum size of a logo in an answer to a POS: each such answer carries it. */
const answerBytesMax = 64 * 1024;
const pixelsMax = 4096;
/** Of a picture from a till: it is decoded while a card reader may have to be served. */
const tillPixelsMax = 200_000;
/** 40 mm at 203 dpi. */
const heightMax = 320;

const pngSignature = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const dataUrl = /^data:image\/png;base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Cache of the last logo: a terminal has one, and must not decode it for every receipt. */
let last: { readonly source: string; readonly widthMax: number; readonly dots: Dots } | undefined;

/**
 * The shop's logo in dots, at most `widthMax` wide: scaled down but never up, grey shades dithered. `source` is a path
 * or a data: URL of a PNG; empty for none. A logo that can't be read, is not a PNG or is too large does not prevent
 * printing: it is left out, and `onFailure` gets the reason.
 */
export async function shopLogo(
  source: string,
  widthMax: number,
  onFailure?: (error: unknown) => void,
): Promise<Dots | undefined> {
  if (source === '') return undefined;
  if (last?.source === source && last.widthMax === widthMax) return last.dots;
  try {
    const dots = await decodePng(await pngBytes(source), widthMax);
    last = { source, widthMax, dots };
    return dots;
  } catch (error) {
    onFailure?.(error);
    return undefined;
  }
}

/**
 * The shop's logo as a data: URL, for a POS that prints. Empty, with the reason to `onFailure`, for a logo that can't be
 * read or is larger than 64 kB.
 */
export async function logoUri(source: string, onFailure: (error: unknown) => void): Promise<string> {
  if (source === '') return '';
  try {
    const bytes = await pngBytes(source);
    if (bytes.length > answerBytesMax) {
      throw new Error(`the logo has ${bytes.length} bytes: answers have none of more than ${answerBytesMax}`);
    }
    return `data:image/png;base64,${bytes.toString('base64')}`;
  } catch (error) {
    onFailure(error);
    return '';
  }
}

/** Why a till's picture can't be printed. */
export class PictureFault extends Error {}

/**
 * A picture from a till in dots, as the logo is made; `source` is a data: URL. Rejects with PictureFault, in words that
 * complete "the picture …".
 */
export async function tillPicture(source: string, widthMax: number): Promise<Dots> {
  const [, base64] = dataUrl.exec(source) ?? [];
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (!bytes.subarray(0, pngSignature.length).equals(pngSignature) || bytes.length < 33) {
    throw new PictureFault('must be a data: URL of a PNG picture in base64');
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  // An interlaced one is unpacked whole, whatever its size.
  const isInterlaced = bytes.readUInt8(28) !== 0;
  if (width * height === 0 || width * height > tillPixelsMax || isInterlaced) {
    throw new PictureFault(`must have at most ${tillPixelsMax} pixels, and not be interlaced`);
  }
  try {
    return await decodePng(bytes, widthMax);
  } catch {
    throw new PictureFault('can’t be decoded');
  }
}

async function decodePng(bytes: Buffer, widthMax: number): Promise<Dots> {
  const { default: pngjs } = await import('pngjs');
  const { data, width, height } = await new Promise<Picture>((resolve, reject) => {
    new pngjs.PNG().parse(bytes, (error: Error | null, picture) => (error ? reject(error) : resolve(picture)));
  });
  const scale = Math.min(1, widthMax / width, heightMax / height);
  const size = (of: number): number => Math.max(1, Math.floor(of * scale));
  // Yields between the steps, because the event loop also serves the card reader.
  await setImmediate();
  const shades = scaleLuma(lumaOf(data), width, height, size(width), size(height));
  await setImmediate();
  return dither(shades, size(width), size(height));
}

interface Picture {
  /** Red, green, blue, alpha of each pixel. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

async function pngBytes(source: string): Promise<Buffer> {
  const bytes = source.startsWith('data:') ? fromDataUrl(source) : await fromFile(source);
  if (!bytes.subarray(0, pngSignature.length).equals(pngSignature) || bytes.length < 24) {
    throw new Error('the logo is not a PNG picture');
  }
  // Checked before decoding: a small file can contain a picture that exhausts the memory.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width === 0 || height === 0 || width > pixelsMax || height > pixelsMax) {
    throw new Error(`the logo has ${width} × ${height} pixels, at most ${pixelsMax} × ${pixelsMax} are allowed`);
  }
  return bytes;
}

function fromDataUrl(source: string): Buffer {
  const [, base64] = (source.length <= fileBytesMax * 2 && dataUrl.exec(source)) || [];
  if (base64 === undefined) throw new Error('the logo is not a data: URL of a PNG picture in base64');
  return Buffer.from(base64, 'base64');
}

async function fromFile(path: string): Promise<Buffer> {
  const file = await stat(path);
  if (!file.isFile()) throw new Error('the logo is not a file');
  if (file.size > fileBytesMax) throw new Error(`the logo has ${file.size} bytes, at most ${fileBytesMax} are allowed`);
  return readFile(path);
}

/** Luma (ITU-R BT.601) on white paper. */
function lumaOf(rgba: Uint8Array): Float32Array {
  const shades = new Float32Array(rgba.length / 4);
  for (let at = 0, from = 0; at < shades.length; at++, from += 4) {
    const luma = 0.299 * (rgba[from] ?? 255) + 0.587 * (rgba[from + 1] ?? 255) + 0.114 * (rgba[from + 2] ?? 255);
    shades[at] = 255 + ((luma - 255) * (rgba[from + 3] ?? 255)) / 255;
  }
  return shades;
}

/**
 * Each pixel of the smaller picture is the mean of the area that it covers, including partial pixels; one direction
 * after the other.
 */
function scaleLuma(luma: Float32Array, width: number, height: number, toWidth: number, toHeight: number): Float32Array {
  if (toWidth === width && toHeight === height) return luma;
  const narrow = new Float32Array(toWidth * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < toWidth; x++) {
      narrow[y * toWidth + x] = mean(
        (at) => luma[y * width + at] ?? 255,
        x * (width / toWidth),
        (x + 1) * (width / toWidth),
      );
    }
  }
  const scaled = new Float32Array(toWidth * toHeight);
  for (let y = 0; y < toHeight; y++) {
    for (let x = 0; x < toWidth; x++) {
      const [from, to] = [y * (height / toHeight), (y + 1) * (height / toHeight)];
      scaled[y * toWidth + x] = mean((at) => narrow[at * toWidth + x] ?? 255, from, to);
    }
  }
  return scaled;
}

function mean(valueAt: (index: number) => number, from: number, to: number): number {
  let sum = 0;
  for (let at = Math.floor(from); at < to; at++) sum += valueAt(at) * (Math.min(at + 1, to) - Math.max(at, from));
  return sum / (to - from);
}

/** Floyd–Steinberg error diffusion. */
function dither(shades: Float32Array, width: number, height: number): Dots {
  const dots = new Dots(width, height);
  const luma = Float32Array.from(shades);
  const spreadError = (x: number, y: number, error: number): void => {
    if (x >= 0 && x < width && y < height) luma[y * width + x] = (luma[y * width + x] ?? 0) + error;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const wanted = luma[y * width + x] ?? 255;
      const isInk = wanted < 128;
      if (isInk) dots.fill(x, y);
      const error = wanted - (isInk ? 0 : 255);
      spreadError(x + 1, y, (error * 7) / 16);
      spreadError(x - 1, y + 1, (error * 3) / 16);
      spreadError(x, y + 1, (error * 5) / 16);
      spreadError(x + 1, y + 1, error / 16);
    }
  }
  return dots;
}
