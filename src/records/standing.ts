import type { Amount } from '../domain/amount.ts';
import { financialImpact, type TransactionRecord } from './record.ts';

/** A transaction and those that named it as their original, each with its own. */
export interface RecordTree {
  readonly record: TransactionRecord;
  readonly later: readonly RecordTree[];
}

/** How a transaction stands after everything that came later: what may still be done with it follows from this. */
export interface Standing {
  readonly voided: boolean;
  /** An auth whose completion stands; one that was voided gives the hold back. */
  readonly completed: boolean;
  readonly adjusted: boolean;
  /** Total as it would be settled, with the adjusted tip. */
  readonly total: Amount;
  readonly tipMinor: bigint;
  /** Sum of the refunds that stand. */
  readonly refundedMinor: bigint;
}

export function standing({ record, later }: RecordTree): Standing {
  const effective = later.filter((each) => stands(each.record));
  const adjustment = effective.findLast(({ record: { request } }) => request.type === 'TIP_ADJUST')?.record;
  const refunds = effective.filter((each) => each.record.request.type === 'REFUND' && !standing(each).voided);
  return {
    voided: effective.some(({ record: { request } }) => request.type.startsWith('VOID_')),
    completed: effective.some((each) => each.record.request.type === 'AUTH_COMP' && !standing(each).voided),
    adjusted: adjustment !== undefined,
    total: adjustment?.amount ?? record.amount,
    tipMinor: tipMinor(adjustment ?? record),
    refundedMinor: refunds.reduce((sum, each) => sum + each.record.amount.minor, 0n),
  };
}

/** It was told as done and the host does not say otherwise: an advice that the host rejected stands in nobody's books. */
export function hasSucceeded(record: TransactionRecord): boolean {
  return record.conclusion?.result === 'SUCCESS' && record.advice !== 'rejected';
}

/** In the host's books: it succeeded, or the bank says so of one that could not be taken back. */
export function stands(record: TransactionRecord): boolean {
  return hasSucceeded(record) || (record.reversal === 'setAside' && record.setAside === 'POSTED');
}

/** The host has still to hear of it, or of what came of it, and may say no. */
export function awaitsHost({ record: { advice, reversal }, later }: RecordTree): boolean {
  return advice === 'queued' || reversal === 'queued' || later.some(awaitsHost);
}

export function tipMinor({ request }: TransactionRecord): bigint {
  return BigInt(request.tipMinor ?? '0');
}

/** The status of an enquiry: what became of an approved transaction since. */
export function presentStatus(tree: RecordTree): 'APPROVED' | 'DECLINED' | 'ERROR' | LaterStatus {
  const { record } = tree;
  if (financialImpact(record) === 'REVERSED') return 'REVERSED';
  if (!hasSucceeded(record)) return record.conclusion?.outcome === 'declined' ? 'DECLINED' : 'ERROR';
  const { voided, refundedMinor, adjusted } = standing(tree);
  if (voided) return 'VOIDED';
  if (refundedMinor > 0n) return 'REFUNDED';
  return adjusted ? 'ADJUSTED' : 'APPROVED';
}

type LaterStatus = 'VOIDED' | 'REFUNDED' | 'ADJUSTED' | 'REVERSED';
