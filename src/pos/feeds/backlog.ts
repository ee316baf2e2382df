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
  /** The place up to which the sink has everything; undefined while that is not known. */
  readonly place: () => number | undefined;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: MonotonicClock;
  readonly onFailure: (error: Error) => void;
}

/** A sink that was away for a month is behind; how far exactly, nobody needs to know. */
const countMax = 10_000;
/** To read a long backlog takes its time: it is read again after so many times as much. */
const restFactor = 100;
const restMaxMs = 600_000;

/** Counts what waits for the sink, for whoever watches the terminal: it reads while no payment runs, and only when it is asked. */
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

  /** As it was counted last; counts anew for whoever asks next. Nobody waits for it. */
  get counted(): Counted | undefined {
    const { clock, onFailure } = this.#parts;
    if (!this.#counting && !this.#closing.signal.aborted && clock.elapsedMs() >= this.#restUntilMs)
      this.#counting = this.#count()
        .catch((error: Error) => onFailure(error))
        .finally(() => (this.#counting = undefined));
    if (!this.#counted) return undefined;
    const { count, oldest } = this.#counted;
    // A clock that was set back makes no age below nothing.
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
    // What the sink has acknowledged meanwhile does not wait any more: that is counted the next time.
    this.#counted = from === undefined ? undefined : { count: Math.min(count, countMax), oldest };
  }
}
