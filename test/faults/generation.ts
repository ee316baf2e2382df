import type { MonotonicClock } from '../../src/base/ports/clock.ts';
import type { MachineClock } from './machine-clock.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Where a process is killed: before or after one of its next effects, by number. */
export interface Cut {
  readonly effects: number;
  readonly after: boolean;
}

/**
 * One life of the daemon's process. Every effect on the world passes here, so that a cut at an effect is a cut at the
 * await before it. After the cut nothing of this life is carried out, answered or resumed.
 */
export class Generation {
  readonly number: number;
  readonly #time: VirtualTime;
  readonly #machine: MachineClock;
  readonly #onCut: (at: string) => void;
  #left: number;
  readonly #after: boolean;
  #alive = true;
  /** Whether the process is ending in order: it closes its connections. */
  isStopping = false;

  constructor(
    number: number,
    time: VirtualTime,
    machine: MachineClock,
    cut: Cut | undefined,
    onCut: (at: string) => void,
  ) {
    this.number = number;
    this.#time = time;
    this.#machine = machine;
    this.#left = cut?.effects ?? Infinity;
    this.#after = cut?.after ?? false;
    this.#onCut = onCut;
  }

  get alive(): boolean {
    return this.#alive;
  }

  cut(at: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#onCut(at);
  }

  /** Cancels the cut: the process continues to live. */
  spare(): void {
    this.#left = Infinity;
  }

  /** Carries an effect out, if this life has not ended. */
  does(name: string, effect: () => void): void {
    if (!this.#alive) return;
    const last = this.#left-- <= 0;
    if (last && !this.#after) return this.cut(`before ${name}`);
    effect();
    if (last) this.cut(`after ${name}`);
  }

  /** Delivers an event of the world to this life after a delay. */
  receives(ms: number, heard: () => void): unknown {
    return this.#time.in(ms, () => {
      if (this.#alive) heard();
    });
  }

  readonly clock: MonotonicClock = {
    now: () => this.#machine.now(),
    elapsedMs: () => this.#time.elapsedMs,
    setTimeout: (run, ms) => this.receives(ms, run),
    clearTimeout: (handle) => this.#time.drop(handle),
  };
}
