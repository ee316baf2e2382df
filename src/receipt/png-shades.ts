import { PngFault, type PngHeader } from './png-header.ts';

/** The shade of the dot at `x` of a row: 0 is black, 255 white. */
export type ShadeOf = (row: Buffer, x: number) => number;

/** How the dots of such a picture become shades. `transparency`: the content of tRNS. Throws PngFault. */
export function shadeReader(
  header: PngHeader,
  palette: Uint8Array | undefined,
  transparency: Uint8Array | undefined,
): ShadeOf {
  const { depth, channels, isPalette } = header;
  if (isPalette) return paletteShades(depth, palette, transparency);
  const most = 2 ** depth - 1;
  // Of 16 bits the upper eight are enough for a shade; the transparent colour is compared in full.
  const valueAt = sampleReader(depth);
  const clear = transparency && channels !== 2 && channels !== 4 ? clearColour(transparency, channels) : undefined;
  return (row, x) => {
    const at = x * channels;
    const grey = valueAt(row, at);
    const [red, green, blue] = channels < 3 ? [grey, grey, grey] : [grey, valueAt(row, at + 1), valueAt(row, at + 2)];
    if (clear && red === clear[0] && green === clear[1] && blue === clear[2]) return 255;
    const alpha = channels === 2 || channels === 4 ? valueAt(row, at + channels - 1) / most : 1;
    return onPaper(lumaOf(red / most, green / most, blue / most), alpha);
  };
}

function paletteShades(depth: number, palette: Uint8Array | undefined, alphas: Uint8Array | undefined): ShadeOf {
  if (!palette || palette.length === 0 || palette.length % 3 !== 0 || palette.length > 3 * 2 ** depth) {
    throw new PngFault('its palette is missing or wrong');
  }
  const shades = Array.from({ length: palette.length / 3 }, (_, each) => {
    const [red = 0, green = 0, blue = 0] = palette.subarray(3 * each, 3 * each + 3);
    return onPaper(lumaOf(red / 255, green / 255, blue / 255), (alphas?.[each] ?? 255) / 255);
  });
  const valueAt = sampleReader(depth);
  return (row, x) => {
    const shade = shades[valueAt(row, x)];
    if (shade === undefined) throw new PngFault('a dot has no colour in its palette');
    return shade;
  };
}

function sampleReader(depth: number): (row: Buffer, index: number) => number {
  if (depth === 8) return (row, index) => row[index] ?? 0;
  if (depth === 16) return (row, index) => row.readUInt16BE(2 * index);
  const perByte = 8 / depth;
  return (row, index) => {
    const shift = 8 - depth * ((index % perByte) + 1);
    return ((row[Math.floor(index / perByte)] ?? 0) >> shift) & (2 ** depth - 1);
  };
}

function clearColour(transparency: Uint8Array, channels: number): readonly number[] {
  const values = Buffer.from(transparency);
  if (values.length !== 2 * channels) throw new PngFault('its tRNS has a wrong length');
  const [red = 0, green = red, blue = red] = Array.from({ length: channels }, (_, each) =>
    values.readUInt16BE(2 * each),
  );
  return [red, green, blue];
}

/** ITU-R BT.601, of values from 0 to 1. */
function lumaOf(red: number, green: number, blue: number): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

function onPaper(luma: number, alpha: number): number {
  return Math.round(255 * (1 + (luma - 1) * alpha));
}
