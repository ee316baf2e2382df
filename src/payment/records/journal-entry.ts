import { type Amount, majorText } from '../../base/domain/amount.ts';
import { isWithin } from '../../base/domain/time-range.ts';
import type { Journal } from '../contracts/journal.ts';
import type { ListedTransaction, ListQuery } from '../contracts/listing.ts';
import { instrumentOf } from './payment.ts';
import type { TransactionRecord } from './record.ts';
import { buildTree } from './record-tree.ts';
import { type PresentAmounts, presentOf } from './present.ts';

/** One transaction as the journal tells it now. A card has its last four digits, and nothing else of it is here. */
export interface JournalEntry {
  readonly terminalTransactionId: string;
  readonly posId: string;
  readonly messageId: string;
  readonly at: string;
  readonly type: string;
  /** Major units, exactly. */
  readonly amount: string;
  readonly currency: string;
  readonly state: string;
  readonly reason: string;
  readonly method: string;
  readonly lastFour: string;
  readonly acquirer: string;
  readonly batch: number | undefined;
  readonly trace: number | undefined;
  readonly invoice: number | undefined;
  readonly approvalCode: string;
  readonly reversal: string;
  readonly advice: string;
  readonly original: string;
  /** The batch in which it counts now; `batch` is that in which it was sent. */
  readonly presentBatch: number | undefined;
  /** What was charged in the end, and the sum of its refunds, in major units; empty where `amount` has not changed. */
  readonly finalAmount: string;
  readonly refundedAmount: string;
  /** Empty if none was configured. */
  readonly merchantId: string;
}

/** A copy of the journal, or the one in use. */
export type EntryJournal = Pick<Journal, 'listSlice' | 'read' | 'later'>;

/** Transactions in the order of acceptance, `limit` of them at most. */
export async function* entriesOf(reading: EntryJournal, query: ListQuery, limit: number): AsyncGenerator<JournalEntry> {
  let [from, count]: [number | undefined, number] = [undefined, 0];
  do {
    const { found, next } = await reading.listSlice(query, from);
    for (const each of found) {
      if (count >= limit) return;
      const entry = await entryOf(each, reading);
      // One whose acceptance can't be read is in every list.
      if (entry.at !== '' && !isWithin(new Date(entry.at), query)) continue;
      count += 1;
      yield entry;
    }
    from = next;
  } while (from !== undefined);
}

async function entryOf(listed: ListedTransaction, reading: EntryJournal): Promise<JournalEntry> {
  const { id, posId, messageId, batch: presentBatch } = listed;
  const at = (await reading.read(id))[0]?.at ?? '';
  const common = { terminalTransactionId: id, posId, messageId, at };
  const tree = await buildTree(id, reading).catch(() => undefined);
  if (!tree) return { ...common, ...unreadable, presentBatch };
  const present = presentOf(tree);
  const state = tree.record.conclusion ? present.status : 'PROCESSING';
  return { ...common, ...factsOf(tree.record), state, presentBatch, ...laterAmounts(present) };
}

function factsOf(
  record: TransactionRecord,
): Omit<
  JournalEntry,
  'terminalTransactionId' | 'posId' | 'messageId' | 'at' | 'state' | 'presentBatch' | keyof Changed
> {
  const { request, amount, intent, hostOutcome, conclusion, reversal, advice } = record;
  const instrument = intent && instrumentOf(intent);
  return {
    type: request.type,
    ...moneyOf(amount),
    reason: conclusion?.reason ?? '',
    method: instrument?.scheme ?? '',
    lastFour: (instrument?.maskedNumber ?? '').slice(-4),
    acquirer: intent?.acquirerId ?? '',
    batch: intent?.trace.batch,
    trace: intent?.trace.stan,
    invoice: intent?.trace.invoice,
    approvalCode: hostOutcome && 'approvalCode' in hostOutcome ? hostOutcome.approvalCode : '',
    reversal: reversal ?? '',
    advice: advice ?? '',
    original: request.originalId ?? '',
    merchantId: request.merchantId ?? '',
  };
}

type Changed = Pick<JournalEntry, 'finalAmount' | 'refundedAmount'>;

function laterAmounts({ final, refunded }: PresentAmounts): Changed {
  return { finalAmount: final ? majorText(final) : '', refundedAmount: refunded ? majorText(refunded) : '' };
}

function moneyOf(amount: Amount) {
  return { amount: majorText(amount), currency: amount.currency };
}

const unreadable = {
  type: '',
  amount: '',
  currency: '',
  state: 'UNREADABLE',
  reason: 'recordUnreadable',
  method: '',
  lastFour: '',
  acquirer: '',
  batch: undefined,
  trace: undefined,
  invoice: undefined,
  approvalCode: '',
  reversal: '',
  advice: '',
  original: '',
  finalAmount: '',
  refundedAmount: '',
  merchantId: '',
} as const;
