import {
  type Currency,
  type EndingCall,
  type Flow,
  hostCurrencies,
  payTypeOfAll,
  usualWallets,
  type Wallet,
} from './wallet.ts';

/** What a pay type stands for. If the wallet is missing, the scanned code decides it. */
export type PayType =
  | { readonly flow: 'presented'; readonly wallet: Wallet }
  | { readonly flow: 'scanned'; readonly wallet?: Wallet };

/** QFPay, MPM: which of the two Alipays. A merchant without a wallet of its own for it books both as ALIPAY. */
const alipayTags: readonly string[] = ['ALIPAYHK', 'ALIPAYCN'];

/** The wallets that this host's merchant is set up for: the usual ones, and those of its own contract. */
export class Wallets {
  readonly all: readonly Wallet[];

  constructor(further: readonly Wallet[] = []) {
    this.all = [...usualWallets, ...further];
  }

  /** Throws for a wallet that nobody has: the books have none of it. */
  of(code: string): Wallet {
    const wallet = this.all.find((each) => each.code === code);
    if (!wallet) throw new RangeError(`no such wallet; there are ${this.all.map((each) => each.code).join(', ')}`);
    return wallet;
  }

  /** What a payment's `pay_type` and `pay_tag` stand for; undefined if no wallet has them. */
  byPayType(code: string, tag: string | undefined): PayType | undefined {
    if (code === payTypeOfAll) return { flow: 'scanned' };
    const shown = this.all.filter(({ presented }) => presented?.payType === code);
    const tagged = shown.find(({ presented }) => presented?.payTag === tag);
    const untagged = alipayTags.includes(tag ?? '') ? shown.find(({ presented }) => !presented?.payTag) : undefined;
    const wallet = tagged ?? untagged;
    if (wallet) return { flow: 'presented', wallet };
    const scanned = this.all.find((each) => each.scanned?.payType === code);
    return scanned && { flow: 'scanned', wallet: scanned };
  }

  /** The wallet whose phones show such codes: of several the one with the longest prefix. */
  ofCode(code: string): Wallet | undefined {
    const fitting = this.all.map((wallet) => ({ wallet, length: prefixLength(wallet, code) }));
    const [best] = fitting.filter(({ length }) => length > 0).toSorted((one, other) => other.length - one.length);
    return best?.wallet;
  }
}

/** How many digits of the prefix a code of this wallet has; 0 if it is none of it. */
export function prefixLength({ scanned }: Wallet, code: string): number {
  if (!scanned || !/^\d+$/.test(code)) return 0;
  const { prefixes, digits } = scanned.codes;
  const [fewest, most] = digits;
  if (code.length < fewest || code.length > most) return 0;
  return Math.max(0, ...prefixes.filter((prefix) => code.startsWith(prefix)).map(({ length }) => length));
}

/** The currency, if this wallet pays in it here. A wallet that is not known yet shows a code of its phone. */
export function payableIn({ flow, wallet }: PayType, code: string | undefined): Currency | undefined {
  if (code === 'HKD') return wallet && !wallet.currencies.includes('HKD') ? undefined : code;
  const currency = hostCurrencies.find((each) => each === code);
  return currency && flow === 'presented' && wallet.currencies.includes(currency) ? currency : undefined;
}

/** Whether this call ends an unpaid order of the wallet. */
export function endsBy(call: EndingCall, wallet: Wallet, flow: Flow): boolean {
  return wallet[flow]?.endedBy.includes(call) ?? false;
}
