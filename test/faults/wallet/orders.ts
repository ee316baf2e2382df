export type OrderState = 'waiting' | 'paid' | 'declined' | 'closed' | 'expired';

/** A payment or a refund as the wallet's host has it. */
export interface WalletEntry {
  readonly tradeNo: string;
  /** The host's own number. */
  readonly number: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly payType: string;
  /** As the terminal told it, and as the host's own clock had it when the order came. */
  readonly txdtm: string;
  readonly sysdtm: string;
  /** Of a refund: the payment that it gives back. */
  readonly of?: WalletEntry;
  state: OrderState;
  /** Paid after the host had called it over: nobody can know before the host is asked again. */
  unreported?: true;
  /** What is answered for it. */
  respcd: string;
}

interface Change {
  readonly atMs: number;
  readonly state: OrderState;
  readonly respcd: string;
}

/** All orders of one merchant, and what a copy of these books that lags behind still has of them. */
export class WalletBooks {
  readonly entries = new Map<string, WalletEntry>();
  readonly #changes = new Map<WalletEntry, Change[]>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  enter(entry: WalletEntry): WalletEntry {
    this.entries.set(entry.tradeNo, entry);
    this.#changes.set(entry, []);
    this.#noted(entry);
    return entry;
  }

  becomes(entry: WalletEntry, state: OrderState, respcd: string): void {
    Object.assign(entry, { state, respcd });
    this.#noted(entry);
  }

  /** As it was so long ago; nothing where it was not there yet. */
  asOf(entry: WalletEntry, agoMs: number): Pick<WalletEntry, 'state' | 'respcd'> | undefined {
    return this.#changes.get(entry)?.findLast(({ atMs }) => atMs <= this.#nowMs() - agoMs);
  }

  refundsOf(entry: WalletEntry): WalletEntry[] {
    return [...this.entries.values()].filter(({ of }) => of === entry);
  }

  /** What was given back of a payment and stands, now or as it was so long ago. */
  givenBackMinor(entry: WalletEntry, agoMs = 0): bigint {
    return this.refundsOf(entry)
      .filter((refund) => (agoMs === 0 ? refund : this.asOf(refund, agoMs))?.state === 'paid')
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  }

  numbered(number: string): WalletEntry | undefined {
    return [...this.entries.values()].find((entry) => entry.number === number);
  }

  #noted(entry: WalletEntry): void {
    this.#changes.get(entry)?.push({ atMs: this.#nowMs(), state: entry.state, respcd: entry.respcd });
  }
}
