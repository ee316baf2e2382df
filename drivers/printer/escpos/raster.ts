import type { Dots } from '../../../src/receipt/dots.ts';

/** DLE, and the bytes that make a real-time command with it: EOT, ENQ, DC4. */
const dle = 0x10;
const realTime: ReadonlySet<number> = new Set([0x04, 0x05, 0x14]);

/** Limits a block's height to one byte, so that the two height bytes can't form a command either. */
const blockRowsMax = 255;

/**
 * A picture as raster images, GS v 0 (m = 0: normal size), from top to bottom; a high picture becomes several. Blank
 * paper to the right of the last ink is not sent. A printer executes DLE EOT, DLE ENQ and DLE DC4 even inside data:
 * where two bytes of the picture would form one of them, one more dot is inked beside another (10 becomes 18).
 */
export function raster(dots: Dots): Uint8Array {
  const widthBytes = inkWidthBytes(dots);
  const blocks: Uint8Array[] = [];
  for (let top = 0; top < dots.height; top += blockRowsMax) {
    const rows = Math.min(blockRowsMax, dots.height - top);
    const data = new Uint8Array(widthBytes * rows);
    for (let y = 0; y < rows; y++) {
      const from = (top + y) * dots.rowBytes;
      data.set(dots.rows.subarray(from, from + widthBytes), y * widthBytes);
    }
    for (let at = data.indexOf(dle); at >= 0; at = data.indexOf(dle, at + 1)) {
      if (realTime.has(data[at + 1] ?? 0)) data[at] = dle | (dle >> 1);
    }
    blocks.push(Uint8Array.of(0x1d, 0x76, 0x30, 0, widthBytes, 0, rows, 0), data);
  }
  return Buffer.concat(blocks);
}

/** Bytes of the widest row; at least one, because a raster image needs a width. */
function inkWidthBytes(dots: Dots): number {
  let widest = 1;
  for (let at = 0; at < dots.rows.length; at++) {
    if (dots.rows[at] !== 0) widest = Math.max(widest, (at % dots.rowBytes) + 1);
  }
  return widest;
}
