export type PostingKind = 'sale' | 'auth' | 'refund' | 'offlineSale' | 'completion';

/** Money that a card host has in its books. */
export interface Posting {
  readonly stan: number;
  readonly kind: PostingKind;
  readonly invoice: string;
  readonly rrn: string;
  amountMinor: bigint;
  status: 'POSTED' | 'REVERSED' | 'VOIDED' | 'COMPLETED';
  /** Of a completion: what it completes. */
  readonly auth?: Posting | undefined;
  /** Set when it is settled. */
  batch?: number;
}

/** A request that was carried out. */
export interface Deed {
  readonly stan: number;
  readonly processing: string;
  readonly amount: string;
  readonly posting: Posting;
  readonly isVoid: boolean;
  /** Of an advice: what a repeat of it has in common with it. */
  readonly content?: string;
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
  /** What was refused is refused again, by trace number. */
  readonly refused = new Map<number, string>();
  /** Reversed before they came. */
  readonly tombstones = new Set<string>();
  /** By batch: how it was settled. */
  readonly settled = new Map<number, Totals>();

  deed(stan: number): Deed | undefined {
    return this.#deeds.get(stan);
  }

  did(deed: Deed): void {
    this.#deeds.set(deed.stan, deed);
  }

  named(rrn: string | undefined): Posting | undefined {
    return this.postings.find((posting) => posting.rrn === rrn);
  }

  of(stan: number): readonly Posting[] {
    return this.postings.filter((posting) => posting.stan === stan);
  }

  /** What the next settlement counts. */
  get open(): Posting[] {
    return this.postings.filter(
      ({ status, kind, batch }) => status === 'POSTED' && kind !== 'auth' && batch === undefined,
    );
  }

  post(made: Omit<Posting, 'status'>): Posting {
    const posting: Posting = { ...made, status: 'POSTED' };
    this.postings.push(posting);
    return posting;
  }

  /** Takes back what a request did. False where it can't be any more: settled, voided or completed since. */
  undo(deed: Deed): boolean {
    const { posting, isVoid } = deed;
    if (deed.undone) return true;
    if (posting.batch !== undefined || posting.status !== (isVoid ? 'VOIDED' : 'POSTED')) return false;
    deed.undone = true;
    posting.status = isVoid ? 'POSTED' : 'REVERSED';
    if (isVoid && posting.auth) posting.auth.status = 'COMPLETED';
    return true;
  }
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
