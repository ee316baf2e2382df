import EscPosEncoder from 'esc-pos-encoder';
import { inCodePage437 } from './cp437.ts';
import { cellsPerLine, type ReceiptLine } from './lines.ts';
import { paddedText } from './text.ts';

/** From the print head up to the cutter: 4 lines of 1/6 inch on common 80 mm printers. Unverified on hardware. */
const linesToCutter = 4;

/**
 * The receipt as one job of ESC/POS commands, from initialize (ESC @) to the cut (GS V 1), for a printer of `columns`
 * cells in font A. Text is code page 437; what it lacks is marked, see `inCodePage437`. No DLE (10) is in it, so nothing
 * in it is a real-time command, which a printer would execute even inside data.
 */
export function receiptEscpos(lines: readonly ReceiptLine[], columns: number): Uint8Array {
  const encoder = new EscPosEncoder({ columns, newline: '\n', feedBeforeCut: linesToCutter });
  encoder.initialize().codepage('cp437');
  for (const line of lines) {
    const { bold, size } = line.kind === 'rule' ? ({ bold: false, size: 'normal' } as const) : line;
    const scale = size === 'double' ? 2 : 1;
    const text = inCodePage437(paddedText(line, cellsPerLine(size, columns)));
    encoder.bold(bold).size(scale, scale).line(text).size(1, 1).bold(false);
  }
  return encoder.cut('partial').encode();
}
