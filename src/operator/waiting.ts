import { majorText } from '../base/domain/amount.ts';
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
    if (!found.has(each.id)) found.set(each.id, waiting(each, events, unsendable));
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

/** Removes a transaction from its queue, with the bank's answer, in one commit. Rejects with JournalError. */
export async function setAside(
  id: string,
  outcome: SetAside['outcome'],
  parts: SetAsideParts,
): Promise<Waiting | { readonly refused: SetAsideRefusal }> {
  const found = (await waitingOnes(parts)).find((each) => each.id === id);
  if (!found) return { refused: 'notWaiting' };
  if (found.refusal) return { refused: found.refusal };
  if (outcome === 'POSTED' && !(await hasRoom(found, parts))) return { refused: 'batchFull' };
  const write = async (isVerified: boolean) =>
    void (await parts.journal.append(found.id, await eventsOf(found, outcome, isVerified, parts)));
  const isDecided = await parts.decide(acquirerId(found.acquirer), found.id, write);
  return isDecided ? found : { refused: 'endedMeanwhile' };
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
    unsendable,
    ...(refusal ? { refusal } : {}),
  };
}

/** If no more can be sent under its number, the code of a late answer is shown. */
function lastAnswer({ adviceAnswer, lateApproval, numberTaken, refusedWith = '' }: TransactionRecord): string {
  return adviceAnswer?.responseCode ?? (numberTaken && lateApproval?.responseCode) ?? refusedWith;
}

function amountInAnswer({ adviceAnswer, refusedAmount }: TransactionRecord): Pick<Waiting, 'answeredAmount'> {
  const other = adviceAnswer ? adviceAnswer.otherAmount : refusedAmount;
  return other ? { answeredAmount: givenAmountText(other.answered) } : {};
}

function messageOf({ reversal, advice }: TransactionRecord): Exclude<Waiting['message'], 'unreadable'> {
  if (reversal === 'queued') return 'reversal';
  return advice === 'rejected' ? 'rejected' : 'advice';
}
