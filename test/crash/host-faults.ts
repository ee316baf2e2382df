import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../e2e/chance.ts';
import type { HostName, Json, Stage } from '../e2e/stage.ts';

/** Faults of a host that carries out each request, while the terminal does not get the answer in time. */
const faults: readonly Json[] = [
  { mode: 'silent' },
  { mode: 'late', delayMs: 900 },
  { mode: 'closeAfterRequest' },
  { mode: 'garbage' },
];
/** Limit of a host's usual delay. Most of a sale's time passes in it, so most cuts meet it. */
const usualMs = 200;
const faultyHosts: readonly HostName[] = ['EDC', 'CUP', 'QR'];

/** Makes one host after another fail for a moment, until closed. */
export class HostFaults {
  readonly #stage: Stage;
  readonly #chance: Chance;
  readonly #failed: AbortSignal;
  #open = true;

  constructor(stage: Stage, chance: Chance, failed: AbortSignal) {
    this.#stage = stage;
    this.#chance = chance;
    this.#failed = failed;
  }

  async run(): Promise<void> {
    while (this.#open && !this.#failed.aborted) {
      const id = this.#chance.of(faultyHosts);
      await this.#stage.host(id, this.#chance.of(faults));
      await pause(this.#chance.below(600));
      await this.#stage.host(id, { mode: 'up', delayMs: this.#chance.below(usualMs) });
      await pause(this.#chance.below(400));
    }
  }

  close(): void {
    this.#open = false;
  }
}
