import { completesAuth, presentsCard } from '../../base/domain/transaction-kind.ts';
import { type Refusal, refusal } from './input.ts';
import type { PosRequest } from './pos-request.ts';

/** How long a customer may take to present a card or a code, milliseconds. */
export interface CollectTimes {
  /** Where the request says nothing. */
  readonly usualMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

const pointer = '/collectTimeoutSeconds';

/** Why a request can't have the collecting time that it asks for; undefined if it can. */
export function collectTimeFault(
  { collectMs, transactionType, originalTerminalTransactionId: original }: PosRequest,
  { leastMs, mostMs }: CollectTimes,
): Refusal | undefined {
  if (collectMs === undefined) return undefined;
  if (!presentsCard(transactionType) || completesAuth(transactionType, original)) {
    const message = `can't be given for ${transactionType}: nothing is presented`;
    return refusal('INVALID_PARAMETER', 'collectTimeNotPossible', pointer, message);
  }
  if (collectMs >= leastMs && collectMs <= mostMs) return undefined;
  const message = `must be from ${leastMs / 1_000} to ${mostMs / 1_000}`;
  return refusal('INVALID_PARAMETER', 'collectTimeNotPossible', pointer, message);
}

/** What GET /sp/v1/capabilities tells of it. */
export function collectTimeReport({ usualMs, leastMs, mostMs }: CollectTimes) {
  return { default: usualMs / 1_000, min: leastMs / 1_000, max: mostMs / 1_000 };
}
