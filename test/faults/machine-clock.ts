import type { Dice } from './dice.ts';
import type { Log } from './log.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The clock of the terminal's machine: nothing else in this world goes by it. */
export class MachineClock {
  readonly #time: VirtualTime;
  readonly #log: Log;
  /** Its hour less the time that has passed. */
  #wallMs: number;
  /** Without a battery: what it begins with whenever the power comes back. */
  #bootMs: number | undefined;
  /** So long after that somebody sets it right; never, where nobody does. */
  #setAfterMs: number | undefined;

  constructor(time: VirtualTime, log: Log, rightMs: number) {
    this.#time = time;
    this.#log = log;
    this.#wallMs = rightMs;
  }

  now(): Date {
    return new Date(this.#wallMs + this.#time.elapsedMs);
  }

  /** Somebody sets it. What waits goes by time that passes, not by this. */
  jump(ms: number): void {
    this.#wallMs += ms;
    this.#log.counted('clock jump', `clock: set by ${ms / 1000} s, to ${this.now().toISOString()}`);
  }

  /** Its battery is empty, or it never had one. */
  losesBattery(boots: Date, dice: Dice): void {
    this.#bootMs = boots.getTime();
    this.#setAfterMs = dice.odds(50) ? dice.between(10_000, 3_600_000) : undefined;
    this.powered();
  }

  /** The power comes back. */
  powered(): void {
    if (this.#bootMs === undefined) return;
    const rightMs = this.#wallMs;
    this.#wallMs = this.#bootMs - this.#time.elapsedMs;
    this.#log.counted('clock without battery', `clock: begins at ${this.now().toISOString()}`);
    if (this.#setAfterMs === undefined) return;
    this.#time.in(this.#setAfterMs, () => {
      this.#wallMs = rightMs;
      this.#log.counted('clock set by the network', `clock: set to ${this.now().toISOString()}`);
    });
  }
}
