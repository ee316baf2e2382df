import type { Dice } from './dice.ts';
import type { Log } from './log.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The clock of the terminal's machine. Hosts have clocks of their own. */
export class MachineClock {
  readonly #time: VirtualTime;
  readonly #log: Log;
  /** Its time minus the time that has passed. */
  #wallMs: number;
  /** Without a battery: its time after every power-on. */
  #bootMs: number | undefined;
  /** How long after the power-on it is set right; undefined: never. */
  #setAfterMs: number | undefined;

  constructor(time: VirtualTime, log: Log, rightMs: number) {
    this.#time = time;
    this.#log = log;
    this.#wallMs = rightMs;
  }

  now(): Date {
    return new Date(this.#wallMs + this.#time.elapsedMs);
  }

  /** Sets the clock. Timers are not affected. */
  jump(ms: number): void {
    this.#wallMs += ms;
    this.#log.counted('clock jump', `clock: set by ${ms / 1000} s, to ${this.now().toISOString()}`);
  }

  /** From now on it has no battery. */
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
