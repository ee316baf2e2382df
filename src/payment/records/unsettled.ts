import type { Amount } from '../../base/domain/amount.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { KindTotal } from '../events/settlement.ts';
import type { Journal } from '../contracts/journal.ts';
import type { Discrepancy } from '../events/discrepancy.ts';
import { sumByKind } from './batch.ts';
import { readBatch } from './batch-reader.ts';
import { readOpenExtras, readOpenMatters } from './customer-debts.ts';
import { openCurrencies } from './open-currencies.ts';
import { readableRecord, type TransactionRecord } from './record.ts';
import { settledAuths } from './settled-auths.ts';

export type UnsettledKind =
  | 'unfinished'
  | 'reversal'
  | 'advice'
  | 'rejected'
  | 'closedOrder'
  | 'openBatch'
  | 'openAuth'
  | 'settledAuth'
  | 'unreadable'
  | 'closedBatch'
  | 'deniedBatch'
  | 'extraPayment'
  | 'customerMatter'
  | 'booksDiffer'
  | 'journalRestored';

/** Money that only this journal can bring to its end. */
export interface Unsettled {
  readonly kind: UnsettledKind;
  readonly acquirer: string;
  /** How many transactions; of denied batches, how many batches. */
  readonly count: number;
  readonly totals: readonly KindTotal[];
  /** Which batch, or which time. */
  readonly of?: string;
}

export type UnsettledJournal = Pick<
  Journal,
  | 'unfinished'
  | 'pending'
  | 'closedOrders'
  | 'rejectedAdvices'
  | 'discrepancies'
  | 'acquirers'
  | 'openBatch'
  | 'batchPage'
  | 'settlingBatches'
  | 'unreadBatches'
  | 'deniedBatches'
  | 'setAside'
  | 'read'
  | 'later'
  | 'listSlice'
  | 'unmatched'
  | 'matters'
>;

/**
 * What would be lost with this journal: what was sent and has no end, what waits for a host or a bank, and what no host
 * has settled. Empty: the journal may go. Rejects with JournalError.
 */
export async function unsettledMoney(journal: UnsettledJournal): Promise<Unsettled[]> {
  const queued = await journal.pending();
  const orders = await journal.closedOrders();
  const named = [
    ...(await unfinishedOnes(journal)),
    ...queued.map(({ acquirerId, message }) => ({ kind: message, acquirer: acquirerId })),
    ...orders.map(({ acquirerId }) => ({ kind: 'closedOrder' as const, acquirer: acquirerId })),
  ];
  const groups = Map.groupBy(named, ({ kind, acquirer }) => `${kind} ${acquirer}`);
  const found = [...groups.values()].flatMap(([first, ...others]) =>
    first ? [countOf(first.kind, first.acquirer, 1 + others.length)] : [],
  );
  for (const id of await journal.acquirers()) found.push(...(await ofAcquirer(id, journal)));
  found.push(...(await settledAuthsOf(journal)), ...(await debtsToCustomers(journal)));
  return [...found, ...(await journal.discrepancies()).map(ofDiscrepancy)];
}

/** What the shop must give back or settle with its customers: only this journal has it. */
async function debtsToCustomers(journal: UnsettledJournal): Promise<Unsettled[]> {
  const extras = (await readOpenExtras(journal)).filter(({ payment }) => payment.state === 'toBeReturned');
  const matters = await readOpenMatters(journal);
  return [
    ...groupDebts(
      'extraPayment',
      extras.map(({ payment, record }) => ({ ...record, amount: payment.amount })),
    ),
    ...groupDebts(
      'customerMatter',
      matters.map(({ matter, tree }) => ({ ...tree.record, amount: matter.amount })),
    ),
  ];
}

function groupDebts(kind: UnsettledKind, records: readonly TransactionRecord[]): Unsettled[] {
  const groups = Map.groupBy(records, ({ intent }) => intent?.acquirerId ?? '');
  return [...groups].map(([acquirer, group]): Unsettled => {
    return { kind, acquirer, count: group.length, totals: sumByKind(group) };
  });
}

/** Of a batch whose books differed, the sums are this terminal's: a host does not tell its own. */
function ofDiscrepancy(found: Discrepancy): Unsettled {
  if (found.kind === 'journalRestored') {
    const since = found.lastAt === undefined ? '' : `from ${found.lastAt} `;
    return { kind: found.kind, acquirer: 'journal', count: 1, totals: [], of: `${since}to ${found.at}` };
  }
  const { kind, acquirerId: acquirer, batch, currency, sales, refunds } = found;
  const totals = [
    { kind: 'SALE', currency, ...sales },
    { kind: 'REFUND', currency, ...refunds },
  ] as const;
  return {
    kind,
    acquirer,
    count: 1,
    totals: totals.filter(({ count }) => count > 0),
    of: `batch ${batch} ${currency}`,
  };
}

async function settledAuthsOf(journal: UnsettledJournal): Promise<Unsettled[]> {
  const counted = new Set<string>();
  for (const id of await journal.acquirers()) {
    for (const batch of await openNumbers(id, journal)) counted.add(`${id} ${batch}`);
  }
  const held = await settledAuths(journal, (id, batch) => counted.has(`${id} ${batch}`));
  return [...Map.groupBy(held, ({ intent }) => intent?.acquirerId ?? '')].map(([acquirer, auths]): Unsettled => {
    return { kind: 'settledAuth', acquirer, count: auths.length, totals: sumByKind(auths) };
  });
}

/** Batches that take entries, or took them before an older copy was restored. */
async function openNumbers(id: AcquirerId, journal: UnsettledJournal): Promise<number[]> {
  return [...(await journal.unreadBatches(id)), await journal.openBatch(id)];
}

/** Transactions without an end whose message may have left. */
async function unfinishedOnes(journal: UnsettledJournal): Promise<Pick<Unsettled, 'kind' | 'acquirer'>[]> {
  const found: Pick<Unsettled, 'kind' | 'acquirer'>[] = [];
  for (const id of await journal.unfinished()) {
    const record = readableRecord(id, await journal.read(id));
    if (!record || record.intent) found.push({ kind: 'unfinished', acquirer: record?.intent?.acquirerId ?? '' });
  }
  return found;
}

async function ofAcquirer(id: AcquirerId, journal: UnsettledJournal): Promise<Unsettled[]> {
  const denied = (await journal.deniedBatches(id)).filter(({ currencies }) => currencies.some(({ result }) => result));
  const counts = [
    countOf('rejected', id, (await journal.rejectedAdvices(id)).length),
    countOf('deniedBatch', id, denied.length),
  ].filter(({ count }) => count > 0);
  const closed = (await journal.settlingBatches(id)).map((each): Unsettled => {
    const currencies = openCurrencies(each).map(({ currency }) => currency);
    const totals = each.totals.filter(({ currency }) => currencies.includes(currency));
    return { kind: 'closedBatch', acquirer: id, count: sumCounts(totals), totals };
  });
  const setAside = new Set(await journal.setAside(id));
  const read: Unsettled[] = [];
  for (const number of await openNumbers(id, journal)) read.push(...(await ofBatch(id, number, setAside, journal)));
  return [...counts, ...closed.filter(({ count }) => count > 0), ...read];
}

async function ofBatch(
  id: AcquirerId,
  number: number,
  setAside: ReadonlySet<TerminalTransactionId>,
  journal: UnsettledJournal,
): Promise<Unsettled[]> {
  const { batch, unreadable } = await readBatch(journal, id, number);
  const [items, auths] = [batch.kindTotals(), batch.openAuths()];
  const unknown = unreadable.filter((each) => !setAside.has(each.id)).length;
  const all: Unsettled[] = [
    { kind: 'openBatch', acquirer: id, count: sumCounts(items), totals: items },
    { kind: 'openAuth', acquirer: id, count: sumCounts(auths), totals: auths },
    countOf('unreadable', id, unknown),
  ];
  return all.filter(({ count }) => count > 0);
}

function countOf(kind: UnsettledKind, acquirer: string, count: number): Unsettled {
  return { kind, acquirer, count, totals: [] };
}

function sumCounts(totals: readonly KindTotal[]): number {
  return totals.reduce((sum, { count }) => sum + count, 0);
}

const explain = 'compare with the bank, then settle it there (Waiting for the bank, in the menu of the screen)';

const texts: Readonly<Record<UnsettledKind, string>> = {
  unfinished: 'without an end: start the terminal, which concludes them',
  reversal: 'to be reversed, and the host has not acknowledged it: leave the terminal running and connected',
  advice: 'to be sent to the host: leave the terminal running and connected',
  rejected: 'rejected by the host: decide them with the bank (Waiting for the bank, in the menu of the screen)',
  closedOrder: 'closed at the wallet, which is asked for them once more: settle',
  openBatch: 'not settled: settle',
  openAuth: 'authorized, and neither completed nor voided: complete or void them',
  settledAuth: 'authorized before a settlement, and neither completed nor voided: complete or void them',
  unreadable: 'unreadable: decide them with the bank (Waiting for the bank, in the menu of the screen)',
  closedBatch: 'in a closed batch that its host has not settled: settle again, or decide with the bank',
  deniedBatch: 'in the open batch, but settled by the host too: decide with the bank',
  extraPayment:
    'paid in addition to another payment: return it to the customer (Waiting for the bank, in the menu of the screen)',
  customerMatter: 'to be settled with the customer: settle it (Waiting for the bank, in the menu of the screen)',
  booksDiffer: `settled batch with a difference from the host’s books: ${explain}`,
  journalRestored: `time without payments in the journal, because an older copy was restored: ${explain}`,
};

/** One line, with its sums as `money` writes them. */
export function unsettledText(
  { kind, acquirer, count, totals, of: which }: Unsettled,
  money: (amount: Amount) => string,
): string {
  const name = acquirer === '' ? 'unknown acquirer' : acquirer;
  const sums = totals.map(({ kind: of, currency, count: number, totalMinor }) => {
    return `${number} ${of} ${money({ minor: BigInt(totalMinor), currency })} ${currency}`;
  });
  const details = [...(which === undefined ? [] : [which]), ...sums];
  return `${name}: ${count} ${texts[kind]}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
}
