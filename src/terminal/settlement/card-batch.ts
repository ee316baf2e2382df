import type { Amount } from '../../domain/amount.ts';
import type {
  AcquirerHost,
  CardReference,
  OriginalReference,
  SettlementOutcome,
  UploadOrder,
} from '../../ports/acquirer-host.ts';
import type { Journal } from '../../ports/journal.ts';
import type { Batch, BatchItem } from '../../transaction/batch.ts';
import { cardReference, originalReference } from '../message.ts';
import type { Settlement } from './settling.ts';

const stanMax = 999_999;
/** Field 63 totals are n12 each. */
const totalMax = 999_999_999_999n;

/** The totals per currency, and where the host's books say otherwise, every transaction: ISO 8583 0500 and 0320. */
export async function cardBatchSettled(
  batch: Batch,
  number: number,
  host: AcquirerHost,
  { journal }: { readonly journal: Journal },
): Promise<Settlement> {
  let uploaded = false;
  for (const currency of batch.currencies) {
    const totals = batch.totals(currency);
    if (totals.sales.minor > totalMax || totals.refunds.minor > totalMax) {
      return { result: 'FAILED', reason: `the total in ${currency} has more than 12 digits` };
    }
    const ask = async (trailer: boolean) =>
      host.settle({ stan: await journal.allocateStans(host.id, 1), batch: number, totals, trailer });
    let outcome = await ask(false);
    if (outcome.kind === 'mismatch') {
      const items = batch.items.filter(({ record }) => record.amount.currency === currency);
      const fault = await uploadFault(items, host, journal);
      if (fault) return { result: 'FAILED', reason: fault };
      uploaded = true;
      outcome = await ask(true);
    }
    const fault = settlementFault(outcome);
    if (fault) return { result: 'FAILED', reason: fault };
  }
  return { result: uploaded ? 'UPLOADED' : 'BALANCED' };
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
