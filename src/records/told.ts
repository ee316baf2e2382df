import type { TransactionKind } from '../domain/capability.ts';
import { type Conclusion, failure } from '../events/conclusion.ts';
import { presentImpact, type TransactionRecord } from './record.ts';

/**
 * How a transaction is told now: as it ended, with what its host, or the bank by telephone, has said of it since. What was approved here
 * and its host will not post is no success.
 */
export function presentConclusion(record: TransactionRecord): Conclusion {
  const { conclusion = failure('UNKNOWN', 'the outcome is not known yet') } = record;
  if (conclusion.result === 'SUCCESS') {
    return record.advice === 'rejected' ? failure('ERROR', rejectionText(record)) : conclusion;
  }
  return { ...conclusion, message: presentMessage({ ...record, conclusion }) + strayText(record) };
}

/** The same as an enquiry tells it. */
export function conclusionForEnquiry(record: TransactionRecord): Conclusion {
  const conclusion = presentConclusion(record);
  if (conclusion.result === 'SUCCESS' || !record.unlooked?.length) return conclusion;
  const then = presentImpact(record) === 'UNKNOWN' ? 'shows then' : 'is given back';
  return {
    ...conclusion,
    message: `${conclusion.message}; its wallet is asked once more, and what was paid all the same ${then}`,
  };
}

function strayText({ strays = [], intent }: TransactionRecord): string {
  if (strays.length === 0) return '';
  // What was withdrawn, and nothing followed, was the only try.
  const approved = `; the host approved ${intent ? 'an earlier try of it' : 'it'} afterwards, and that`;
  if (strays.some(({ conclusion }) => conclusion?.result === 'SUCCESS'))
    return `${approved} stands: it can't be given back`;
  return `${approved} is ${strays.every(({ reversal }) => reversal === 'acknowledged') ? 'reversed' : 'being reversed'}`;
}

function rejectionText({ adviceAnswer, setAside, request }: TransactionRecord): string {
  if (adviceAnswer?.afterSettlement && setAside === undefined) {
    return `taken by the host (code ${adviceAnswer.responseCode}) after its sale was settled without it: whether the tip is charged, the operator is to ask the acquirer`;
  }
  const said =
    adviceAnswer && !adviceAnswer.afterSettlement
      ? `rejected by the host (code ${adviceAnswer.responseCode})`
      : 'not posted by the host';
  const known =
    setAside === undefined ? 'the operator is to ask the acquirer' : 'confirmed by the operator with the acquirer';
  return `${said}: ${consequence(request.type)}; ${known}`;
}

function consequence(type: TransactionKind): string {
  if (type === 'TIP_ADJUST') return 'the tip is not charged, the sale stands without it';
  return type === 'AUTH_COMP' ? 'nothing is charged, the auth stands as it was' : 'the customer is not charged';
}

/** The sentence for the POS: how it ended, and what was settled by telephone, or told by the host, since. */
export function presentMessage(record: TransactionRecord): string {
  const { conclusion, setAside, reversal, request, lateApproval, numberTaken } = record;
  const message = conclusion?.message ?? '';
  if (setAside === undefined || reversal !== 'setAside') {
    if (!lateApproval) return message;
    if (numberTaken) return `${message}; the host approved a message of this number and amount afterwards`;
    return `${message}; the host approved it afterwards, and that is ${reversal === 'acknowledged' ? 'reversed' : 'being reversed'}`;
  }
  const { done, advice } = words(request.type);
  return setAside === 'POSTED'
    ? `${done}, and it is not taken back: confirmed by the operator with the acquirer. ${advice}`
    : `not ${done}, or taken back: confirmed by the operator with the acquirer`;
}

function words(type: TransactionKind): { readonly done: string; readonly advice: string } {
  if (type === 'REFUND') return { done: 'refunded', advice: 'Do not refund again' };
  if (type.startsWith('VOID_')) return { done: 'voided', advice: 'Do not void or refund again' };
  return { done: 'charged', advice: 'Do not charge again; give it back by a refund' };
}
