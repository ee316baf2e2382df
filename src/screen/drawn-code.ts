import { encodeQR } from 'qr';

/** A QR code ready to draw: `size` modules per side including the quiet zone, and the dark ones as one SVG path. */
export interface DrawnCode {
  readonly size: number;
  readonly path: string;
}

/** A wallet's payment link has about 50 characters, an EMV merchant-presented code at most 512 (EMV QRCPS MPM, 3.1). */
const codeCharactersMax = 512;
/** Light modules on each side: ISO/IEC 18004, 6.3.8. */
const quietModules = 4;

/** Uses error correction level M. Undefined for an empty or too long text. */
export function drawCode(text: string): DrawnCode | undefined {
  if (text === '' || text.length > codeCharactersMax) return undefined;
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: quietModules });
  return { size: rows.length, path: rows.map(rowPath).join('') };
}

/** Each run of dark modules is one rectangle. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    const start = x;
    while (row[x]) x++;
    if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`;
  }
  return path;
}
