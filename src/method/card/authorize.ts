import type { TransactionKind } from '../../domain/capability.ts';
import type { EncryptedPin } from '../../ports/pin-pad.ts';
import type { DeclineReason } from '../../domain/decline-reason.ts';
import { issuerIdentification } from '../../domain/masking.ts';
import type { CardScheme } from '../../domain/payment-scheme.ts';
import { brandOfNumber, cardBrand } from '../../emv/aid.ts';
import { lastWordText, troubleSince } from '../../emv/last-word.ts';
import { DeviceError } from '../../ports/device.ts';
import {
  type AcquirerHost,
  type CardAtHand,
  type HostOutcome,
  type OnlineOrder,
  UnsendableOrder,
} from '../../ports/acquirer-host.ts';
import type { CardCompletion, CardDecision, PresentedCard } from '../../ports/card-reader.ts';
import type { CardIntent, Operation } from '../../events/intent.ts';
import type { Journal } from '../../ports/journal.ts';
import type { JournalEvent } from '../../events/event.ts';
import { collectConclusion, conclusionOf, localDecline } from '../../transaction/decide.ts';
import { failure } from '../../events/conclusion.ts';
import type { Authorization } from '../../transaction/machine.ts';
import { cardIntentOf } from '../../records/payment.ts';
import type { CardAcquirer } from './acquirer.ts';
import { cardSummary, hex, hexByTag, sameCard } from './card-summary.ts';
import type { Collected } from './collected.ts';
import { cardReference, journalledOriginal, originalReference } from './message.ts';
import { selectAcquirer } from '../acquirer-choice.ts';
import type { Order } from '../order.ts';
import { takeAdviceTurn, takeOfflineTurn, takeReferenceTurn, takeTurn } from '../turn.ts';
import { commitConclusion, journalledOutcome, receipt, unwrittenAnswer, commitAnswer } from '../commit-answer.ts';
import type { CardParts } from './parts.ts';

type CardDraft = Omit<CardIntent, 'kind' | 'trace'> & { readonly invoice?: number };

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

/** The host decides. */
async function authorizeOnline(
  order: Order,
  acquirer: CardAcquirer,
  draft: CardDraft,
  message: (trace: OnlineOrder['trace']) => OnlineOrder,
  parts: CardParts,
  collected?: Collected,
): Promise<Authorization> {
  const { journal } = parts;
  const trace = await journal.intend(order.id, draft);
  acquirer.markLeaving(order.id);
  const outcome = await acquirer.host.request(message(trace)).catch((error: unknown): HostOutcome => {
    parts.onFailure?.(error);
    if (error instanceof UnsendableOrder) return { kind: 'notSent', reason: 'unsendable' };
    // Against the port's promise, and no proof that nothing left.
    return { kind: 'unknown', reason: 'interrupted' };
  });
  if (outcome.kind === 'approved') acquirer.numbers.markTaken();
  if (collected?.card?.awaitsDecision) {
    collected.decision = decisionOf(outcome);
    // Approved by the host alone: the card has the last word, and until then this is no approval.
    if (outcome.kind === 'approved') return holdForCard(order, outcome, collected, journal);
  }
  if (outcome.kind === 'declined' && outcome.reason === 'wrongPin' && collected?.pin) {
    return tryAgain(order, outcome, journal, { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
  }
  if (outcome.kind === 'declined' && collected && wantsChip(outcome.reason, collected, parts)) {
    const again = await tryAgain(order, outcome, journal, { kind: 'again', hint: 'insertCard' });
    if (again.kind === 'again') collected.wantChip();
    return again;
  }
  if (outcome.kind === 'declined' && outcome.undecided)
    return reverseUndecided(order, outcome, acquirer, trace.stan, journal);
  const isDuplicate = outcome.kind === 'unknown' && outcome.reason === 'duplicate';
  if (isDuplicate && acquirer.numbers.isLacking) return holdTakenNumber(order, outcome, journal);
  return showOutcome(collected, await commitAnswer(order, journalledOutcome(outcome), journal), decisionOf(outcome));
}

/** A reader hears what to show only of what is written: whatever is unknown stays unreachable to it. */
function showOutcome(collected: Collected | undefined, end: Authorization, decision: CardDecision): Authorization {
  if (collected?.card?.awaitsOutcome && end.kind === 'concluded') collected.decision = decision;
  return end;
}

/**
 * The host has this number, and has taken none since the start: it may be that of a sale from before a journal was lost. Its
 * reversal is queued for the operator alone, who asks the bank.
 */
async function holdTakenNumber(order: Order, outcome: HostOutcome, journal: Journal): Promise<Authorization> {
  const reason = 'number-taken';
  try {
    await journal.append(order.id, [
      { kind: 'answered', outcome: journalledOutcome(outcome) },
      { kind: 'numberTaken' },
      { kind: 'reversalQueued', reason },
    ]);
  } catch {
    return { kind: 'unknown', conclusion: unwrittenAnswer };
  }
  const message = 'the host has the number of this payment already: whether it is paid, the acquirer has to say';
  return { kind: 'unknown', conclusion: failure('UNKNOWN', message) };
}

/** It ends as the host says, and is reversed. The request is there: where the host has no record of it, there will be none. */
async function reverseUndecided(
  order: Order,
  outcome: HostOutcome,
  acquirer: CardAcquirer,
  stan: number,
  journal: Journal,
): Promise<Authorization> {
  const known = journalledOutcome(outcome);
  acquirer.markArrived(order.id, stan);
  try {
    await journal.append(order.id, [
      { kind: 'answered', outcome: known },
      { kind: 'reversalQueued', reason: 'undecided' },
    ]);
  } catch {
    return { kind: 'unknown', conclusion: unwrittenAnswer };
  }
  return { kind: 'unknown', conclusion: conclusionOf(known) };
}

/** A card that was held to the reader and is declined for one of these is to be inserted. */
const insertReasons: readonly DeclineReason[] = ['countLimitExceeded', 'pinRequired'];

/** Only where there is a slot, and no PIN was there already: then a PIN is not what is lacking. */
function wantsChip(reason: DeclineReason, { card, pin }: Collected, { reader }: CardParts): boolean {
  if (!insertReasons.includes(reason) || card?.entryMode !== 'CONTACTLESS' || pin) return false;
  return reader.interfaces?.includes('chip') === true;
}

/** Declined on record, and not the end: the next intent follows. */
async function tryAgain(
  order: Order,
  outcome: HostOutcome,
  journal: Journal,
  again: Authorization,
): Promise<Authorization> {
  try {
    await journal.append(order.id, [{ kind: 'answered', outcome: journalledOutcome(outcome) }]);
    return again;
  } catch {
    return commitAnswer(order, journalledOutcome(outcome), journal);
  }
}

async function holdForCard(
  order: Order,
  outcome: HostOutcome,
  collected: Collected,
  journal: Journal,
): Promise<Authorization> {
  try {
    await journal.append(order.id, [{ kind: 'answered', outcome: journalledOutcome(outcome) }]);
    return { kind: 'card' };
  } catch {
    // The intent stands without an answer, so it is reversed, and the card hears of no approval when it is let go.
    collected.decision = { kind: 'unreachable' };
    return { kind: 'unknown', conclusion: unwrittenAnswer };
  }
}

function decisionOf(outcome: HostOutcome): CardDecision {
  switch (outcome.kind) {
    case 'approved':
      return { kind: 'approved', responseCode: outcome.responseCode, issuerData: outcome.issuerData };
    case 'declined':
      return { kind: 'declined', responseCode: outcome.responseCode, issuerData: outcome.issuerData ?? new Map() };
    case 'unknown':
    case 'notSent':
      return { kind: 'unreachable' };
    default:
      return outcome satisfies never;
  }
}

/**
 * The second stage of a contact chip. Approved is approved only where the card agrees; whatever else it says, or does not say,
 * what the host approved is reversed.
 */
export async function completeCard(order: Order, collected: Collected, parts: CardParts): Promise<Authorization> {
  const { reader, journal, onFailure } = parts;
  const { decision } = collected;
  const completion: CardCompletion = await (reader.complete && decision
    ? reader.complete(decision)
    : Promise.resolve({ kind: 'lost' } as const)
  ).catch((error: unknown) => {
    onFailure?.(error);
    return { kind: 'lost' } as const;
  });
  const first = collected.card?.emv ?? new Map();
  if (collected.card) collected.card = { ...collected.card, awaitsDecision: undefined };
  const agreed = completion.kind === 'agreed';
  const last: JournalEvent = {
    kind: 'cardCompleted',
    agreed,
    emv: completion.kind === 'lost' ? {} : hexByTag(completion.emv),
  };
  if (agreed) {
    const conclusion = conclusionOf({ kind: 'offline', approvalCode: '' });
    await journal.append(order.id, [last, { kind: 'ended', ...conclusion }, ...receipt(order)]);
    return { kind: 'concluded', conclusion };
  }
  await journal.append(order.id, [last, { kind: 'reversalQueued', reason: `card ${completion.kind}` }]);
  if (completion.kind === 'refused') {
    onFailure?.(
      new DeviceError('refused', `the card refused what its issuer approved: ${lastWordText(first, completion.emv)}`),
    );
  }
  const conclusion =
    completion.kind === 'refused'
      ? localDecline(refusalText(troubleSince(first, completion.emv)))
      : failure('ERROR', 'the card was taken out too early, the payment is reversed');
  return { kind: 'unknown', conclusion };
}

/** For the merchant: what the card itself found wrong, where it says so. */
function refusalText(trouble: readonly string[]): string {
  const why = trouble.length === 0 ? '' : ` (${trouble.join(', ')})`;
  return `the card refused what its issuer approved${why}, the payment is reversed`;
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

function addressOf({ id, mid, tid }: AcquirerHost): Pick<CardDraft, 'acquirerId' | 'mid' | 'tid'> {
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
