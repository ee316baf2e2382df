import type { TransactionKind } from '../domain/capability.ts';
import { issuerIdentification } from '../domain/masking.ts';
import { cardBrand } from '../emv/aid.ts';
import type { AcquirerHost, CardAtHand, HostOutcome, OnlineOrder } from '../ports/acquirer-host.ts';
import type { PresentedCard } from '../ports/card-reader.ts';
import type { Conclusion, IntentDraft, JournalEvent, JournalledOutcome, Operation } from '../ports/journal.ts';
import { collectConcluded, concluded, failure, routed } from '../transaction/decide.ts';
import type { Authorization } from '../transaction/machine.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';
import { cardSummary, hex, hexByTag, sameCard } from './card-summary.ts';
import { cardReference, journalledOriginal, originalReference } from './message.ts';
import type { AuthorizationParts, Order } from './order.ts';

/**
 * One order to its acquirer: intent on stable storage before the first byte, the answer on stable storage before anything
 * hears of it. Rejects only when the intent could not be written: then nothing was sent.
 */
export function authorized(
  order: Order,
  card: PresentedCard | undefined,
  parts: AuthorizationParts,
): Promise<Authorization> {
  if (!card) return byReference(order, parts);
  // The track was for this one message: it is gone whatever came of it.
  return withCard(order, card, parts).finally(() => card.encrypted.track2.fill(0));
}

async function withCard(order: Order, card: PresentedCard, parts: AuthorizationParts): Promise<Authorization> {
  const { kind, original, forcedAcquirer } = order;
  const brand = cardBrand(card.aid);
  const bin = issuerIdentification(card.maskedPan);
  // What refers to an earlier transaction goes where that one went.
  const forced = original?.record.intent?.acquirerId ?? forcedAcquirer;
  const acquirerId = brand && routed({ brand, kind, bin, forced }, parts.profiles);
  const host = acquirerId && parts.hosts.get(acquirerId);
  if (!brand || !host) return refused(order, 'no acquirer here takes it for this', parts);
  if (original && !sameCard(card, brand, original.record.intent?.card)) {
    return refused(order, 'it is not the card of the original', parts);
  }
  const draft: IntentDraft = {
    operation: operations[kind],
    ...addressed(host),
    card: cardSummary(card, brand),
    ksn: hex(card.encrypted.ksn),
    encryptedPan: hex(card.encrypted.pan),
  };
  if (kind === 'OFFLINE_SALE') {
    const approvalCode = order.approvalCode ?? ownApprovalCode(order);
    return advised(order, { ...draft, emv: hexByTag(card.emv) }, approvalCode, parts);
  }
  const atHand: CardAtHand = {
    entryMode: card.entryMode,
    ...(draft.card.panSequenceNumber === undefined ? {} : { panSequenceNumber: draft.card.panSequenceNumber }),
    ksn: card.encrypted.ksn,
    encryptedPan: card.encrypted.pan,
    emv: card.emv,
    encryptedTrack2: card.encrypted.track2,
  };
  const operation = kind === 'AUTH' || kind === 'REFUND' ? operations[kind] : operations.SALE;
  const tip = order.tipMinor === 0n ? {} : { tipMinor: order.tipMinor };
  return online(
    order,
    host,
    draft,
    (trace) => ({ operation, trace, amount: order.amount, card: atHand, ...tip }),
    parts,
  );
}

/** Voids, completions and tip adjusts: the card is the original's, and so is the acquirer. */
async function byReference(order: Order, parts: AuthorizationParts): Promise<Authorization> {
  const { kind, original } = order;
  const intent = original?.record.intent;
  const host = intent && parts.hosts.get(intent.acquirerId);
  if (!original || !intent || !host) {
    return concludedAt(order, failure('ERROR', 'the acquirer of the original is not configured any more'), parts);
  }
  const record = await delivered(original.record, host, parts);
  if (!record) return written(order, { kind: 'notSent', reason: 'reversals-pending' }, parts);
  const reference = originalReference(record, original.total);
  const draft: IntentDraft = {
    operation: operations[kind],
    ...addressed(host),
    card: intent.card,
    ksn: intent.ksn,
    encryptedPan: intent.encryptedPan,
    original: journalledOriginal(reference),
    ...(kind === 'AUTH_COMP' ? {} : { invoice: intent.trace.invoice }),
  };
  if (kind === 'AUTH_COMP' || kind === 'TIP_ADJUST') return advised(order, draft, reference.approvalCode, parts);
  const operation = kind === 'VOID_REFUND' ? 'voidRefund' : 'void';
  const card = cardReference(record);
  const { amount } = order;
  return online(order, host, draft, (trace) => ({ operation, trace, amount, card, original: reference }), parts);
}

/** The host decides. What waits for it goes first: its money may still be held. */
async function online(
  order: Order,
  host: AcquirerHost,
  draft: IntentDraft,
  message: (trace: OnlineOrder['trace']) => OnlineOrder,
  parts: AuthorizationParts,
): Promise<Authorization> {
  if (!(await parts.forwarder.flush(host.id))) {
    return written(order, { kind: 'notSent', reason: 'reversals-pending' }, parts);
  }
  const trace = await parts.journal.intend(order.id, draft);
  const outcome = await host.request(message(trace)).catch((error: unknown): HostOutcome => {
    // Against the port's promise, and no proof that nothing left.
    parts.onFailure?.(error);
    return { kind: 'unknown', reason: 'interrupted' };
  });
  return written(order, outcome, parts);
}

/** Decided here: approved, and queued for the host, in one commit. */
async function advised(
  order: Order,
  draft: IntentDraft,
  approvalCode: string,
  { journal, forwarder }: AuthorizationParts,
): Promise<Authorization> {
  const outcome = { kind: 'offline', approvalCode } as const;
  const conclusion = concluded(outcome);
  try {
    await journal.intend(order.id, draft, [
      { kind: 'answered', outcome },
      { kind: 'adviceQueued' },
      { kind: 'ended', ...conclusion },
      ...receipt(order),
    ]);
  } finally {
    // After a failure too: a commit that was said to fail may stand all the same, and its advice is due then.
    void forwarder.flush(draft.acquirerId);
  }
  return { kind: 'concluded', conclusion };
}

async function written(order: Order, outcome: HostOutcome, { journal }: AuthorizationParts): Promise<Authorization> {
  const conclusion = concluded(journalled(outcome));
  const events: JournalEvent[] = [{ kind: 'answered', outcome: journalled(outcome) }];
  if (outcome.kind === 'unknown') events.push({ kind: 'reversalQueued', reason: outcome.reason });
  else events.push({ kind: 'ended', ...conclusion });
  if (outcome.kind === 'approved') events.push(...receipt(order));
  try {
    await journal.append(order.id, events);
  } catch {
    // The intent stands without an answer, so recovery will reverse it: fail-safe, whatever the host said.
    const unwritten = failure('DATABASE_ERROR', 'the host’s answer could not be written, the payment is reversed');
    return { kind: 'unknown', conclusion: unwritten };
  }
  return { kind: outcome.kind === 'unknown' ? 'unknown' : 'concluded', conclusion };
}

function refused(order: Order, reason: string, parts: AuthorizationParts): Promise<Authorization> {
  return concludedAt(order, collectConcluded({ kind: 'refused', reason }), parts);
}

/** Ended without a word to any host. */
async function concludedAt(
  order: Order,
  conclusion: Conclusion,
  { journal }: AuthorizationParts,
): Promise<Authorization> {
  await journal.append(order.id, [{ kind: 'ended', ...conclusion }]);
  return { kind: 'concluded', conclusion };
}

/** The original once the host has heard of it: what its advice was answered is part of every reference to it. */
async function delivered(
  record: TransactionRecord,
  host: AcquirerHost,
  { journal, forwarder }: AuthorizationParts,
): Promise<TransactionRecord | undefined> {
  if (record.advice !== 'queued') return record;
  if (!(await forwarder.flush(host.id))) return undefined;
  return transactionRecord(record.id, await journal.read(record.id));
}

function receipt({ printsReceipt }: Order): JournalEvent[] {
  return printsReceipt ? [{ kind: 'receiptQueued' }] : [];
}

function addressed({ id, mid, tid }: AcquirerHost): Pick<IntentDraft, 'acquirerId' | 'mid' | 'tid'> {
  return { acquirerId: id, mid, tid };
}

const operations = {
  SALE: 'sale',
  AUTH: 'auth',
  REFUND: 'refund',
  OFFLINE_SALE: 'offlineSale',
  AUTH_COMP: 'completion',
  TIP_ADJUST: 'tipAdjust',
  VOID_SALE: 'void',
  VOID_AUTH: 'void',
  VOID_OFFLINE: 'void',
  VOID_AUTH_COMP: 'void',
  VOID_REFUND: 'voidRefund',
} as const satisfies Record<TransactionKind, Operation>;

/** Where the issuer gave none on the phone, the terminal makes one, six characters, from the transaction's own id. */
function ownApprovalCode({ id }: Order): string {
  return id.slice(-6);
}

function journalled(outcome: HostOutcome): JournalledOutcome {
  if (outcome.kind !== 'approved') return outcome;
  const { issuerData: _forTheCard, ...kept } = outcome;
  return kept;
}
