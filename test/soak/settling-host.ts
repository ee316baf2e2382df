import type { HostMessage } from '../../src/hosts/iso8583/dialect.ts';
import { EchoHost } from '../bench/echo-host.ts';
import type { Settled } from './shop.ts';

/** Field 63 of a settlement: six pairs of a count and an amount of 12 digits, of which sales are the first. */
const pairs = 6;
const amountDigits = 12;
const notBalanced = '95';

/** A host that approves every sale at once, and keeps no more of its books than the sum of the open batch. */
export class SettlingHost {
  readonly #host = new EchoHost((message) => this.#answer(message));
  readonly #settled: Settled[] = [];
  #open = { count: 0, amount: 0n };

  /** What it has settled, oldest first. */
  get settled(): readonly Settled[] {
    return this.#settled;
  }

  get port(): number {
    return this.#host.port;
  }

  listen(): Promise<void> {
    return this.#host.listen();
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  #answer({ mti, fields }: HostMessage): string {
    if (mti === '0200') {
      this.#open = { count: this.#open.count + 1, amount: this.#open.amount + BigInt(fields[4] ?? '') };
      return '00';
    }
    return mti === '0500' ? this.#settle(String(fields[63] ?? '')) : '00';
  }

  #settle(totals: string): string {
    const { count, amount } = this.#open;
    const countDigits = totals.length / pairs - amountDigits;
    const reported = {
      count: Number(totals.slice(0, countDigits)),
      amount: totals.slice(countDigits).slice(0, amountDigits),
    };
    const isBalanced = reported.count === count && BigInt(reported.amount) === amount;
    this.#settled.push({ sales: reported.count, isBalanced });
    if (!isBalanced) return notBalanced;
    this.#open = { count: 0, amount: 0n };
    return '00';
  }
}
