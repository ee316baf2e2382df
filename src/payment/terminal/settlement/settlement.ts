import type { AcquirerId, TerminalTransactionId } from '../../../base/domain/identifiers.ts';
import { settlementFaults } from '../../../base/domain/settlement-fault.ts';
import type { JournalledSettlement, SettledBatch, RejectedAdvice } from '../../events/settlement.ts';
import type { SettlingBatch } from '../../events/settling-batch.ts';
import type { Batch } from '../../records/batch.ts';
import { readBatch } from '../../records/batch-reader.ts';
import { readFailedBatches, type SettlementHistory } from '../../records/failed-batches.ts';
import { noMerchants } from '../../transaction/merchants.ts';
import type { TerminalParts } from '../parts.ts';
import type { SettlementRequest } from '../request.ts';
import type { Acquirer } from '../../method/acquirer.ts';
import type { SettlementResult } from '../../method/batch-settler.ts';
import { closeOpenBatch } from './open-batch.ts';
import type { Counter } from './counter.ts';
import { readUnresolved } from './unresolved.ts';
import type { Journal } from '../../contracts/journal.ts';
import { readableRecord, type TransactionRecord } from '../../records/record.ts';

/**
 * Settles the requested batches, one acquirer after the other, and makes the results durable: first the closed batches
 * without an answer, then the open one. Payments go on meanwhile, in the next batch. Rejects with JournalError.
 */
export async function settleBatches(
  id: TerminalTransactionId,
  { posId, messageId, digest, acquirerId, merchantId, quiet, waitingOnly, failedOnly }: SettlementRequest,
  parts: TerminalParts,
  counter: Counter,
): Promise<JournalledSettlement> {
  const { journal, receipts, clock, acquirers, merchants = noMerchants } = parts;
  const settlement = {
    id,
    posId,
    messageId,
    digest,
    ...(acquirerId === undefined ? {} : { acquirerId }),
    ...(merchantId === undefined ? {} : { merchantId }),
    at: clock.now().toISOString(),
  };
  const { existing } = await journal.openSettlement(settlement);
  if (existing?.results) return existing;
  const results: SettledBatch[] = [];
  for (const acquirer of acquirers.values()) {
    const { id: own } = acquirer.profile;
    const merchant = merchants.ofAcquirer.get(own);
    if (acquirerId !== undefined && own !== acquirerId) continue;
    if (merchantId !== undefined && merchant !== merchantId) continue;
    // Another settlement may have run meanwhile.
    const isDone = failedOnly === true && !(await hasFailed(own, journal));
    if (isDone && acquirer.settler.pausesPayments) continue;
    const settled = await settleAcquirer(acquirer, parts, counter, waitingOnly === true || isDone);
    const aside = { ...(await readRejected(own, journal)), ...(await readUnresolved(own, journal)) };
    const whose = merchant === undefined ? {} : { merchantId: merchant };
    const last = settled.length - 1;
    results.push(...settled.map((each, index) => ({ ...each, ...whose, ...(index === last ? aside : {}) })));
  }
  // A failed automatic repeat prints no report: the first failure has printed one.
  const isNews = quiet !== true || results.some(({ result }) => result !== 'FAILED');
  await journal.endSettlement(id, results, receipts !== undefined && isNews);
  receipts?.wake();
  return { ...settlement, results };
}

async function hasFailed(id: AcquirerId, journal: SettlementHistory): Promise<boolean> {
  return (await readFailedBatches(journal)).some(({ acquirerId }) => acquirerId === id);
}

/**
 * Settles one acquirer's batches in order. The host is not asked for a batch before it has answered for the one before.
 */
async function settleAcquirer(
  acquirer: Acquirer,
  parts: TerminalParts,
  counter: Counter,
  waitingOnly: boolean,
): Promise<SettledBatch[]> {
  const { settler } = acquirer;
  const { id } = acquirer.profile;
  if (settler.pausesPayments) return [await settleWhilePaused(acquirer, parts, counter)];
  const results: SettledBatch[] = [];
  for (const number of await parts.journal.unreadBatches(id)) {
    const left = await closeOpenBatch(acquirer, parts, counter, { settlesEmpty: true, unread: number });
    if (left.kind !== 'fault') continue;
    const summary = { ...nameOf(acquirer), batch: number, totals: left.batch.kindTotals() };
    return [{ ...summary, result: 'FAILED', reason: left.reason }];
  }
  for (const waiting of await parts.journal.settlingBatches(id)) {
    const { unsent: _now, ...result } = await settleBatch(acquirer, waiting, parts, counter);
    results.push(result);
    if (result.result === 'FAILED') return results;
  }
  if (waitingOnly) return results;
  await parts.beforeSettlement?.(id);
  await parts.forwarder.repeatOpen(id);
  // If an older batch was just settled, the host's books agree, and an empty batch need not be settled.
  const settlesEmpty = settler.settlesEmpty && results.length === 0;
  const open = await closeOpenBatch(acquirer, parts, counter, { settlesEmpty });
  const summary = {
    ...nameOf(acquirer),
    batch: open.number,
    totals: open.batch.kindTotals(),
    ...openAuthsOf(open.batch),
  };
  if (open.kind === 'fault') return [...results, { ...summary, result: 'FAILED', reason: open.reason }];
  if (open.kind === 'closed') {
    const { unsent, ...result } = await settleBatch(acquirer, open.closed, parts, counter);
    if (unsent) await reopen(open.closed, parts, counter);
    return [...results, { ...result, ...openAuthsOf(open.batch) }];
  }
  return results.length > 0 ? results : [{ ...summary, result: 'BALANCED', empty: true }];
}

/**
 * The host has received nothing about that batch, so its payments may still be voided: they return to the open batch.
 * If they do not fit in any more, or a payment takes too long, the batch stays closed, and its host is asked again.
 */
async function reopen(closed: SettlingBatch, { journal }: TerminalParts, counter: Counter): Promise<void> {
  await counter.exclusively(async () => {
    if (await counter.takesBatch(closed)) await journal.reopenBatch(closed.acquirerId, closed.batch);
  });
}

/** Settles the currencies without an answer. The caller makes the result durable. */
async function settleBatch(
  acquirer: Acquirer,
  closed: SettlingBatch,
  parts: TerminalParts,
  { isStopping, exclusively }: Counter,
): Promise<SettledBatch & { readonly unsent?: boolean }> {
  const { acquirerId, batch, totals, currencies } = closed;
  const summary = { ...nameOf(acquirer), batch, totals, ...(totals.length === 0 ? { empty: true as const } : {}) };
  if (currencies.some(({ result }) => result === 'CONFIRMED') && currencies.every(({ result }) => result)) {
    return { ...summary, result: 'BALANCED', confirmed: true, reason: 'confirmed by the operator with the acquirer' };
  }
  const read = async () => (await readBatch(parts.journal, acquirerId, batch)).batch;
  const rest = async () => {
    const drained = await exclusively(() => parts.forwarder.flush(acquirerId));
    if (drained === undefined) return settlementFaults.paymentRuns;
    return drained ? undefined : settlementFaults.queueWaits;
  };
  return { ...summary, ...(await acquirer.settler.settle(closed, read, isStopping, rest)) };
}

/**
 * Settles while no payment runs, however long it takes: the acquirer settles all that it has now. A batch that fails is
 * opened again.
 */
async function settleWhilePaused(acquirer: Acquirer, parts: TerminalParts, counter: Counter): Promise<SettledBatch> {
  const { journal } = parts;
  const { profile, settler } = acquirer;
  const { id } = profile;
  const done = await counter.exclusively(async () => {
    // Batches that a restart left between closing and settling.
    for (const { batch } of await journal.settlingBatches(id)) await journal.reopenBatch(id, batch);
    for (const batch of await journal.unreadBatches(id)) await journal.reopenBatch(id, batch);
    const open = await closeOpenBatch(acquirer, parts, { exclusively: (work) => work() });
    const summary = { ...nameOf(acquirer), batch: open.number, totals: open.batch.kindTotals() };
    if (open.kind === 'fault') return { ...summary, result: 'FAILED', reason: open.reason } as const;
    const closed = open.kind === 'closed' ? open.closed : emptyBatch(id, open.number, parts);
    const read = async () => open.batch;
    const settlement: SettlementResult = await settler.settle(closed, read, counter.isStopping, async () => undefined);
    if (settlement.result === 'FAILED' && open.kind === 'closed') await journal.reopenBatch(id, open.number);
    return { ...summary, ...(open.kind === 'nothing' ? { empty: true as const } : {}), ...settlement };
  });
  if (done) return done;
  const number = await journal.openBatch(id);
  const { batch } = await readBatch(journal, id, number);
  const summary = { ...nameOf(acquirer), batch: number, totals: batch.kindTotals() };
  return { ...summary, result: 'FAILED', reason: settlementFaults.paymentRuns };
}

function emptyBatch(acquirerId: AcquirerId, batch: number, { clock }: TerminalParts): SettlingBatch {
  const at = clock.now().toISOString();
  return { acquirerId, batch, at, totals: [], currencies: [], tries: 0, refused: false };
}

function openAuthsOf(batch: Batch): Pick<SettledBatch, 'openAuths'> {
  const openAuths = batch.openAuths();
  return openAuths.length === 0 ? {} : { openAuths };
}

function nameOf({ profile, address }: Acquirer): Pick<SettledBatch, 'acquirerId' | 'mid' | 'tid'> {
  return { acquirerId: profile.id, mid: address?.mid ?? '', tid: address?.tid ?? '' };
}

/**
 * Rejected advices, which every settlement reports until the operator has decided. A record that can't be read is
 * skipped: closing its batch reports it.
 */
async function readRejected(id: AcquirerId, journal: Journal): Promise<Pick<SettledBatch, 'rejected'>> {
  const records = await Promise.all(
    (await journal.rejectedAdvices(id)).map(async (each) => readableRecord(each, await journal.read(each))),
  );
  const rejected = records.flatMap((record) => (record ? [rejectedAdvice(record)] : []));
  return rejected.length === 0 ? {} : { rejected };
}

function rejectedAdvice({ id, request, amount, adviceAnswer }: TransactionRecord): RejectedAdvice {
  const { responseCode = '', afterSettlement } = adviceAnswer ?? {};
  const summary = {
    id,
    kind: request.type,
    currency: amount.currency,
    amountMinor: amount.minor.toString(),
    responseCode,
  };
  return afterSettlement ? { ...summary, afterSettlement } : summary;
}
