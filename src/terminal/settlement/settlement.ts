import type { TerminalTransactionId } from '../../domain/identifiers.ts';
import type { JournalledSettlement, SettledBatch } from '../../events/settlement.ts';
import type { SettlingBatch } from '../../events/settling-batch.ts';
import type { Batch } from '../../records/batch.ts';
import { readBatch } from '../../records/batch-reader.ts';
import type { TerminalParts } from '../parts.ts';
import type { SettlementRequest } from '../request.ts';
import { cardBatchFault, cardBatchSettled } from '../../method/card/batch.ts';
import { octopusBatchSettled } from '../../method/octopus/batch.ts';
import { closedOpenBatch } from './open-batch.ts';
import { rejectedOf } from './rejected.ts';
import type { Counter, Settlement, Settling } from '../../method/settling.ts';
import { unresolvedOf } from './unresolved.ts';
import { walletBatchSettled } from '../../method/wallet/batch.ts';

/**
 * Settles the batches that a request names, one acquirer after the other, and makes the results durable: first what was closed before
 * and not answered, then what is open. Payments go on meanwhile, in the next batch. Rejects with JournalError.
 */
export async function settled(
  id: TerminalTransactionId,
  { posId, messageId, digest, acquirerId, quiet, waitingOnly }: SettlementRequest,
  parts: TerminalParts,
  counter: Counter,
): Promise<JournalledSettlement> {
  const { journal, receipts, clock } = parts;
  const settlement = {
    id,
    posId,
    messageId,
    digest,
    ...(acquirerId === undefined ? {} : { acquirerId }),
    at: clock.now().toISOString(),
  };
  const { existing } = await journal.openSettlement(settlement);
  if (existing?.results) return existing;
  const results: SettledBatch[] = [];
  for (const acquirer of settlings(parts, counter)) {
    if (acquirerId !== undefined && acquirer.id !== acquirerId) continue;
    const own = await acquirerSettled(acquirer, parts, counter, waitingOnly === true);
    const aside = { ...(await rejectedOf(acquirer.id, journal)), ...(await unresolvedOf(acquirer.id, journal)) };
    results.push(...own.map((each, index) => (index + 1 < own.length ? each : { ...each, ...aside })));
  }
  // Of a try that came to nothing, and that nobody asked for, there is a paper already.
  const isNews = quiet !== true || results.some(({ result }) => result !== 'FAILED');
  await journal.endSettlement(id, results, receipts !== undefined && isNews);
  receipts?.poke();
  return { ...settlement, results };
}

/** All that this terminal settles with, in the order of its configuration. */
function settlings(parts: TerminalParts, { isStopping, unwritten }: Counter): Settling[] {
  const { hosts, wallets, octopus, profiles, journal, onFailure } = parts;
  return profiles.flatMap(({ id, brands }): Settling[] => {
    const host = hosts.get(id);
    if (host) {
      return [
        {
          ...byNumber,
          ...addressed(host),
          hearsEmpty: true,
          fault: cardBatchFault,
          settle: (closed, read) => cardBatchSettled(closed, read, host, { journal, isStopping, unwritten, onFailure }),
        },
      ];
    }
    const wallet = wallets?.get(id);
    if (wallet) {
      const settle: Settling['settle'] = async (_closed, read) => walletBatchSettled(await read(), wallet);
      return [{ ...byNumber, ...addressed(wallet), settle }];
    }
    const nowhere = { id, mid: '', tid: '' };
    if (octopus && brands.includes('OCTOPUS')) {
      const settle: Settling['settle'] = (closed) => octopusBatchSettled(closed, octopus);
      return [{ ...byNumber, ...nowhere, mayWait: true, bySight: true, settle }];
    }
    // The till is counted by its merchant: the totals are for them.
    return brands.includes('CASH') ? [{ ...byNumber, ...nowhere, settle: async () => ({ result: 'BALANCED' }) }] : [];
  });
}

const byNumber = { hearsEmpty: false, mayWait: false, bySight: false } as const;

function addressed({ id, mid, tid }: Pick<Settling, 'id' | 'mid' | 'tid'>): Pick<Settling, 'id' | 'mid' | 'tid'> {
  return { id, mid, tid };
}

/** In order: the host is asked for no batch before it has answered for the one before. */
async function acquirerSettled(
  acquirer: Settling,
  parts: TerminalParts,
  counter: Counter,
  waitingOnly: boolean,
): Promise<SettledBatch[]> {
  if (acquirer.bySight) return [await settledBySight(acquirer, parts, counter)];
  const results: SettledBatch[] = [];
  for (const number of await parts.journal.unreadBatches(acquirer.id)) {
    const left = await closedOpenBatch({ ...acquirer, hearsEmpty: true }, parts, counter, number);
    if (left.kind !== 'fault') continue;
    const told = { ...named(acquirer), batch: number, totals: left.batch.kindTotals() };
    return [{ ...told, result: 'FAILED', reason: left.reason }];
  }
  for (const waiting of await parts.journal.settlingBatches(acquirer.id)) {
    const { unsent: _now, ...result } = await settledBatch(acquirer, waiting, parts);
    results.push(result);
    if (result.result === 'FAILED') return results;
  }
  if (waitingOnly) return results;
  await parts.closedOrders?.beforeSettlement(acquirer.id);
  // The host has just told that its books are those of this terminal.
  const hearsEmpty = acquirer.hearsEmpty && results.length === 0;
  const open = await closedOpenBatch({ ...acquirer, hearsEmpty }, parts, counter);
  const told = {
    ...named(acquirer),
    batch: open.number,
    totals: open.batch.kindTotals(),
    ...openAuthsOf(open.batch),
  };
  if (open.kind === 'fault') return [...results, { ...told, result: 'FAILED', reason: open.reason }];
  if (open.kind === 'closed') {
    const { unsent, ...result } = await settledBatch(acquirer, open.closed, parts);
    // It heard nothing of that number: what is in the batch may still be voided.
    if (unsent) await parts.journal.reopenBatch(acquirer.id, open.number);
    return [...results, { ...result, ...openAuthsOf(open.batch) }];
  }
  return results.length > 0 ? results : [{ ...told, result: 'BALANCED', empty: true }];
}

/** Asks for what is not answered yet. The caller makes the result durable. */
async function settledBatch(
  acquirer: Settling,
  closed: SettlingBatch,
  parts: TerminalParts,
): Promise<SettledBatch & { readonly unsent?: boolean }> {
  const { acquirerId, batch, totals, currencies } = closed;
  const told = { ...named(acquirer), batch, totals, ...(totals.length === 0 ? { empty: true as const } : {}) };
  if (currencies.some(({ result }) => result === 'CONFIRMED') && currencies.every(({ result }) => result)) {
    return { ...told, result: 'BALANCED', confirmed: true, reason: 'confirmed by the operator with the acquirer' };
  }
  const read = async () => (await readBatch(parts.journal, acquirerId, batch)).batch;
  return { ...told, ...(await acquirer.settle(closed, read)) };
}

/** While no payment runs, whatever that takes: what is settled is what is there now. What fails is open as before. */
async function settledBySight(acquirer: Settling, parts: TerminalParts, counter: Counter): Promise<SettledBatch> {
  const { journal } = parts;
  const { id } = acquirer;
  const done = await counter.lull(async () => {
    // A restart came between closing and settling.
    for (const { batch } of await journal.settlingBatches(id)) await journal.reopenBatch(id, batch);
    for (const batch of await journal.unreadBatches(id)) await journal.reopenBatch(id, batch);
    const open = await closedOpenBatch(acquirer, parts, { lull: (work) => work() });
    const told = { ...named(acquirer), batch: open.number, totals: open.batch.kindTotals() };
    if (open.kind === 'fault') return { ...told, result: 'FAILED', reason: open.reason } as const;
    const closed = open.kind === 'closed' ? open.closed : emptyBatch(acquirer, open.number, parts);
    const settlement: Settlement = await acquirer.settle(closed, async () => open.batch);
    if (settlement.result === 'FAILED' && open.kind === 'closed') await journal.reopenBatch(id, open.number);
    return { ...told, ...(open.kind === 'nothing' ? { empty: true as const } : {}), ...settlement };
  });
  if (done) return done;
  const number = await journal.openBatch(id);
  const { batch } = await readBatch(journal, id, number);
  const told = { ...named(acquirer), batch: number, totals: batch.kindTotals() };
  return { ...told, result: 'FAILED', reason: 'a payment is under way' };
}

function emptyBatch({ id }: Settling, batch: number, { clock }: TerminalParts): SettlingBatch {
  const at = clock.now().toISOString();
  return { acquirerId: id, batch, at, totals: [], currencies: [], tries: 0, refused: false };
}

function openAuthsOf(batch: Batch): Pick<SettledBatch, 'openAuths'> {
  const openAuths = batch.openAuths();
  return openAuths.length === 0 ? {} : { openAuths };
}

function named({ id, mid, tid }: Settling): Pick<SettledBatch, 'acquirerId' | 'mid' | 'tid'> {
  return { acquirerId: id, mid, tid };
}
