import type { Amount } from '../../base/domain/amount.ts';
import { timeOfId } from '../../base/domain/identifiers.ts';
import {
  type AdviceOrder,
  type CardReference,
  type OriginalReference,
  type ReversalOrder,
  type ReversalReason,
  UnsendableOrder,
} from '../../payment/contracts/acquirer-host.ts';
import type { EmvData } from '../../base/ports/card-reader.ts';
import type { CardIntent, JournalledOriginal } from '../../payment/events/intent.ts';
import { cardIntentOf } from '../../payment/records/payment.ts';
import { tipMinor } from '../../payment/records/transaction-status.ts';
import { hostNumberOf, isAdvice, type TransactionRecord } from '../../payment/records/record.ts';

/**
 * Messages to a host, rebuilt from the journal's record of a transaction. Each function throws for a record without a
 * card intent.
 */

export function cardReference(record: TransactionRecord): CardReference {
  const { card, ksn, encryptedPan, account, cashbackMinor } = intentOf(record);
  return {
    entryMode: card.entryMode,
    ...(account === undefined ? {} : { account }),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor: BigInt(cashbackMinor) }),
    ...(card.panSequenceNumber === undefined ? {} : { panSequenceNumber: card.panSequenceNumber }),
    ksn: Buffer.from(ksn, 'hex'),
    encryptedPan: Buffer.from(encryptedPan, 'hex'),
  };
}

/** How a later message refers to this transaction. `amount`: its total before that message. */
export function originalReference(record: TransactionRecord, amount: Amount): OriginalReference {
  const { trace, operation } = intentOf(record);
  const { hostOutcome, adviceAnswer } = record;
  const answered = hostOutcome?.kind === 'approved' ? hostOutcome : adviceAnswer;
  const approvalCode = hostOutcome && 'approvalCode' in hostOutcome ? hostOutcome.approvalCode : '';
  return {
    trace,
    operation,
    amount,
    approvalCode,
    rrn: hostNumberOf(record),
    hostTime: answered?.hostTime ?? '',
    hostDate: answered?.hostDate ?? '',
  };
}

export function journalledOriginal({
  amount,
  operation: _operation,
  ...reference
}: OriginalReference): JournalledOriginal {
  return { ...reference, amountMinor: amount.minor.toString() };
}

export function reversalOrder(record: TransactionRecord): ReversalOrder {
  const { operation, trace, site } = intentOf(record);
  if (record.numberTaken) throw new Error(`transaction ${record.id} has a number that its host has from elsewhere`);
  if (isAdvice(operation)) throw new Error(`transaction ${record.id} is an advice, which is never reversed`);
  const at = timeOfId(record.id);
  // A reversal repeats the amount of the request, even if the host has approved a part.
  const amount = record.requested ?? record.amount;
  const { hostOutcome } = record;
  // Not of a late answer: a repeat has the same fields as the first reversal.
  const rrn = hostOutcome && 'rrn' in hostOutcome ? hostOutcome.rrn : '';
  return {
    ...(site === undefined ? {} : { site }),
    operation,
    trace,
    amount,
    card: cardReference(record),
    at,
    reason: reversalReason(record),
    ...(rrn === '' ? {} : { rrn }),
  };
}

function reversalReason({ hostOutcome, cardCompletion }: TransactionRecord): ReversalReason {
  if (cardCompletion?.agreed === false) return 'cardRefused';
  if (!hostOutcome) return 'noAnswer';
  if (hostOutcome.kind !== 'unknown' || hostOutcome.reason === 'duplicate') return 'other';
  return hostOutcome.reason === 'garbled-answer' ? 'invalidAnswer' : 'noAnswer';
}

export function adviceOrder(record: TransactionRecord): AdviceOrder {
  const { operation, trace, site, original, emv } = intentOf(record);
  const message = { trace, ...(site === undefined ? {} : { site }), amount: record.amount, at: timeOfId(record.id) };
  const card = cardReference(record);
  if (operation === 'offlineSale') {
    const approvalCode = record.hostOutcome?.kind === 'offline' ? record.hostOutcome.approvalCode : '';
    const tip = tipMinor(record);
    return {
      operation,
      ...message,
      card: { ...card, emv: emvData(emv) },
      approvalCode,
      at: record.createdAt,
      ...(tip === 0n ? {} : { tipMinor: tip }),
    };
  }
  if (!original) throw new Error(`transaction ${record.id} has no original`);
  const { amountMinor, ...reference } = original;
  const named = { ...reference, amount: { minor: BigInt(amountMinor), currency: record.amount.currency } };
  if (operation === 'completion') return { operation, ...message, card, original: named };
  if (operation === 'tipAdjust') return { operation, ...message, card, original: named, tipMinor: tipMinor(record) };
  throw new Error(`transaction ${record.id} is no advice`);
}

/**
 * Turns an error of `order` into an UnsendableOrder: the record can't be made into a message, and another attempt
 * changes nothing.
 */
export function buildOrder<T>(order: () => T): T {
  try {
    return order();
  } catch (error) {
    throw new UnsendableOrder((error as Error).message);
  }
}

function intentOf({ id, intent }: TransactionRecord): CardIntent {
  const card = cardIntentOf(intent);
  if (!card) throw new Error(`transaction ${id} never had an intent for a card`);
  return card;
}

function emvData(emv: Readonly<Record<string, string>> = {}): EmvData {
  return new Map(Object.entries(emv).map(([tag, value]) => [tag, Buffer.from(value, 'hex')]));
}
