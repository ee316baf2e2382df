import type { Amount } from '../../base/domain/amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Journal } from '../contracts/journal.ts';
import { buildTree } from './record-tree.ts';
import { type TransactionRecord, UnreadableRecord } from './record.ts';
import {
  sumOfReturns,
  presentStatus,
  type RecordTree,
  transactionStatus,
  stands,
  isCompletion,
} from './transaction-status.ts';
import { capabilities, methodGroup } from '../../base/domain/capability.ts';
import { givenAmountText } from '../../base/domain/contradicted-amount.ts';
import type { Reason } from '../../base/domain/reason.ts';
import { type Conclusion, failure } from '../events/conclusion.ts';
import { mattersText } from './customer-matters.ts';
import { extraPaymentsOf, extraText } from './extra-payments.ts';
import { paymentSchemeOf } from './payment.ts';
import { isDoubtfulAdvice, isUndecidedAdvice, presentImpact } from './impact.ts';

/** How later transactions have changed the amount. The record keeps the amount that was authorized. */
export interface PresentAmounts {
  /** The sum of its valid refunds, and of what was given back in cash; absent if there is none. */
  readonly refunded?: Amount;
  /** What was charged in the end, if a tip was adjusted or an authorization completed. Refunds are not subtracted. */
  readonly final?: Amount;
}

/** A transaction as it ended, with its present amounts. */
export interface Ended extends PresentAmounts {
  readonly record: TransactionRecord;
}

/** A transaction as an enquiry reports it now. */
export interface Present extends PresentAmounts {
  readonly status: ReturnType<typeof presentStatus>;
}

/**
 * As `buildTree`, with the batch in which the transaction counts now. It may have moved to a later one since its intent:
 * its outcome became known when that batch was settled, or that batch was opened again.
 */
export async function readPresent(id: TerminalTransactionId, journal: PresentJournal): Promise<RecordTree | undefined> {
  const tree = await buildTree(id, journal);
  if (!tree?.record.intent) return tree;
  const presentBatch = await journal.presentBatch(id);
  const isMoved = presentBatch !== undefined && presentBatch !== tree.record.intent.trace.batch;
  return isMoved ? { ...tree, record: { ...tree.record, presentBatch } } : tree;
}

export type PresentJournal = Pick<Journal, 'read' | 'later' | 'presentBatch'>;

/** The batch in which it counts; 0 before it has an acquirer. */
export function batchOf({ presentBatch, intent }: TransactionRecord): number {
  return presentBatch ?? intent?.trace.batch ?? 0;
}

/** Rejects with JournalError, or UnreadableRecord. */
export async function readEnd(id: TerminalTransactionId, journal: PresentJournal): Promise<Ended> {
  const tree = await readPresent(id, journal);
  if (!tree) throw new UnreadableRecord(`transaction ${id} can't be read: the journal has nothing of it`);
  return { record: tree.record, ...presentAmounts(tree) };
}

export function presentOf(tree: RecordTree): Present {
  return { status: presentStatus(tree), ...presentAmounts(tree) };
}

export function presentAmounts(tree: RecordTree): PresentAmounts {
  const { record } = tree;
  const { voided, adjusted, completedWith, total } = transactionStatus(tree);
  if (!stands(record) || voided) return {};
  const refundedMinor = sumOfReturns(tree);
  const final = completedWith ?? (adjusted ? total : undefined);
  return {
    ...(refundedMinor > 0n ? { refunded: { ...record.amount, minor: refundedMinor } } : {}),
    ...(final ? { final } : {}),
  };
}

/**
 * The conclusion as it is told now: as the transaction ended, with what the host, or the bank by telephone, has said
 * since. An advice that its host rejected is no success any more.
 */
export function presentConclusion(record: TransactionRecord): Conclusion {
  const { conclusion = failure('UNKNOWN', 'outcomeUnknown', 'the outcome is not known yet') } = record;
  if (conclusion.result === 'SUCCESS') {
    if (record.advice !== 'rejected') return conclusion;
    return failure(isUndecidedAdvice(record) ? 'UNKNOWN' : 'ERROR', rejectionReason(record), rejectionText(record));
  }
  const matters = mattersText(record.matters);
  const late = unmatchedText(record) + (matters === '' ? '' : `; ${matters}`);
  const message = presentMessage({ ...record, conclusion }) + late;
  const reason =
    lateReason(record) ?? matterReason(record) ?? confirmedReason(record) ?? conclusion.reason ?? 'unspecified';
  return { ...conclusion, message, reason };
}

/** The conclusion for an enquiry. */
export function conclusionForEnquiry(record: TransactionRecord): Conclusion {
  const conclusion = presentConclusion(record);
  if (conclusion.result === 'SUCCESS' || !record.unlooked?.length) return conclusion;
  const then = presentImpact(record) === 'UNKNOWN' ? 'is shown then' : 'is refunded';
  return {
    ...conclusion,
    message: `${conclusion.message}; the wallet is asked once more, and a late payment ${then}`,
  };
}

/** The reason of a transaction with a payment that arrived after it had ended, and that has not been given back yet. */
function lateReason(record: TransactionRecord): Reason | undefined {
  return extraPaymentsOf(record).some(({ state }) => state === 'toBeReturned') ? 'paidLate' : undefined;
}

/** The reason of a transaction with something to be settled with the customer. */
function matterReason({ matters = [] }: TransactionRecord): Reason | undefined {
  const kinds = matters.flatMap(({ kind, state }) => (state === 'open' ? [kind] : []));
  if (kinds.includes('reversedAfterSettlement')) return 'reversedAfterSettlement';
  if (kinds.includes('refundOfReversed')) return 'refundedAndReversed';
  return kinds.includes('reversedLate') ? 'reversedLate' : undefined;
}

function unmatchedText({ unmatched = [], intent }: TransactionRecord): string {
  if (unmatched.length === 0) return '';
  // Without an intent, the withdrawn attempt was the only one.
  const approved = `; the host approved ${intent ? 'an earlier attempt of it' : 'it'} afterwards, and that`;
  if (unmatched.some(({ conclusion }) => conclusion?.result === 'SUCCESS'))
    return `; paid late: ${extraText(extraPaymentsOf({ unmatched }))}`;
  return `${approved} is ${unmatched.every(({ reversal }) => reversal === 'acknowledged') ? 'reversed' : 'being reversed'}`;
}

function confirmedReason({ setAside, reversal, returned, unverified }: TransactionRecord): Reason | undefined {
  if (setAside === undefined || reversal !== 'setAside' || unverified) return undefined;
  if (returned) return 'confirmedReturned';
  return setAside === 'POSTED' ? 'confirmedPosted' : 'confirmedNotPosted';
}

function rejectionReason(record: TransactionRecord): Reason {
  const { adviceAnswer } = record;
  if (!adviceAnswer || !isDoubtfulAdvice(record)) return 'rejectedByHost';
  return adviceAnswer.afterSettlement ? 'acceptedAfterSettlement' : 'doubtfulAtHost';
}

function rejectionText(record: TransactionRecord): string {
  const { adviceAnswer, setAside } = record;
  if (adviceAnswer && isDoubtfulAdvice(record)) {
    const { responseCode, afterSettlement, ofRepeat, otherAmount } = adviceAnswer;
    if (otherAmount) {
      const [sent, answered] = [givenAmountText(otherAmount.sent), givenAmountText(otherAmount.answered)];
      const when = afterSettlement ? ', after the sale was settled without it' : '';
      return `the terminal sent ${sent}, but the host answered ${answered} (code ${responseCode})${when}: the operator must ask the acquirer which amount is posted`;
    }
    if (ofRepeat) {
      return `the host rejected a repeat of it (code ${responseCode}), and has not answered the first: the operator must ask the acquirer whether it is posted`;
    }
    return afterSettlement
      ? `accepted by the host (code ${responseCode}) after the sale was settled without it: the operator must ask the acquirer whether the tip is charged`
      : `the host has its number already (code ${responseCode}): the operator must ask the acquirer whether it is posted`;
  }
  const said =
    adviceAnswer && !adviceAnswer.afterSettlement
      ? `rejected by the host (code ${adviceAnswer.responseCode})`
      : 'not posted by the host';
  const known =
    setAside === undefined ? 'the operator must ask the acquirer' : 'confirmed by the operator with the acquirer';
  return `${said}: ${consequence(record)}; ${known}`;
}

function consequence(record: TransactionRecord): string {
  const { request, originalStands } = record;
  if (request.type === 'TIP_ADJUST') {
    return `the tip is not charged${originalStands === false ? '' : ', the sale stands without it'}`;
  }
  if (!isCompletion(record)) return 'the customer is not charged';
  return `nothing is charged${originalStands === false ? '' : ', the auth stands as it was'}`;
}

/** The message for the POS: how it ended, and what the operator or the host has said since. */
export function presentMessage(record: TransactionRecord): string {
  const { conclusion, setAside, reversal, lateApproval, numberTaken, returned } = record;
  const message = conclusion?.message ?? '';
  if (setAside === undefined || reversal !== 'setAside') {
    if (!lateApproval) return message;
    if (numberTaken) return `${message}; the host approved a message of this number and amount afterwards`;
    return `${message}; the host approved it afterwards, and that is ${reversal === 'acknowledged' ? 'reversed' : 'being reversed'}`;
  }
  const { done, advice } = words(record);
  if (returned) return `${done}: confirmed by the operator with the acquirer; it has been ${returned} since`;
  if (record.unverified)
    return `${message}; the operator has confirmed that it was not ${done}, but the reader’s own record has not been read yet`;
  return setAside === 'POSTED'
    ? `${done}, and not reversed: confirmed by the operator with the acquirer. ${advice}`
    : `not ${done}, or reversed: confirmed by the operator with the acquirer`;
}

function words(record: TransactionRecord): { readonly done: string; readonly advice: string } {
  const { type } = record.request;
  if (type === 'REFUND') return { done: 'refunded', advice: 'Do not refund again' };
  if (type.startsWith('VOID_')) return { done: 'voided', advice: 'Do not void or refund again' };
  if (type === 'AUTH')
    return { done: 'held', advice: 'Do not authorize again; void it, and take the payment as a sale' };
  const instead = isRefundable(record) ? 'refund it instead' : 'give the goods';
  return { done: 'charged', advice: `Do not charge again; ${instead}` };
}

/** Whether its method has refunds at all. A scheme without a group has those of its acquirer. */
function isRefundable({ intent }: TransactionRecord): boolean {
  if (!intent || ('wallet' in intent && intent.isFinal)) return false;
  const group = methodGroup(paymentSchemeOf(intent));
  return group === undefined || capabilities[group].includes('REFUND');
}
