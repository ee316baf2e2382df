import type { Amount } from '../../domain/amount.ts';
import { operationOf } from '../../domain/host-operation.ts';
import { settlementTroubles as troubles } from '../../domain/settlement-trouble.ts';
import type {
  AcquirerHost,
  CardReference,
  OriginalReference,
  SettlementOutcome,
  UploadOrder,
} from '../../ports/acquirer-host.ts';
import type { CurrencyResult, SettlingBatch, SettlingTotal } from '../../events/settling-batch.ts';
import type { Journal } from '../../ports/journal.ts';
import type { Batch, BatchItem } from '../../records/batch.ts';
import { cardReference, originalReference } from './message.ts';
import { settlementOrder } from './question.ts';
import type { SettlementResult } from '../batch-settler.ts';
import type { UnwrittenAnswers } from './unwritten-answers.ts';

const stanMax = 999_999;
/** Field 63 totals are n12 each. */
const totalMax = 999_999_999_999n;

/**
 * The result of asking for one currency. `silent`: the host does not answer, so asking for the next currency is useless
 * now.
 */
type Asked = { readonly result: CurrencyResult; readonly missing?: number } | Fault;

interface Fault {
  readonly fault: string;
  readonly silent: boolean;
  readonly unsent?: true;
  readonly rejectsOne?: true;
}

interface CardBatchParts {
  readonly journal: Journal;
  readonly isStopping: () => boolean;
  readonly unwritten: UnwrittenAnswers;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** Why no message can carry the totals of this batch; then the host is not asked, and the batch stays open. */
export function cardBatchFault(batch: Batch): string | undefined {
  const found = batch.currencies.find((currency) => {
    const { sales, refunds } = batch.totals(currency);
    return sales.minor > totalMax || refunds.minor > totalMax;
  });
  return found && `${troubles.totalTooLarge}${found} has more than 12 digits`;
}

/**
 * Settles the totals of each currency (ISO 8583 0500), and uploads every transaction (0320) where the host's books
 * differ. Each answer is durable before the next currency is asked for. A currency that was answered is never asked for
 * again.
 */
export async function settleCardBatch(
  closed: SettlingBatch,
  read: () => Promise<Batch>,
  host: AcquirerHost,
  parts: CardBatchParts,
): Promise<SettlementResult> {
  const results: CurrencyResult[] = [];
  let missing = 0;
  const faults: Fault[] = [];
  for (const total of closed.currencies) {
    if (total.result !== undefined) {
      results.push(total.result);
      continue;
    }
    if (closed.isCopy && !total.isUnsettled) {
      faults.push({ fault: oldCopy, silent: false });
      continue;
    }
    if (parts.isStopping()) faults.push({ fault: troubles.stopping, silent: true, unsent: true });
    if (faults.some(({ silent }) => silent)) break;
    const question = { acquirerId: closed.acquirerId, batch: closed.batch, currency: total.currency };
    const told = parts.unwritten.of(question);
    const asked = told ? { result: told } : await askCurrency(closed, total, read, host, parts);
    if ('fault' in asked) {
      faults.push(asked);
      continue;
    }
    await parts.unwritten.write(question, asked.result, () =>
      parts.journal.recordResult(closed.acquirerId, closed.batch, total.currency, asked.result),
    );
    results.push(asked.result);
    missing += asked.missing ?? 0;
  }
  const [first] = faults;
  if (first) {
    const unsent = first.unsent === true && results.length === 0;
    const rejects = faults.some(({ rejectsOne }) => rejectsOne) ? { rejectsOne: true as const } : {};
    return { result: 'FAILED', reason: first.fault, unsent, ...(first.silent ? {} : { refused: true }), ...rejects };
  }
  if (!results.includes('UPLOADED')) return { result: 'BALANCED' };
  if (missing > 0) return { result: 'UPLOADED', reason: booksLack(missing) };
  return { result: 'UPLOADED', reason: closed.totals.length > 0 ? booksDiffered : booksHadMore };
}

/**
 * No message of a dialect names the transactions that differ: an upload can't list those that this terminal does not
 * have.
 */
const booksDiffered =
  'the host’s books differed before the upload, it may have transactions that this terminal does not have: ask the bank';
const booksHadMore = 'the host has transactions that this terminal does not have: ask the bank';
const booksLack = (count: number) =>
  `the host rejected ${count} of its transactions, they are not settled: ask the bank`;
/** A host may count a settled batch twice, so it is not asked before the operator has the bank's answer. */
const oldCopy = `${troubles.olderCopy}: ask the bank whether it is settled`;

async function askCurrency(
  closed: SettlingBatch,
  total: SettlingTotal,
  read: () => Promise<Batch>,
  host: AcquirerHost,
  { journal, onFailure }: CardBatchParts,
): Promise<Asked> {
  const ask = async (trailer: boolean, totals = total) => {
    const stan = await journal.askCurrency(host.id, closed.batch, total.currency, trailer);
    return host.settle(settlementOrder(closed, totals, { stan, trailer }));
  };
  try {
    const outcome = await ask(false);
    if (outcome.kind === 'balanced') return { result: 'BALANCED' };
    // A late answer may have concluded this currency meanwhile. The host is not asked again, because it may count the
    // batch twice.
    const before = await readResult(closed, total, journal);
    if (before) return before;
    if (outcome.kind === 'notSent') return { ...settlementFault(outcome), unsent: true };
    if (outcome.kind !== 'mismatch') return settlementFault(outcome);
    const items = (await read()).items.filter(({ record }) => record.amount.currency === total.currency);
    const { fault, missing } = await uploadBatch(items, host, journal, total.isUnsettled === true);
    const meanwhile = (await readResult(closed, total, journal)) ?? fault;
    if (meanwhile) return meanwhile;
    const last = await ask(true, without(total, missing));
    if (last.kind === 'balanced') return { result: 'UPLOADED', missing: missing.length };
    return (await readResult(closed, total, journal)) ?? settlementFault(last);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The message can't be built, and another attempt changes nothing.
    onFailure?.(error);
    return { fault: `${troubles.notBuilt}: ${error.message}`, silent: false };
  }
}

/** The present result of this currency, if there is one. */
async function readResult(
  { acquirerId, batch }: SettlingBatch,
  { currency }: SettlingTotal,
  journal: Journal,
): Promise<{ readonly result: CurrencyResult } | undefined> {
  const closed = (await journal.settlingBatches(acquirerId)).find((each) => each.batch === batch);
  const result = closed?.currencies.find((each) => each.currency === currency)?.result;
  return result && { result };
}

interface Uploaded {
  readonly fault?: Fault;
  /** Transactions that the host will never accept: they are left out of the totals. */
  readonly missing: readonly BatchItem[];
}

/** `leavesOut`: transactions that the host rejects are left out, as long as it accepts at least one. */
async function uploadBatch(
  items: readonly BatchItem[],
  host: AcquirerHost,
  journal: Journal,
  leavesOut: boolean,
): Promise<Uploaded> {
  const missing: BatchItem[] = [];
  if (items.length === 0) return { missing };
  const first = await journal.allocateStans(host.id, items.length);
  for (const [index, item] of items.entries()) {
    const stan = ((first - 1 + index) % stanMax) + 1;
    const outcome = await host.upload(uploadOrder(item, stan, index + 1 < items.length));
    switch (outcome.kind) {
      case 'accepted':
        break;
      case 'rejected':
      case 'refused': {
        if (leavesOut && outcome.kind === 'rejected') {
          missing.push(item);
          break;
        }
        const fault = `${troubles.uploadRefused} (code ${outcome.responseCode})`;
        const rejects = outcome.kind === 'rejected' ? { rejectsOne: true as const } : {};
        return { fault: { fault, silent: false, ...rejects }, missing };
      }
      case 'unanswered':
        return { fault: { fault: `${troubles.hostSilent} the batch upload`, silent: true }, missing };
      default:
        outcome satisfies never;
    }
  }
  // A host that rejects all of several transactions refuses the upload itself.
  if (missing.length === items.length && items.length > 1) {
    return { fault: { fault: troubles.uploadRejected, silent: false }, missing };
  }
  return { missing };
}

function without(total: SettlingTotal, missing: readonly BatchItem[]): SettlingTotal {
  const less = ({ count, totalMinor }: SettlingTotal['sales'], isRefund: boolean) => {
    const gone = missing.filter(({ kind }) => (kind === 'REFUND') === isRefund);
    const minor = gone.reduce((sum, each) => sum - each.minor, BigInt(totalMinor));
    return { count: count - gone.length, totalMinor: minor.toString() };
  };
  return { ...total, sales: less(total.sales, false), refunds: less(total.refunds, true) };
}

function uploadOrder({ record, kind, minor }: BatchItem, stan: number, more: boolean): UploadOrder {
  const amount: Amount = { minor, currency: record.amount.currency };
  const card: CardReference = cardReference(record);
  const original: OriginalReference = originalReference(record, amount);
  return { stan, operation: operationOf(kind), amount, card, original, more };
}

function settlementFault(outcome: Exclude<SettlementOutcome, { kind: 'balanced' }>): Fault {
  switch (outcome.kind) {
    case 'mismatch':
      return { fault: troubles.booksDiffer, silent: false };
    case 'refused':
      return { fault: `${troubles.hostRefuses} (code ${outcome.responseCode})`, silent: false };
    case 'unanswered':
      return { fault: troubles.hostSilent, silent: true };
    case 'notSent':
      return { fault: troubles.hostUnreachable, silent: true };
    default:
      return outcome satisfies never;
  }
}
