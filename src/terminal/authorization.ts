import type { Amount } from '../domain/amount.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import { lastFourOnly } from '../domain/masking.ts';
import { authenticationMethod } from '../emv/cvm.ts';
import { cardBrand } from '../emv/aid.ts';
import type { AcquirerHost, HostOutcome, SaleOrder } from '../ports/acquirer-host.ts';
import type { EmvData, PresentedCard } from '../ports/card-reader.ts';
import type { CardSummary, Conclusion, Journal, JournalEvent, JournalledOutcome } from '../ports/journal.ts';
import type { CardBrand } from '../domain/payment-method.ts';
import { type AcquirerProfile, collectConcluded, concluded, failure, routed } from '../transaction/decide.ts';
import type { Authorization } from '../transaction/machine.ts';
import type { Forwarder } from './forwarder.ts';

export interface Order {
  readonly id: TerminalTransactionId;
  readonly amount: Amount;
  readonly forcedAcquirer?: AcquirerId;
  /** The terminal prints: a receipt is queued with the approval. */
  readonly printsReceipt: boolean;
}

export interface AuthorizationParts {
  readonly journal: Journal;
  readonly forwarder: Forwarder;
  readonly hosts: ReadonlyMap<AcquirerId, AcquirerHost>;
  readonly profiles: readonly AcquirerProfile[];
}

/**
 * One card to its acquirer: intent on stable storage before the first byte, the answer on stable storage before anything
 * hears of it. Rejects only when the intent could not be written: then nothing was sent.
 */
export async function authorized(order: Order, card: PresentedCard, parts: AuthorizationParts): Promise<Authorization> {
  const { journal, forwarder, hosts, profiles } = parts;
  const brand = cardBrand(card.aid);
  const acquirerId = brand && routed(brand, order.forcedAcquirer, profiles);
  const host = acquirerId && hosts.get(acquirerId);
  if (!brand || !host) {
    const conclusion = collectConcluded({ kind: 'refused', reason: 'no acquirer here takes it' });
    await journal.append(order.id, [{ kind: 'ended', ...conclusion }]);
    return { kind: 'concluded', conclusion };
  }
  // A reversal that the host has not acknowledged goes first: its money may still be held.
  const outcome: HostOutcome = (await forwarder.flush(host.id))
    ? await sent(order, card, brand, host, journal)
    : { kind: 'notSent', reason: 'reversals-pending' };
  return written(order, outcome, journal);
}

async function sent(
  order: Order,
  card: PresentedCard,
  brand: CardBrand,
  host: AcquirerHost,
  journal: Journal,
): Promise<HostOutcome> {
  const summary = cardSummary(card, brand);
  const trace = await journal.intend(order.id, {
    acquirerId: host.id,
    mid: host.mid,
    tid: host.tid,
    card: summary,
    ksn: hex(card.encrypted.ksn),
    encryptedPan: hex(card.encrypted.pan),
  });
  const sale: SaleOrder = {
    trace,
    amount: order.amount,
    entryMode: card.entryMode,
    ...(summary.panSequenceNumber === undefined ? {} : { panSequenceNumber: summary.panSequenceNumber }),
    emv: card.emv,
    ksn: card.encrypted.ksn,
    encryptedTrack2: card.encrypted.track2,
  };
  try {
    return await host.sale(sale);
  } finally {
    card.encrypted.track2.fill(0);
  }
}

async function written(order: Order, outcome: HostOutcome, journal: Journal): Promise<Authorization> {
  const conclusion = concluded(journalled(outcome));
  const events: JournalEvent[] = [{ kind: 'answered', outcome: journalled(outcome) }];
  if (outcome.kind === 'unknown') events.push({ kind: 'reversalQueued', reason: outcome.reason });
  else events.push({ kind: 'ended', ...conclusion });
  if (outcome.kind === 'approved' && order.printsReceipt) events.push({ kind: 'receiptQueued' });
  try {
    await journal.append(order.id, events);
  } catch {
    return { kind: 'unknown', conclusion: unwritten };
  }
  return { kind: outcome.kind === 'unknown' ? 'unknown' : 'concluded', conclusion };
}

/** The intent stands in the journal without an answer, so recovery will reverse it: fail-safe, whatever the host said. */
const unwritten: Conclusion = failure(
  'DATABASE_ERROR',
  'the host’s answer could not be written, the payment is reversed',
);

function journalled(outcome: HostOutcome): JournalledOutcome {
  if (outcome.kind !== 'approved') return outcome;
  const { kind, responseCode, approvalCode, rrn } = outcome;
  return { kind, responseCode, approvalCode, rrn };
}

function cardSummary(card: PresentedCard, brand: CardBrand): CardSummary {
  const sequence = card.emv.get('5F34');
  return {
    brand,
    entryMode: card.entryMode,
    maskedPan: lastFourOnly(card.maskedPan),
    aid: card.aid,
    appName: card.appName,
    ...(sequence ? { panSequenceNumber: hex(sequence) } : {}),
    authenticationMethod: authenticationMethod(card.emv),
    atc: object(card.emv, '9F36'),
    tc: object(card.emv, '9F26'),
    tsi: object(card.emv, '9B'),
    tvr: object(card.emv, '95'),
  };
}

function object(emv: EmvData, tag: string): string {
  return hex(emv.get(tag) ?? new Uint8Array());
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}
