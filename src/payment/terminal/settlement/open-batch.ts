import type { AcquirerId, TerminalTransactionId } from '../../../base/domain/identifiers.ts';
import { settlementFaults } from '../../../base/domain/settlement-fault.ts';
import type { JournalledTransaction } from '../../events/event.ts';
import type { SettlingBatch, SettlingTotal } from '../../events/settling-batch.ts';
import type { Batch } from '../../records/batch.ts';
import { readBatch } from '../../records/batch-reader.ts';
import { readableRecord } from '../../records/record.ts';
import type { TerminalParts } from '../parts.ts';
import type { Acquirer } from '../../method/acquirer.ts';
import type { Counter } from './counter.ts';

/** How often the batch may change between reading and closing before this gives up. */
const triesMax = 8;

/**
 * The result of closing the open batch: closed to new entries, or empty and left open, or the reason why it can't be
 * settled now.
 */
export type Closing = { readonly number: number; readonly batch: Batch } & (
  | { readonly kind: 'closed'; readonly closed: SettlingBatch }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fault'; readonly reason: string }
);

/**
 * `settlesEmpty`: closes an empty batch too. `unread`: the number of a batch that was left behind, to be closed instead
 * of the open one.
 */
interface Terms {
  readonly settlesEmpty: boolean;
  readonly unread?: number;
}

/**
 * Sends the acquirer's queue first. Then it closes the batch in one commit: the host is asked for exactly what the
 * batch contained, and later payments enter the next one.
 */
export async function closeOpenBatch(
  acquirer: Acquirer,
  parts: TerminalParts,
  counter: Pick<Counter, 'exclusively'>,
  terms: Terms = acquirer.settler,
): Promise<Closing> {
  const { closesUnsent } = acquirer.settler;
  const { id } = acquirer.profile;
  const { unread } = terms;
  for (let tries = 0; tries < triesMax; tries++) {
    const drained = await parts.forwarder.flush(id);
    if (!drained && !closesUnsent) return faulty(id, parts, unread, settlementFaults.queueWaits);
    const fault = await acquirer.settler.beforeClosing?.();
    if (fault !== undefined) return faulty(id, parts, unread, fault);
    const closing = await counter.exclusively(() => closeAsRead(acquirer, parts, terms));
    if (!closing) return faulty(id, parts, unread, settlementFaults.paymentRuns);
    if (closing !== 'again') return closing;
  }
  return faulty(id, parts, unread, settlementFaults.keepsChanging);
}

async function closeAsRead(
  { profile: { id }, settler }: Acquirer,
  parts: TerminalParts,
  { settlesEmpty, unread }: Terms,
): Promise<Closing | 'again'> {
  const { journal, clock, currency } = parts;
  const { mayStayUnknown } = settler;
  const number = unread ?? (await journal.openBatch(id));
  const mark = await journal.batchMark(id, number);
  const { batch, unreadable } = await readBatch(journal, id, number);
  const stuck = await stuckOne(id, unreadable, parts);
  if (stuck !== undefined) {
    const reason = `${settlementFaults.oneStuck}${stuck} can’t be sent or read: ask the bank, then decide in the operator’s menu`;
    return { kind: 'fault', number, batch, reason };
  }
  const voiding = await unknownVoid(id, parts);
  if (voiding !== undefined) {
    if (!parts.forwarder.isOpen(voiding)) return 'again';
    const reason = `${settlementFaults.oneStuck}${voiding} has no known outcome: ask the bank, then decide in the operator’s menu`;
    return { kind: 'fault', number, batch, reason };
  }
  const reason = settler.fault?.(batch);
  if (reason !== undefined) return { kind: 'fault', number, batch, reason };
  const { currencies } = batch;
  if (currencies.length === 0 && !settlesEmpty) return { kind: 'nothing', number, batch };
  const closed = {
    acquirerId: id,
    batch: number,
    at: clock.now().toISOString(),
    totals: batch.kindTotals(),
    currencies: (currencies.length === 0 ? [currency] : currencies).map((each) => settlingTotal(batch, each)),
  };
  if ((await journal.closeBatch({ ...closed, mark, mayStayUnknown })) !== 'closed') return 'again';
  return { kind: 'closed', number, batch, closed: { ...closed, tries: 0, refused: false } };
}

async function faulty(
  id: AcquirerId,
  { journal }: TerminalParts,
  unread: number | undefined,
  reason: string,
): Promise<Closing> {
  const number = unread ?? (await journal.openBatch(id));
  return { kind: 'fault', number, batch: (await readBatch(journal, id, number)).batch, reason };
}

/**
 * Payments go on without these transactions. A batch whose totals may lack them is not closed before the operator has
 * asked the bank.
 */
async function stuckOne(
  id: AcquirerId,
  unreadable: readonly JournalledTransaction[],
  { journal, forwarder }: TerminalParts,
): Promise<TerminalTransactionId | undefined> {
  const waiting = (await journal.pending()).filter((each) => each.acquirerId === id && forwarder.isUnsendable(each.id));
  const setAside = await journal.setAside(id);
  return [...waiting, ...unreadable].map((each) => each.id).find((each) => !setAside.includes(each));
}

/**
 * A void without a known outcome. If it has been carried out, it takes its sale out of the batch, and no later batch
 * can count it. A refund can be counted in a later one.
 */
async function unknownVoid(
  id: AcquirerId,
  { journal }: Pick<TerminalParts, 'journal'>,
): Promise<TerminalTransactionId | undefined> {
  for (const each of await journal.pending()) {
    if (each.acquirerId !== id) continue;
    const record = readableRecord(each.id, await journal.read(each.id));
    if (record?.request.type.startsWith('VOID_')) return each.id;
  }
  return undefined;
}

function settlingTotal(batch: Batch, currency: SettlingTotal['currency']): SettlingTotal {
  const { sales, refunds } = batch.totals(currency);
  return {
    currency,
    sales: { count: sales.count, totalMinor: sales.minor.toString() },
    refunds: { count: refunds.count, totalMinor: refunds.minor.toString() },
  };
}
