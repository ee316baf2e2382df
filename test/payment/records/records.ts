import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { type Conclusion, failure } from '../../../src/payment/events/conclusion.ts';
import type { JournalEvent, StoredEvent } from '../../../src/payment/events/event.ts';
import type { JournalledOutcome } from '../../../src/payment/events/answer.ts';
import { conclusionOf } from '../../../src/payment/transaction/decide.ts';
import { type TransactionRecord, transactionRecord } from '../../../src/payment/records/record.ts';

export const id = '01KDVDNA000000008000000000' as TerminalTransactionId;

export const outcomes = {
  approved: {
    kind: 'approved',
    responseCode: '00',
    approvalCode: '123456',
    rrn: '000000000001',
    hostTime: '120000',
    hostDate: '0101',
  },
  offline: { kind: 'offline', approvalCode: '654321' },
  declined: { kind: 'declined', reason: 'insufficientFunds', responseCode: '51', rrn: '000000000001' },
  unknown: { kind: 'unknown', reason: 'no-answer' },
  notSent: { kind: 'notSent', reason: 'host-down' },
} as const satisfies Record<JournalledOutcome['kind'], JournalledOutcome>;

export const answered = (outcome: JournalledOutcome): JournalEvent => ({ kind: 'answered', outcome });
export const ended = (conclusion: Conclusion): JournalEvent => ({ kind: 'ended', ...conclusion });
export const reversalQueued: JournalEvent = { kind: 'reversalQueued', reason: 'no-answer' };
export const reversalSent = (attempt: number): JournalEvent => ({ kind: 'reversalSent', attempt });
export const reversalAcknowledged: JournalEvent = { kind: 'reversalAcknowledged', responseCode: '00' };
export const hostRefused: JournalEvent = { kind: 'hostRefused', responseCode: '96' };
export const posted: JournalEvent = { kind: 'setAside', outcome: 'POSTED' };
export const notPosted: JournalEvent = { kind: 'setAside', outcome: 'NOT_POSTED' };
export const endedApproved = ended(conclusionOf(outcomes.approved));
export const endedUnknown = ended(conclusionOf(outcomes.unknown));
export const endedCancelled = ended(failure('TRANSACTION_ALREADY_CANCEL', 'cancelledByPos', 'cancelled by the POS'));

export function stored(events: readonly JournalEvent[]): StoredEvent[] {
  return events.map((event) => ({ at: '2026-01-01T00:00:00.000Z', event }));
}

export function record(events: readonly JournalEvent[]): TransactionRecord {
  return transactionRecord(id, stored(events));
}
