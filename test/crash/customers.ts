import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../e2e/chance.ts';
import { armed, type Json, type Stage } from '../e2e/stage.ts';
import type { Moments } from './moments.ts';

const cards = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'] as const;
const wallets = ['ALIPAY', 'WECHAT', 'UPI_QR'] as const;
const lookMs = 10;

/** Customers who present whatever the terminal waits for, until closed. */
export class Customers {
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

  async run(): Promise<void> {
    while (this.#open && !this.#failed.aborted) {
      const bench = await this.#stage.bench();
      this.#watch(bench.hosts);
      const waiting = armed(bench);
      if (waiting.length === 0) {
        await pause(lookMs);
        continue;
      }
      this.#moments.is('armed');
      // Some customers are so slow that the cashier cancels.
      if (this.#chance.once(6)) await pause(this.#chance.below(300));
      await this.#present(waiting);
      this.#moments.is('presented');
    }
  }

  close(): void {
    this.#open = false;
  }

  async #present(waiting: readonly string[]): Promise<void> {
    const sim = (call: string, body: Json) => this.#stage.sim('POST', call, { ...body, holdMs: 400 });
    // After a cancel or a cut nothing waits any more: 409.
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

  /** Notes that a host has got a request. */
  #watch(hosts: Record<string, Json>): void {
    const requests = Object.values(hosts)
      .flatMap((host) => Object.entries(host))
      .reduce((sum, [name, count]) => (name.endsWith('Requests') ? sum + Number(count) : sum), 0);
    if (requests > this.#requests) this.#moments.is('hostAsked');
    this.#requests = requests;
  }
}
