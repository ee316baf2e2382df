import { isReferring, operationOf, completesAuth } from '../../base/domain/transaction-kind.ts';
import { timeOfId } from '../../base/domain/identifiers.ts';
import { issuerIdentification } from '../../base/domain/masking.ts';
import type { Reason } from '../../base/domain/reason.ts';
import type { CardScheme } from '../../base/domain/payment-scheme.ts';
import { brandOfNumber, cardBrand } from '../../codecs/emv/aid.ts';
import { authenticationMethod } from '../../codecs/emv/cvm.ts';
import type { CardAtHand, AcquirerHost } from '../../payment/contracts/acquirer-host.ts';
import type { PresentedCard } from '../../base/ports/card-reader.ts';
import { conclusionEvents, collectConclusion, conclusionOf } from '../../payment/transaction/decide.ts';
import { failure } from '../../payment/events/conclusion.ts';
import type { Authorization } from '../../payment/transaction/machine.ts';
import { cardIntentOf } from '../../payment/records/payment.ts';
import { cardSummary, hex, hexByTag, sameCard } from './description.ts';
import type { Collected } from './collected.ts';
import { cardReference, journalledOriginal, originalReference } from './message.ts';
import { selectAcquirer } from '../../payment/method/methods.ts';
import type { Order } from '../../payment/method/order.ts';
import {
  writeAdviceIntent,
  writeOfflineIntent,
  writeReferenceIntent,
  writeIntent,
} from '../../payment/method/write-intent.ts';
import { commitConclusion } from '../../payment/method/commit-answer.ts';
import type { CardAcquirer } from './acquirer.ts';
import type { CardParts } from './parts.ts';
import { authorizeOnline, showOutcome } from './online.ts';
import type { EncryptedPin } from '../../base/ports/pin-pad.ts';
import type { CardIntent } from '../../payment/events/intent.ts';

/**
 * Authorizes a presented card with its acquirer. The intent is on stable storage before the first byte is sent, the
 * answer before anything else learns of it. Rejects only if the intent could not be written: then nothing was sent.
 */
export async function authorizeCard(order: Order, collected: Collected, parts: CardParts): Promise<Authorization> {
  const { card, pin, account } = collected;
  if (!card) throw new Error('no card was presented');
  const { kind, original, cashbackMinor } = order;
  const brand = brandOf(card, account !== undefined);
  const acquirer = brand && acquirerOf(order, card, brand, parts);
  if (!brand || !acquirer) return refuseUntaken(order, card, brand, parts);
  if ((pin || needsPin(card)) && !sendsPin(order, acquirer.host, pin?.format)) {
    return refuse(order, 'pinRequired', 'the messages of the host have no field for the PIN', parts);
  }
  if (original && !sameCard(card, brand, cardIntentOf(original.record.intent)?.card)) {
    return refuse(order, 'notCardOfOriginal', 'this is not the card of the original', parts);
  }
  const eps = {
    ...(account === undefined ? {} : { account }),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor }),
  };
  const draft: CardDraft = {
    operation: operationOf(kind),
    ...addressOf(acquirer.host),
    ...(await acquirer.chooseSite(kind === 'OFFLINE_SALE')),
    card: { ...cardSummary(card, brand), ...(pin ? { authenticationMethod: 'ONLINE_PIN' as const } : {}) },
    ksn: hex(card.encrypted.ksn),
    encryptedPan: hex(card.encrypted.pan),
    ...(account === undefined ? {} : { account }),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor: cashbackMinor.toString() }),
  };
  if (kind === 'OFFLINE_SALE') {
    const turn = await writeOfflineIntent(order, acquirer.id, parts);
    if (turn.kind === 'over') return turn.end;
    const approvalCode = order.approvalCode ?? ownApprovalCode(order);
    const end = await approveByAdvice(order, { ...draft, emv: hexByTag(card.emv) }, approvalCode, parts);
    return showOutcome(collected, end, { kind: 'approved', responseCode: '00', issuerData: new Map() });
  }
  const turn = await writeIntent(order, draft, parts);
  if (turn.kind === 'over') return turn.end;
  const atHand: CardAtHand = { ...cardAtHand(card, draft, pin), ...eps };
  const operation = onlineOperation(order);
  const tip = order.tipMinor === 0n ? {} : { tipMinor: order.tipMinor };
  return authorizeOnline(
    order,
    acquirer,
    turn.trace,
    (trace) => ({
      operation,
      trace,
      ...siteOf(draft),
      amount: order.amount,
      card: atHand,
      ...tip,
      at: timeOfId(order.id),
    }),
    parts,
    collected,
  );
}

/** Refuses a card that no acquirer takes for this transaction now. */
function refuseUntaken(
  order: Order,
  card: PresentedCard,
  brand: CardScheme | undefined,
  parts: CardParts,
): Promise<Authorization> {
  const { kind, held: takers = [] } = order;
  const held = brand && selectAcquirer({ kind, takers }, brand, issuerIdentification(card.maskedPan))?.held;
  if (held !== undefined) return refuse(order, 'acquirerHeld', held, parts);
  return refuse(order, 'notAccepted', 'no acquirer accepts this card for this transaction', parts);
}

/** The acquirer that takes this card for this transaction. */
function acquirerOf(
  order: Order,
  card: PresentedCard,
  brand: CardScheme,
  { cardAcquirers }: Pick<CardParts, 'cardAcquirers'>,
): CardAcquirer | undefined {
  const taker = selectAcquirer(order, brand, issuerIdentification(card.maskedPan));
  return taker && cardAcquirers.get(taker.id);
}

/** Whether the message of this transaction has room for a PIN, of this format if it is known. */
function sendsPin(order: Order, host: AcquirerHost, format?: EncryptedPin['format']): boolean {
  return order.kind === 'OFFLINE_SALE' || (host.sendsPin?.(onlineOperation(order), format) ?? true);
}

/** Whether this card needs a PIN that its host can be sent. */
export function asksPin(order: Order, card: PresentedCard, parts: Pick<CardParts, 'cardAcquirers'>): boolean {
  if (!needsPin(card)) return false;
  const brand = brandOf(card, false);
  const acquirer = brand && acquirerOf(order, card, brand, parts);
  return !acquirer || sendsPin(order, acquirer.host);
}

function needsPin({ emv }: PresentedCard): boolean {
  return authenticationMethod(emv) === 'ONLINE_PIN';
}

function onlineOperation({ kind }: Order) {
  return operationOf(kind === 'AUTH' || kind === 'REFUND' ? kind : 'SALE');
}

/** A bank card is EPS if the customer has chosen an account. A magstripe reveals its brand by its number alone. */
export function brandOf({ aid, maskedPan }: PresentedCard, isEps: boolean): CardScheme | undefined {
  if (isEps) return 'EPS';
  return aid === '' ? brandOfNumber(maskedPan) : cardBrand(aid, maskedPan);
}

/** Authorizes voids, completions and tip adjustments: card and acquirer are those of the original. */
export async function authorizeCardReference(order: Order, parts: CardParts): Promise<Authorization> {
  const { kind, original } = order;
  const intent = cardIntentOf(original?.record.intent);
  const acquirer = intent && parts.cardAcquirers.get(intent.acquirerId);
  if (!original || !intent || !acquirer) {
    return commitConclusion(
      order,
      failure('ERROR', 'acquirerGone', 'the acquirer of the original is not configured any more'),
      parts.journal,
    );
  }
  const turn = await (isReferring(kind) ? writeReferenceIntent : writeAdviceIntent)(
    order,
    original,
    acquirer.id,
    parts,
  );
  if (turn.kind === 'over') return turn.end;
  const { record, total } = turn.known;
  const reference = originalReference(record, total);
  const operation = completesAuth(kind, record.id) ? 'completion' : operationOf(kind);
  const draft: CardDraft = {
    operation,
    ...addressOf(acquirer.host),
    ...(await acquirer.chooseSite(!isReferring(kind), intent)),
    card: intent.card,
    ksn: intent.ksn,
    encryptedPan: intent.encryptedPan,
    original: journalledOriginal(reference),
    ...(operation === 'completion' ? {} : { invoice: intent.trace.invoice }),
  };
  if (!isReferring(kind)) return approveByAdvice(order, draft, reference.approvalCode, parts);
  const asks = operationOf(kind);
  const card = cardReference(record);
  const { amount } = order;
  return authorizeOnline(
    order,
    acquirer,
    await parts.journal.intend(order.id, draft),
    (trace) => ({
      operation: asks,
      trace,
      ...siteOf(draft),
      amount,
      card,
      original: reference,
      at: timeOfId(order.id),
    }),
    parts,
  );
}

/** Approves offline: the approval and its advice are one commit. */
async function approveByAdvice(
  order: Order,
  draft: CardDraft,
  approvalCode: string,
  { journal, forwarder }: CardParts,
): Promise<Authorization> {
  const outcome = { kind: 'offline', approvalCode } as const;
  const conclusion = conclusionOf(outcome);
  const queued = [{ kind: 'adviceQueued' }] as const;
  try {
    await journal.intend(order.id, draft, conclusionEvents(outcome, { ...order, conclusion, queued }));
  } finally {
    // Also after a failure: a commit that reported an error may still be on disk, and then its advice is due.
    void forwarder.flush(draft.acquirerId);
  }
  return { kind: 'concluded', conclusion };
}

function refuse(order: Order, reason: Reason, why: string, parts: CardParts): Promise<Authorization> {
  return commitConclusion(order, collectConclusion({ kind: 'refused', reason, why }), parts.journal);
}

/**
 * If the issuer gave no approval code by telephone, the terminal makes one of six characters from the transaction's id.
 */
function ownApprovalCode({ id }: Order): string {
  return id.slice(-6);
}

/** A card intent before its trace numbers are assigned. */
type CardDraft = Omit<CardIntent, 'kind' | 'trace'> & { readonly invoice?: number };

function cardAtHand(card: PresentedCard, { card: summary }: CardDraft, pin: EncryptedPin | undefined): CardAtHand {
  const { panSequenceNumber } = summary;
  return {
    entryMode: card.entryMode,
    ...(panSequenceNumber === undefined ? {} : { panSequenceNumber }),
    ksn: card.encrypted.ksn,
    encryptedPan: card.encrypted.pan,
    emv: card.emv,
    encryptedTrack2: card.encrypted.track2,
    ...(pin ? { pin } : {}),
  };
}

/** The request goes only to this site. */
function siteOf({ site }: CardDraft): { readonly site?: string } {
  return site === undefined ? {} : { site };
}

function addressOf({ id, mid, tid }: AcquirerHost): Pick<CardDraft, 'acquirerId' | 'mid' | 'tid'> {
  return { acquirerId: id, mid, tid };
}
