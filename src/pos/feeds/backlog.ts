import type { ChangeSlice } from '../../payment/contracts/changes.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import { IdleWait } from './idle-wait.ts';

/** Changes that the sink has not acknowledged. */
export interface Counted {
  readonly count: number;
  /** How long the first of them waits; 0 where there is none. */
  readonly ageS: number;
}

export interface BacklogParts {
  readonly journal: { changes(after: number): Promise<ChangeSlice> };
  /** The place up to which the sink has all entries; undefined while it is unknown. */
  readonly place: () => number | undefined;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: MonotonicClock;
  readonly onFailure: (error: Error) => void;
}

/** Limit of the count: for a sink that was away for a month the exact number does not matter. */
const countMax = 10_000;
/** Pause between two counts, as a multiple of the time of the last one: a long backlog takes long to read. */
const restFactor = 100;
const restMaxMs = 600_000;

/** Counts the entries that wait for the sink, for monitoring. It reads while no payment runs, and only on request. */
export class Backlog {
  readonly #parts: BacklogParts;
  readonly #idleWait: IdleWait;
  readonly #closing = new AbortController();
  #counted: { readonly count: number; readonly oldest: Date | undefined } | undefined;
  #counting: Promise<void> | undefined;
  #restUntilMs = 0;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
    this.#idleWait = new IdleWait(parts.isIdle, parts.clock);
  }

  /** Returns the last count, and starts a new one for the next call. It does not wait. */
  get counted(): Counted | undefined {
    const { clock, onFailure } = this.#parts;
    if (!this.#counting && !this.#closing.signal.aborted && clock.elapsedMs() >= this.#restUntilMs)
      this.#counting = this.#count()
        .catch((error: Error) => onFailure(error))
        .finally(() => (this.#counting = undefined));
    if (!this.#counted) return undefined;
    const { count, oldest } = this.#counted;
    // If the clock was set back, the age is 0 instead of negative.
    return { count, ageS: oldest ? Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1_000) : 0 };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#counting;
  }

  async #count(): Promise<void> {
    const { journal, place, clock } = this.#parts;
    const { signal } = this.#closing;
    const from = place();
    let [count, readMs] = [0, 0];
    let oldest: Date | undefined;
    for (let after = from, hasMore = true; after !== undefined && hasMore && count < countMax; ) {
      await this.#idleWait.begin(signal);
      if (signal.aborted) return;
      const fromMs = clock.elapsedMs();
      const slice = await journal.changes(after);
      readMs += clock.elapsedMs() - fromMs;
      count += slice.changes.length;
      const at = slice.changes.find((change) => change.at !== undefined)?.at;
      if (at !== undefined) oldest ??= new Date(at);
      ({ until: after, hasMore } = slice);
    }
    this.#restUntilMs = clock.elapsedMs() + Math.min(readMs * restFactor, restMaxMs);
    // Entries that the sink has acknowledged meanwhile are excluded at the next count.
    this.#counted = from === undefined ? undefined : { count: Math.min(count, countMax), oldest };
  }
}
