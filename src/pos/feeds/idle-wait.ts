import type { Clock } from '../../base/ports/clock.ts';
import { pause } from '../../base/ports/pause.ts';

const lookMs = 200;
/** Maximum wait for an idle moment. After it, one reading is done between payments. */
const patienceMs = 5_000;

/** Waits until no payment runs, so that its commits wait for no reading. */
export class IdleWait {
  readonly #isIdle: () => boolean;
  readonly #clock: Clock;

  constructor(isIdle: () => boolean, clock: Clock) {
    this.#isIdle = isIdle;
    this.#clock = clock;
  }

  /** Resolves at once if the terminal is idle; early if the signal is aborted. */
  async begin(signal: AbortSignal): Promise<void> {
    for (let waitedMs = 0; waitedMs < patienceMs && !signal.aborted && !this.#isIdle(); waitedMs += lookMs) {
      await pause(lookMs, this.#clock, signal);
    }
  }
}
