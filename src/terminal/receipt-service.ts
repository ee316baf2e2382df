import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Journal } from '../ports/journal.ts';
import type { JournalledSettlement } from '../events/settlement.ts';
import type { ReceiptPrinter, Sheet } from '../ports/receipt-printer.ts';
import type { RecordTree } from '../records/standing.ts';
import { buildTree } from '../records/record-tree.ts';

export type Paper =
  | { readonly paper: 'receipt'; readonly tree: RecordTree }
  | { readonly paper: 'settlement'; readonly settlement: JournalledSettlement };

export interface ReceiptServiceOptions {
  readonly journal: Journal;
  readonly printer: ReceiptPrinter;
  /** One paper, laid out. Throws for what can't be. */
  readonly sheets: (paper: Paper) => readonly Sheet[];
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Receipts that wait for the printer, in the order of their payments. The queue is the journal: a receipt that could not
 * be printed (no paper, printer gone, power cut) is printed when it can be.
 */
export class ReceiptService {
  readonly #options: ReceiptServiceOptions;
  readonly #stopListening: readonly (() => void)[];
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: ReceiptServiceOptions) {
    this.#options = options;
    const { printer } = options;
    this.#stopListening = [
      printer.onState((state) => state === 'ready' && this.poke()),
      printer.onFaultChange((fault) => fault === undefined && this.poke()),
    ];
  }

  /** Prints what waits, as far as the printer can. Does not wait for it. */
  poke(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#running ??= this.#drain()
      .catch((error: unknown) => this.#options.onFailure?.(error))
      .finally(() => {
        this.#running = undefined;
        // Poked after the last look at the journal, and before this.
        if (this.#again) this.poke();
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stopListening) stop();
    await this.#running;
  }

  async #drain(): Promise<void> {
    const { journal } = this.#options;
    while (this.#again) {
      this.#again = false;
      for (const waiting of await journal.waitingReceipts()) {
        if (this.#closed) return;
        if (!(await this.#print(waiting))) break;
      }
    }
  }

  /** False where the printer can't print now, so that the next need not be tried. */
  async #print({ id, paper }: Waiting): Promise<boolean> {
    const { journal, printer } = this.#options;
    const sheets = await this.#layOut(id, paper);
    if (!sheets) return true;
    const fault = await printer.print(sheets);
    if (fault !== undefined) return false;
    // A cut between the paper and this commit prints the receipt once more: better twice than never.
    if (paper === 'receipt') await journal.append(id, [{ kind: 'receiptPrinted' }]);
    else await journal.markSettlementPrinted(id);
    return true;
  }

  /** Nothing where it can't be laid out: it waits for a version that can, and holds up no other. */
  async #layOut(id: TerminalTransactionId, paper: Waiting['paper']): Promise<readonly Sheet[] | undefined> {
    const { journal, sheets, onFailure } = this.#options;
    const tree = paper === 'receipt' ? await buildTree(id, journal) : undefined;
    const settlement = paper === 'settlement' ? await journal.readSettlement(id) : undefined;
    try {
      if (tree) return sheets({ paper: 'receipt', tree });
      if (settlement) return sheets({ paper: 'settlement', settlement });
      throw new Error(`the journal has no ${id}`);
    } catch (error) {
      onFailure?.(error);
      return undefined;
    }
  }
}

type Waiting = Awaited<ReturnType<Journal['waitingReceipts']>>[number];
