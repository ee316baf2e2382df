import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Acquirer, QueueNews, SendResult } from '../method/acquirer.ts';
import { UnsendableOrder } from '../contracts/acquirer-host.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Journal, Pending } from '../contracts/journal.ts';
import { withinMs } from '../../base/ports/pause.ts';
import { type TransactionRecord, transactionRecord, UnreadableRecord } from '../records/record.ts';
import { type Cause, failuresBefore, nextAttempt, refusalOf, runAttempt } from './send-attempt.ts';

export interface StoreAndForwardOptions {
  readonly journal: Journal;
  readonly acquirers: ReadonlyMap<AcquirerId, Pick<Acquirer, 'prepare' | 'enquiresFirst' | 'resume'>>;
  readonly clock: MonotonicClock;
  /** How long a payment waits for messages that are queued before it. */
  readonly patienceMs?: number;
  readonly retryMs?: { readonly first: number; readonly most: number };
  readonly onThrough?: (what: QueueNews, id: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

interface Lane {
  running?: Promise<boolean>;
  /**
   * The following run: a reversal that was queued during a run may have come too late for it. Further calls join this
   * one.
   */
  next?: Promise<boolean>;
  /** The cause of the following run: 'timer' if the timer is among the callers that wait for it. */
  nextCause: Cause;
  /** The timer of the next attempt. */
  retry?: unknown;
  /** The acquirer's answer is conclusive only after this delay. */
  afterMs?: number;
  /** Unset until the first attempt since the start: the journal has the failures before it. */
  failures?: number;
  /** Commits in progress that queue a message. */
  writing: Set<Promise<unknown>>;
}

/**
 * The queued messages of one acquirer. `due`: sent in order before the next payment. `open`: the host has answered, and
 * the outcome is still open, perhaps permanently; nothing waits for them.
 */
type LaneKind = 'due' | 'open';

/**
 * The result of one run. sent: the queue is empty. open: only messages are left that nothing waits for. stopped: the
 * acquirer did not accept a message, so those after it were not sent.
 */
type RunEnd = 'sent' | 'open' | 'stopped';

/**
 * Sends reversals and advices until their acquirer has answered for them. Each acquirer has one durable queue, in the
 * order of queueing, and repeats are marked as repeats. A message that can't be built is skipped, and waits for the
 * operator. A message whose host has answered, and has left its outcome open, is repeated beside the queue: payments do
 * not wait for it. The queue is the journal, and this class only drives it. The acquirer builds the messages and
 * interprets their answers.
 */
export class StoreAndForward {
  readonly #options: StoreAndForwardOptions;
  readonly #retryMs: { readonly first: number; readonly most: number };
  readonly #lanes: Readonly<Record<LaneKind, Map<AcquirerId, Lane>>> = { due: new Map(), open: new Map() };
  readonly #unsendable = new Set<TerminalTransactionId>();
  /** Since the last start. The first attempt after a start finds it out again. */
  readonly #open = new Set<TerminalTransactionId>();
  /** Their run has reported an end that is not in the journal yet. */
  readonly #held = new Set<TerminalTransactionId>();
  #closed = false;

  constructor(options: StoreAndForwardOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? { first: 1_000, most: 60_000 };
  }

  /** After a start: continues with the journal's queue. */
  async resume(): Promise<void> {
    for (const acquirer of this.#options.acquirers.values()) acquirer.resume?.();
    const pending = await this.#options.journal.pending();
    for (const acquirerId of new Set(pending.map((each) => each.acquirerId))) void this.flush(acquirerId);
  }

  /** The queued message can't be read or built. It was skipped, and the next start tries it again. */
  isUnsendable(id: TerminalTransactionId): boolean {
    return this.#unsendable.has(id);
  }

  /** Its host has answered, and the outcome is still open: it is repeated beside the queue. */
  isOpen(id: TerminalTransactionId): boolean {
    return this.#open.has(id);
  }

  /**
   * Sends nothing of this transaction until `release`: its run has reported an end that the journal does not have yet.
   * An outcome that is written before that end would not be recognized as one that contradicts it.
   */
  hold(id: TerminalTransactionId): void {
    this.#held.add(id);
  }

  /** Its end is written. */
  release(id: TerminalTransactionId): void {
    this.#held.delete(id);
  }

  /** Repeats the messages of this acquirer that are open, once each. Never rejects. */
  async repeatOpen(acquirerId: AcquirerId): Promise<void> {
    await this.#flush('open', acquirerId, 'extra');
  }

  /**
   * Sends the queue of this acquirer, in order. Resolves to true if no message is left that can be sent. Resolves to
   * false if the acquirer did not accept a message: it is then repeated later, with growing pauses. The pauses begin
   * with the first failure and follow the queue's own timer, however often this is called in the meantime. Never
   * rejects.
   */
  flush(acquirerId: AcquirerId): Promise<boolean> {
    return this.#flush('due', acquirerId, 'extra');
  }

  #flush(kind: LaneKind, acquirerId: AcquirerId, cause: Cause): Promise<boolean> {
    const lane = this.#lane(acquirerId, kind);
    if (cause === 'timer') lane.nextCause = cause;
    // Checked first: between the end of one run and the start of the next, `running` is empty, but the next run is
    // already taken.
    if (lane.next) return lane.next;
    if (!lane.running) return this.#run(kind, acquirerId, lane);
    lane.next = lane.running.then(() => this.#run(kind, acquirerId, lane));
    return lane.next;
  }

  /** As `flush`, limited in time because a customer is waiting: false also if it takes longer than `patienceMs`. */
  async clear(acquirerId: AcquirerId): Promise<boolean> {
    const { clock, patienceMs = 10_000 } = this.#options;
    let drained = false;
    const written = Promise.allSettled(this.#lane(acquirerId).writing);
    const flushed = written
      .then(() => this.flush(acquirerId))
      .then((all) => {
        drained = all;
      });
    await withinMs(flushed, patienceMs, clock);
    return drained;
  }

  /**
   * Nothing is being sent or queued for this acquirer. This does not ask the journal, which may have waiting messages.
   */
  rests(acquirerId: AcquirerId): boolean {
    const { writing, running, next, failures = 0 } = this.#lane(acquirerId);
    return writing.size === 0 && !running && !next && failures === 0;
  }

  /** True if nothing has been queued, or is being queued, since `clear`; otherwise as `clear`. */
  async isStillClear(acquirerId: AcquirerId): Promise<boolean> {
    return this.rests(acquirerId) || this.clear(acquirerId);
  }

  /**
   * Runs `write`, which queues a message for this acquirer, then flushes. From this call on, `isStillClear` waits for
   * it. Rejects as `write` does.
   */
  async enqueue<T>(acquirerId: AcquirerId, write: () => Promise<T>): Promise<T> {
    const { writing } = this.#lane(acquirerId);
    const written = write();
    writing.add(written);
    try {
      return await written;
    } finally {
      // A commit that was reported as failed may still be on disk.
      void this.flush(acquirerId);
      writing.delete(written);
    }
  }

  /**
   * Runs `work` while nothing is sent for this acquirer, so that no answer arrives between its reading and its writing.
   * Open messages are repeated meanwhile.
   * Messages that are queued in the meantime are sent afterwards. Rejects as `work` does.
   */
  async between<T>(acquirerId: AcquirerId, work: () => Promise<T>): Promise<T> {
    const lane = this.#lane(acquirerId);
    for (let run = lane.next ?? lane.running; run; run = lane.next ?? lane.running) await run;
    const working = work();
    const over = () => {
      delete lane.running;
      return false;
    };
    lane.running = working.then(over, over);
    return working;
  }

  /** Stops sending. The queue stays in the journal. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const lane of [...this.#lanes.due.values(), ...this.#lanes.open.values()]) {
      this.#options.clock.clearTimeout(lane.retry);
      await (lane.next ?? lane.running);
    }
  }

  #run(kind: LaneKind, acquirerId: AcquirerId, lane: Lane): Promise<boolean> {
    delete lane.next;
    const cause = lane.nextCause;
    lane.nextCause = 'extra';
    lane.running = this.#drain(kind, acquirerId, cause)
      .catch((error: unknown): RunEnd => {
        this.#options.onFailure?.(error);
        return 'stopped';
      })
      .then((end) => {
        delete lane.running;
        this.#scheduleRetry(kind, acquirerId, end === 'sent', cause);
        return end !== 'stopped';
      });
    return lane.running;
  }

  /** Sends each message that is due until one is not accepted, or each open message once. */
  async #drain(kind: LaneKind, acquirerId: AcquirerId, cause: Cause): Promise<RunEnd> {
    const repeated = new Set<TerminalTransactionId>();
    for (;;) {
      const pending = await this.#options.journal.pending();
      this.#forgetEnded(pending);
      const ours = pending.filter((each) => each.acquirerId === acquirerId && !this.#unsendable.has(each.id));
      const here = ours.filter(({ id }) => this.#open.has(id) === (kind === 'open'));
      const oldest = here.find(({ id }) => !repeated.has(id));
      if (!oldest) return here.length === 0 ? 'sent' : 'open';
      if (this.#closed) return 'stopped';
      const sent = await this.#send(oldest, cause).catch((error: unknown) => this.#passOver(oldest, error));
      if (sent === 'stopped' && kind === 'due') return 'stopped';
      if (sent !== 'sent') repeated.add(oldest.id);
    }
  }

  /** The operator may have decided about it, and its host may ask for it to be queued again. */
  #forgetEnded(pending: readonly Pending[]): void {
    for (const id of this.#open) if (!pending.some((each) => each.id === id)) this.#open.delete(id);
  }

  /** One attempt. */
  async #send({ id, acquirerId, message }: Pending, cause: Cause): Promise<RunEnd> {
    const { journal, acquirers, onThrough } = this.#options;
    const acquirer = acquirers.get(acquirerId);
    // The acquirer is not configured any more, so its messages wait for the operator.
    if (!acquirer || this.#held.has(id)) return 'stopped';
    const record = transactionRecord(id, await journal.read(id));
    const kind = this.#open.has(id) ? 'open' : 'due';
    const lane = this.#lane(acquirerId, kind);
    lane.failures ??= failuresBefore(message, record);
    const { attempt, timed, event } = nextAttempt(message, record, cause, acquirer.enquiresFirst?.(record) === true);
    const send = acquirer.prepare(message, record);
    // The attempt is journalled before it is sent: after a crash, the next one must be marked as a repeat.
    if (event) await journal.append(id, [event]);
    const result = await runAttempt(timed, () => send(attempt));
    if (result.kind === 'through') {
      await journal.append(id, result.events);
      this.#open.delete(id);
      onThrough?.(result.news, id);
      return 'sent';
    }
    await this.#noteRefusal(record, attempt, result);
    if (result.afterMs !== undefined) this.#lane(acquirerId, result.isOpen ? 'open' : kind).afterMs = result.afterMs;
    if (!result.isOpen) return 'stopped';
    this.#passToOpen(id, acquirerId);
    return 'open';
  }

  /** From now on nothing waits for it. */
  #passToOpen(id: TerminalTransactionId, acquirerId: AcquirerId): void {
    if (this.#open.has(id)) return;
    this.#open.add(id);
    const lane = this.#lane(acquirerId, 'open');
    if (lane.retry === undefined && !lane.running) this.#scheduleRetry('open', acquirerId, false, 'extra');
  }

  /** Skips a message that can't be sent, so that it does not block the others. */
  #passOver({ id }: Pending, error: unknown): 'sent' {
    if (!(error instanceof UnreadableRecord || error instanceof UnsendableOrder)) throw error;
    this.#unsendable.add(id);
    this.#options.onFailure?.(error);
    return 'sent';
  }

  /** Keeps a refusal for the operator, who may have to call the bank. */
  async #noteRefusal(record: TransactionRecord, attempt: number, result: SendResult): Promise<void> {
    const event = refusalOf(record, attempt, result);
    if (event) await this.#options.journal.append(record.id, [event]);
  }

  /**
   * A run that the timer did not start leaves the timer unchanged, so that a busy shop neither delays nor hastens it.
   */
  #scheduleRetry(kind: LaneKind, acquirerId: AcquirerId, drained: boolean, cause: Cause): void {
    const lane = this.#lane(acquirerId, kind);
    const { afterMs } = lane;
    delete lane.afterMs;
    if (!drained && cause === 'extra' && lane.retry !== undefined) return;
    this.#options.clock.clearTimeout(lane.retry);
    delete lane.retry;
    const { failures = 0 } = lane;
    lane.failures = drained ? 0 : failures + (cause === 'timer' || failures === 0 ? 1 : 0);
    if (drained || this.#closed) return;
    const growingMs = Math.min(this.#retryMs.first * 2 ** (lane.failures - 1), this.#retryMs.most);
    lane.retry = this.#options.clock.setTimeout(() => {
      delete lane.retry;
      void this.#flush(kind, acquirerId, 'timer');
    }, afterMs ?? growingMs);
  }

  #lane(acquirerId: AcquirerId, kind: LaneKind = 'due'): Lane {
    const lanes = this.#lanes[kind];
    let lane = lanes.get(acquirerId);
    if (!lane) lanes.set(acquirerId, (lane = { nextCause: 'extra', writing: new Set() }));
    return lane;
  }
}
