import type { AuthenticationMethod } from '../../../src/base/domain/authentication-method.ts';
import type { TransactionKind } from '../../../src/base/domain/transaction-kind.ts';
import type { CurrencyCode } from '../../../src/base/domain/currency.ts';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { conclusionOf } from '../../../src/payment/transaction/decide.ts';
import { failure } from '../../../src/payment/events/conclusion.ts';
import { type TransactionRecord, transactionRecord } from '../../../src/payment/records/record.ts';
import type { RecordTree } from '../../../src/payment/records/transaction-status.ts';
import { answered, ended, outcomes, stored } from './records.ts';
import { accepted, intent } from '../../support/events.ts';

export interface Shape {
  readonly minor?: bigint;
  readonly tipMinor?: bigint;
  readonly currency?: CurrencyCode;
  readonly end?: 'approved' | 'declined' | 'reversed' | 'unfinished' | 'unknown' | 'resolved';
  readonly authenticationMethod?: AuthenticationMethod;
  readonly originalId?: TerminalTransactionId;
  readonly later?: readonly RecordTree[];
}

/** A transaction of 30.00 HKD that was approved, unless told otherwise. */
export function made(id: string, type: TransactionKind, shape: Shape = {}): TransactionRecord {
  const { minor = 3000n, tipMinor, currency = 'HKD', end = 'approved', authenticationMethod = 'NO_CVM' } = shape;
  const request = {
    ...accepted,
    type,
    amountMinor: minor.toString(),
    currency,
    ...(tipMinor === undefined ? {} : { tipMinor: tipMinor.toString() }),
    ...(shape.originalId === undefined ? {} : { originalId: shape.originalId }),
  };
  const sent: JournalEvent = { ...intent, card: { ...intent.card, authenticationMethod } };
  return transactionRecord(named(id), stored([request, sent, ...ends[end]]));
}

export function tree(type: TransactionKind, { later = [], ...shape }: Shape = {}): RecordTree {
  return { record: made(`${type}-1`, type, shape), later };
}

export function named(id: string): TerminalTransactionId {
  return id.padStart(26, '0') as TerminalTransactionId;
}

const unknownYet: readonly JournalEvent[] = [
  answered(outcomes.unknown),
  { kind: 'reversalQueued', reason: 'no-answer' },
  ended(failure('UNKNOWN', 'outcomeUnknown', 'not known yet')),
];

const ends: Readonly<Record<NonNullable<Shape['end']>, readonly JournalEvent[]>> = {
  approved: [answered(outcomes.approved), ended(conclusionOf(outcomes.approved))],
  declined: [answered(outcomes.declined), ended(conclusionOf(outcomes.declined))],
  reversed: [
    answered(outcomes.unknown),
    { kind: 'reversalQueued', reason: 'no-answer' },
    { kind: 'reversalSent', attempt: 1 },
    { kind: 'reversalAcknowledged', responseCode: '00' },
    ended(failure('ERROR', 'noAnswer', 'reversed')),
  ],
  unfinished: [],
  unknown: unknownYet,
  resolved: [...unknownYet, answered(outcomes.approved), ended(conclusionOf(outcomes.approved)), { kind: 'resolved' }],
};
