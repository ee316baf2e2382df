import type { DeclineReason } from '../../domain/decline-reason.ts';
import { type HostOutcome, type OnlineOrder, UnsendableOrder } from '../../ports/acquirer-host.ts';
import type { CardDecision } from '../../ports/card-reader.ts';
import type { Journal } from '../../ports/journal.ts';
import { conclusionOf } from '../../transaction/decide.ts';
import { failure } from '../../events/conclusion.ts';
import type { Authorization } from '../../transaction/machine.ts';
import type { CardAcquirer } from './acquirer.ts';
import type { Collected } from './collected.ts';
import type { Order } from '../order.ts';
import { journalledOutcome, unwrittenAnswer, commitAnswer } from '../commit-answer.ts';
import type { CardParts } from './parts.ts';
import type { CardDraft } from './draft.ts';

/** The host decides. */
export async function authorizeOnline(
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
export function showOutcome(
  collected: Collected | undefined,
  end: Authorization,
  decision: CardDecision,
): Authorization {
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
