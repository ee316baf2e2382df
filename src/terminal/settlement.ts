import type { Amount } from '../domain/amount.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type {
  AcquirerHost,
  CardReference,
  OriginalReference,
  SettlementOutcome,
  UploadOrder,
} from '../ports/acquirer-host.ts';
import type { Journal, JournalledSettlement, SettledBatch } from '../ports/journal.ts';
import { Batch, type BatchItem } from '../transaction/batch.ts';
import { type TransactionRecord, transactionRecord } from '../transaction/record.ts';
import { cardReference, originalReference } from './message.ts';
import type { TerminalParts } from './parts.ts';
import type { SettlementRequest } from './request.ts';

const pageSize = 200;
const stanMax = 999_999;
/** Field 63 totals are n12 each. */
const totalMax = 999_999_999_999n;

/**
 * Settles the open batches that a request names, one acquirer after the other, and makes the results durable: the next batch
 * of an acquirer opens in the commit that writes its result. Rejects with JournalError.
 */
export async function settled(
  id: TerminalTransactionId,
  { posId, messageId, digest, acquirerId }: SettlementRequest,
  parts: TerminalParts,
): Promise<JournalledSettlement> {
  const { journal, hosts, receipts, clock } = parts;
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
  for (const host of hosts.values()) {
    if (acquirerId === undefined || host.id === acquirerId) results.push(await settledBatch(host, parts));
  }
  await journal.endSettlement(id, results, receipts !== undefined);
  receipts?.poke();
  return { ...settlement, results };
}

/**
 * Settles the open batch of one acquirer: what waits for the host goes first, then the totals per currency, and where the
 * host's books say otherwise, every transaction. Nothing is cleared before the host agrees: a failure leaves the
 * batch open and says why. The caller makes the result durable.
 */
async function settledBatch(host: AcquirerHost, { journal, forwarder }: TerminalParts): Promise<SettledBatch> {
  const drained = await forwarder.flush(host.id);
  const number = await journal.openBatch(host.id);
  const batch = await readBatch(host.id, number, journal);
  const settled = { acquirerId: host.id, mid: host.mid, tid: host.tid, batch: number, totals: batch.kindTotals() };
  if (!drained) return { ...settled, result: 'FAILED', reason: 'reversals or advices have not reached the host' };
  let uploaded = false;
  for (const currency of batch.currencies) {
    const totals = batch.totals(currency);
    if (totals.sales.minor > totalMax || totals.refunds.minor > totalMax) {
      return { ...settled, result: 'FAILED', reason: `the total in ${currency} has more than 12 digits` };
    }
    const ask = async (trailer: boolean) =>
      host.settle({ stan: await journal.allocateStans(host.id, 1), batch: number, totals, trailer });
    let outcome = await ask(false);
    if (outcome.kind === 'mismatch') {
      const items = batch.items.filter(({ record }) => record.amount.currency === currency);
      const fault = await uploadFault(items, host, journal);
      if (fault) return { ...settled, result: 'FAILED', reason: fault };
      uploaded = true;
      outcome = await ask(true);
    }
    const fault = settlementFault(outcome);
    if (fault) return { ...settled, result: 'FAILED', reason: fault };
  }
  return { ...settled, result: uploaded ? 'UPLOADED' : 'BALANCED' };
}

async function readBatch(acquirerId: AcquirerId, number: number, journal: Journal): Promise<Batch> {
  const batch = new Batch();
  let after: TransactionRecord['id'] | '' = '';
  for (;;) {
    const page = await journal.batchPage(acquirerId, number, after, pageSize);
    for (const { id, events } of page) batch.add(transactionRecord(id, events));
    const last = page.at(-1);
    if (!last) return batch;
    after = last.id;
  }
}

/** Why the upload failed; nothing when the host took every transaction. */
async function uploadFault(
  items: readonly BatchItem[],
  host: AcquirerHost,
  journal: Journal,
): Promise<string | undefined> {
  const first = await journal.allocateStans(host.id, items.length);
  for (const [index, item] of items.entries()) {
    const stan = ((first - 1 + index) % stanMax) + 1;
    const outcome = await host.upload(uploadOrder(item, stan, index + 1 < items.length));
    switch (outcome.kind) {
      case 'accepted':
        break;
      case 'refused':
        return `the host refused a transaction of the batch upload (code ${outcome.responseCode})`;
      case 'unanswered':
        return 'the host did not answer the batch upload';
      default:
        outcome satisfies never;
    }
  }
  return undefined;
}

const uploadOperations = {
  SALE: 'sale',
  OFFLINE_SALE: 'offlineSale',
  AUTH_COMP: 'completion',
  REFUND: 'refund',
} as const satisfies Record<BatchItem['kind'], UploadOrder['operation']>;

function uploadOrder({ record, kind, minor }: BatchItem, stan: number, more: boolean): UploadOrder {
  const amount: Amount = { minor, currency: record.amount.currency };
  const card: CardReference = cardReference(record);
  const original: OriginalReference = originalReference(record, amount);
  return { stan, operation: uploadOperations[kind], amount, card, original, more };
}

function settlementFault(outcome: SettlementOutcome): string | undefined {
  switch (outcome.kind) {
    case 'balanced':
      return undefined;
    case 'mismatch':
      return 'the totals differ from the host’s even after the batch upload';
    case 'refused':
      return `the host refused the settlement (code ${outcome.responseCode})`;
    case 'unanswered':
      return 'the host did not answer';
    case 'notSent':
      return 'the host can’t be reached';
    default:
      return outcome satisfies never;
  }
}
