import { readFile, stat } from 'node:fs/promises';
import { Dots } from './dots.ts';

/** Paper below a logo, in dots. */
export const logoGap = 12;

/** A logo of a shop; what is larger is a mistake of its configuration. */
const fileBytesMax = 2 * 1024 * 1024;
const pixelsMax = 4096;
/** 40 mm at 203 dpi: a logo is not a poster. */
const heightMax = 320;

const pngSignature = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const dataUrl = /^data:image\/png;base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** The last one that was read: a terminal has one, and decoding it for every receipt would be a waste. */
let last: { readonly source: string; readonly widthMax: number; readonly dots: Dots } | undefined;

/**
 * The shop's logo in dots, at most `widthMax` wide, scaled down but never up, grey shades dithered. `source` is a file's
 * path or a data: URL, of a PNG; empty: none. A logo that can't be read, is no PNG or is too large is no reason for a
 * receipt not to be printed: there is none then, and `onFailure` is told why.
 */
export async function shopLogo(
  source: string,
  widthMax: number,
  onFailure?: (error: unknown) => void,
): Promise<Dots | undefined> {
  if (source === '') return undefined;
  if (last?.source === source && last.widthMax === widthMax) return last.dots;
  try {
    const dots = await decoded(await pngBytes(source), widthMax);
    last = { source, widthMax, dots };
    return dots;
  } catch (error) {
    onFailure?.(error);
    return undefined;
  }
}

async function decoded(bytes: Buffer, widthMax: number): Promise<Dots> {
  const { createCanvas, loadImage } = await import('@napi-rs/canvas');
  const image = await loadImage(bytes);
  const scale = Math.min(1, widthMax / image.width, heightMax / image.height);
  const width = Math.max(1, Math.floor(image.width * scale));
  const height = Math.max(1, Math.floor(image.height * scale));
  const context = createCanvas(width, height).getContext('2d');
  // Transparent is paper.
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  return dithered(context.getImageData(0, 0, width, height).data, width, height);
}

async function pngBytes(source: string): Promise<Buffer> {
  const bytes = source.startsWith('data:') ? fromDataUrl(source) : await fromFile(source);
  if (!bytes.subarray(0, pngSignature.length).equals(pngSignature) || bytes.length < 24) {
    throw new Error('the logo is not a PNG picture');
  }
  // Looked at before it is decoded: a small file can hold a picture that fills the memory.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width === 0 || height === 0 || width > pixelsMax || height > pixelsMax) {
    throw new Error(`the logo has ${width} × ${height} pixels, ${pixelsMax} × ${pixelsMax} are the most`);
  }
  return bytes;
}

function fromDataUrl(source: string): Buffer {
  const [, base64] = (source.length <= fileBytesMax * 2 && dataUrl.exec(source)) || [];
  if (base64 === undefined) throw new Error('the logo is no data: URL of a PNG picture in base64');
  return Buffer.from(base64, 'base64');
}

async function fromFile(path: string): Promise<Buffer> {
  const file = await stat(path);
  if (!file.isFile()) throw new Error('the logo is not a file');
  if (file.size > fileBytesMax) throw new Error(`the logo has ${file.size} bytes, ${fileBytesMax} are the most`);
  return readFile(path);
}

/** Floyd and Steinberg's error diffusion of the luma (ITU-R BT.601). `rgba` is opaque. */
function dithered(rgba: Uint8ClampedArray, width: number, height: number): Dots {
  const dots = new Dots(width, height);
  const luma = Float32Array.from({ length: width * height }, (_, at) => {
    const [red = 255, green = 255, blue = 255] = rgba.subarray(at * 4, at * 4 + 3);
    return 0.299 * red + 0.587 * green + 0.114 * blue;
  });
  const spread = (x: number, y: number, error: number): void => {
    if (x >= 0 && x < width && y < height) luma[y * width + x] = (luma[y * width + x] ?? 0) + error;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const wanted = luma[y * width + x] ?? 255;
      const isInk = wanted < 128;
      if (isInk) dots.fill(x, y);
      const error = wanted - (isInk ? 0 : 255);
      spread(x + 1, y, (error * 7) / 16);
      spread(x - 1, y + 1, (error * 3) / 16);
      spread(x, y + 1, (error * 5) / 16);
      spread(x + 1, y + 1, error / 16);
    }
  }
  return dots;
}
