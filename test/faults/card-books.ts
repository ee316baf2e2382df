import type { TerminalTransactionId } from '../../src/domain/identifiers.ts';

export type PostingKind = 'sale' | 'auth' | 'refund' | 'offlineSale' | 'completion';

/** Money that a card host has in its books. */
export interface Posting {
  /** Whose request it was: this world knows it, no host does. */
  readonly owner: TerminalTransactionId | undefined;
  readonly stan: number;
  readonly kind: PostingKind;
  readonly invoice: string;
  readonly rrn: string;
  /** ISO 4217, in digits. */
  readonly currency: string;
  amountMinor: bigint;
  status: 'POSTED' | 'REVERSED' | 'VOIDED' | 'COMPLETED';
  /** Of a completion: what it completes. */
  readonly auth?: Posting | undefined;
  /** Each batch that it was counted in: one is right. */
  readonly settled: string[];
  /** It was settled when an older journal was put back whole, which no terminal can tell from its own. */
  isCopied?: boolean;
  /** Posted so long after its reversal that only its own answer can tell, and that was not heard. */
  untold?: boolean;
  /** Posted by the host's own whim after it had declined: a terminal that lost its journal can't have heard of it. */
  isReconsidered?: true;
}

/** A request that was carried out. */
export interface Deed {
  readonly stan: number;
  readonly processing: string;
  readonly amount: string;
  readonly posting: Posting;
  readonly isVoid: boolean;
  /** What a repeat of it has in common with it. */
  readonly content: string;
  readonly answer: ReadonlyMap<number, string>;
  undone: boolean;
}

export interface Totals {
  readonly sales: { readonly count: number; readonly amountMinor: bigint };
  readonly refunds: { readonly count: number; readonly amountMinor: bigint };
}

/** What one card host knows of one terminal. */
export class CardBooks {
  readonly postings: Posting[] = [];
  readonly #deeds = new Map<number, Deed>();
  /** What was refused is refused again, by trace number and content. */
  readonly refused = new Map<string, string>();
  /** Advices that it will never post: whoever sent them has to decide what becomes of them. */
  readonly rejected = new Set<TerminalTransactionId>();
  /** Reversed before they came. */
  readonly tombstones = new Set<string>();
  /** How it was settled, by batch and currency. */
  readonly settled = new Map<string, Totals>();
  /** Of those: what the terminal has heard, in time or late. Nobody who has may ask for it again. */
  readonly heard = new Set<string>();

  deed(stan: number): Deed | undefined {
    return this.#deeds.get(stan);
  }

  did(deed: Deed): void {
    this.#deeds.set(deed.stan, deed);
  }

  named(rrn: string | undefined): Posting | undefined {
    return this.postings.find((posting) => posting.rrn === rrn);
  }

  /** What the next settlement counts, in one currency or in all. */
  open(currency?: string): Posting[] {
    return this.postings.filter(
      (posting) => isOpen(posting) && (currency === undefined || posting.currency === currency),
    );
  }

  post(made: Omit<Posting, 'status' | 'settled'>): Posting {
    const posting: Posting = { ...made, status: 'POSTED', settled: [] };
    this.postings.push(posting);
    return posting;
  }

  /** Takes back what a request did. False where it can't be any more: settled, voided or completed since. */
  undo(deed: Deed): boolean {
    const { posting, isVoid } = deed;
    if (deed.undone) return true;
    if (posting.settled.length > 0 || posting.status !== (isVoid ? 'VOIDED' : 'POSTED')) return false;
    deed.undone = true;
    posting.status = isVoid ? 'POSTED' : 'REVERSED';
    if (isVoid && posting.auth) posting.auth.status = 'COMPLETED';
    return true;
  }
}

function isOpen({ status, kind, settled }: Posting): boolean {
  return status === 'POSTED' && kind !== 'auth' && settled.length === 0;
}

export function totalsOf(postings: readonly Posting[]): Totals {
  const sum = (some: readonly Posting[]) => ({
    count: some.length,
    amountMinor: some.reduce((all, { amountMinor }) => all + amountMinor, 0n),
  });
  return {
    sales: sum(postings.filter(({ kind }) => kind !== 'refund')),
    refunds: sum(postings.filter(({ kind }) => kind === 'refund')),
  };
}

export function totalsText({ sales, refunds }: Totals): string {
  return `${sales.count} sales ${sales.amountMinor}, ${refunds.count} refunds ${refunds.amountMinor}`;
}
