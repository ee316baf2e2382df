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
    const logs = `${this.#logs.length} logs with ${this.#sum('writes')} writes and ${this.#sum('flushes')} flushes`;
    const losses = `${this.#sum('unflushed')} unflushed writes, ${this.#sum('dropped')} dropped and ${this.#sum('torn')} torn`;
    return `${states} states (${Math.round(ms / Math.max(states, 1))} ms each) from ${logs}, with ${losses},`;
  }

  #sum(figure: Exclude<keyof Replayed, 'faults'>): number {
    return this.#logs.reduce((sum, log) => sum + log[figure], 0);
  }
}
