import type { Replayed } from './replay.ts';

/** The figures of several logs. */
export class ReplayTotal {
  readonly #logs: Replayed[] = [];

  add(log: Replayed): void {
    this.#logs.push(log);
  }

  get states(): number {
    return this.#sum('states');
  }

  get text(): string {
    const [states, ms] = [this.states, this.#sum('ms')];
    const log = `${this.#logs.length} logs of ${this.#sum('writes')} writes and ${this.#sum('flushes')} flushes`;
    const losses = `${this.#sum('dropped')} were dropped and ${this.#sum('torn')} torn`;
    return `${states} states, ${Math.round(ms / Math.max(states, 1))} ms each, from ${log}; of ${this.#sum('unflushed')} writes not flushed ${losses}.`;
  }

  #sum(figure: Exclude<keyof Replayed, 'faults'>): number {
    return this.#logs.reduce((sum, log) => sum + log[figure], 0);
  }
}
