import type { Account } from './account.ts';
import { amountText, type Currency } from './currency.ts';
import type { Trace } from './trace.ts';
import type { Stamp } from './verdict.ts';

export type PostingKind = 'SALE' | 'AUTH' | 'REFUND' | 'OFFLINE_SALE' | 'AUTH_COMP';

/** COMPLETED: an auth whose completion is posted. Settlement changes no status. */
export type PostingStatus = 'POSTED' | 'REVERSED' | 'VOIDED' | 'COMPLETED';

/** One posting: money that moved, is held, or came back. */
export interface Posting {
  readonly kind: PostingKind;
  readonly trace: Trace;
  /** Whole card number: what refers to the posting must name the same one. It never leaves the books. */
  readonly pan: string;
  readonly currency: Currency;
  readonly stamp: Stamp;
  readonly approvalCode: string;
  /** The auth that this completes. */
  readonly auth?: Posting;
  /** The customer's choice, where the host takes one. */
  readonly account?: Account;
  /** Part of the amount. An upload does not tell it. */
  readonly cashbackMinor: bigint;
  /** The host heard of it in a batch upload only. */
  readonly fromUpload: boolean;
  /** If the bank has several sites: the one that has posted it. */
  readonly site?: string | undefined;
  status: PostingStatus;
  amountMinor: bigint;
  /** Part of the amount. */
  tipMinor: bigint;
  /** The batch that it was settled under. */
  batch: number | undefined;
  timesSettled: number;
  requests: number;
  reversals: number;
}

export type NewPosting = Pick<
  Posting,
  | 'kind'
  | 'trace'
  | 'pan'
  | 'currency'
  | 'stamp'
  | 'approvalCode'
  | 'auth'
  | 'account'
  | 'amountMinor'
  | 'tipMinor'
  | 'cashbackMinor'
>;

/** A posting as the control API shows it. Declined requests are no postings. */
export interface LedgerEntry {
  /** Field 11, six digits. */
  readonly stan: string;
  /** Field 37. */
  readonly rrn: string;
  readonly kind: PostingKind;
  readonly status: PostingStatus;
  /** Minor units, digits without leading zeros; with tip, as last adjusted. */
  readonly amountMinor: string;
  /** Major units with all decimals of the currency: '30.00'. */
  readonly amount: string;
  /** Major units, part of the amount: '0.00' without one. */
  readonly tip: string;
  /** EPS only: the account that was debited. */
  readonly account?: Account;
  /** EPS only: minor units, part of the amount; '0' without cash back, and of what came by upload. */
  readonly cashbackMinor?: string;
  /** Alphabetic code: 'HKD'. */
  readonly currency: string;
  readonly tid: string;
  readonly mid: string;
  /** Field 24, three digits. */
  readonly nii: string;
  /** Field 62. */
  readonly invoice: string;
  /** Last four digits: '************0119'. */
  readonly maskedPan: string;
  readonly approvalCode: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Batch number that it was settled under. */
  readonly batch: number | null;
  readonly settled: boolean;
  /** How often it was settled, if more than once. */
  readonly timesSettled?: number;
  /** How often its request arrived; online ones after the first were answered 94, advices as the first time. */
  readonly requests: number;
  /** How often a reversal of it arrived; the first one reversed it. */
  readonly reversals: number;
  /** The host heard of it in a batch upload only. */
  readonly fromUpload?: true;
  /** If the bank has several sites: the one that has posted it. */
  readonly site?: string;
}

/** Whether a settlement counts it: a posting in effect that was not settled yet. */
export function isOpen({ kind, status, batch }: Posting): boolean {
  return kind !== 'AUTH' && status === 'POSTED' && batch === undefined;
}

export function ledgerEntry(posting: Posting): LedgerEntry {
  const { kind, status, trace, stamp, pan, currency, approvalCode, batch, timesSettled, requests, reversals } = posting;
  return {
    ...trace,
    rrn: stamp.rrn,
    kind,
    status,
    amountMinor: posting.amountMinor.toString(),
    amount: amountText(posting.amountMinor, currency),
    tip: amountText(posting.tipMinor, currency),
    currency: currency.code,
    maskedPan: pan.slice(-4).padStart(pan.length, '*'),
    approvalCode,
    at: stamp.at,
    batch: batch ?? null,
    settled: batch !== undefined,
    ...(timesSettled > 1 && { timesSettled }),
    requests,
    reversals,
    ...(posting.account && { account: posting.account, cashbackMinor: posting.cashbackMinor.toString() }),
    ...(posting.fromUpload && { fromUpload: true }),
    ...(posting.site !== undefined && { site: posting.site }),
  };
}
