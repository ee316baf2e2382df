import assert from 'node:assert/strict';

export interface PaperLine {
  /** Bytes of text, as code page 437 reads them in the ASCII half; others as they are (latin1). */
  readonly text: string;
  /** Cells that the line takes on paper. */
  readonly cells: number;
  readonly bold: boolean;
}

/**
 * Reads a print job as a printer would, and knows only the commands that a receipt may hold. Anything else, above all a
 * control byte inside text, fails the test.
 */
export function paperOf(job: Uint8Array): { readonly lines: readonly PaperLine[]; readonly cuts: number } {
  const lines: PaperLine[] = [];
  let cuts = 0;
  let scale = 1;
  let bold = false;
  let line = { text: '', cells: 0, bold: false };
  for (let at = 0; at < job.length; ) {
    const rest = Buffer.from(job.subarray(at, at + 3));
    const [first = 0, second, value = 0] = rest;
    if (first >= 0x20 && first !== 0x7f) {
      line = { text: line.text + rest.toString('latin1', 0, 1), cells: line.cells + scale, bold: line.bold || bold };
      at += 1;
    } else if (first === 0x0a) {
      lines.push(line);
      line = { text: '', cells: 0, bold: false };
      at += 1;
    } else if (first === 0x1b && second === 0x40) {
      assert.equal(at, 0, 'ESC @ only at the beginning');
      at += 2;
    } else if (first === 0x1c && second === 0x2e) {
      at += 2;
    } else if (first === 0x1b && (second === 0x4d || second === 0x74)) {
      assert.equal(value, 0, 'font A and code page 437 only');
      at += 3;
    } else if (first === 0x1b && second === 0x45) {
      bold = value === 1;
      at += 3;
    } else if (first === 0x1d && second === 0x21) {
      scale = value === 0x11 ? 2 : 1;
      at += 3;
    } else if (first === 0x1d && second === 0x56) {
      cuts++;
      at += 3;
    } else {
      assert.fail(`unexpected bytes ${rest.toString('hex')} at ${at}`);
    }
  }
  return { lines, cuts };
}
