/** Why a PNG can't be decoded, in words that complete "can't be used: ". */
export class PngFault extends Error {}

/** The IHDR chunk (W3C PNG, third edition, clause 11.2.1). */
export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample. */
  readonly depth: number;
  /** Samples of a dot. */
  readonly channels: number;
  readonly isPalette: boolean;
  readonly isInterlaced: boolean;
}

/** Colour types, with their samples for a dot and the depths that they may have. */
const colourTypes: Readonly<Record<number, { readonly channels: number; readonly depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

/** Colour in 16 bits has 8 bytes for each dot: the largest pictures have fewer. */
const bytesMax = 32 * 1_048_576;

/**
 * Reads the content of IHDR. Throws PngFault for a header that no PNG has, and for more than `dotsMax` dots or 32 MiB
 * of them.
 */
export function readHeader(content: Buffer, dotsMax: number): PngHeader {
  if (content.length !== 13) throw new PngFault('its header has a wrong length');
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)];
  const [depth = 0, colour = 0, compression, filtering, interlacing = 0] = content.subarray(8);
  const { channels, depths } = colourTypes[colour] ?? { channels: 0, depths: [] };
  if (!depths.includes(depth) || compression !== 0 || filtering !== 0 || interlacing > 1) {
    throw new PngFault('its header has a value that no PNG has');
  }
  if (width === 0 || height === 0 || width * height > dotsMax) {
    throw new PngFault(`it has ${width} × ${height} dots, at most ${dotsMax} are allowed`);
  }
  const bytes = rowBytesOf({ depth, channels }, width) * height;
  if (bytes > bytesMax) {
    throw new PngFault(`its dots take ${bytes} bytes, at most ${bytesMax} are allowed`);
  }
  return { width, height, depth, channels, isPalette: colour === 3, isInterlaced: interlacing === 1 };
}

/** Dots that stand in the data together: all of them, or one of seven passes of an interlaced picture. */
export interface Pass {
  readonly left: number;
  readonly top: number;
  readonly stepX: number;
  readonly stepY: number;
  readonly width: number;
  readonly height: number;
}

/** Adam7 (clause 8.2): left, top, stepX, stepY. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export function passesOf({ width, height, isInterlaced }: PngHeader): readonly Pass[] {
  const passes = isInterlaced ? adam7 : ([[0, 0, 1, 1]] as const);
  return passes
    .map(([left, top, stepX, stepY]) => ({
      left,
      top,
      stepX,
      stepY,
      width: Math.ceil((width - left) / stepX),
      height: Math.ceil((height - top) / stepY),
    }))
    .filter((pass) => pass.width > 0 && pass.height > 0);
}

/** Bytes of a row of so many dots, without the byte of its filter. */
export function rowBytesOf({ depth, channels }: Pick<PngHeader, 'depth' | 'channels'>, width: number): number {
  return Math.ceil((width * depth * channels) / 8);
}
