import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Conclusion } from '../events/conclusion.ts';
import { type Journal, JournalError } from '../contracts/journal.ts';
import { type TransactionRecord, transactionRecord } from '../records/record.ts';
import { recoveryEvents } from '../transaction/recover.ts';
import type { ReceiptService } from './receipt-service.ts';
import type { StoreAndForward } from './store-and-forward.ts';

export interface RecoveryOptions {
  readonly journal: Journal;
  readonly forwarder: StoreAndForward;
  readonly clock: Clock;
  /** The id of the running transaction: it is unfinished, and needs no recovery. */
  readonly running: () => TerminalTransactionId | undefined;
  /** Prints the slips of what was cut off, if the terminal has a printer. */
  readonly receipts: Pick<ReceiptService, 'wake'> | undefined;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** A full or broken disk usually stays so for a while. */
const pauseMs = 10_000;

/**
 * Concludes transactions that a restart or a failing journal left unfinished, and starts sending their reversals. Money
 * may be held at a host meanwhile, so it does not wait for the next payment.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #told = new Map<TerminalTransactionId, Conclusion>();
  #due = false;
  #active: Promise<void> | undefined;
  #timer: unknown;
  #closed = false;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Something may be unfinished: it must be concluded before the next payment begins. */
  get due(): boolean {
    return this.#due;
  }

  /** Adds the conclusion that was told, or that will be written, if the journal does not have it yet. */
  withToldEnd(record: TransactionRecord): TransactionRecord {
    if (record.conclusion) return record;
    const due = recoveryEvents(record, this.#told.get(record.id));
    const conclusion = due.find((event) => event.kind === 'ended');
    return conclusion ? { ...record, conclusion } : record;
  }

  /** Concludes everything that is unfinished. Rejects with JournalError; conclusions written before stay. */
  now(): Promise<void> {
    this.#active ??= this.#concludeAll().finally(() => {
      this.#active = undefined;
    });
    return this.#active;
  }

  /**
   * Concludes what a restart left unfinished. Rejects with JournalError, except if the disk is full: then no payment
   * can begin, and recovery is repeated until there is room.
   */
  async atStart(): Promise<void> {
    await this.now().catch((error: unknown) => {
      if (!(error instanceof JournalError && error.code === 'full')) throw error;
      this.#options.onFailure?.(error);
      this.#schedule();
    });
  }

  /** Notes that the journal failed at the end of this transaction. `conclusion`: the end that the POS was told. */
  later(id: TerminalTransactionId, conclusion?: Conclusion): void {
    if (conclusion) this.#told.set(id, conclusion);
    this.#due = true;
    this.#schedule();
  }

  /** Stops repeating. The next start finds what is unfinished. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#active?.catch(() => undefined);
  }

  #schedule(): void {
    const { clock, onFailure } = this.#options;
    clock.clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = clock.setTimeout(() => {
      this.now().catch((error: unknown) => {
        onFailure?.(error);
        this.#schedule();
      });
    }, pauseMs);
  }

  async #concludeAll(): Promise<void> {
    const { journal, forwarder, running, receipts } = this.#options;
    // Reset first: something may fall due during this round, and be missed by it.
    this.#due = false;
    try {
      for (const id of await journal.unfinished()) {
        if (id === running()) {
          // The run is just ending, and nothing else would return to this transaction.
          this.#due = true;
          this.#schedule();
          continue;
        }
        await this.#conclude(id);
      }
      receipts?.wake();
      await forwarder.resume();
    } catch (error) {
      this.#due = true;
      throw error;
    }
  }

  /** A record that can't be read is left to the operator, so that it does not block the others. */
  async #conclude(id: TerminalTransactionId): Promise<void> {
    const { journal, forwarder, receipts, onFailure } = this.#options;
    const events = await journal.read(id);
    let record: TransactionRecord;
    try {
      record = transactionRecord(id, events);
    } catch (error) {
      onFailure?.(error);
      return;
    }
    const conclude = () => journal.append(id, recoveryEvents(record, this.#told.get(id), receipts !== undefined));
    await (record.intent ? forwarder.enqueue(record.intent.acquirerId, conclude) : conclude());
    this.#told.delete(id);
  }
}
