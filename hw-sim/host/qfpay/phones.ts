import type { Numbers } from '../iso8583/numbers.ts';
import type { PhoneWallet } from './wallet.ts';

/** fixtures/qr/codes.json: how the codes of the wallets begin, and how many digits they have. */
const forms: Readonly<Record<PhoneWallet, RegExp>> = {
  ALIPAY: /^(?:2[5-9]|30)\d{14,22}$/,
  WECHAT: /^1[0-5]\d{16}$/,
  UPI_QR: /^62\d{17}$/,
};

const examples: Readonly<Record<PhoneWallet, readonly [prefixes: readonly string[], digits: number]>> = {
  ALIPAY: [['25', '26', '27', '28', '29', '30'], 18],
  WECHAT: [['10', '11', '12', '13', '14', '15'], 18],
  UPI_QR: [['62'], 19],
};

/** QFPay, request format: an auth_code expires within one day. */
const codeLifeMs = 86_400_000;
const issuedMax = 100_000;

/** Why a code is refused: 1202 if invalid or too old, 2005 if it was used before. */
export type CodeRefusal = '1202' | '2005';

/** The customers' phones with their codes, each valid for one attempt. */
export class Phones {
  readonly #numbers: Numbers;
  readonly #now: () => Date;
  /** When each code of this host's phones was created. */
  readonly #issued = new Map<string, number>();
  readonly #used = new Set<string>();

  constructor(numbers: Numbers, now: () => Date) {
    this.#numbers = numbers;
    this.#now = now;
  }

  /** A code that was never shown before. */
  show(wallet: PhoneWallet): string {
    const [prefixes, digits] = examples[wallet];
    const prefix = prefixes[this.#numbers.below(prefixes.length)] ?? prefixes.join('');
    const tail = Array.from({ length: digits - prefix.length }, () => this.#numbers.below(10)).join('');
    const code = prefix + tail;
    if (this.#issued.has(code) || this.#used.has(code)) return this.show(wallet);
    if (this.#issued.size >= issuedMax) this.#issued.clear();
    this.#issued.set(code, this.#now().getTime());
    return code;
  }

  /** Uses the code, whatever the outcome: it is valid only once, even after a failure. */
  take(code: string, wanted: PhoneWallet | undefined): PhoneWallet | CodeRefusal {
    const wallet = walletOf(code);
    if (!wallet || (wanted && wanted !== wallet)) return '1202';
    if (this.#used.has(code)) return '2005';
    const issued = this.#issued.get(code);
    if (issued !== undefined && this.#now().getTime() - issued >= codeLifeMs) return '1202';
    this.#used.add(code);
    return wallet;
  }

  clear(): void {
    this.#issued.clear();
    this.#used.clear();
  }
}

export function walletOf(code: string): PhoneWallet | undefined {
  for (const wallet of ['ALIPAY', 'WECHAT', 'UPI_QR'] as const) if (forms[wallet].test(code)) return wallet;
  return undefined;
}
