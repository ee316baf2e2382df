import { majorText, parseMajor } from '../base/domain/amount.ts';
import { isCurrencyCode } from '../base/domain/currency.ts';
import { givenAmountText } from '../base/domain/contradicted-amount.ts';
import { type AcquirerId, acquirerId, type TerminalTransactionId, sixDigits } from '../base/domain/identifiers.ts';
import type { DecisionWrite } from '../payment/method/acquirer.ts';
import type { Journal, Pending } from '../payment/contracts/journal.ts';
import type { JournalEvent, StoredEvent } from '../payment/events/event.ts';
import type { SetAside } from '../payment/events/answer.ts';
import { sideOf, type TakesBatch } from '../payment/records/batch-load.ts';
import { failure } from '../payment/events/conclusion.ts';
import { readOpenBatch } from '../payment/records/batch-reader.ts';
import { readableRecord, type TransactionRecord } from '../payment/records/record.ts';
import type { AcquirerProfile } from '../payment/transaction/acquirer-profile.ts';
import { setAsideEvents, type SetAsideRefusal, setAsideRefusal } from '../payment/transaction/set-aside.ts';
import { knownAcquirers } from './acquirers.ts';
import { type Listed, listedMeans } from './listed.ts';

/**
 * A message that its bank has not accepted, as the operator needs it on the telephone. Fields that can't be read are
 * empty.
 */
export interface Waiting extends Listed {
  /** rejected: an advice that the host rejected. unreadable: the record can't be read. */
  readonly message: Pending['message'] | 'rejected' | 'unreadable';
  readonly acquirer: string;
  /** Field 11 of its message: the number by which the bank finds it. */
  readonly trace: string;
  readonly attempts: number;
  /** The code of the host's last answer; empty if it gave none. */
  readonly responseCode: string;
  /** The amount in the host's answer, if it differs: '30.00 HKD'. */
  readonly answeredAmount?: string;
  /** The bank may have charged a part of the amount, which `setAside` accepts. */
  readonly mayBePart?: true;
  /** No message can be built, so it is skipped. */
  readonly unsendable: boolean;
  /** Why it may not be set aside now. */
  readonly refusal?: SetAsideRefusal;
}

export interface WaitingParts {
  readonly journal: Pick<
    Journal,
    | 'acquirers'
    | 'pending'
    | 'rejectedAdvices'
    | 'setAside'
    | 'openBatch'
    | 'batchPage'
    | 'read'
    | 'append'
    | 'unfinished'
  >;
  readonly acquirers: readonly string[];
  /** Absent: no host approves parts of sales. */
  readonly profiles?: readonly AcquirerProfile[];
  readonly isUnsendable: (id: TerminalTransactionId) => boolean;
}

export interface SetAsideParts extends WaitingParts {
  readonly journal: WaitingParts['journal'] & Pick<Journal, 'isSettled'>;
  readonly takesBatch: TakesBatch;
  /** `Acquirer.decide` of the acquirer of the transaction. */
  readonly decide: (acquirer: AcquirerId, id: TerminalTransactionId, write: DecisionWrite) => Promise<boolean>;
}

/** Whether the queued message will never be sent; also if its acquirer is not configured any more. */
export function isStuck(
  { id, acquirerId: acquirer }: Pending,
  { acquirers, isUnsendable }: Omit<WaitingParts, 'journal'>,
): boolean {
  return isUnsendable(id) || !acquirers.includes(acquirer);
}

/** All messages that wait for a bank: queued ones in order, then rejected ones, then unreadable ones. */
export async function waitingOnes(parts: WaitingParts): Promise<Waiting[]> {
  const { journal } = parts;
  const found = new Map<TerminalTransactionId, Waiting>();
  const add = (each: Pick<Pending, 'id' | 'acquirerId'>, events: readonly StoredEvent[], unsendable: boolean) => {
    if (!found.has(each.id)) found.set(each.id, waiting(each, events, unsendable, parts));
  };
  for (const each of await journal.pending()) add(each, await journal.read(each.id), isStuck(each, parts));
  for (const acquirer of await knownAcquirers(parts)) {
    for (const id of await journal.rejectedAdvices(acquirer)) {
      add({ id, acquirerId: acquirer }, await journal.read(id), false);
    }
    const setAside = await journal.setAside(acquirer);
    for (const { id, events } of (await readOpenBatch(journal, acquirer)).unreadable) {
      if (!setAside.includes(id)) add({ id, acquirerId: acquirer }, events, true);
    }
  }
  return [...found.values()];
}

/**
 * Removes a transaction from its queue, with the bank's answer, in one commit. `amount`: the amount that the bank has
 * charged, in major units, if it is a part of the payment. Rejects with JournalError.
 */
export async function setAside(
  id: string,
  outcome: SetAside['outcome'],
  parts: SetAsideParts,
  amount?: string,
): Promise<Waiting | { readonly refused: SetAsideRefusal | 'badAmount' }> {
  const found = (await waitingOnes(parts)).find((each) => each.id === id);
  if (!found) return { refused: 'notWaiting' };
  if (found.refusal) return { refused: found.refusal };
  const part = amount === undefined ? [] : partOf(found, outcome, amount);
  if (part === 'badAmount') return { refused: part };
  if (outcome === 'POSTED' && !(await hasRoom(found, parts))) return { refused: 'batchFull' };
  const write = async (isVerified: boolean) =>
    void (await parts.journal.append(found.id, [...part, ...(await eventsOf(found, outcome, isVerified, parts))]));
  const isDecided = await parts.decide(acquirerId(found.acquirer), found.id, write);
  return isDecided ? found : { refused: 'endedMeanwhile' };
}

/** The event of a payment of which the bank has charged only a part; none for the whole amount. */
function partOf(
  { mayBePart, amount, currency }: Waiting,
  outcome: SetAside['outcome'],
  given: string,
): readonly JournalEvent[] | 'badAmount' {
  if (!isCurrencyCode(currency) || outcome !== 'POSTED' || mayBePart !== true) return 'badAmount';
  const [whole, part] = [parseMajor(amount, currency), parseMajor(given, currency)];
  if (typeof whole === 'string' || typeof part === 'string' || part.minor <= 0n || part.minor > whole.minor)
    return 'badAmount';
  return part.minor === whole.minor ? [] : [{ kind: 'partlyApproved', amountMinor: part.minor.toString() }];
}

/**
 * A posted transaction of an earlier batch enters the open one, whose total a settlement must be able to carry. One of
 * the open batch has its room there already.
 */
async function hasRoom({ id, acquirer }: Waiting, { journal, takesBatch }: SetAsideParts): Promise<boolean> {
  const record = readableRecord(id, await journal.read(id));
  const side = record && sideOf(record.request.type);
  if (!side || !(await journal.isSettled(id))) return true;
  const { currency, minor } = record.amount;
  const none = { count: 0, totalMinor: '0' };
  const total = { currency, sales: none, refunds: none, [side]: { count: 1, totalMinor: minor.toString() } };
  return takesBatch({ acquirerId: acquirerId(acquirer), currencies: [total] });
}

async function eventsOf(
  { id }: Waiting,
  outcome: SetAside['outcome'],
  isVerified: boolean,
  { journal }: WaitingParts,
): Promise<readonly JournalEvent[]> {
  const record = readableRecord(id, await journal.read(id));
  if (record) return setAsideEvents(record, outcome, isVerified);
  // No other step will conclude it.
  const open = (await journal.unfinished()).includes(id);
  const end: JournalEvent = {
    kind: 'ended',
    ...failure('ERROR', 'recordUnreadable', 'the journal of this transaction can’t be read'),
  };
  return [...(open ? [end] : []), { kind: 'setAside', outcome }];
}

function waiting(
  { id, acquirerId: acquirer }: Pick<Pending, 'id' | 'acquirerId'>,
  events: readonly StoredEvent[],
  unsendable: boolean,
  { profiles }: Pick<WaitingParts, 'profiles'>,
): Waiting {
  const record = readableRecord(id, events);
  const common = { id, acquirer };
  if (!record) {
    const nothing = { kind: '' as const, method: '', lastDigits: '', amount: '', currency: '', trace: '' };
    const at = events[0]?.at ?? '';
    return { ...common, ...nothing, at, message: 'unreadable', attempts: 0, responseCode: '', unsendable: true };
  }
  const { request, amount, createdAt, intent, reversalAttempts, adviceAttempts } = record;
  const refusal = setAsideRefusal(record, unsendable);
  return {
    ...common,
    message: messageOf(record),
    kind: request.type,
    ...(intent ? listedMeans(intent) : { method: '', lastDigits: '' }),
    amount: majorText(amount),
    currency: amount.currency,
    at: createdAt.toISOString(),
    trace: intent ? sixDigits(intent.trace.stan) : '',
    attempts: Math.max(reversalAttempts, adviceAttempts),
    responseCode: lastAnswer(record),
    ...amountInAnswer(record),
    ...(mayBePart(record, profiles?.find((each) => each.id === acquirer)?.approvesParts === true)
      ? { mayBePart: true }
      : {}),
    unsendable,
    ...(refusal ? { refusal } : {}),
  };
}

/** If no more can be sent under its number, the code of a late answer is shown. */
function lastAnswer({ adviceAnswer, lateApproval, numberTaken, refusedWith = '' }: TransactionRecord): string {
  return adviceAnswer?.responseCode ?? (numberTaken && lateApproval?.responseCode) ?? refusedWith;
}

/** Whether the bank may have charged a part: a sale with a partial approval, or without a known answer. */
function mayBePart({ request, reversal, hostOutcome, requested }: TransactionRecord, approvesParts: boolean): boolean {
  if (reversal !== 'queued' || request.type !== 'SALE' || requested) return false;
  return approvesParts || coveredOf(hostOutcome) !== undefined;
}

function coveredOf(outcome: TransactionRecord['hostOutcome']) {
  return outcome?.kind === 'unknown' ? outcome.covered : undefined;
}

function amountInAnswer(record: TransactionRecord): Pick<Waiting, 'answeredAmount'> {
  const { adviceAnswer, refusedAmount, hostOutcome } = record;
  const answered = adviceAnswer
    ? adviceAnswer.otherAmount?.answered
    : (refusedAmount?.answered ?? coveredOf(hostOutcome));
  return answered ? { answeredAmount: givenAmountText(answered) } : {};
}

function messageOf({ reversal, advice }: TransactionRecord): Exclude<Waiting['message'], 'unreadable'> {
  if (reversal === 'queued') return 'reversal';
  return advice === 'rejected' ? 'rejected' : 'advice';
}
