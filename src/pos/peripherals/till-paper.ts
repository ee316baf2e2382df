import type { Refusal } from '../../base/domain/reason.ts';
import type { ReceiptPrinter } from '../../base/ports/receipt-printer.ts';
import type { PrintJob, PrintOutcome, PrintQueue } from './print-queue.ts';
import { type Report, reportPages } from '../../receipt/report.ts';
import { noPrinter, printerRefusals } from './printer-refusal.ts';
import { layOutTillLines, type LineFault, type TillLine, type TillPaperOptions } from './till-lines.ts';

const notAllowed: Refusal = { reason: 'printNotAllowed', message: 'the configuration forbids a till to print' };

export interface TillPaperParts extends TillPaperOptions {
  readonly isAllowed: boolean;
  /** Absent on a terminal without a printer. */
  readonly printer?: Pick<ReceiptPrinter, 'fault'> | undefined;
  readonly queue?: Pick<PrintQueue, 'submit'> | undefined;
  readonly now: () => Date;
  /** At the head of a report. */
  readonly shopName: string;
  /** The header of each merchant, instead of the shop's. */
  readonly merchants?: ReadonlyMap<string, { readonly name: string }>;
}

export interface TillJob extends Omit<PrintJob, 'parts'> {
  readonly lines: readonly TillLine[];
}

/** Prints a report as a job with its name. `merchantId`: only of this merchant. */
export type ReportJob = Omit<PrintJob, 'parts'> &
  Omit<Report, 'shopName' | 'at'> & { readonly merchantId?: string | undefined };

/** Maximum number of jobs that are laid out or wait for it at one time. */
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
  get refusal(): Refusal | undefined {
    if (!this.#parts.isAllowed) return notAllowed;
    return this.absence;
  }

  /** Why there is no printer at all. */
  get absence(): Refusal | undefined {
    return this.#parts.queue ? undefined : noPrinter;
  }

  /** Why it can't print at this moment. */
  get currentRefusal(): Refusal | undefined {
    const { printer } = this.#parts;
    return this.refusal ?? (printer?.fault && printerRefusals[printer.fault]);
  }

  /** Prints a till's job. Must be called only without a `refusal`. */
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

  /** Prints a report, each page by itself: a receipt may come between two. Must be called only without an `absence`. */
  async printReport({ posId, messageId, digest, waits, merchantId, ...report }: ReportJob): Promise<PrintOutcome> {
    const { queue, now, merchants } = this.#parts;
    if (!queue) return { kind: 'full' };
    const { name: shopName } = merchants?.get(merchantId ?? '') ?? { name: this.#parts.shopName };
    const pages = reportPages({ ...report, shopName, at: now() }, this.#parts);
    return queue.submit({ posId, messageId, digest, waits, parts: pages.map((page) => [page]) });
  }
}
