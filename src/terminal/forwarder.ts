import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { AcquirerHost, ReversalOrder } from '../ports/acquirer-host.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';

export interface ForwarderOptions {
  readonly journal: Journal;
  readonly hosts: ReadonlyMap<AcquirerId, AcquirerHost>;
  readonly clock: Clock;
  readonly retryMs?: { readonly first: number; readonly most: number };
  readonly onAcknowledged?: (id: TerminalTransactionId) => void;
  readonly onFailure?: (error: unknown) => void;
}

interface Lane {
  running?: Promise<boolean>;
  /** The run after that: a reversal queued while one runs may have come too late for it. Further calls join this one. */
  next?: Promise<boolean>;
  retry?: unknown;
  failures: number;
}

/**
 * Reversals that must reach a host: one durable queue per acquirer, oldest first, each repeated until the host
 * acknowledges it, repeats marked as repeats. The queue is the journal; this only drives it.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #retryMs: { readonly first: number; readonly most: number };
  readonly #lanes = new Map<AcquirerId, Lane>();
  #closed = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? { first: 1_000, most: 60_000 };
  }

  /** After a restart: takes up what the journal still has queued. */
  async resume(): Promise<void> {
    const pending = await this.#options.journal.pendingReversals();
    for (const acquirerId of new Set(pending.map((each) => each.acquirerId))) void this.flush(acquirerId);
  }

  /**
   * Sends what is queued for this acquirer, in order. Resolves with true when nothing is left; with false when the host
   * did not acknowledge one: then it is tried again later, with growing pauses. Never rejects.
   */
  flush(acquirerId: AcquirerId): Promise<boolean> {
    const lane = this.#lane(acquirerId);
    if (!lane.running) return this.#run(acquirerId, lane);
    lane.next ??= lane.running.then(() => this.#run(acquirerId, lane));
    return lane.next;
  }

  async pendingCount(): Promise<number> {
    return (await this.#options.journal.pendingReversals()).length;
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
      const pending = await this.#options.journal.pendingReversals();
      const next = pending.find((each) => each.acquirerId === acquirerId);
      if (!next) return true;
      if (!host || this.#closed || !(await this.#reversed(next.id, host))) return false;
    }
  }

  async #reversed(id: TerminalTransactionId, host: AcquirerHost): Promise<boolean> {
    const { journal } = this.#options;
    const record = transactionRecord(id, await journal.read(id));
    const attempt = record.reversalAttempts + 1;
    // Counted before it leaves: after a crash the next one must be marked as a repeat.
    await journal.append(id, [{ kind: 'reversalSent', attempt }]);
    const outcome = await host.reverse(reversalOrder(record), attempt > 1);
    if (outcome.kind !== 'acknowledged') return false;
    await journal.append(id, [{ kind: 'reversalAcknowledged', responseCode: outcome.responseCode }]);
    this.#options.onAcknowledged?.(id);
    return true;
  }

  #scheduleRetry(acquirerId: AcquirerId, lane: Lane, drained: boolean): void {
    this.#options.clock.clearTimeout(lane.retry);
    lane.failures = drained ? 0 : lane.failures + 1;
    if (drained || this.#closed) return;
    const pauseMs = Math.min(this.#retryMs.first * 2 ** (lane.failures - 1), this.#retryMs.most);
    lane.retry = this.#options.clock.setTimeout(() => void this.flush(acquirerId), pauseMs);
  }

  #lane(acquirerId: AcquirerId): Lane {
    let lane = this.#lanes.get(acquirerId);
    if (!lane) this.#lanes.set(acquirerId, (lane = { failures: 0 }));
    return lane;
  }
}

function reversalOrder({ id, intent, amount }: TransactionRecord): ReversalOrder {
  if (!intent) throw new Error(`transaction ${id} has a reversal but no intent`);
  return {
    trace: intent.trace,
    amount,
    entryMode: intent.card.entryMode,
    ...(intent.card.panSequenceNumber === undefined ? {} : { panSequenceNumber: intent.card.panSequenceNumber }),
    ksn: Buffer.from(intent.ksn, 'hex'),
    encryptedPan: Buffer.from(intent.encryptedPan, 'hex'),
  };
}
