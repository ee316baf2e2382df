import { readFile, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { Dots } from './dots.ts';
import { decodePng } from './png-decoder.ts';
import { PngFault } from './png-header.ts';

/** Maximum size of a logo. A larger file is a mistake in the configuration. */
const fileBytesMax = 2 * 1024 * 1024;
/** Maximum size of a logo in an answer to a POS: each such answer carries it. */
const answerBytesMax = 64 * 1024;
/** Of a logo: 4096 × 4096. */
const dotsMax = 16_777_216;
/** Of a picture from a till: it is decoded while a card reader may have to be served. */
const tillDotsMax = 200_000;
/** Of a logo that is scaled, between two turns of the event loop. */
const rowsAtOnce = 16;
/** 40 mm at 203 dpi. */
const heightMax = 320;

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
    const dots = await nameLogo(drawPng(await pngBytes(source), dotsMax, widthMax));
    last = { source, widthMax, dots };
    return dots;
  } catch (error) {
    onFailure?.(error);
    return undefined;
  }
}

/**
 * The shop's logo as a data: URL, for a POS that prints. Empty, with the reason to `onFailure`, for a logo that can't
 * be read or is larger than 64 kB.
 */
export async function logoUri(source: string, onFailure: (error: unknown) => void): Promise<string> {
  if (source === '') return '';
  try {
    const bytes = await pngBytes(source);
    if (bytes.length > answerBytesMax) {
      throw new Error(`the logo has ${bytes.length} bytes: answers have none of more than ${answerBytesMax}`);
    }
    await nameLogo(decodePng(bytes, dotsMax));
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
  if (base64 === undefined) throw new PictureFault('must be a data: URL of a PNG picture in base64');
  try {
    return await drawPng(Buffer.from(base64, 'base64'), tillDotsMax, widthMax);
  } catch (error) {
    if (!(error instanceof PngFault)) throw error;
    throw new PictureFault(`can’t be used: ${error.message}`);
  }
}

/** Rejects with the reason where `shopLogo` would leave this logo out. */
export async function checkLogo(source: string): Promise<void> {
  if (source !== '') await nameLogo(decodePng(await pngBytes(source), dotsMax));
}

/** A fault of the decoder is a sentence about the logo. */
async function nameLogo<T>(decoded: Promise<T>): Promise<T> {
  return decoded.catch((error: unknown) => {
    throw error instanceof PngFault ? new Error(`the logo can't be used: ${error.message}`) : error;
  });
}

async function drawPng(bytes: Uint8Array, dotsMax: number, widthMax: number): Promise<Dots> {
  const { luma, width, height } = await decodePng(bytes, dotsMax);
  const scale = Math.min(1, widthMax / width, heightMax / height);
  const size = (of: number): number => Math.max(1, Math.floor(of * scale));
  const shades = await scaleLuma(luma, width, height, size(width), size(height));
  await setImmediate();
  return dither(shades, size(width), size(height));
}

async function pngBytes(source: string): Promise<Buffer> {
  return source.startsWith('data:') ? fromDataUrl(source) : fromFile(source);
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

/**
 * Each pixel of the smaller picture is the mean of the area that it covers, including partial pixels; one direction
 * after the other.
 */
async function scaleLuma(
  luma: Uint8Array,
  width: number,
  height: number,
  toWidth: number,
  toHeight: number,
): Promise<Float32Array> {
  if (toWidth === width && toHeight === height) return Float32Array.from(luma);
  const narrow = new Float32Array(toWidth * height);
  const [across, down] = [width / toWidth, height / toHeight];
  for (let y = 0; y < height; y++) {
    const valueAt = (at: number) => luma[y * width + at] ?? 255;
    for (let x = 0; x < toWidth; x++) narrow[y * toWidth + x] = mean(valueAt, x * across, (x + 1) * across);
    // Yields, because the event loop also serves the card reader.
    if (y % rowsAtOnce === 0) await setImmediate();
  }
  const scaled = new Float32Array(toWidth * toHeight);
  for (let y = 0; y < toHeight; y++) {
    for (let x = 0; x < toWidth; x++) {
      scaled[y * toWidth + x] = mean((at) => narrow[at * toWidth + x] ?? 255, y * down, (y + 1) * down);
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
  const luma = shades;
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
