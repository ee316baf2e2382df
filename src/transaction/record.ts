import type { Amount } from '../domain/amount.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { FinancialImpact } from '../domain/response-code.ts';
import type { Accepted, Conclusion, Intent, JournalledOutcome, StoredEvent } from '../ports/journal.ts';

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
    case 'ended':
      return { ...record, conclusion: event };
    case 'receiptQueued':
    case 'receiptPrinted':
      return record;
    default:
      return event satisfies never;
  }
}

/** Where the customer's money stands, for an answer that is not SUCCESS. */
export function financialImpact(record: TransactionRecord): FinancialImpact {
  switch (record.reversal) {
    case 'queued':
      return 'REVERSAL_PENDING';
    case 'acknowledged':
      return 'REVERSED';
    case undefined:
      // Sent, and the answer could not be written: a restart will reverse it.
      return record.intent && !record.hostOutcome ? 'REVERSAL_PENDING' : 'NONE';
    default:
      return record.reversal satisfies never;
  }
}
