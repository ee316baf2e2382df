import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';
import type { JournalledSettlement } from '../events/settlement.ts';
import type { PrinterFault, ReceiptPrinter, Sheet } from '../../base/ports/receipt-printer.ts';
import type { ReceiptEvent } from '../contracts/terminal-events.ts';
import type { RecordTree } from '../records/transaction-status.ts';
import { buildTree } from '../records/record-tree.ts';

export type Paper =
  | { readonly paper: 'receipt'; readonly tree: RecordTree }
  | { readonly paper: 'settlement'; readonly settlement: JournalledSettlement };

export interface ReceiptServiceOptions {
  readonly journal: Journal;
  readonly printer: ReceiptPrinter;
  /** Lays out one paper. Throws if it can't be laid out. */
  readonly sheets: (paper: Paper) => readonly Sheet[];
  /** Called once a receipt is printed, and when another fault keeps it waiting. */
  readonly onReceipt?: (event: ReceiptEvent) => void;
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Prints waiting receipts in the order of their payments. The queue is the journal: a receipt that could not be printed
 * (no paper, no printer, power cut) is printed as soon as possible.
 */
export class ReceiptService {
  readonly #options: ReceiptServiceOptions;
  readonly #stopListening: readonly (() => void)[];
  #running: Promise<void> | undefined;
  /** The receipt and the fault that were reported last. */
  #reported = '';
  #again = false;
  #closed = false;
  /** Receipts that wait for the customer's signature. */
  readonly #held = new Set<TerminalTransactionId>();

  constructor(options: ReceiptServiceOptions) {
    this.#options = options;
    const { printer } = options;
    this.#stopListening = [
      printer.onState((state) => state === 'ready' && this.wake()),
      printer.onFaultChange((fault) => fault === undefined && this.wake()),
    ];
  }

  /** Starts printing the waiting receipts, and returns at once. */
  wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#running ??= this.#drain()
      .catch((error: unknown) => this.#options.onFailure?.(error))
      .finally(() => {
        this.#running = undefined;
        // Another call came after the last read of the journal, and before this.
        if (this.#again) this.wake();
      });
  }

  /** Keeps this receipt in the queue until `release` or a restart. It delays no other. */
  hold(id: TerminalTransactionId): void {
    this.#held.add(id);
  }

  release(id: TerminalTransactionId): void {
    if (this.#held.delete(id)) this.wake();
  }

  /** Tries the waiting receipts, and this one even if it is held; resolves once it was tried. */
  async tryNow(id?: TerminalTransactionId): Promise<void> {
    if (id !== undefined) this.#held.delete(id);
    this.wake();
    await this.#running;
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
        if (this.#held.has(waiting.id)) continue;
        if (!(await this.#print(waiting))) break;
      }
    }
  }

  /** False if the printer can't print now, so that the next receipt need not be tried. */
  async #print({ id, paper }: Waiting): Promise<boolean> {
    const { journal, printer } = this.#options;
    const laidOut = await this.#layOut(id, paper);
    if (!laidOut) return true;
    const { sheets, tree } = laidOut;
    let hasBegun = false;
    const fault = await printer.print(sheets, { onBegin: () => (hasBegun = true) });
    if (fault !== undefined) {
      const isNew = hasBegun && tree && !tree.record.receiptCutOff;
      if (isNew && journal.takes('receiptCutOff')) await journal.append(id, [{ kind: 'receiptCutOff' }]);
      this.#report(tree, fault);
      return false;
    }
    // A power cut between the printing and this commit prints the receipt twice: better twice than never.
    if (paper === 'settlement') {
      await journal.markSettlementPrinted(id);
      return true;
    }
    await journal.append(id, [{ kind: 'receiptPrinted' }]);
    this.#report(tree, undefined);
    return true;
  }

  /** Each fault once: the printer is tried again whenever its state changes. */
  #report(tree: RecordTree | undefined, fault: PrinterFault | undefined): void {
    const { onReceipt } = this.#options;
    if (!onReceipt || !tree) return;
    const { id, request } = tree.record;
    const report = `${id} ${fault ?? ''}`;
    if (report === this.#reported) return;
    this.#reported = report;
    const { posId, messageId } = request;
    const owner = { posId, messageId, terminalTransactionId: id };
    onReceipt(
      fault === undefined
        ? { ...owner, receiptStatus: 'PRINTED' }
        : { ...owner, receiptStatus: 'WAITING', receiptFault: fault },
    );
  }

  /** Undefined if the paper can't be laid out: it waits for a version that can, and delays no other. */
  async #layOut(id: TerminalTransactionId, paper: Waiting['paper']): Promise<LaidOut | undefined> {
    const { journal, sheets, onFailure } = this.#options;
    const tree = paper === 'receipt' ? await buildTree(id, journal) : undefined;
    const settlement = paper === 'settlement' ? await journal.readSettlement(id) : undefined;
    try {
      if (tree) return { sheets: sheets({ paper: 'receipt', tree }), tree };
      if (settlement) return { sheets: sheets({ paper: 'settlement', settlement }) };
      throw new Error(`the journal has no ${id}`);
    } catch (error) {
      onFailure?.(error);
      return undefined;
    }
  }
}

interface LaidOut {
  readonly sheets: readonly Sheet[];
  /** Absent for the report of a settlement. */
  readonly tree?: RecordTree;
}

type Waiting = Awaited<ReturnType<Journal['waitingReceipts']>>[number];
