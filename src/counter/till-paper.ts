import type { Trouble } from '../domain/reason.ts';
import type { PrinterFault, ReceiptPrinter } from '../ports/receipt-printer.ts';
import type { PrintJob, PrintOutcome, PrintQueue } from './print-queue.ts';
import { layOutTillLines, type LineFault, type TillLine, type TillPaperOptions } from './till-lines.ts';

/** Why the printer can't be used now. */
export const printerTroubles: Readonly<Record<PrinterFault, Trouble>> = {
  absent: { reason: 'printerAbsent', message: 'the printer is not connected' },
  'paper-out': { reason: 'printerPaperOut', message: 'the printer has no paper' },
  'cover-open': { reason: 'printerCoverOpen', message: 'the printer is open' },
  error: { reason: 'printerError', message: 'the printer has a fault' },
};

export const noPrinter: Trouble = { reason: 'printerNotConfigured', message: 'this terminal has no printer' };
const notAllowed: Trouble = { reason: 'printNotAllowed', message: 'the configuration forbids a till to print' };

export interface TillPaperParts extends TillPaperOptions {
  readonly isAllowed: boolean;
  /** Absent on a terminal without a printer. */
  readonly printer?: Pick<ReceiptPrinter, 'fault'> | undefined;
  readonly queue?: Pick<PrintQueue, 'submit'> | undefined;
  readonly now: () => Date;
}

export interface TillJob extends Omit<PrintJob, 'parts'> {
  readonly lines: readonly TillLine[];
}

/** So many jobs are laid out or wait for it at one time. */
const layoutsMax = 8;

/** The printer as tills use it. */
export class TillPaper {
  readonly #parts: TillPaperParts;
  #layouts = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: TillPaperParts) {
    this.#parts = parts;
  }

  /** Why no till can print at all. */
  get refusal(): Trouble | undefined {
    if (!this.#parts.isAllowed) return notAllowed;
    return this.#parts.queue ? undefined : noPrinter;
  }

  /** Why it can't print at this moment. */
  get trouble(): Trouble | undefined {
    const { printer } = this.#parts;
    return this.refusal ?? (printer?.fault && printerTroubles[printer.fault]);
  }

  /** Prints what a till has asked for; to be called where there is no `refusal`. */
  async print({ lines, ...job }: TillJob): Promise<PrintOutcome | LineFault> {
    const { queue, now } = this.#parts;
    if (!queue || this.#layouts >= layoutsMax) return { kind: 'full' };
    // One after the other: each takes the processor that also serves the card reader.
    this.#layouts += 1;
    const layout = this.#turn.then(() => layOutTillLines(lines, { posId: job.posId, at: now() }, this.#parts));
    this.#turn = layout.catch(() => undefined);
    const sheets = await layout.finally(() => (this.#layouts -= 1));
    return 'reason' in sheets ? sheets : queue.submit({ ...job, parts: [sheets] });
  }
}
