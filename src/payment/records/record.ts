import type { Amount } from '../../base/domain/amount.ts';
import type { ContradictedAmount } from '../../base/domain/contradicted-amount.ts';
import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import { type AdviceOperation, completesAuth, presentsCard } from '../../base/domain/transaction-kind.ts';
import { isOptionEvent, type OptionFields, withOptionEvent } from '../../options/contracts.ts';
import type { Accepted } from '../events/accepted.ts';
import type { AdviceAnswered, LateApproval, JournalledOutcome, SetAside } from '../events/answer.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { Intent } from '../events/intent.ts';
import type { GivenBack, GivenBackInCash, JournalEvent, StoredEvent } from '../events/event.ts';
import type { CustomerMatter, MatterKind } from '../events/customer-matter.ts';
import type { AnsweredOption } from './answered-option.ts';
import { findingOf, type Place, placeAfter } from './evidence.ts';
import { cardIntentOf } from './payment.ts';

/** One transaction, read from its journal events. Its place says what became of it after its answer. */
export interface TransactionRecord extends Place, OptionFields {
  readonly id: TerminalTransactionId;
  readonly createdAt: Date;
  readonly request: Accepted;
  readonly amount: Amount;
  /** The answers to the questions of sale options, in their order. What they add is part of the amount. */
  readonly options?: readonly AnsweredOption[];
  readonly intent?: Intent;
  readonly intentAt?: Date;
  /** Intents of earlier attempts: each was declined. */
  readonly earlier?: readonly Intent[];
  /** Own transactions for earlier attempts that the host approved after all. Present only if the tree was read too. */
  readonly unmatched?: readonly TransactionRecord[];
  readonly hostOutcome?: JournalledOutcome;
  readonly conclusion?: Conclusion;
  readonly cardCompletion?: EventOf<'cardCompleted'>;
  /** How a wallet's host has taken it back. */
  readonly givenBack?: GivenBack;
  /** What the operator has given back in cash: more than once if a refund was voided afterwards. */
  readonly cashReturns?: readonly GivenBackInCash[];
  /** The bank's last answer that counted, also after better evidence. */
  readonly decided?: SetAside['outcome'];
  /** It had ended without success, and its outcome has become known as a success since. */
  readonly succeededLate?: true;
  /** A settled batch had counted it by the bank's answer when other evidence came: that batch still counts it. */
  readonly afterSettlement?: true;
  /** What the operator has settled with the customer. */
  readonly settledWithCustomer?: readonly MatterKind[];
  /** What is to be settled with the customer, and what was. Present only if the tree was read as well. */
  readonly matters?: readonly CustomerMatter[];
  /** The number of attempts to send the reversal; counted before sending. */
  readonly reversalAttempts: number;
  /**
   * What the journal has of the last request to reverse or end it. sent: it may still be on its way. answered: it can't
   * arrive any more. Absent if there was none: the attempts have only enquired.
   */
  readonly lastUndo?: 'sent' | 'answered';
  /** The receipt is in the printer's queue, or printed. */
  readonly receipt?: 'queued' | 'printed';
  /** The printer began it before and did not finish it. */
  readonly receiptCutOff?: true;
  /**
   * The number of attempts to send the reversal or advice that the timer of its queue made. Absent if there was none.
   */
  readonly timedAttempts?: number;
  readonly adviceAttempts: number;
  /** The requested amount, if the host has approved only a part of it, `amount`. */
  readonly requested?: Amount;
  readonly adviceAnswer?: AdviceAnswered;
  /** The host's code, if it answered the last reversal or advice without accepting it. */
  readonly refusedWith?: string;
  /** The amounts of the last reversal and of its answer, if they differ. */
  readonly refusedAmount?: ContradictedAmount;
  /** The host approved it after it had been called undone: it is reversed (again). */
  readonly lateApproval?: Pick<LateApproval, 'responseCode' | 'rrn'>;
  /** The host calls the number a duplicate; it may be from before this journal began. */
  readonly numberTaken?: true;
  /**
   * The bank said that it is posted, and a later void or refund has given it back. Present only if the tree was read as
   * well.
   */
  readonly returned?: 'voided' | 'refunded';
  /**
   * Whether the transaction that it refers to stands, if it was not carried out itself. Present only if that
   * transaction was read as well.
   */
  readonly originalStands?: boolean;
  /** Whether the sale of this tip adjustment was voided. Present under the same condition as `originalStands`. */
  readonly originalVoided?: true;
  /** Of a transaction of the terminal itself: what later refunds and voids of it have given back. As `returned`. */
  readonly givenBackLater?: GivenBackLater;
  /** The batch in which it counts now, if that is not the batch of its intent. Present only if it was asked for. */
  readonly presentBatch?: number;
  /** Orders that the wallet's host has closed, and that were not enquired again since. */
  readonly unlooked?: readonly UnlookedOrder[];
  /** The operator decided about it while the acquirer's own record could not be read. */
  readonly unverified?: true;
}

export interface GivenBackLater {
  readonly minor: bigint;
  /** One of them runs, or its outcome is not known yet. */
  readonly isUndecided?: true;
}

type EventOf<Kind extends JournalEvent['kind']> = Extract<JournalEvent, { kind: Kind }>;
type UnlookedOrder = EventOf<'orderClosed'>;

/** The journalled events of a transaction can't be read: they are damaged, or a newer version wrote them. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/** Folds a transaction's events, oldest first. Throws UnreadableRecord, also if the first event is not 'accepted'. */
export function transactionRecord(id: TerminalTransactionId, events: readonly StoredEvent[]): TransactionRecord {
  try {
    return fold(id, events);
  } catch (error) {
    throw new UnreadableRecord(`transaction ${id} can't be read: ${(error as Error).message}`);
  }
}

/**
 * As `transactionRecord`, but undefined if the events can't be read, so that one unreadable transaction does not block
 * the others.
 */
export function readableRecord(
  id: TerminalTransactionId,
  events: readonly StoredEvent[],
): TransactionRecord | undefined {
  try {
    return fold(id, events);
  } catch {
    return undefined;
  }
}

function fold(id: TerminalTransactionId, events: readonly StoredEvent[]): TransactionRecord {
  const [first, ...rest] = events;
  if (first?.event.kind === 'unreadable') throw new Error(first.event.reason);
  if (first?.event.kind !== 'accepted') throw new Error(`journal of ${id} does not start with its acceptance`);
  const request = first.event;
  const start: TransactionRecord = {
    id,
    createdAt: new Date(first.at),
    request,
    amount: { minor: BigInt(request.amountMinor), currency: request.currency },
    position: 'none',
    reversalAttempts: 0,
    adviceAttempts: 0,
  };
  return rest.reduce((record, stored) => place(apply(record, stored), stored.event), start);
}

/** The record with its position after the event. */
function place(record: TransactionRecord, event: StoredEvent['event']): TransactionRecord {
  const finding = findingOf(event);
  if (finding === undefined) return record;
  const { reversal: _reversal, advice: _advice, setAside: _setAside, unverified, ...rest } = record;
  const after = placeAfter(record, finding);
  const decided = after.setAside ?? rest.decided;
  return {
    ...rest,
    ...after,
    ...(unverified && after.setAside ? { unverified } : {}),
    ...(decided ? { decided } : {}),
  };
}

function apply(record: TransactionRecord, { at, event }: StoredEvent): TransactionRecord {
  if (isOptionEvent(event)) return withOptionEvent(record, event);
  switch (event.kind) {
    case 'accepted':
      throw new Error(`journal of ${record.id} has two acceptances`);
    case 'optionAnswered':
      return withOption(record, event);
    case 'intent':
      return withIntent(record, event, at);
    case 'withdrawn':
      return withoutIntent(record);
    case 'givenBackInCash':
      return { ...record, cashReturns: [...(record.cashReturns ?? []), event] };
    case 'settledWithCustomer':
      return { ...record, settledWithCustomer: [...(record.settledWithCustomer ?? []), event.matter] };
    case 'partlyApproved':
      return withPart(record, event);
    case 'cardCompleted':
      return { ...record, cardCompletion: event };
    case 'answered':
      return { ...record, hostOutcome: event.outcome };
    case 'approvedLate':
      return { ...record, lateApproval: { responseCode: event.responseCode, rrn: event.rrn } };
    case 'reversalSent':
      return { ...record, reversalAttempts: event.attempt, ...lastUndo(event), ...countTimed(record, event) };
    case 'reversalAcknowledged':
      return withReversal(record, event);
    case 'numberTaken':
      return { ...record, numberTaken: true };
    case 'hostRefused':
      return withRefusal(record, event);
    case 'setAside':
      return withDoubt(record, event.unverified);
    case 'adviceSent':
      return { ...record, adviceAttempts: event.attempt, ...countTimed(record, event) };
    case 'adviceAnswered':
      return { ...record, adviceAnswer: event, ...(event.wasCounted ? { afterSettlement: true } : {}) };
    case 'ended':
      return withEnd(record, event);
    case 'unreadable':
      throw new Error(event.reason);
    case 'orderClosed':
      return event.isDeclined ? record : { ...record, unlooked: [...(record.unlooked ?? []), event] };
    case 'orderLookedAt':
      return { ...record, unlooked: (record.unlooked ?? []).filter((order) => isUnlooked(order, event)) };
    case 'receiptCutOff':
      return { ...record, receiptCutOff: true };
    case 'receiptQueued':
    case 'receiptPrinted':
      return { ...record, receipt: event.kind === 'receiptQueued' ? 'queued' : 'printed' };
    case 'reversalQueued':
      return event.afterSettlement ? { ...record, afterSettlement: true } : record;
    case 'adviceQueued':
    case 'resolved':
      return record;
    default:
      throw unknownKind(event satisfies never);
  }
}

/**
 * Receipts, sums and later transactions use the approved amount; the transaction's own reversal uses the requested one.
 */
function withPart(record: TransactionRecord, { amountMinor }: EventOf<'partlyApproved'>): TransactionRecord {
  const requested = record.requested ?? record.amount;
  return { ...record, requested, amount: { ...record.amount, minor: BigInt(amountMinor) } };
}

function withReversal(
  record: TransactionRecord,
  { givenBack, afterSettlement }: EventOf<'reversalAcknowledged'>,
): TransactionRecord {
  return { ...record, ...(givenBack ? { givenBack } : {}), ...(afterSettlement ? { afterSettlement } : {}) };
}

function withEnd(record: TransactionRecord, event: EventOf<'ended'>): TransactionRecord {
  // An end that was written after the outcome became known is based on less.
  if (record.position === 'resolved') return record;
  const before = record.conclusion?.result;
  const isOver = before !== undefined && before !== 'SUCCESS' && (before !== 'UNKNOWN' || isPaidElsewhere(record));
  const isLate = isOver && event.result === 'SUCCESS';
  return { ...record, conclusion: event, ...(isLate ? { succeededLate: true } : {}) };
}

/**
 * UNKNOWN contradicts nothing, because whoever was answered so waits for the outcome. But nobody sees whether a shown
 * code is still paid, after the customer has paid another way.
 */
function isPaidElsewhere({ intent }: TransactionRecord): boolean {
  return intent !== undefined && 'wallet' in intent && intent.operation === 'sale';
}

/** An order that may still be payable is in doubt until it was enquired for the last time. */
function isUnlooked({ stan, isOpen }: UnlookedOrder, look: EventOf<'orderLookedAt'>): boolean {
  return stan !== look.stan || (isOpen === true && !look.isLast);
}

function lastUndo({ isEnquiry, isAnswered }: EventOf<'reversalSent'>): Pick<TransactionRecord, 'lastUndo'> {
  if (isEnquiry) return {};
  return { lastUndo: isAnswered ? 'answered' : 'sent' };
}

function countTimed(
  { timedAttempts: before = 0 }: TransactionRecord,
  { isExtra }: EventOf<'reversalSent' | 'adviceSent'>,
): Pick<TransactionRecord, 'timedAttempts'> {
  return isExtra ? {} : { timedAttempts: before + 1 };
}

function withRefusal(
  { refusedAmount: _before, ...record }: TransactionRecord,
  { responseCode, otherAmount }: EventOf<'hostRefused'>,
): TransactionRecord {
  return { ...record, refusedWith: responseCode, ...(otherAmount ? { refusedAmount: otherAmount } : {}) };
}

/** An earlier intent was declined, so its answer does not count any more. */
function withIntent(record: TransactionRecord, next: Intent, at: string): TransactionRecord {
  const { hostOutcome: _outcome, intent, earlier = [], ...rest } = record;
  return { ...rest, ...(intent && { earlier: [...earlier, intent] }), intent: next, intentAt: new Date(at) };
}

function withoutIntent({ intent: _intent, intentAt: _at, hostOutcome: _outcome, ...rest }: TransactionRecord) {
  return rest;
}

/** From here on the request is the one that the customer agreed to: messages, receipts and sums go by it. */
function withOption(
  record: TransactionRecord,
  { name, addedMinor: added, data }: EventOf<'optionAnswered'>,
): TransactionRecord {
  const addedMinor = BigInt(added);
  const amount = { ...record.amount, minor: record.amount.minor + addedMinor };
  const options = [...(record.options ?? []), { name, addedMinor, data }];
  return { ...record, amount, options, request: { ...record.request, amountMinor: amount.minor.toString() } };
}

/**
 * Marks an operator's decision as unverified if the acquirer's own record has still to be read. Removes the mark once
 * that record has been read and does not contradict the decision.
 */
function withDoubt({ unverified: _before, ...record }: TransactionRecord, unverified?: true): TransactionRecord {
  return unverified ? { ...record, unverified } : record;
}

function unknownKind(_event: never): Error {
  return new Error('an event of an unknown kind');
}

/**
 * Whether the host may have posted it without a valid approval: anything with an intent, unless the host declined or
 * nothing was sent. Then its reversal is due.
 */
export function mayBePosted({ intent, hostOutcome, conclusion }: TransactionRecord): boolean {
  // An advice is only sent from the queue and reports what has happened: it is repeated, never reversed.
  if (!intent || isAdvice(intent.operation)) return false;
  if (hostOutcome?.kind === 'declined' || hostOutcome?.kind === 'notSent') return false;
  return hostOutcome?.kind !== 'approved' || conclusion?.outcome !== 'approved';
}

/** An operation that was approved offline, and that the host learns by advice. */
export function isAdvice(operation: Intent['operation']): operation is AdviceOperation {
  return operation === 'offlineSale' || operation === 'completion' || operation === 'tipAdjust';
}

/** Field 37 of the host's answer; empty if no answer has it. A late one has it for what only the bank has confirmed. */
export function hostNumberOf({ hostOutcome, adviceAnswer, lateApproval }: TransactionRecord): string {
  const answer = hostOutcome?.kind === 'approved' ? hostOutcome : adviceAnswer;
  return answer?.rrn ?? lateApproval?.rrn ?? '';
}

/**
 * Whether the customer of this approval has to sign, on paper or on the screen: where the receipt has a line for it.
 */
export function mustSign({ intent, request }: TransactionRecord): boolean {
  const { type, originalId } = request;
  if (!presentsCard(type) || completesAuth(type, originalId)) return false;
  return cardIntentOf(intent)?.card.authenticationMethod.includes('SIGNATURE') === true;
}
