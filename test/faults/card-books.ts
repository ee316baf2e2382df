import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';

export type PostingKind = 'sale' | 'auth' | 'refund' | 'offlineSale' | 'completion';

/** A posting in a card host's books. */
export interface Posting {
  /** The transaction of the request: known to the simulation, not to a real host. */
  readonly owner: TerminalTransactionId | undefined;
  readonly stan: number;
  /** Field 41: the terminal id under which it was sent. */
  readonly terminal: string;
  readonly kind: PostingKind;
  readonly invoice: string;
  readonly rrn: string;
  /** ISO 4217, in digits. */
  readonly currency: string;
  amountMinor: bigint;
  status: 'POSTED' | 'REVERSED' | 'VOIDED' | 'COMPLETED';
  /** Of a completion: what it completes. */
  readonly auth?: Posting | undefined;
  /** Each batch that it was counted in: exactly one is right. */
  readonly settled: string[];
  /** It was settled when an older journal was put back whole, which no terminal can detect. */
  isCopied?: boolean;
  /** Posted so long after its reversal that only its own answer shows it, and that answer was lost. */
  unreported?: boolean;
  /** Its tip was rejected at a repeat, although it stands: only the bank's word tells the terminal the true total. */
  isTipDoubted?: true;
  /** Posted after the host had declined it: a terminal that lost its journal can't know of it. */
  isReconsidered?: true;
}

/** A request that was carried out. */
export interface HostAction {
  readonly stan: number;
  readonly processing: string;
  readonly amount: string;
  readonly posting: Posting;
  readonly isVoid: boolean;
  /** The part that a repeat shares with it. */
  readonly content: string;
  readonly answer: ReadonlyMap<number, string>;
  undone: boolean;
}

export interface Totals {
  readonly sales: { readonly count: number; readonly amountMinor: bigint };
  readonly refunds: { readonly count: number; readonly amountMinor: bigint };
}

/** A card host's books of one terminal, under each terminal id that it has had. */
export class CardBooks {
  readonly postings: Posting[] = [];
  readonly #actions = new Map<number, HostAction>();
  /** Refused requests by trace number and content: a repeat is refused again. */
  readonly refused = new Map<string, string>();
  /** Advices that it will never post: the operator must decide on them. */
  readonly rejected = new Set<TerminalTransactionId>();
  /** Requests whose reversal came first. */
  readonly tombstones = new Set<string>();
  /** How it was settled, by batch and currency. */
  readonly settled = new Map<string, Totals>();
  /** Settlements whose answer the terminal has received, in time or late. It must not ask for these again. */
  readonly heard = new Set<string>();

  action(stan: number): HostAction | undefined {
    return this.#actions.get(stan);
  }

  did(action: HostAction): void {
    this.#actions.set(action.stan, action);
  }

  named(rrn: string | undefined): Posting | undefined {
    return this.postings.find((posting) => posting.rrn === rrn);
  }

  /** Postings that the next settlement counts, in one currency or in all, of one terminal id or of all. */
  open(currency?: string, terminal?: string): Posting[] {
    return this.postings.filter(
      (posting) =>
        isOpen(posting) &&
        (currency === undefined || posting.currency === currency) &&
        (terminal === undefined || posting.terminal === terminal),
    );
  }

  post(made: Omit<Posting, 'status' | 'settled'>): Posting {
    const posting: Posting = { ...made, status: 'POSTED', settled: [] };
    this.postings.push(posting);
    return posting;
  }

  /** Reverses a request. False if impossible: settled, voided or completed since. */
  undo(action: HostAction): boolean {
    const { posting, isVoid } = action;
    if (action.undone) return true;
    if (posting.settled.length > 0 || posting.status !== (isVoid ? 'VOIDED' : 'POSTED')) return false;
    action.undone = true;
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
