import { encodeQR } from 'qr';
import { Dots } from './dots.ts';

/** Dots of a module on paper of 203 dpi: 0.75 mm, which phones read at once. */
const moduleDots = 6;
/** Quiet zone, ISO/IEC 18004. */
const quietModules = 4;

/** A QR code for paper of `widthMax` dots. Its modules get smaller where it would be too wide. */
export function qrDots(text: string, widthMax: number): Dots {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: quietModules });
  const size = Math.max(1, Math.min(moduleDots, Math.floor(widthMax / rows.length)));
  const dots = new Dots(rows.length * size, rows.length * size);
  for (const [y, row] of rows.entries()) {
    for (const [x, isDark] of row.entries()) if (isDark) dots.fill(x * size, y * size, size, size);
  }
  return dots;
}
