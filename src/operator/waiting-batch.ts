import { majorText } from '../domain/amount.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import { acquirerId, type TerminalTransactionId } from '../domain/identifiers.ts';
import type { Journal, SettlingBatch } from '../ports/journal.ts';
import { readableRecord } from '../transaction/record.ts';
import { type SetAsideRefusal, triesBefore } from '../transaction/set-aside.ts';

/** A batch that is closed and not settled, as the operator needs it at the telephone. */
export interface WaitingBatch {
  readonly acquirer: string;
  readonly batch: number;
  /** When it was closed. */
  readonly at: string;
  /** Of the currencies that nobody has answered for. Amounts in major units. */
  readonly totals: readonly WaitingTotal[];
  readonly attempts: number;
  /** What came of the last try; empty where there was none. */
  readonly reason: string;
  /** Why it may not be decided now. */
  readonly refusal?: SetAsideRefusal;
}

interface WaitingTotal {
  readonly currency: CurrencyCode;
  readonly sales: { readonly count: number; readonly amount: string };
  readonly refunds: { readonly count: number; readonly amount: string };
}

/** The bank's word for a batch. */
export type BatchOutcome = 'SETTLED' | 'NOT_SETTLED';

export interface WaitingBatchParts {
  readonly journal: Pick<Journal, 'settlingBatches' | 'confirmBatch' | 'reopenBatch' | 'batchPage'>;
  readonly acquirers: readonly string[];
}

const pageSize = 100;

/** Oldest first for each acquirer. */
export async function waitingBatches({ journal, acquirers }: WaitingBatchParts): Promise<WaitingBatch[]> {
  const found = await Promise.all(acquirers.map((id) => journal.settlingBatches(acquirerId(id))));
  return found.flat().flatMap((each) => (openCurrencies(each).length === 0 ? [] : [waitingBatch(each)]));
}

/**
 * Writes what the bank said of a batch, in one commit: it is settled, and the next settlement tells so; or it is not, and what is in it
 * is settled with the open batch. Nothing may be settled meanwhile. Rejects with JournalError.
 */
export async function batchDecided(
  { acquirer, batch }: Pick<WaitingBatch, 'acquirer' | 'batch'>,
  outcome: BatchOutcome,
  { journal, acquirers }: WaitingBatchParts,
): Promise<WaitingBatch | { readonly refused: SetAsideRefusal }> {
  const id = acquirers.includes(acquirer) ? acquirerId(acquirer) : undefined;
  const closed = id && (await journal.settlingBatches(id)).find((each) => each.batch === batch);
  if (!closed || openCurrencies(closed).length === 0) return { refused: 'notWaiting' };
  const waiting = waitingBatch(closed);
  if (waiting.refusal) return { refused: waiting.refusal };
  if (outcome === 'SETTLED') await journal.confirmBatch(closed.acquirerId, batch);
  else await journal.reopenBatch(closed.acquirerId, batch, await unsettled(closed, journal));
  return waiting;
}

/** All of a batch that nobody has answered for; else what is of those currencies that are open. */
async function unsettled(
  closed: SettlingBatch,
  journal: Pick<Journal, 'batchPage'>,
): Promise<readonly TerminalTransactionId[] | undefined> {
  const open = openCurrencies(closed).map(({ currency }) => currency);
  if (open.length === closed.currencies.length) return undefined;
  const ids: TerminalTransactionId[] = [];
  for (let after: TerminalTransactionId | '' = ''; ; ) {
    const page = await journal.batchPage(closed.acquirerId, closed.batch, after, pageSize);
    for (const { id, events } of page) {
      const record = readableRecord(id, events);
      if (record && open.includes(record.amount.currency)) ids.push(id);
    }
    const last = page.at(-1);
    if (!last) return ids;
    after = last.id;
  }
}

function openCurrencies({ currencies }: SettlingBatch): SettlingBatch['currencies'] {
  return currencies.filter(({ result }) => result === undefined);
}

function waitingBatch(closed: SettlingBatch): WaitingBatch {
  const { acquirerId: acquirer, batch, at, tries, reason = '', refused } = closed;
  const summed = (currency: CurrencyCode, { count, totalMinor }: { count: number; totalMinor: string }) => ({
    count,
    amount: majorText({ minor: BigInt(totalMinor), currency }),
  });
  return {
    acquirer,
    batch,
    at,
    totals: openCurrencies(closed).map(({ currency, sales, refunds }) => ({
      currency,
      sales: summed(currency, sales),
      refunds: summed(currency, refunds),
    })),
    attempts: tries,
    reason,
    ...(refused || tries >= triesBefore ? {} : { refusal: 'tooEarly' }),
  };
}

/** How many the operator has to ask the bank about. */
export async function undecidedBatches(parts: WaitingBatchParts): Promise<number> {
  return (await waitingBatches(parts)).filter(({ refusal }) => refusal === undefined).length;
}
