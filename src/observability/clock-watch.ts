import type { ClockDoubt, ClockState } from '../base/domain/clock-doubt.ts';
import type { Clock } from '../base/ports/clock.ts';
import type { Log } from './log.ts';
import { isClockSynchronised } from './time-sync.ts';
import { builtAt as thisBuild } from './version.ts';

export interface ClockWatchOptions {
  readonly clock: Clock;
  /** When this program was built; undefined if not known. */
  readonly builtAt: Date | undefined;
  /** Whether a time server has set the clock since the machine was started; undefined if not known. Never rejects. */
  readonly isSynchronised: () => Promise<boolean | undefined>;
}

const lookMs = 60_000;

/** Checks the clock every minute, because it may be set at any time. */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #listeners = new Set<(state: ClockState) => void>();
  #isSynchronised: boolean | undefined;
  #reported: ClockState = 'unknown';
  #timer: unknown;
  #isClosed = false;

  /** Starts the first check, without delaying the terminal's start. Until it has ended, the state is 'unknown'. */
  constructor(options: ClockWatchOptions) {
    this.#options = options;
    void this.#look();
  }

  /** The present state: the clock may have been set since the last check. */
  get state(): ClockState {
    const { clock, builtAt } = this.#options;
    if (builtAt && clock.now() < builtAt) return 'beforeBuild';
    if (this.#isSynchronised === undefined) return 'unknown';
    return this.#isSynchronised ? 'ok' : 'unsynchronised';
  }

  get doubt(): ClockDoubt | undefined {
    const { state } = this;
    return state === 'ok' || state === 'unknown' ? undefined : state;
  }

  /** Calls the listener for every change that a check finds. Returns a function that stops it. */
  onState(listener: (state: ClockState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { clock, isSynchronised } = this.#options;
    // After a time server has set it once, the machine's own clock is exact enough for the life of a process.
    if (this.#isSynchronised !== true) this.#isSynchronised = await isSynchronised();
    if (this.#isClosed) return;
    const { state } = this;
    this.#timer = clock.setTimeout(() => void this.#look(), lookMs);
    if (state === this.#reported) return;
    this.#reported = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/** Watches the machine's clock, and logs changes of its state. */
export function openClockWatch(clock: Clock, log: Pick<Log, 'info' | 'warn'>): ClockWatch {
  const watch = new ClockWatch({ clock, builtAt: thisBuild, isSynchronised: () => isClockSynchronised() });
  watch.onState((state) => {
    if (state === 'ok' || state === 'unknown') log.info('clock', { state });
    else log.warn('clock', { state });
  });
  return watch;
}
