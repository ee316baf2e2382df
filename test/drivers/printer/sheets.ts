import type { PrinterJob } from '../../../drivers/printer/escpos/receipt-job.ts';
import type { Sheet } from '../../../src/base/ports/receipt-printer.ts';

/** A sheet that `renderAsIs` makes these bytes of. */
export function sheetsOf(bytes: Uint8Array): readonly Sheet[] {
  return [[{ kind: 'text', text: Buffer.from(bytes).toString('latin1'), align: 'left', bold: false, size: 'normal' }]];
}

/** The text of the lines, and a line of paper for each line feed: what goes over the wire is the test's own. */
export async function renderAsIs(sheets: readonly Sheet[]): Promise<PrinterJob> {
  const text = sheets
    .flat()
    .map((line) => (line.kind === 'text' ? line.text : ''))
    .join('');
  return { bytes: Buffer.from(text, 'latin1'), paperLines: text.split('\n').length - 1 };
}
