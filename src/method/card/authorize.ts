import { issuerIdentification } from '../../domain/masking.ts';
import type { CardScheme } from '../../domain/payment-scheme.ts';
import { brandOfNumber, cardBrand } from '../../emv/aid.ts';
import type { CardAtHand } from '../../ports/acquirer-host.ts';
import type { PresentedCard } from '../../ports/card-reader.ts';
import { collectConclusion, conclusionOf } from '../../transaction/decide.ts';
import { failure } from '../../events/conclusion.ts';
import type { Authorization } from '../../transaction/machine.ts';
import { cardIntentOf } from '../../records/payment.ts';
import { cardSummary, hex, hexByTag, sameCard } from './card-summary.ts';
import type { Collected } from './collected.ts';
import { cardReference, journalledOriginal, originalReference } from './message.ts';
import { selectAcquirer } from '../acquirer-choice.ts';
import type { Order } from '../order.ts';
import { takeAdviceTurn, takeOfflineTurn, takeReferenceTurn, takeTurn } from '../turn.ts';
import { commitConclusion, receipt } from '../commit-answer.ts';
import type { CardParts } from './parts.ts';
import { addressOf, type CardDraft, cardAtHand, operations } from './draft.ts';
import { authorizeOnline, showOutcome } from './online.ts';

/**
 * A card that was presented, to its acquirer: intent on stable storage before the first byte, the answer on stable storage
 * before anything hears of it. Rejects only when the intent could not be written: then nothing was sent.
 */
export async function authorizeCard(order: Order, collected: Collected, parts: CardParts): Promise<Authorization> {
  const { card, pin, account } = collected;
  if (!card) throw new Error('no card was presented');
  const { kind, original, cashbackMinor } = order;
  const brand = brandOf(card, account !== undefined);
  const bin = issuerIdentification(card.maskedPan);
  const taker = brand && selectAcquirer(order, brand, bin);
  const acquirer = taker && parts.cardAcquirers.get(taker.id);
  if (!brand || !acquirer) return refuse(order, 'no acquirer here takes it for this', parts);
  if (original && !sameCard(card, brand, cardIntentOf(original.record.intent)?.card)) {
    return refuse(order, 'it is not the card of the original', parts);
  }
  const eps = {
    ...(account === undefined ? {} : { account }),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor }),
  };
  const draft: CardDraft = {
    operation: operations[kind],
    ...addressOf(acquirer.host),
    card: { ...cardSummary(card, brand), ...(pin ? { authenticationMethod: 'ONLINE_PIN' as const } : {}) },
    ksn: hex(card.encrypted.ksn),
    encryptedPan: hex(card.encrypted.pan),
    ...(account === undefined ? {} : { account }),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor: cashbackMinor.toString() }),
  };
  if (kind === 'OFFLINE_SALE') {
    const turn = await takeOfflineTurn(order, acquirer.id, parts);
    if (turn.kind === 'over') return turn.end;
    const approvalCode = order.approvalCode ?? ownApprovalCode(order);
    const end = await approveByAdvice(order, { ...draft, emv: hexByTag(card.emv) }, approvalCode, parts);
    return showOutcome(collected, end, { kind: 'approved', responseCode: '00', issuerData: new Map() });
  }
  const turn = await (original
    ? takeReferenceTurn(order, original, acquirer.id, parts)
    : takeTurn(order, acquirer.id, parts));
  if (turn.kind === 'over') return turn.end;
  const atHand: CardAtHand = { ...cardAtHand(card, draft, pin), ...eps };
  const operation = kind === 'AUTH' || kind === 'REFUND' ? operations[kind] : operations.SALE;
  const tip = order.tipMinor === 0n ? {} : { tipMinor: order.tipMinor };
  return authorizeOnline(
    order,
    acquirer,
    draft,
    (trace) => ({ operation, trace, amount: order.amount, card: atHand, ...tip }),
    parts,
    collected,
  );
}

/** A bank's card is EPS where the customer has chosen an account; a magstripe shows its brand by its number alone. */
function brandOf({ aid, maskedPan }: PresentedCard, isEps: boolean): CardScheme | undefined {
  if (isEps) return 'EPS';
  return aid === '' ? brandOfNumber(maskedPan) : cardBrand(aid);
}

/** Voids, completions and tip adjusts: the card is the original's, and so is the acquirer. */
export async function authorizeCardReference(order: Order, parts: CardParts): Promise<Authorization> {
  const { kind, original } = order;
  const intent = cardIntentOf(original?.record.intent);
  const acquirer = intent && parts.cardAcquirers.get(intent.acquirerId);
  if (!original || !intent || !acquirer) {
    return commitConclusion(
      order,
      failure('ERROR', 'the acquirer of the original is not configured any more'),
      parts.journal,
    );
  }
  const isAdvice = kind === 'AUTH_COMP' || kind === 'TIP_ADJUST';
  const turn = await (isAdvice ? takeAdviceTurn : takeReferenceTurn)(order, original, acquirer.id, parts);
  if (turn.kind === 'over') return turn.end;
  const { record, total } = turn.known;
  const reference = originalReference(record, total);
  const draft: CardDraft = {
    operation: operations[kind],
    ...addressOf(acquirer.host),
    card: intent.card,
    ksn: intent.ksn,
    encryptedPan: intent.encryptedPan,
    original: journalledOriginal(reference),
    ...(kind === 'AUTH_COMP' ? {} : { invoice: intent.trace.invoice }),
  };
  if (isAdvice) return approveByAdvice(order, draft, reference.approvalCode, parts);
  const operation = kind === 'VOID_REFUND' ? 'voidRefund' : 'void';
  const card = cardReference(record);
  const { amount } = order;
  return authorizeOnline(
    order,
    acquirer,
    draft,
    (trace) => ({ operation, trace, amount, card, original: reference }),
    parts,
  );
}

/** Decided here: approved, and queued for the host, in one commit. */
async function approveByAdvice(
  order: Order,
  draft: CardDraft,
  approvalCode: string,
  { journal, forwarder }: CardParts,
): Promise<Authorization> {
  const outcome = { kind: 'offline', approvalCode } as const;
  const conclusion = conclusionOf(outcome);
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

function refuse(order: Order, reason: string, parts: CardParts): Promise<Authorization> {
  return commitConclusion(order, collectConclusion({ kind: 'refused', reason }), parts.journal);
}

/** Where the issuer gave none on the phone, the terminal makes one, six characters, from the transaction's own id. */
function ownApprovalCode({ id }: Order): string {
  return id.slice(-6);
}
