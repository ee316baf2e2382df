import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Conclusion } from '../events/conclusion.ts';
import { type Journal, JournalError } from '../ports/journal.ts';
import { type TransactionRecord, transactionRecord } from '../records/record.ts';
import { recoveryEvents } from '../transaction/recover.ts';
import type { StoreAndForward } from './store-and-forward.ts';

export interface RecoveryOptions {
  readonly journal: Journal;
  readonly forwarder: StoreAndForward;
  readonly clock: Clock;
  /** The transaction that runs is unfinished and needs no recovery. */
  readonly running: () => TerminalTransactionId | undefined;
  /** There is a printer. */
  readonly prints: boolean;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** A disk that is full or broken stays so for a while. */
const pauseMs = 10_000;

/**
 * Concludes what was left unfinished, by a restart or by a journal that failed for a while, and sees to it that queued
 * reversals are being sent. Money may be held at a host meanwhile, so this waits for no next payment.
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

  /** Something may be unfinished: no payment begins before that is seen to. */
  get due(): boolean {
    return this.#due;
  }

  /** The record with the end that was told of it, or that is to be written for it, where the journal does not have that yet. */
  withToldEnd(record: TransactionRecord): TransactionRecord {
    if (record.conclusion) return record;
    const due = recoveryEvents(record, this.#told.get(record.id));
    const conclusion = due.find((event) => event.kind === 'ended');
    return conclusion ? { ...record, conclusion } : record;
  }

  /** Concludes all that is unfinished. Rejects with JournalError; what was concluded until then stays concluded. */
  now(): Promise<void> {
    this.#active ??= this.#concludeAll().finally(() => {
      this.#active = undefined;
    });
    return this.#active;
  }

  /**
   * Concludes what a restart found. Rejects with JournalError, except for a full disk: then no payment can begin, and it is tried
   * again until there is room.
   */
  async atStart(): Promise<void> {
    await this.now().catch((error: unknown) => {
      if (!(error instanceof JournalError && error.code === 'full')) throw error;
      this.#options.onFailure?.(error);
      this.#schedule();
    });
  }

  /** The journal failed at the end of this transaction, and `conclusion` is what was told of it. */
  later(id: TerminalTransactionId, conclusion?: Conclusion): void {
    if (conclusion) this.#told.set(id, conclusion);
    this.#due = true;
    this.#schedule();
  }

  /** Stops trying. What is unfinished is found by the next start. */
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
    const { journal, forwarder, running } = this.#options;
    // Set back first: what falls due meanwhile may be missed by this round.
    this.#due = false;
    try {
      for (const id of await journal.unfinished()) {
        if (id === running()) {
          // It is still being let go of: nothing else would come back to it.
          this.#due = true;
          this.#schedule();
          continue;
        }
        await this.#conclude(id);
      }
      await forwarder.resume();
    } catch (error) {
      this.#due = true;
      throw error;
    }
  }

  /** One that can't be read stays as it is, for the operator: no other may suffer from it. */
  async #conclude(id: TerminalTransactionId): Promise<void> {
    const { journal, prints, onFailure } = this.#options;
    const events = await journal.read(id);
    let record: TransactionRecord;
    try {
      record = transactionRecord(id, events);
    } catch (error) {
      onFailure?.(error);
      return;
    }
    await journal.append(id, recoveryEvents(record, this.#told.get(id), prints));
    this.#told.delete(id);
  }
}
