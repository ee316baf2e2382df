import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { JournalEvent } from '../events/event.ts';
import type { Acquirer, QueueNews } from '../method/acquirer.ts';
import { UnsendableOrder } from '../ports/acquirer-host.ts';
import type { SteadyClock } from '../ports/clock.ts';
import type { Journal, Pending } from '../ports/journal.ts';
import { withinMs } from '../ports/pause.ts';
import { type TransactionRecord, transactionRecord, UnreadableRecord } from '../records/record.ts';
import { triesBefore } from '../transaction/set-aside.ts';

export interface StoreAndForwardOptions {
  readonly journal: Journal;
  readonly acquirers: ReadonlyMap<AcquirerId, Pick<Acquirer, 'prepare'>>;
  readonly clock: SteadyClock;
  /** How long a payment waits for what is queued before it. */
  readonly patienceMs?: number;
  readonly retryMs?: { readonly first: number; readonly most: number };
  readonly onThrough?: (what: QueueNews, id: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

/**
 * An Octopus card may never come back, and a host may refuse for ever: the journal must not grow with every try. From those that are
 * written on, each is a repeat, after a restart too.
 */
const attemptsWritten = 100;

interface Lane {
  running?: Promise<boolean>;
  /** The run after that: a reversal queued while one runs may have come too late for it. Further calls join this one. */
  next?: Promise<boolean>;
  retry?: unknown;
  /** The acquirer's answer counts only so much later. */
  afterMs?: number;
  failures: number;
}

/**
 * Reversals and advices that must reach their acquirer: one durable queue each, in the order in which they were queued, each repeated
 * until it is through, repeats marked as repeats. What can't be made a message of is passed over: it waits for the operator. The queue
 * is the journal; this only drives it. What a message is, and what its answer means, the acquirer knows.
 */
export class StoreAndForward {
  readonly #options: StoreAndForwardOptions;
  readonly #retryMs: { readonly first: number; readonly most: number };
  readonly #lanes = new Map<AcquirerId, Lane>();
  readonly #unsendable = new Set<TerminalTransactionId>();
  #closed = false;

  constructor(options: StoreAndForwardOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? { first: 1_000, most: 60_000 };
  }

  /** After a restart: takes up what the journal still has queued. */
  async resume(): Promise<void> {
    const pending = await this.#options.journal.pending();
    for (const acquirerId of new Set(pending.map((each) => each.acquirerId))) void this.flush(acquirerId);
  }

  /** What is queued of this one can't be read, or not be put into a message: it was passed over, and is tried by the next start. */
  isUnsendable(id: TerminalTransactionId): boolean {
    return this.#unsendable.has(id);
  }

  /**
   * Sends what is queued for this acquirer, in order. Resolves with true when nothing is left that can be sent; with false when the
   * acquirer did not take one: then it is tried again later, with growing pauses. Never rejects.
   */
  flush(acquirerId: AcquirerId): Promise<boolean> {
    const lane = this.#lane(acquirerId);
    // Asked for first: between the end of a run and the start of the next there is none running, and still no room.
    if (lane.next) return lane.next;
    if (!lane.running) return this.#run(acquirerId, lane);
    lane.next = lane.running.then(() => this.#run(acquirerId, lane));
    return lane.next;
  }

  /** As `flush`, for a customer who waits: false also where it takes longer than anybody's patience. */
  async clear(acquirerId: AcquirerId): Promise<boolean> {
    const { clock, patienceMs = 10_000 } = this.#options;
    let drained = false;
    const flushed = this.flush(acquirerId).then((all) => {
      drained = all;
    });
    await withinMs(flushed, patienceMs, clock);
    return drained;
  }

  /** Stops trying. What is queued stays in the journal. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const lane of this.#lanes.values()) {
      this.#options.clock.clearTimeout(lane.retry);
      await (lane.next ?? lane.running);
    }
  }

  #run(acquirerId: AcquirerId, lane: Lane): Promise<boolean> {
    delete lane.next;
    lane.running = this.#drain(acquirerId)
      .catch((error: unknown) => {
        this.#options.onFailure?.(error);
        return false;
      })
      .then((drained) => {
        delete lane.running;
        this.#scheduleRetry(acquirerId, lane, drained);
        return drained;
      });
    return lane.running;
  }

  async #drain(acquirerId: AcquirerId): Promise<boolean> {
    for (;;) {
      const pending = await this.#options.journal.pending();
      const oldest = pending.find((each) => each.acquirerId === acquirerId && !this.#unsendable.has(each.id));
      if (!oldest) return true;
      if (this.#closed) return false;
      if (!(await this.#send(oldest).catch((error: unknown) => this.#passOver(oldest, error)))) return false;
    }
  }

  /** One try. False where it must be tried again. */
  async #send({ id, acquirerId, message }: Pending): Promise<boolean> {
    const { journal, acquirers, onThrough } = this.#options;
    const acquirer = acquirers.get(acquirerId);
    // It is not configured any more: what waits for it waits for the operator.
    if (!acquirer) return false;
    const record = transactionRecord(id, await journal.read(id));
    const attempt = attemptsOf(message, record) + 1;
    const send = acquirer.prepare(message, record);
    // Counted before it leaves: after a crash the next one must be marked as a repeat.
    if (attempt <= attemptsWritten) await journal.append(id, [count(message, attempt)]);
    const result = await runAttempt(attempt, () => send(attempt));
    if (result.kind === 'through') {
      await journal.append(id, result.events);
      onThrough?.(result.news, id);
      return true;
    }
    if (result.refusedWith !== undefined) await this.#noteRefusal(record, attempt, result.refusedWith);
    if (result.afterMs !== undefined) this.#lane(acquirerId).afterMs = result.afterMs;
    return false;
  }

  /** One that nothing can be sent of must not hold up the others. */
  #passOver({ id }: Pending, error: unknown): true {
    if (!(error instanceof UnreadableRecord || error instanceof UnsendableOrder)) throw error;
    this.#unsendable.add(id);
    this.#options.onFailure?.(error);
    return true;
  }

  /** Kept for the operator, who may have to call the bank. Only what is new: the same refusal may come for ever. */
  async #noteRefusal({ id, refusedWith }: TransactionRecord, attempt: number, responseCode: string): Promise<void> {
    if (responseCode === refusedWith || attempt > attemptsWritten) return;
    await this.#options.journal.append(id, [{ kind: 'hostRefused', responseCode }]);
  }

  #scheduleRetry(acquirerId: AcquirerId, lane: Lane, drained: boolean): void {
    this.#options.clock.clearTimeout(lane.retry);
    lane.failures = drained ? 0 : lane.failures + 1;
    if (drained || this.#closed) return;
    const growingMs = Math.min(this.#retryMs.first * 2 ** (lane.failures - 1), this.#retryMs.most);
    const { afterMs: pauseMs = growingMs } = lane;
    delete lane.afterMs;
    lane.retry = this.#options.clock.setTimeout(() => void this.flush(acquirerId), pauseMs);
  }

  #lane(acquirerId: AcquirerId): Lane {
    let lane = this.#lanes.get(acquirerId);
    if (!lane) this.#lanes.set(acquirerId, (lane = { failures: 0 }));
    return lane;
  }
}

function attemptsOf(
  message: Pending['message'],
  record: Pick<TransactionRecord, 'reversalAttempts' | 'adviceAttempts'>,
): number {
  return message === 'reversal' ? record.reversalAttempts : record.adviceAttempts;
}

function count(message: Pending['message'], attempt: number): JournalEvent {
  return { kind: message === 'reversal' ? 'reversalSent' : 'adviceSent', attempt };
}

/**
 * Acquirers promise to reject with nothing but UnsendableOrder. One that breaks it may be in trouble that passes, and nothing overtakes
 * what waits; but not for ever.
 */
async function runAttempt<T>(attempt: number, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UnsendableOrder || attempt < triesBefore) throw error;
    throw new UnsendableOrder((error as Error).message, { cause: error });
  }
}
