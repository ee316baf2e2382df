import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import { type AcquirerHost, UnsendableOrder } from '../ports/acquirer-host.ts';
import type { SteadyClock } from '../ports/clock.ts';
import type { Journal, Pending } from '../ports/journal.ts';
import type { JournalEvent } from '../events/event.ts';
import { type TransactionRecord, transactionRecord, UnreadableRecord } from '../records/record.ts';
import { triesBefore } from '../transaction/set-aside.ts';
import { Grace } from './grace.ts';
import { adviceOrder, reversalOrder } from '../method/card/message.ts';
import { NumberProof } from '../method/card/number-proof.ts';
import { withinMs } from '../ports/pause.ts';

export interface ForwarderOptions {
  readonly journal: Journal;
  readonly hosts: ReadonlyMap<AcquirerId, AcquirerHost>;
  /** Acquirers that are no ISO 8583 host: how what is unknown there is undone, or found out. */
  readonly undoing?: ReadonlyMap<AcquirerId, Undoing>;
  readonly clock: SteadyClock;
  /** How long a payment waits for what is queued before it. */
  readonly patienceMs?: number;
  /** How long after its original a reversal's "no record" does not conclude it. */
  readonly noRecordGraceMs?: number;
  readonly retryMs?: { readonly first: number; readonly most: number };
  readonly onThrough?: (what: ForwarderNews, id: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

/** One try. The events that conclude the reversal, or nothing when it is to be tried again. */
export type Undoing = (record: TransactionRecord) => Promise<readonly JournalEvent[] | undefined>;

export type ForwarderNews = 'reversal acknowledged' | 'advice acknowledged' | 'advice rejected';

/**
 * An Octopus card may never come back, and a host may refuse for ever: the journal must not grow with every try. From those that are
 * written on, each is a repeat, after a restart too.
 */
const attemptsWritten = 100;

const nothingTold = { rrn: '', hostTime: '', hostDate: '' };

interface Lane {
  running?: Promise<boolean>;
  /** The run after that: a reversal queued while one runs may have come too late for it. Further calls join this one. */
  next?: Promise<boolean>;
  retry?: unknown;
  /** The host knew nothing of the original, and that counts only so much later. */
  graceMs?: number;
  failures: number;
}

/**
 * Reversals and advices that must reach a host: one durable queue per acquirer, in the order in which they were queued,
 * each repeated until the host answers for it, repeats marked as repeats. What can't be made a message of is passed over: it waits for
 * the operator. The queue is the journal; this only drives it.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #retryMs: { readonly first: number; readonly most: number };
  readonly #grace: Grace;
  readonly numbers = new NumberProof();
  readonly #lanes = new Map<AcquirerId, Lane>();
  readonly #unsendable = new Set<TerminalTransactionId>();
  #closed = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? { first: 1_000, most: 60_000 };
    this.#grace = new Grace(options.noRecordGraceMs ?? 60_000, options.clock);
  }

  /** An online request of this transaction is about to leave. */
  leaves(id: TerminalTransactionId): void {
    this.#grace.leaves(id);
  }

  /** Its host has answered it: nothing of it lingers on the way. */
  arrived(id: TerminalTransactionId, acquirerId: AcquirerId, stan: number): void {
    this.#grace.arrived(id);
    this.#grace.arrived(told(acquirerId, stan));
  }

  /** Its host has just told something of the request with this number: it has come there, whatever was said before. */
  heard(acquirerId: AcquirerId, stan: number): void {
    this.#grace.leaves(told(acquirerId, stan));
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
   * host did not acknowledge one: then it is tried again later, with growing pauses. Never rejects.
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
  async cleared(acquirerId: AcquirerId): Promise<boolean> {
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
    const host = this.#options.hosts.get(acquirerId);
    for (;;) {
      const pending = await this.#options.journal.pending();
      const oldest = pending.find((each) => each.acquirerId === acquirerId && !this.#unsendable.has(each.id));
      if (!oldest) return true;
      if (this.#closed) return false;
      if (!(await this.#through(oldest, host).catch((error: unknown) => this.#passedOver(oldest, error)))) return false;
    }
  }

  async #through({ id, acquirerId, message }: Pending, host: AcquirerHost | undefined): Promise<boolean> {
    const undoing = this.#options.undoing?.get(acquirerId);
    if (undoing) return this.#undone(id, undoing);
    if (!host) return false;
    return message === 'reversal' ? this.#reversed(id, host) : this.#advised(id, host);
  }

  /** One that nothing can be sent of must not hold up the others. */
  #passedOver({ id }: Pending, error: unknown): true {
    if (!(error instanceof UnreadableRecord || error instanceof UnsendableOrder)) throw error;
    this.#unsendable.add(id);
    this.#options.onFailure?.(error);
    return true;
  }

  async #reversed(id: TerminalTransactionId, host: AcquirerHost): Promise<boolean> {
    const { journal, onThrough } = this.#options;
    const record = await this.#record(id);
    const attempt = record.reversalAttempts + 1;
    const order = built(() => reversalOrder(record));
    // Counted before it leaves: after a crash the next one must be marked as a repeat.
    if (attempt <= attemptsWritten) await journal.append(id, [{ kind: 'reversalSent', attempt }]);
    // What counts is what the host knew when this was sent, not when its answer came.
    const sentMs = this.#grace.remainingMs(id);
    const outcome = await asked(attempt, () => host.reverse(order, attempt > 1));
    const graceMs = Math.max(sentMs, this.#grace.remainingMs(told(host.id, order.trace.stan)));
    if (outcome.kind === 'refused') await this.#refused(record, attempt, outcome.responseCode);
    if (outcome.kind !== 'acknowledged' && outcome.kind !== 'noRecord') return false;
    if (outcome.kind === 'noRecord' && graceMs > 0) {
      this.#lane(host.id).graceMs = graceMs;
      return false;
    }
    await journal.append(id, [{ kind: 'reversalAcknowledged', responseCode: outcome.responseCode }]);
    onThrough?.('reversal acknowledged', id);
    return true;
  }

  async #undone(id: TerminalTransactionId, undoing: Undoing): Promise<boolean> {
    const { journal, onThrough } = this.#options;
    const record = await this.#record(id);
    if (record.numberTaken) throw new UnsendableOrder(`transaction ${id} may be over: the journal is an older copy`);
    const attempt = record.reversalAttempts + 1;
    if (attempt <= attemptsWritten) await journal.append(id, [{ kind: 'reversalSent', attempt }]);
    const events = await asked(attempt, () => undoing(record));
    if (!events) return false;
    await journal.append(id, events);
    onThrough?.('reversal acknowledged', id);
    return true;
  }

  async #advised(id: TerminalTransactionId, host: AcquirerHost): Promise<boolean> {
    const { journal, onThrough } = this.#options;
    const record = await this.#record(id);
    const attempt = record.adviceAttempts + 1;
    const order = built(() => adviceOrder(record));
    if (attempt <= attemptsWritten) await journal.append(id, [{ kind: 'adviceSent', attempt }]);
    const outcome = await asked(attempt, () => host.advise(order, attempt > 1));
    if (outcome.kind === 'acknowledged') this.numbers.taken(host.id);
    if (outcome.kind === 'refused' && outcome.reason === 'duplicate' && this.numbers.isLacking(host.id)) {
      return this.#numberTaken(id, outcome.responseCode);
    }
    if (outcome.kind === 'refused') await this.#refused(record, attempt, outcome.responseCode);
    if (outcome.kind === 'unanswered' || outcome.kind === 'refused') return false;
    const { kind: answer, responseCode, reason } = outcome;
    const { rrn, hostTime, hostDate } = outcome.kind === 'acknowledged' ? outcome : nothingTold;
    const why = reason === undefined ? {} : { reason };
    await journal.append(id, [{ kind: 'adviceAnswered', answer, ...why, responseCode, rrn, hostTime, hostDate }]);
    onThrough?.(answer === 'acknowledged' ? 'advice acknowledged' : 'advice rejected', id);
    return true;
  }

  /** A repeat would be answered the same, and taken for posted: whether it is, the bank has to say. */
  async #numberTaken(id: TerminalTransactionId, responseCode: string): Promise<boolean> {
    const answered: JournalEvent = {
      kind: 'adviceAnswered',
      answer: 'rejected',
      reason: 'duplicate',
      responseCode,
      ...nothingTold,
    };
    await this.#options.journal.append(id, [answered, { kind: 'numberTaken' }]);
    this.#options.onThrough?.('advice rejected', id);
    return true;
  }

  /** Kept for the operator, who may have to call the bank. Only what is new: the same refusal may come for ever. */
  async #refused({ id, refusedWith }: TransactionRecord, attempt: number, responseCode: string): Promise<void> {
    if (responseCode === refusedWith || attempt > attemptsWritten) return;
    await this.#options.journal.append(id, [{ kind: 'hostRefused', responseCode }]);
  }

  async #record(id: TerminalTransactionId): Promise<TransactionRecord> {
    return transactionRecord(id, await this.#options.journal.read(id));
  }

  #scheduleRetry(acquirerId: AcquirerId, lane: Lane, drained: boolean): void {
    this.#options.clock.clearTimeout(lane.retry);
    lane.failures = drained ? 0 : lane.failures + 1;
    if (drained || this.#closed) return;
    const growingMs = Math.min(this.#retryMs.first * 2 ** (lane.failures - 1), this.#retryMs.most);
    const { graceMs: pauseMs = growingMs } = lane;
    delete lane.graceMs;
    lane.retry = this.#options.clock.setTimeout(() => void this.flush(acquirerId), pauseMs);
  }

  #lane(acquirerId: AcquirerId): Lane {
    let lane = this.#lanes.get(acquirerId);
    if (!lane) this.#lanes.set(acquirerId, (lane = { failures: 0 }));
    return lane;
  }
}

function told(acquirerId: AcquirerId, stan: number): string {
  return `${acquirerId} ${stan}`;
}

/** What was kept of it is no order: trying again changes nothing. */
function built<T>(order: () => T): T {
  try {
    return order();
  } catch (error) {
    throw new UnsendableOrder((error as Error).message);
  }
}

/**
 * Adapters promise to reject with nothing else. One that breaks it may be in trouble that passes, and nothing overtakes what waits; but
 * not for ever.
 */
async function asked<T>(attempt: number, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UnsendableOrder || attempt < triesBefore) throw error;
    throw new UnsendableOrder((error as Error).message, { cause: error });
  }
}
