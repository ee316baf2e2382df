import type { Clock } from '../../base/ports/clock.ts';
import { TimeLimit, withinMs } from '../../base/ports/pause.ts';
import type { Occupancy } from './current-transaction.ts';
import type { Recovery } from './recovery.ts';
import type { BatchCapacity } from './batch-capacity.ts';
import type { JournalEvent } from '../events/event.ts';
import type { JournalWatcher } from '../contracts/journal.ts';
import type { TerminalEvents } from '../contracts/terminal-events.ts';
import { mayEndWaiting } from '../records/evidence.ts';

/** idle: a payment or a settlement is over. ended: unsettled work may have ended. */
type ProgressKind = 'idle' | 'ended';

/** Reports when queued or unsettled work may have ended, so that no polling is needed. */
export class ProgressWatch implements JournalWatcher, TerminalEvents {
  readonly #listeners = new Set<(kind: ProgressKind) => void>();
  #settlements = 0;

  /** How many settlements have ended. */
  get settlements(): number {
    return this.#settlements;
  }

  /** `listener` never throws. Returns a function that stops listening. */
  onProgress(listener: (kind: ProgressKind) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  wrote(_id: unknown, events: readonly JournalEvent[]): void {
    if (events.some(mayEndWaiting)) this.#report('ended');
  }

  settled(): void {
    this.#settlements += 1;
    this.#report('ended');
  }

  emit({ state }: { readonly state: string }): void {
    if (state === 'idle') this.#report('idle');
  }

  #report(kind: ProgressKind): void {
    for (const listener of this.#listeners) listener(kind);
  }
}

/** How long work waits for the payment that runs. */
const waitMs = 300_000;

export interface ExclusiveWindowParts {
  readonly occupancy: Occupancy;
  readonly recovery: Recovery;
  readonly room: BatchCapacity;
  readonly clock: Clock;
}

/** A time without payments: a batch is being closed, or the operator decides the state of a transaction. */
export class ExclusiveWindow {
  readonly #parts: ExclusiveWindowParts;
  #active: Promise<unknown> | undefined;

  constructor(parts: ExclusiveWindowParts) {
    this.#parts = parts;
  }

  get isActive(): boolean {
    return this.#active !== undefined;
  }

  /** Resolves when payments may begin again, also if the work failed. */
  async over(): Promise<void> {
    await this.#active?.catch(() => undefined);
  }

  /**
   * Runs `work` while no payment runs; none begins before it is over. Resolves to undefined if the running payment
   * takes too long.
   */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { clock, room } = this.#parts;
    const limit = new TimeLimit(waitMs, clock);
    try {
      for (let running = this.#runs(); running; running = this.#runs()) {
        if (limit.isOver) return undefined;
        await withinMs(running, waitMs, clock);
      }
      const active = this.#concludeDue()
        .then(work)
        .finally(() => {
          this.#active = undefined;
          // The open batches may have changed.
          room.forget();
        });
      this.#active = active;
      return await active;
    } finally {
      limit.end();
    }
  }

  /** As `run`. Resolves to undefined, at once, if something is running. */
  async runIfIdle<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { payment, settlement, isClosing } = this.#parts.occupancy;
    return payment || settlement || this.#active || isClosing ? undefined : this.run(work);
  }

  #runs(): Promise<unknown> | undefined {
    return this.#parts.occupancy.payment?.done ?? this.#active;
  }

  /**
   * Completes the recovery: a sale whose answer could not be written is in no total, but perhaps in the host's books.
   */
  async #concludeDue(): Promise<void> {
    const { recovery } = this.#parts;
    while (recovery.due) await recovery.now();
  }
}
