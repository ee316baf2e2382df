import type { Amount } from '../../base/domain/amount.ts';
import { completesAuth } from '../../base/domain/transaction-kind.ts';
import { sumCashReturns } from './cash-returns.ts';
import { financialImpact, isUndecidedAdvice } from './impact.ts';
import type { TransactionRecord } from './record.ts';

/** A transaction with all transactions that name it as their original, recursively. */
export interface RecordTree {
  readonly record: TransactionRecord;
  readonly later: readonly RecordTree[];
}

/** The state of a transaction after everything that refers to it. It decides what may still be done with it. */
export interface TransactionStatus {
  readonly voided: boolean;
  /** An auth with a valid completion. A voided completion reopens the hold. */
  readonly completed: boolean;
  /** What its completion took. */
  readonly completedWith?: Amount;
  readonly adjusted: boolean;
  /** The total to settle, including an adjusted tip. */
  readonly total: Amount;
  readonly tipMinor: bigint;
  /** Sum of the valid refunds. */
  readonly refundedMinor: bigint;
}

export function transactionStatus({ record, later }: RecordTree): TransactionStatus {
  const effective = later.filter((each) => stands(each.record));
  const adjustment = effective.findLast((each) => isAdjustment(each.record))?.record;
  const refunds = effective.filter((each) => each.record.request.type === 'REFUND' && !transactionStatus(each).voided);
  const completion = effective.findLast((each) => isCompletion(each.record) && !transactionStatus(each).voided)?.record;
  return {
    voided:
      record.originalVoided === true || effective.some(({ record: { request } }) => request.type.startsWith('VOID_')),
    completed: completion !== undefined,
    ...(completion ? { completedWith: completion.amount } : {}),
    adjusted: adjustment !== undefined,
    total: adjustment?.amount ?? record.amount,
    tipMinor: tipMinor(adjustment ?? record),
    refundedMinor: refunds.reduce((sum, each) => sum + each.record.amount.minor, 0n),
  };
}

export function isAdjustment({ request }: TransactionRecord): boolean {
  return request.type === 'TIP_ADJUST';
}

export function isCompletion({ request }: TransactionRecord): boolean {
  return completesAuth(request.type, request.originalId);
}

/** It succeeded, and its host has not rejected it: a rejected advice is in nobody's books. */
export function hasSucceeded(record: TransactionRecord): boolean {
  return record.conclusion?.result === 'SUCCESS' && record.advice !== 'rejected';
}

/** It is in the host's books: it succeeded, or the bank says that it is posted and can't be reversed. */
export function stands(record: TransactionRecord): boolean {
  return hasSucceeded(record) || (record.position === 'posted' && record.reversal === 'setAside');
}

/**
 * What the customer got back of it: by refunds, and from the drawer. Of a payment that only the bank has confirmed, the
 * drawer has given its cash back, which is no refund. The host's books and totals have the refunds alone.
 */
export function sumOfReturns(tree: RecordTree): bigint {
  const inCash = hasSucceeded(tree.record) ? sumCashReturns(tree.record) : 0n;
  return transactionStatus(tree).refundedMinor + inCash;
}

/** How a transaction that only the bank has confirmed was given back afterwards; undefined if it was not. */
export function findReturn(tree: RecordTree): TransactionRecord['returned'] {
  if (hasSucceeded(tree.record) || !stands(tree.record)) return undefined;
  const { voided, refundedMinor, total } = transactionStatus(tree);
  if (voided) return 'voided';
  return refundedMinor >= total.minor ? 'refunded' : undefined;
}

/**
 * What later refunds and voids have given back of a transaction of the terminal itself; undefined if there was none.
 */
export function findGivenBack(tree: RecordTree): TransactionRecord['givenBackLater'] {
  if (!tree.record.request.isStray) return undefined;
  const { voided, refundedMinor, total } = transactionStatus(tree);
  const isUndecided = hasUndecidedLater(tree);
  const minor = voided ? total.minor : refundedMinor;
  return minor > 0n || isUndecided ? { minor, ...(isUndecided ? { isUndecided } : {}) } : undefined;
}

/** Whether the outcome of a transaction that refers to it is not known yet: it may have given something back. */
export function hasUndecidedLater({ later }: Pick<RecordTree, 'later'>): boolean {
  return later.some((each) => awaitsHost(each) || (each.record.intent !== undefined && !each.record.conclusion));
}

/**
 * A message about it, or about a transaction that refers to it, is still queued, and the host may reject it; or only
 * the bank knows what the host made of it.
 */
export function awaitsHost({ record, later }: RecordTree): boolean {
  const { advice, reversal } = record;
  return advice === 'queued' || reversal === 'queued' || isUndecidedAdvice(record) || later.some(awaitsHost);
}

/**
 * What refunds of unknown outcome may have given back; undefined if a message about the transaction itself, or about
 * something else that refers to it, is queued.
 */
export function unknownRefundsMinor({ record, later }: RecordTree): bigint | undefined {
  if (awaitsHost({ record, later: [] })) return undefined;
  const waiting = later.filter(awaitsHost);
  const areRefunds = waiting.every((each) => each.record.request.type === 'REFUND' && each.later.length === 0);
  return areRefunds ? waiting.reduce((sum, each) => sum + each.record.amount.minor, 0n) : undefined;
}

export function tipMinor({ request }: TransactionRecord): bigint {
  return BigInt(request.tipMinor ?? '0');
}

/** The status for an enquiry: the present state of an approved transaction. */
export function presentStatus(tree: RecordTree): 'APPROVED' | 'DECLINED' | 'ERROR' | LaterStatus {
  const { record } = tree;
  const hasEnded = hasSucceeded(record) ? 'APPROVED' : endedWithout(record);
  if (!stands(record)) return financialImpact(record) === 'REVERSED' ? 'REVERSED' : hasEnded;
  const { voided, completed, adjusted, total } = transactionStatus(tree);
  const givenBack = sumOfReturns(tree);
  if (voided) return record.request.type === 'AUTH' ? 'RELEASED' : 'VOIDED';
  if (completed) return 'COMPLETED';
  if (givenBack > 0n) return givenBack < total.minor ? 'PARTIALLY_REFUNDED' : 'REFUNDED';
  return adjusted ? 'ADJUSTED' : hasEnded;
}

function endedWithout({ conclusion }: TransactionRecord): 'DECLINED' | 'ERROR' {
  return conclusion?.outcome === 'declined' ? 'DECLINED' : 'ERROR';
}

/** Of an authorization: RELEASED where it was voided, COMPLETED where its money was taken. REFUNDED: all of it. */
type LaterStatus = 'VOIDED' | 'RELEASED' | 'COMPLETED' | 'PARTIALLY_REFUNDED' | 'REFUNDED' | 'ADJUSTED' | 'REVERSED';
