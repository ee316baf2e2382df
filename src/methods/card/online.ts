import type { TerminalTransactionId, TraceNumbers } from '../../base/domain/identifiers.ts';
import { isReferring } from '../../base/domain/transaction-kind.ts';
import type { DeclineReason } from '../../base/domain/decline-reason.ts';
import { type HostOutcome, type OnlineOrder, UnsendableOrder } from '../../payment/contracts/acquirer-host.ts';
import type { CardDecision } from '../../base/ports/card-reader.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import { conclusionOf } from '../../payment/transaction/decide.ts';
import { failure } from '../../payment/events/conclusion.ts';
import { isReopenedByNoRecord } from '../../payment/records/evidence.ts';
import { transactionRecord } from '../../payment/records/record.ts';
import type { Authorization } from '../../payment/transaction/machine.ts';
import type { CardAcquirer } from './acquirer.ts';
import type { Collected } from './collected.ts';
import type { Order } from '../../payment/method/order.ts';
import { journalledOutcome, unwrittenAnswer, commitAnswer } from '../../payment/method/commit-answer.ts';
import { blockedBy } from '../../payment/method/what-waits.ts';
import type { CardParts } from './parts.ts';

/** Authorizes a request online, under the numbers of its intent: the host decides. */
export async function authorizeOnline(
  order: Order,
  acquirer: CardAcquirer,
  trace: TraceNumbers,
  message: (trace: TraceNumbers) => OnlineOrder,
  parts: CardParts,
  collected?: Collected,
): Promise<Authorization> {
  const { journal } = parts;
  const answered = await sendRequest(order, acquirer, () => message(trace), parts);
  const part = partOf(order, answered, journal);
  if (part === 'unasked') return reversePart(order, answered, collected, parts);
  const outcome = answered;
  if (outcome.kind === 'approved') acquirer.numbers.markTaken();
  if (collected?.card?.awaitsDecision) {
    collected.decision = decisionOf(outcome);
    // Only the host has approved. The card decides last, and until then this is no approval.
    if (outcome.kind === 'approved') return holdForCard(order, outcome, collected, journal, part);
  }
  if (outcome.kind === 'declined' && outcome.reason === 'wrongPin' && collected?.pin) {
    return tryAgain(order, outcome, journal, { kind: 'ask', asks: 'pin', hint: 'wrongPin' });
  }
  if (outcome.kind === 'declined' && collected && wantsChip(outcome.reason, collected, parts)) {
    const again = await tryAgain(order, outcome, journal, { kind: 'again', hint: 'insertCard' });
    if (again.kind === 'again') collected.wantChip();
    return again;
  }
  if (outcome.kind === 'declined' && outcome.undecided) return reverseUndecided(order, outcome, journal);
  if (outcome.kind === 'declined' && outcome.noRecord) return declineWithoutRecord(order, outcome, parts);
  const isDuplicate = outcome.kind === 'unknown' && outcome.reason === 'duplicate';
  if (isDuplicate && acquirer.numbers.isLacking) return holdTakenNumber(order, outcome, journal);
  const written = await commitAnswer(order, journalledOutcome(outcome), journal, undefined, undefined, part);
  return showOutcome(collected, written, decisionOf(outcome));
}

/** The event of a partial approval. 'unasked': the request does not allow one, or the journal can't store it. */
function partOf(
  { allowsPart }: Order,
  outcome: HostOutcome,
  journal: Journal,
): readonly Extract<JournalEvent, { kind: 'partlyApproved' }>[] | 'unasked' {
  if (outcome.kind !== 'approved' || outcome.coveredMinor === undefined) return [];
  if (allowsPart !== true || !journal.takes('partlyApproved')) return 'unasked';
  return [{ kind: 'partlyApproved', amountMinor: outcome.coveredMinor.toString() }];
}

/** A partial approval that the request does not allow is reversed like an unknown outcome. */
async function reversePart(
  order: Order,
  outcome: HostOutcome,
  collected: Collected | undefined,
  { journal }: CardParts,
): Promise<Authorization> {
  if (collected) collected.decision = { kind: 'unreachable' };
  const { currency } = order.amount;
  const amountMinor = outcome.kind === 'approved' ? (outcome.coveredMinor ?? 0n).toString() : '0';
  const responseCode = outcome.kind === 'approved' ? outcome.responseCode : '';
  const covered = { amountMinor, currency };
  return commitAnswer(order, { kind: 'unknown', reason: 'covers-only', responseCode, covered }, journal);
}

/** The original first: after a crash in between, this void has no answer, and is reversed. */
async function declineWithoutRecord(order: Order, outcome: HostOutcome, parts: CardParts): Promise<Authorization> {
  const { kind, original } = order;
  try {
    if (original && isReferring(kind)) await reopenOriginal(original.record.id, parts);
  } catch (error) {
    parts.onFailure?.(error);
    return { kind: 'unknown', conclusion: unwrittenAnswer };
  }
  return commitAnswer(order, journalledOutcome(outcome), parts.journal);
}

/**
 * The host has no record of what a void refers to. If only the bank has confirmed that it is posted, its own reversal
 * is queued again, which the host answers by the numbers of the request itself. Rejects with JournalError.
 */
async function reopenOriginal(
  id: TerminalTransactionId,
  { journal, forwarder }: Pick<CardParts, 'journal' | 'forwarder'>,
): Promise<void> {
  const record = transactionRecord(id, await journal.read(id));
  const { intent, numberTaken } = record;
  if (!intent || numberTaken || !isReopenedByNoRecord(record)) return;
  await forwarder.enqueue(intent.acquirerId, () =>
    journal.append(id, [{ kind: 'reversalQueued', reason: 'no record' }]),
  );
}

async function sendRequest(
  { id }: Order,
  acquirer: CardAcquirer,
  message: () => OnlineOrder,
  { forwarder, journal, onFailure }: CardParts,
): Promise<HostOutcome> {
  if (!(await forwarder.isStillClear(acquirer.id))) return blockedBy(acquirer.id, journal);
  acquirer.markLeaving(id);
  return acquirer.host.request(message()).catch((error: unknown): HostOutcome => {
    onFailure?.(error);
    if (error instanceof UnsendableOrder) return { kind: 'notSent', reason: 'unsendable' };
    // The port promises never to reject so. Bytes may have been sent, so the outcome is unknown.
    return { kind: 'unknown', reason: 'interrupted' };
  });
}

/**
 * Sets the decision that the reader displays. Only a durable outcome is shown; an unknown one stays "unreachable" for
 * the reader.
 */
export function showOutcome(
  collected: Collected | undefined,
  end: Authorization,
  decision: CardDecision,
): Authorization {
  if (collected?.card?.awaitsOutcome && end.kind === 'concluded') collected.decision = decision;
  return end;
}

/**
 * The host calls the number a duplicate, and has accepted none since the start: the number may belong to a sale of a
 * lost journal. The reversal is queued for the operator only, who asks the bank.
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
  const message = 'the host already has a transaction with this number: ask the acquirer whether the payment is posted';
  return { kind: 'unknown', conclusion: failure('UNKNOWN', 'numberTaken', message) };
}

/** Ends with the host's answer, and reverses. The host may still post the request. */
async function reverseUndecided(order: Order, outcome: HostOutcome, journal: Journal): Promise<Authorization> {
  const known = journalledOutcome(outcome);
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

/** A contactless card that is declined for one of these reasons is to be inserted. */
const insertReasons: readonly DeclineReason[] = ['countLimitExceeded', 'pinRequired'];

/** Only if the reader has a slot, and no PIN was entered: with a PIN, the missing PIN is not the cause. */
function wantsChip(reason: DeclineReason, { card, pin }: Collected, { reader }: CardParts): boolean {
  if (!insertReasons.includes(reason) || card?.entryMode !== 'CONTACTLESS' || pin) return false;
  return reader.interfaces?.includes('chip') === true;
}

/** Journals the decline without ending the transaction: another intent follows. */
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
  part: readonly JournalEvent[],
): Promise<Authorization> {
  try {
    await journal.append(order.id, [...part, { kind: 'answered', outcome: journalledOutcome(outcome) }]);
    return { kind: 'card' };
  } catch {
    // The intent has no answer on disk, so it is reversed. The card is released without hearing of the approval.
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
