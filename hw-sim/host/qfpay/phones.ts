import type { Numbers } from '../iso8583/numbers.ts';
import type { Wallet } from './wallet.ts';
import { prefixLength, type Wallets } from './wallets.ts';

/** QFPay, request format: an auth_code expires within one day. */
const codeLifeMs = 86_400_000;
const issuedMax = 100_000;

/** Why a code is refused: 1202 if invalid or too old, 2005 if it was used before. */
export type CodeRefusal = '1202' | '2005';

/** The customers' phones with their codes, each valid for one attempt. */
export class Phones {
  readonly #numbers: Numbers;
  readonly #wallets: Wallets;
  readonly #now: () => Date;
  /** Whose phone has shown each code, and when. */
  readonly #issued = new Map<string, { readonly wallet: Wallet; readonly atMs: number }>();
  readonly #used = new Set<string>();

  constructor(numbers: Numbers, wallets: Wallets, now: () => Date) {
    this.#numbers = numbers;
    this.#wallets = wallets;
    this.#now = now;
  }

  /** A code that was never shown before. Throws RangeError for a wallet without such codes. */
  show(name: string): string {
    const wallet = this.#wallets.of(name);
    if (!wallet.scanned) throw new RangeError(`a phone with ${name} shows no code`);
    const { prefixes, digits, shownDigits = digits[1] } = wallet.scanned.codes;
    const prefix = prefixes[this.#numbers.below(prefixes.length)] ?? prefixes.join('');
    const tail = Array.from({ length: shownDigits - prefix.length }, () => this.#numbers.below(10)).join('');
    const code = prefix + tail;
    if (this.#issued.has(code) || this.#used.has(code)) return this.show(name);
    if (this.#issued.size >= issuedMax) this.#issued.clear();
    this.#issued.set(code, { wallet, atMs: this.#now().getTime() });
    return code;
  }

  /** Uses the code, whatever the outcome: it is valid only once, even after a failure. */
  take(code: string, wanted: Wallet | undefined): Wallet | CodeRefusal {
    const issued = this.#issued.get(code);
    const wallet = issued?.wallet ?? this.#wallets.ofCode(code);
    if (!wallet || (wanted && (wanted !== wallet || prefixLength(wanted, code) === 0))) return '1202';
    if (this.#used.has(code)) return '2005';
    if (issued !== undefined && this.#now().getTime() - issued.atMs >= codeLifeMs) return '1202';
    this.#used.add(code);
    return wallet;
  }

  clear(): void {
    this.#issued.clear();
    this.#used.clear();
  }
}
