import type { Amount } from '../domain/amount.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { FinancialImpact } from '../domain/response-code.ts';
import type { AdviceOrder } from '../ports/acquirer-host.ts';
import type {
  Accepted,
  AdviceAnswered,
  Conclusion,
  Intent,
  JournalledOutcome,
  Operation,
  StoredEvent,
} from '../ports/journal.ts';

/** One transaction as its journal events tell it. */
export interface TransactionRecord {
  readonly id: TerminalTransactionId;
  readonly createdAt: Date;
  readonly request: Accepted;
  readonly amount: Amount;
  readonly intent?: Intent;
  readonly hostOutcome?: JournalledOutcome;
  readonly conclusion?: Conclusion;
  readonly reversal?: 'queued' | 'acknowledged';
  /** How often the reversal was handed to the link, counted before it left. */
  readonly reversalAttempts: number;
  readonly advice?: 'queued' | AdviceAnswered['answer'];
  readonly adviceAttempts: number;
  readonly adviceAnswer?: AdviceAnswered;
}

/** Folds a transaction's events, oldest first. Throws on a journal that does not start with 'accepted'. */
export function transactionRecord(id: TerminalTransactionId, events: readonly StoredEvent[]): TransactionRecord {
  const [first, ...rest] = events;
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
  return rest.reduce(applied, start);
}

function applied(record: TransactionRecord, { event }: StoredEvent): TransactionRecord {
  switch (event.kind) {
    case 'accepted':
      throw new Error(`journal of ${record.id} has two acceptances`);
    case 'intent':
      return { ...record, intent: event };
    case 'answered':
      return { ...record, hostOutcome: event.outcome };
    case 'reversalQueued':
      return { ...record, reversal: 'queued' };
    case 'reversalSent':
      return { ...record, reversalAttempts: event.attempt };
    case 'reversalAcknowledged':
      return { ...record, reversal: 'acknowledged' };
    case 'adviceQueued':
      return { ...record, advice: 'queued' };
    case 'adviceSent':
      return { ...record, adviceAttempts: event.attempt };
    case 'adviceAnswered':
      return { ...record, advice: event.answer, adviceAnswer: event };
    case 'ended':
      return { ...record, conclusion: event };
    case 'receiptQueued':
    case 'receiptPrinted':
      return record;
    default:
      return event satisfies never;
  }
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
export function isAdvice(operation: Operation): operation is AdviceOrder['operation'] {
  return operation === 'offlineSale' || operation === 'completion' || operation === 'tipAdjust';
}

/** Where the customer's money stands, for an answer that is not SUCCESS. */
export function financialImpact(record: TransactionRecord): FinancialImpact {
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
