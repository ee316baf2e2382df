import type { Clock } from '../../base/ports/clock.ts';
import type { PrinterFault, ReceiptPrinter, Sheet } from '../../base/ports/receipt-printer.ts';

/** One job of a till. `parts` are printed one after the other; a receipt may come between two of them. */
export interface PrintJob {
  readonly posId: string;
  readonly messageId: string;
  /** Of what was asked for: the same name with another digest is another request. */
  readonly digest: string;
  /** Whether it is kept while the printer can't print. */
  readonly waits: boolean;
  readonly parts: readonly (readonly Sheet[])[];
}

/** `waiting` without a fault: its turn has not come. `notPrinted`: it is kept no longer, and some of it may be on paper. */
export type PrintOutcome =
  | { readonly kind: 'printed' | 'otherRequest' | 'full' }
  | { readonly kind: 'waiting'; readonly fault?: PrinterFault | undefined }
  | { readonly kind: 'notPrinted'; readonly fault: PrinterFault };

export interface PrintQueueParts {
  readonly printer: ReceiptPrinter;
  /** The queue of receipts, which go first. */
  readonly receipts: { tryNow(): Promise<void> };
  readonly clock: Clock;
  /** For how long a job is kept while the printer can't print. */
  readonly keptMs: number;
  readonly onFailure: (error: unknown) => void;
}

interface Entry {
  readonly name: string;
  readonly job: Omit<PrintJob, 'parts'>;
  state: 'waiting' | 'printed' | 'dropped';
  fault: PrinterFault | undefined;
  /** What is not on paper yet. */
  rest: PrintJob['parts'];
  /** Resolves when it was printed, tried in vain, or dropped. */
  tried: PromiseWithResolvers<void>;
  timer?: unknown;
  /** Calls that wait for it. */
  callers: number;
}

/** So many jobs wait at one time, of all tills and of one. */
const waitingMax = 16;
const waitingOfTillMax = 4;
/** So many printed jobs are known by their names. */
const printedMax = 1_000;
/** Calls that wait for one job at most: a till whose connection broke repeats the call. Each further one is answered at once. */
const callersMax = 2;
/** A caller is answered after this time, printed or not. */
const answerMs = 20_000;

/**
 * What tills print, beside the receipts. Receipts that wait go first, also between two jobs, and a job is one piece of
 * work for the printer: nothing comes in the middle of another. The queue is memory: the journal is for money. So a job
 * is printed once under its name until the terminal restarts, and what waits then is forgotten.
 */
export class PrintQueue {
  readonly #parts: PrintQueueParts;
  readonly #known = new Map<string, Entry>();
  readonly #waiting = new Set<Entry>();
  readonly #stopListening: readonly (() => void)[];
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(parts: PrintQueueParts) {
    this.#parts = parts;
    this.#stopListening = [
      parts.printer.onState((state) => state === 'ready' && this.#wake()),
      parts.printer.onFaultChange((fault) => fault === undefined && this.#wake()),
    ];
  }

  /** Prints a job, or tells how the job of this name stands. Resolves within seconds. */
  async submit({ parts: rest, ...job }: PrintJob): Promise<PrintOutcome> {
    const name = JSON.stringify([job.posId, job.messageId]);
    const known = this.#known.get(name);
    if (known && known.job.digest !== job.digest) return { kind: 'otherRequest' };
    if (known) return this.#outcomeOf(known);
    const ofTill = [...this.#waiting].filter(({ job: { posId } }) => posId === job.posId);
    if (this.#waiting.size >= waitingMax || ofTill.length >= waitingOfTillMax) return { kind: 'full' };
    const { clock, keptMs } = this.#parts;
    const tried = Promise.withResolvers<void>();
    const entry: Entry = { name, job, state: 'waiting', fault: undefined, rest, tried, callers: 0 };
    entry.timer = clock.setTimeout(() => this.#drop(entry), keptMs);
    this.#known.set(name, entry);
    this.#waiting.add(entry);
    return this.#outcomeOf(entry);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stopListening) stop();
    for (const entry of this.#waiting) this.#drop(entry);
    await this.#running;
  }

  async #outcomeOf(entry: Entry): Promise<PrintOutcome> {
    if (entry.state === 'waiting' && entry.callers < callersMax) {
      entry.callers += 1;
      this.#wake();
      await this.#within(entry.tried.promise);
      entry.callers -= 1;
    }
    const { state, fault } = entry;
    if (state === 'printed') return { kind: 'printed' };
    return state === 'dropped' ? { kind: 'notPrinted', fault: fault ?? 'error' } : { kind: 'waiting', fault };
  }

  async #within(work: Promise<void>): Promise<void> {
    const { clock } = this.#parts;
    const late = Promise.withResolvers<void>();
    const timer = clock.setTimeout(late.resolve, answerMs);
    await Promise.race([work, late.promise]);
    clock.clearTimeout(timer);
  }

  #wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#running ??= this.#drain()
      .catch((error: unknown) => this.#parts.onFailure(error))
      .finally(() => {
        this.#running = undefined;
        // Another call came after the last look at the queue, and before this.
        if (this.#again) this.#wake();
      });
  }

  async #drain(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      for (const entry of this.#waiting) {
        const fault = await this.#print(entry).catch((error: unknown) => this.#giveUp(entry, error));
        if (fault !== undefined) this.#holdUp(fault);
        if (fault !== undefined || this.#closed) break;
      }
    }
  }

  /** Resolves with the fault that keeps the rest of the job from being printed. */
  async #print(entry: Entry): Promise<PrinterFault | undefined> {
    const { printer, receipts } = this.#parts;
    for (const sheets of entry.rest) {
      // The last report about it may be old: what it says now decides whether receipts are tried.
      if (printer.fault !== undefined) await printer.status();
      await receipts.tryNow();
      if (printer.fault !== undefined) return printer.fault;
      if (entry.state === 'dropped') return undefined;
      const fault = await printer.print(sheets, { withoutLogo: true });
      if (fault !== undefined) return fault;
      entry.rest = entry.rest.slice(1);
    }
    this.#end(entry, 'printed');
    for (const [name, { state }] of this.#known) {
      if (this.#known.size <= printedMax) break;
      if (state === 'printed') this.#known.delete(name);
    }
    return undefined;
  }

  /** A job that no printer takes holds up no other. */
  #giveUp(entry: Entry, error: unknown): undefined {
    this.#parts.onFailure(error);
    this.#drop(entry);
  }

  /** None of them can be printed now. */
  #holdUp(fault: PrinterFault): void {
    for (const entry of this.#waiting) {
      entry.fault = fault;
      if (!entry.job.waits) this.#drop(entry);
      const { tried } = entry;
      entry.tried = Promise.withResolvers();
      tried.resolve();
    }
  }

  #drop(entry: Entry): void {
    if (entry.state !== 'waiting') return;
    this.#known.delete(entry.name);
    this.#end(entry, 'dropped');
  }

  #end(entry: Entry, state: 'printed' | 'dropped'): void {
    entry.state = state;
    entry.rest = [];
    this.#waiting.delete(entry);
    this.#parts.clock.clearTimeout(entry.timer);
    entry.tried.resolve();
  }
}
