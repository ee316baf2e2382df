import { majorText } from '../base/domain/amount.ts';
import type { CurrencyCode } from '../base/domain/currency.ts';
import { acquirerId, type TerminalTransactionId } from '../base/domain/identifiers.ts';
import { type SettlementFault, settlementFaultOf, settlementFaults } from '../base/domain/settlement-fault.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { SettlingBatch, SettlingTotal } from '../payment/events/settling-batch.ts';
import type { TakesBatch } from '../payment/records/batch-load.ts';
import { type BatchPages, readEntries } from '../payment/records/batch-reader.ts';
import { openCurrencies } from '../payment/records/open-currencies.ts';
import { type SetAsideRefusal, triesBefore } from '../payment/transaction/set-aside.ts';
import { knownAcquirers } from './acquirers.ts';

/** One currency of a closed batch without an answer, as the operator needs it on the telephone. */
export interface WaitingBatch {
  readonly acquirer: string;
  readonly batch: number;
  readonly currency: CurrencyCode;
  /** Amounts in major units. */
  readonly sales: { readonly count: number; readonly amount: string };
  readonly refunds: { readonly count: number; readonly amount: string };
  /** When it was closed. */
  readonly at: string;
  readonly attempts: number;
  /** The reason of the last failed attempt; empty if there was none. */
  readonly reason: string;
  /** `reason` as a code that the page has words for. */
  readonly trouble?: SettlementFault;
  /** Why the operator may not decide it now. */
  readonly refusal?: SetAsideRefusal;
}

/** The bank's answer. */
export type BatchOutcome = 'SETTLED' | 'NOT_SETTLED';

export interface WaitingBatchParts {
  readonly journal: Pick<
    Journal,
    'acquirers' | 'settlingBatches' | 'deniedBatches' | 'recordResult' | 'markUnsettled' | 'reopenBatch' | 'batchPage'
  >;
  readonly acquirers: readonly string[];
}

export interface DecisionParts extends WaitingBatchParts {
  readonly takesBatch: TakesBatch;
}

/** `complete`: no currency of that batch waits any more, and its result must still be reported. */
export interface DecidedBatch extends WaitingBatch {
  readonly complete: boolean;
}

/** Oldest first for each acquirer. */
export async function waitingBatches(parts: WaitingBatchParts): Promise<WaitingBatch[]> {
  const found = await Promise.all((await knownAcquirers(parts)).map((id) => parts.journal.settlingBatches(id)));
  const open = found
    .flat()
    .flatMap((closed) => openCurrencies(closed).map((total) => waitingBatch(closed, total, parts)));
  return [...open, ...(await contradictions(parts))];
}

/**
 * Currencies that their host has settled after the bank had denied it: the operator had another answer, and they may be
 * settled again with the open batch.
 */
async function contradictions(parts: WaitingBatchParts): Promise<WaitingBatch[]> {
  const found = await Promise.all((await knownAcquirers(parts)).map((id) => parts.journal.deniedBatches(id)));
  return found
    .flat()
    .flatMap((denied) =>
      denied.currencies
        .filter(({ result }) => result === 'BALANCED' || result === 'UPLOADED')
        .map((total) => waitingBatch({ ...denied, reason: settledAfterAll, refused: true }, total, parts)),
    );
}

const settledAfterAll = `${settlementFaults.settledAfterAll}, and its payments are in the open batch too: ask the bank`;

/** The number of entries that the operator must ask the bank about. */
export async function countUndecidedBatches(parts: WaitingBatchParts): Promise<number> {
  return (await waitingBatches(parts)).filter(({ refusal }) => refusal === undefined).length;
}

/**
 * Journals the bank's answer for one currency of a batch, in one commit. If it is settled, the next settlement reports
 * it; if not, it is settled with the open batch. No settlement may run meanwhile. Rejects with JournalError.
 */
export async function decideBatch(
  { acquirer, batch, currency }: { readonly acquirer: string; readonly batch: number; readonly currency: string },
  outcome: BatchOutcome,
  parts: DecisionParts,
): Promise<DecidedBatch | { readonly refused: SetAsideRefusal }> {
  const { journal } = parts;
  const closed = (await journal.settlingBatches(acquirerId(acquirer))).find((each) => each.batch === batch);
  const total = closed && openCurrencies(closed).find((each) => each.currency === currency);
  if (!total) return decideContradiction({ acquirer, batch, currency }, outcome, parts);
  const waiting = waitingBatch(closed, total, parts);
  if (waiting.refusal) return { refused: waiting.refusal };
  const others = closed.currencies.filter((each) => each !== total);
  if (outcome === 'SETTLED') {
    await journal.recordResult(closed.acquirerId, batch, total.currency, 'CONFIRMED');
  } else if (await staysClosed(closed, total, parts)) {
    // The host may be asked under the batch's own number.
    await journal.markUnsettled(closed.acquirerId, batch, total.currency);
    return { ...waiting, complete: false };
  } else if (others.length === 0) {
    await journal.reopenBatch(closed.acquirerId, batch);
  } else {
    const ids = await idsOf(closed, total.currency, journal);
    await journal.reopenBatch(closed.acquirerId, batch, { currency: total.currency, ids });
  }
  const isLast = others.every(({ result }) => result !== undefined);
  return { ...waiting, complete: isLast && (outcome === 'SETTLED' || others.length > 0) };
}

/**
 * Transactions that the host rejects must not enter the open batch, and none may that would give it a total which no
 * settlement can carry.
 */
async function staysClosed(closed: SettlingBatch, total: SettlingTotal, parts: DecisionParts): Promise<boolean> {
  if ((closed.isCopy || closed.rejectsOne) && !total.isUnsettled) return true;
  return !(await parts.takesBatch({ acquirerId: closed.acquirerId, currencies: [total] }));
}

/** Nothing is moved: if the bank has a payment twice, the bank removes it. */
async function decideContradiction(
  { acquirer, batch, currency }: { readonly acquirer: string; readonly batch: number; readonly currency: string },
  outcome: BatchOutcome,
  parts: WaitingBatchParts,
): Promise<DecidedBatch | { readonly refused: SetAsideRefusal }> {
  const found = (await contradictions(parts)).find(
    (each) => each.acquirer === acquirer && each.batch === batch && each.currency === currency,
  );
  if (!found) return { refused: 'notWaiting' };
  const { journal } = parts;
  const id = acquirerId(acquirer);
  if (outcome === 'SETTLED') await journal.recordResult(id, batch, found.currency, 'CONFIRMED');
  else await journal.markUnsettled(id, batch, found.currency);
  return { ...found, complete: false };
}

async function idsOf(
  { acquirerId: id, batch }: SettlingBatch,
  currency: CurrencyCode,
  journal: BatchPages,
): Promise<readonly TerminalTransactionId[]> {
  const ids: TerminalTransactionId[] = [];
  for await (const each of readEntries(journal, id, batch)) {
    if (each.record?.amount.currency === currency) ids.push(each.id);
  }
  return ids;
}

function waitingBatch(
  closed: SettlingBatch,
  { currency, sales, refunds }: SettlingTotal,
  { acquirers }: WaitingBatchParts,
): WaitingBatch {
  const { acquirerId: acquirer, batch, at, tries, reason = '', refused } = closed;
  const fault = settlementFaultOf(reason);
  const sumText = ({ count, totalMinor }: SettlingTotal['sales']) => ({
    count,
    amount: majorText({ minor: BigInt(totalMinor), currency }),
  });
  return {
    acquirer,
    batch,
    currency,
    sales: sumText(sales),
    refunds: sumText(refunds),
    at,
    attempts: tries,
    reason,
    ...(fault === undefined ? {} : { trouble: fault }),
    // An acquirer that is no longer configured will never be asked, so its batches can be decided at once.
    ...(refused || tries >= triesBefore || !acquirers.includes(acquirer) ? {} : { refusal: 'tooEarly' }),
  };
}
