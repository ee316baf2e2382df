import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../e2e/chance.ts';
import { armed, type HostName, type Json, type Stage } from '../e2e/stage.ts';
import type { Moments } from './moments.ts';

const cards = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'] as const;
const wallets = ['ALIPAY', 'WECHAT', 'UPI_QR'] as const;
const lookMs = 10;

/** What becomes of hosts now and then; each carries out what it was asked, and the terminal does not hear of it in time. */
const troubles: readonly Json[] = [
  { mode: 'silent' },
  { mode: 'late', delayMs: 900 },
  { mode: 'closeAfterRequest' },
  { mode: 'garbage' },
];
/** A host takes its time: that is when most of a sale's time passes. */
const usualMs = 200;
const troubledHosts: readonly HostName[] = ['EDC', 'CUP', 'QR'];

/** All that is outside the shop: customers who present whatever the terminal waits for, and hosts that are out of order at times. */
export class Street {
  readonly #stage: Stage;
  readonly #chance: Chance;
  readonly #moments: Moments;
  readonly #failed: AbortSignal;
  #requests = 0;
  #open = true;

  constructor(stage: Stage, chance: Chance, moments: Moments, failed: AbortSignal) {
    this.#stage = stage;
    this.#chance = chance;
    this.#moments = moments;
    this.#failed = failed;
  }

  /** Until the shop closes. */
  async live(): Promise<void> {
    await Promise.all([this.#customers(), this.#weather()]);
  }

  close(): void {
    this.#open = false;
  }

  async #customers(): Promise<void> {
    while (this.#open && !this.#failed.aborted) {
      const bench = await this.#stage.bench();
      this.#watch(bench.hosts);
      const waiting = armed(bench);
      if (waiting.length === 0) {
        await pause(lookMs);
        continue;
      }
      this.#moments.is('armed');
      // Some are slow enough for the cashier to give up.
      if (this.#chance.once(6)) await pause(this.#chance.below(300));
      await this.#present(waiting);
      this.#moments.is('presented');
    }
  }

  async #present(waiting: readonly string[]): Promise<void> {
    const sim = (call: string, body: Json) => this.#stage.sim('POST', call, { ...body, holdMs: 400 });
    // Whatever was cancelled or cut meanwhile takes nothing: 409.
    if (waiting.includes('reader')) {
      const way = this.#chance.once(4) ? 'insert' : 'tap';
      await sim(`/api/reader/${way}`, { card: this.#chance.of(cards) });
    } else if (waiting.includes('scanner')) {
      await sim('/api/scanner/scan', { code: await this.#stage.walletCode(this.#chance.of(wallets)) });
    } else if (waiting.includes('octopus')) {
      await sim('/api/octopus/tap', { card: 'octopus' });
    } else if (waiting.includes('code')) {
      await sim('/api/wallet/pay', {});
    } else await pause(lookMs);
  }

  #watch(hosts: Record<string, Json>): void {
    const requests = Object.values(hosts)
      .flatMap((host) => Object.entries(host))
      .reduce((sum, [name, count]) => (name.endsWith('Requests') ? sum + Number(count) : sum), 0);
    if (requests > this.#requests) this.#moments.is('hostAsked');
    this.#requests = requests;
  }

  async #weather(): Promise<void> {
    while (this.#open && !this.#failed.aborted) {
      const id = this.#chance.of(troubledHosts);
      await this.#stage.host(id, this.#chance.of(troubles));
      await pause(this.#chance.below(600));
      await this.#stage.host(id, { mode: 'up', delayMs: this.#chance.below(usualMs) });
      await pause(this.#chance.below(400));
    }
  }
}
