import type { FinancialImpact } from '../../base/domain/reason.ts';
import { isReturned } from './cash-returns.ts';
import { canBeReversed } from './payment.ts';
import { mayBePosted, type TransactionRecord } from './record.ts';

/** The customer's financial position, for an answer other than SUCCESS. */
export function financialImpact(record: TransactionRecord): FinancialImpact {
  const own = ownImpact(record);
  // The payment succeeded, so a reversed earlier attempt does not count.
  if (record.conclusion?.result === 'SUCCESS') return own;
  // A successful unmatched approval is a payment by a wallet that can't refund.
  const ofUnmatched = (approval: TransactionRecord) => {
    if (isReturned(approval)) return 'REVERSED';
    return approval.conclusion?.result === 'SUCCESS' ? 'UNKNOWN' : ownImpact(approval);
  };
  const all = [own, ...(record.unmatched ?? []).map(ofUnmatched)];
  return worstFirst.find((impact) => all.includes(impact)) ?? own;
}

/**
 * The impact for an enquiry. While a closed order is still to be enquired again, it is not certain that it was not
 * paid.
 */
export function presentImpact(record: TransactionRecord): FinancialImpact {
  const impact = financialImpact(record);
  if (impact === 'UNKNOWN' || !record.unlooked?.length) return impact;
  return record.unlooked.some(({ isFinal }) => isFinal) ? 'UNKNOWN' : 'REVERSAL_PENDING';
}

/**
 * Whether only the bank knows if the advice is posted: the host accepted it when it was in no total any more, or as
 * `isUndecidedAdvice`.
 */
export function isDoubtfulAdvice(record: TransactionRecord): boolean {
  const { advice, adviceAnswer, setAside } = record;
  const isLate = advice === 'rejected' && setAside === undefined && adviceAnswer?.afterSettlement === true;
  return isLate || isUndecidedAdvice(record);
}

/**
 * Whether its host neither posted the advice nor denied it for certain: it rejected a repeat of an attempt whose answer
 * was lost, answered with another amount, or says that it has its number, perhaps from another transaction. Nothing may
 * rely on any of these.
 */
export function isUndecidedAdvice({ advice, adviceAnswer, numberTaken, setAside }: TransactionRecord): boolean {
  if (advice !== 'rejected' || setAside !== undefined || adviceAnswer?.afterSettlement) return false;
  if (adviceAnswer?.otherAmount) return true;
  return Boolean(adviceAnswer?.ofRepeat ?? numberTaken);
}

const worstFirst: readonly FinancialImpact[] = ['UNKNOWN', 'REVERSAL_PENDING', 'REVERSED'];

function ownImpact(record: TransactionRecord): FinancialImpact {
  // The host has posted it, and it stands unless it was given back. No other value of the API describes that.
  if (record.reversal === 'setAside') {
    const isOpen = record.unverified === true || (record.setAside === 'POSTED' && record.returned === undefined);
    return isOpen ? 'UNKNOWN' : 'REVERSED';
  }
  if (isDoubtfulAdvice(record)) return 'UNKNOWN';
  // A settled batch has it, and its host says that it is reversed: only the bank knows which of the two counts.
  const isOpen = (record.matters ?? []).some(
    ({ state, kind }) => state === 'open' && kind === 'reversedAfterSettlement',
  );
  if (isOpen) return 'UNKNOWN';
  // It can't be reversed, only resolved: until then the outcome is unknown.
  if (record.conclusion?.result === 'UNKNOWN') return 'UNKNOWN';
  if (record.intent && !canBeReversed(record.intent) && mayBePosted(record)) return 'UNKNOWN';
  switch (record.reversal) {
    case 'queued':
      return 'REVERSAL_PENDING';
    case 'acknowledged':
      return 'REVERSED';
    case undefined:
      // Sent, but the answer could not be stored: recovery will reverse it.
      return mayBePosted(record) ? 'REVERSAL_PENDING' : 'NONE';
    default:
      return record.reversal satisfies never;
  }
}
