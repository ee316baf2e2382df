import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Journal } from '../ports/journal.ts';
import type { ReceiptPrinter } from '../ports/receipt-printer.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';

export interface ReceiptQueueOptions {
  readonly journal: Journal;
  readonly printer: ReceiptPrinter;
  /** The printer's bytes of one receipt. */
  readonly rendered: (record: TransactionRecord) => Uint8Array;
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Receipts that wait for the printer, in the order of their payments. The queue is the journal: a receipt that could not
 * be printed (no paper, printer gone, power cut) is printed when it can be.
 */
export class ReceiptQueue {
  readonly #options: ReceiptQueueOptions;
  readonly #stopListening: readonly (() => void)[];
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: ReceiptQueueOptions) {
    this.#options = options;
    const { printer } = options;
    this.#stopListening = [
      printer.onState((state) => state === 'ready' && this.poke()),
      printer.onFaultChange((fault) => fault === undefined && this.poke()),
    ];
  }

  /** Prints what waits, as far as the printer can. Does not wait for it. */
  poke(): void {
    this.#again = true;
    this.#running ??= this.#drain()
      .catch((error: unknown) => this.#options.onFailure?.(error))
      .finally(() => {
        this.#running = undefined;
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
      for (const id of await journal.waitingReceipts()) {
        if (this.#closed) return;
        if (!(await this.#printed(id))) break;
      }
    }
  }

  async #printed(id: TerminalTransactionId): Promise<boolean> {
    const { journal, printer, rendered } = this.#options;
    const record = transactionRecord(id, await journal.read(id));
    const fault = await printer.print(rendered(record));
    if (fault !== undefined) return false;
    // A cut between the paper and this commit prints the receipt once more: better twice than never.
    await journal.append(id, [{ kind: 'receiptPrinted' }]);
    return true;
  }
}
