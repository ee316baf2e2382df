import type { AcquirerId, TerminalTransactionId } from '../../domain/identifiers.ts';
import type { Journal, JournalledSettlement, RejectedAdvice, SettledBatch } from '../../ports/journal.ts';
import { Batch } from '../../transaction/batch.ts';
import { readableRecord, type TransactionRecord } from '../../transaction/record.ts';
import type { TerminalParts } from '../parts.ts';
import type { SettlementRequest } from '../request.ts';
import { cardBatchSettled } from './card-batch.ts';
import { octopusBatchSettled } from './octopus-batch.ts';
import type { Settling } from './settling.ts';
import { walletBatchSettled } from './wallet-batch.ts';

const pageSize = 200;

/**
 * Settles the open batches that a request names, one acquirer after the other, and makes the results durable: the next batch
 * of an acquirer opens in the commit that writes its result. Rejects with JournalError.
 */
export async function settled(
  id: TerminalTransactionId,
  { posId, messageId, digest, acquirerId }: SettlementRequest,
  parts: TerminalParts,
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
  for (const acquirer of settlings(parts)) {
    if (acquirerId === undefined || acquirer.id === acquirerId) results.push(await settledBatch(acquirer, parts));
  }
  await journal.endSettlement(id, results, receipts !== undefined);
  receipts?.poke();
  return { ...settlement, results };
}

/** All that this terminal settles with, in the order of its configuration. */
function settlings(parts: TerminalParts): Settling[] {
  const { hosts, wallets, octopus, profiles } = parts;
  return profiles.flatMap(({ id, brands }): Settling[] => {
    const host = hosts.get(id);
    if (host) return [{ ...addressed(host), settle: (batch, number) => cardBatchSettled(batch, number, host, parts) }];
    const wallet = wallets?.get(id);
    if (wallet) return [{ ...addressed(wallet), settle: (batch) => walletBatchSettled(batch, wallet) }];
    if (octopus && brands.includes('OCTOPUS')) {
      return [{ id, mid: '', tid: '', settle: (batch) => octopusBatchSettled(batch, octopus) }];
    }
    // The till is counted by its merchant: the totals are for them.
    return brands.includes('CASH') ? [{ id, mid: '', tid: '', settle: async () => ({ result: 'BALANCED' }) }] : [];
  });
}

function addressed({ id, mid, tid }: Omit<Settling, 'settle'>): Omit<Settling, 'settle'> {
  return { id, mid, tid };
}

/** What waits for the acquirer goes first, then its open batch. The caller makes the result durable. */
async function settledBatch(
  acquirer: Settling,
  { journal, forwarder, octopus, profiles }: TerminalParts,
): Promise<SettledBatch> {
  const { id, mid, tid } = acquirer;
  const drained = await forwarder.flush(id);
  // An Octopus card that never comes back is in no total, and holds up nobody.
  const mayWait = octopus !== undefined && profiles.some((each) => each.id === id && each.brands.includes('OCTOPUS'));
  const number = await journal.openBatch(id);
  const { batch, unreadable } = await readBatch(id, number, journal);
  const settled = {
    acquirerId: id,
    mid,
    tid,
    batch: number,
    totals: batch.kindTotals(),
    ...(await rejectedOf(id, journal)),
  };
  if (!drained && !mayWait) {
    return { ...settled, result: 'FAILED', reason: 'reversals or advices have not reached the host' };
  }
  const stuck = await unsettled(id, unreadable, journal, forwarder);
  if (stuck !== undefined) {
    const reason = `transaction ${stuck} can’t be sent or read, ask the bank: the operator’s menu has it`;
    return { ...settled, result: 'FAILED', reason };
  }
  return { ...settled, ...(await acquirer.settle(batch, number)) };
}

/** Told at every settlement until the operator has decided. One that can't be read is told of as that. */
async function rejectedOf(id: AcquirerId, journal: Journal): Promise<Pick<SettledBatch, 'rejected'>> {
  const records = await Promise.all(
    (await journal.rejectedAdvices(id)).map(async (each) => readableRecord(each, await journal.read(each))),
  );
  const rejected = records.flatMap((record) => (record ? [rejectedAdvice(record)] : []));
  return rejected.length === 0 ? {} : { rejected };
}

function rejectedAdvice({ id, request, amount, adviceAnswer }: TransactionRecord): RejectedAdvice {
  const { responseCode = '' } = adviceAnswer ?? {};
  return { id, kind: request.type, currency: amount.currency, amountMinor: amount.minor.toString(), responseCode };
}

/** Payments go on without these, but a batch whose totals may lack them is not closed before the operator has asked the bank. */
async function unsettled(
  id: AcquirerId,
  unreadable: readonly TerminalTransactionId[],
  journal: Journal,
  forwarder: TerminalParts['forwarder'],
): Promise<TerminalTransactionId | undefined> {
  const waiting = (await journal.pending()).filter((each) => each.acquirerId === id && forwarder.isUnsendable(each.id));
  const setAside = await journal.setAside(id);
  return [...waiting.map((each) => each.id), ...unreadable].find((each) => !setAside.includes(each));
}

async function readBatch(
  acquirerId: AcquirerId,
  number: number,
  journal: Journal,
): Promise<{ readonly batch: Batch; readonly unreadable: readonly TerminalTransactionId[] }> {
  const batch = new Batch();
  const unreadable: TerminalTransactionId[] = [];
  let after: TerminalTransactionId | '' = '';
  for (;;) {
    const page = await journal.batchPage(acquirerId, number, after, pageSize);
    for (const { id, events } of page) {
      const record = readableRecord(id, events);
      if (record) batch.add(record);
      else unreadable.push(id);
    }
    const last = page.at(-1);
    if (!last) return { batch, unreadable };
    after = last.id;
  }
}
