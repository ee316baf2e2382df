import type { Amount } from '../domain/amount.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { FinancialImpact } from '../domain/response-code.ts';
import type { AdviceOperation } from '../domain/host-operation.ts';
import type { Accepted } from '../events/accepted.ts';
import type { AdviceAnswered, LateApproval, JournalledOutcome, SetAside } from '../events/answer.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { Intent } from '../events/intent.ts';
import type { JournalEvent, StoredEvent } from '../events/event.ts';
import { canBeReversed } from './payment.ts';

/** One transaction as its journal events tell it. */
export interface TransactionRecord {
  readonly id: TerminalTransactionId;
  readonly createdAt: Date;
  readonly request: Accepted;
  readonly amount: Amount;
  readonly intent?: Intent;
  readonly intentAt?: Date;
  /** Of tries before: each was declined. */
  readonly earlier?: readonly Intent[];
  /** Of its tries: what their host approved after it had declined them. Known where what came of it was read too. */
  readonly strays?: readonly TransactionRecord[];
  readonly hostOutcome?: JournalledOutcome;
  readonly conclusion?: Conclusion;
  readonly cardCompletion?: Extract<JournalEvent, { kind: 'cardCompleted' }>;
  readonly reversal?: 'queued' | 'acknowledged' | 'setAside';
  /** How often the reversal was handed to the link, counted before it left. */
  readonly reversalAttempts: number;
  readonly advice?: 'queued' | AdviceAnswered['answer'];
  readonly adviceAttempts: number;
  readonly adviceAnswer?: AdviceAnswered;
  /** What was unknown has become known: its end stands. */
  readonly resolved?: true;
  /** The host's code, where it answered the last reversal or advice and did not take it. */
  readonly refusedWith?: string;
  /** The host approved it after it had been called undone: it is reversed, again where it was before. */
  readonly lateApproval?: Pick<LateApproval, 'responseCode' | 'rrn'>;
  /** The host says that it has this number, perhaps from before this journal began. */
  readonly numberTaken?: true;
  /** Orders that their wallet's host has called over, and that were not looked at since. */
  readonly unlooked?: readonly UnlookedOrder[];
  /** The operator settled it with the bank by telephone: what the bank said. */
  readonly setAside?: SetAside['outcome'];
}

type UnlookedOrder = Extract<JournalEvent, { kind: 'orderClosed' }>;

/** What the journal has of a transaction is no record of one: damaged, or written by a version that knows more. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
}

/**
 * Folds a transaction's events, oldest first. Throws UnreadableRecord, for one on a journal that does not start with 'accepted'.
 */
export function transactionRecord(id: TerminalTransactionId, events: readonly StoredEvent[]): TransactionRecord {
  try {
    return fold(id, events);
  } catch (error) {
    throw new UnreadableRecord(`transaction ${id} can't be read: ${(error as Error).message}`);
  }
}

/** The same, or nothing where it can't be read: one such transaction is no reason to do nothing for the others. */
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
    reversalAttempts: 0,
    adviceAttempts: 0,
  };
  return rest.reduce(apply, start);
}

function apply(record: TransactionRecord, { at, event }: StoredEvent): TransactionRecord {
  switch (event.kind) {
    case 'accepted':
      throw new Error(`journal of ${record.id} has two acceptances`);
    case 'intent': {
      // An earlier one came to nothing, and so did its answer.
      const { hostOutcome: _outcome, intent, earlier = [], ...rest } = record;
      const before = intent ? { earlier: [...earlier, intent] } : {};
      return { ...rest, ...before, intent: event, intentAt: new Date(at) };
    }
    case 'withdrawn': {
      const { intent: _withdrawn, intentAt: _at, hostOutcome: _outcome, ...rest } = record;
      return rest;
    }
    case 'resolved': {
      const { reversal: _queued, setAside: _told, ...rest } = record;
      return { ...rest, resolved: true };
    }
    case 'cardCompleted':
      return { ...record, cardCompletion: event };
    case 'answered':
      return { ...record, hostOutcome: event.outcome };
    case 'approvedLate':
      return { ...record, lateApproval: { responseCode: event.responseCode, rrn: event.rrn } };
    case 'reversalQueued':
      return { ...withoutSetAside(record), reversal: 'queued' };
    case 'reversalSent':
      return { ...record, reversalAttempts: event.attempt };
    case 'reversalAcknowledged':
      // One that was on its way while the bank was called: the host itself has the last word.
      return { ...withoutSetAside(record), reversal: 'acknowledged' };
    case 'numberTaken':
      return { ...record, numberTaken: true };
    case 'hostRefused':
      return { ...record, refusedWith: event.responseCode };
    case 'setAside':
      return setAside(record, event);
    case 'adviceQueued':
      return { ...record, advice: 'queued' };
    case 'adviceSent':
      return { ...record, adviceAttempts: event.attempt };
    case 'adviceAnswered':
      return { ...withoutSetAside(record), advice: event.answer, adviceAnswer: event };
    case 'ended':
      // One that was on its way to the journal while it became known knows less.
      return record.resolved ? record : { ...record, conclusion: event };
    case 'unreadable':
      throw new Error(event.reason);
    case 'orderClosed':
      return { ...record, unlooked: [...(record.unlooked ?? []), event] };
    case 'orderLookedAt':
      return { ...record, unlooked: (record.unlooked ?? []).filter(({ stan }) => stan !== event.stan) };
    case 'receiptQueued':
    case 'receiptPrinted':
      return record;
    default:
      throw unknownKind(event satisfies never);
  }
}

/** Only what waited, or was rejected, is set aside: what came through meanwhile stands. */
function setAside(record: TransactionRecord, { outcome }: SetAside): TransactionRecord {
  const { advice, reversal } = record;
  if (advice === 'queued' || advice === 'rejected') {
    return { ...record, advice: outcome === 'POSTED' ? 'acknowledged' : 'rejected', setAside: outcome };
  }
  return reversal === 'queued' ? { ...record, reversal: 'setAside', setAside: outcome } : record;
}

function withoutSetAside({ setAside: _told, ...record }: TransactionRecord): TransactionRecord {
  return record;
}

function unknownKind(_event: never): Error {
  return new Error('an event of an unknown kind');
}

/**
 * Whether the host may have posted it without an approval that stands: anything with an intent, unless the host said no or
 * nothing left. Its reversal is due.
 */
export function mayBePosted({ intent, hostOutcome, conclusion }: TransactionRecord): boolean {
  // An advice is sent from the queue alone, and what it tells of has happened: it is repeated, never reversed.
  if (!intent || isAdvice(intent.operation)) return false;
  if (hostOutcome?.kind === 'declined' || hostOutcome?.kind === 'notSent') return false;
  return hostOutcome?.kind !== 'approved' || conclusion?.outcome !== 'approved';
}

/** An operation that the host hears of afterwards. */
export function isAdvice(operation: Intent['operation']): operation is AdviceOperation {
  return operation === 'offlineSale' || operation === 'completion' || operation === 'tipAdjust';
}

/** Where the customer's money stands, for an answer that is not SUCCESS. */
export function financialImpact(record: TransactionRecord): FinancialImpact {
  const own = ownImpact(record);
  // An approval that stands is not what was taken back of an earlier try.
  if (record.conclusion?.result === 'SUCCESS') return own;
  // One that stands was paid by a wallet that gives nothing back.
  const ofStray = (stray: TransactionRecord) => (stray.conclusion?.result === 'SUCCESS' ? 'UNKNOWN' : ownImpact(stray));
  const all = [own, ...(record.strays ?? []).map(ofStray)];
  return worstFirst.find((impact) => all.includes(impact)) ?? own;
}

/**
 * The same as an enquiry tells it: while an order that was called over is still to be looked at, nobody knows that it was not paid.
 */
export function presentImpact(record: TransactionRecord): FinancialImpact {
  const impact = financialImpact(record);
  if (impact === 'UNKNOWN' || !record.unlooked?.length) return impact;
  return record.unlooked.some(({ isFinal }) => isFinal) ? 'UNKNOWN' : 'REVERSAL_PENDING';
}

const worstFirst: readonly FinancialImpact[] = ['UNKNOWN', 'REVERSAL_PENDING', 'REVERSED'];

function ownImpact(record: TransactionRecord): FinancialImpact {
  // It stands in the host's books, and nobody takes it back: no other word of this interface is true of that.
  if (record.reversal === 'setAside') return record.setAside === 'POSTED' ? 'UNKNOWN' : 'REVERSED';
  // Taken by the host when it was in no total any more: only the bank knows.
  if (record.adviceAnswer?.afterSettlement && record.advice === 'rejected' && record.setAside === undefined) {
    return 'UNKNOWN';
  }
  // Nothing can be reversed here, only found out: until then this terminal can't say.
  if (record.conclusion?.result === 'UNKNOWN') return 'UNKNOWN';
  if (record.intent && !canBeReversed(record.intent) && mayBePosted(record)) return 'UNKNOWN';
  switch (record.reversal) {
    case 'queued':
      return 'REVERSAL_PENDING';
    case 'acknowledged':
      return 'REVERSED';
    case undefined:
      // Sent, and the answer could not be written: the recovery will reverse it.
      return mayBePosted(record) ? 'REVERSAL_PENDING' : 'NONE';
    default:
      return record.reversal satisfies never;
  }
}
