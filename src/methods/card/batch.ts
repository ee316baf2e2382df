import { settlementFaults } from '../../base/domain/settlement-fault.ts';
import type { AcquirerHost, SettlementOutcome } from '../../payment/contracts/acquirer-host.ts';
import type { BatchDifference } from '../../payment/events/discrepancy.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type {
  AskedCurrency,
  CurrencyResult,
  SettlingBatch,
  SettlingTotal,
} from '../../payment/events/settling-batch.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { Batch, BatchItem } from '../../payment/records/batch.ts';
import type { BatchUploads, UploadTask } from './batch-upload.ts';
import { type PaymentsMeanwhile, readPaymentsMeanwhile } from './payments-meanwhile.ts';
import { settlementOrder } from './question.ts';
import type { SettlementResult } from '../../payment/method/batch-settler.ts';
import type { UnwrittenAnswers } from './unwritten-answers.ts';

/** Field 63 totals are n12 each. */
const totalMax = 999_999_999_999n;

/**
 * The result of asking for one currency. `silent`: the host does not answer, so asking for the next currency is useless
 * now. `isExplained`: payments were made while the host was asked, which explains why its books had more than the
 * batch.
 */
type Asked = Result | Fault;

/** `missing`: transactions that the host has rejected. */
interface Result {
  readonly result: CurrencyResult;
  readonly missing?: readonly BatchItem[];
  readonly isExplained?: boolean;
}

interface Fault {
  readonly fault: string;
  readonly silent: boolean;
  readonly unsent?: true;
  readonly rejectsOne?: true;
}

interface CardBatchParts {
  /** The site of the settlement; absent for a host with one address. */
  readonly site?: string | undefined;
  readonly journal: Journal;
  readonly isStopping: () => boolean;
  /** As in `BatchSettler.settle`. */
  readonly rest: () => Promise<string | undefined>;
  readonly unwritten: UnwrittenAnswers;
  readonly uploads: BatchUploads;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** Why no message can carry the totals of this batch; then the host is not asked, and the batch stays open. */
export function cardBatchFault(batch: Batch): string | undefined {
  const found = batch.currencies.find((currency) => {
    const { sales, refunds } = batch.totals(currency);
    return sales.minor > totalMax || refunds.minor > totalMax;
  });
  return found && `${settlementFaults.totalTooLarge}${found} has more than 12 digits`;
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
  const results: (Result & { readonly total: SettlingTotal })[] = [];
  const faults: Fault[] = [];
  for (const total of closed.currencies) {
    if (total.result !== undefined) {
      results.push({ total, result: total.result });
      continue;
    }
    if (closed.isCopy && !total.isUnsettled) {
      faults.push({ fault: oldCopy, silent: false });
      continue;
    }
    if (parts.isStopping()) faults.push({ fault: settlementFaults.stopping, silent: true, unsent: true });
    if (faults.some(({ silent }) => silent)) break;
    const question = { acquirerId: closed.acquirerId, batch: closed.batch, currency: total.currency };
    const answered = parts.unwritten.of(question);
    const asked: Asked = answered ? { result: answered } : await askCurrency(closed, total, read, host, parts);
    if ('fault' in asked) {
      faults.push(asked);
      continue;
    }
    await parts.unwritten.write(question, asked.result, () =>
      parts.journal.recordResult(closed.acquirerId, closed.batch, total.currency, asked.result),
    );
    results.push({ total, ...asked });
  }
  return faults.length > 0 ? failureOf(faults, results.length > 0) : resultOf(closed, results);
}

function failureOf(faults: readonly Fault[], isAnswered: boolean): SettlementResult {
  const [first] = faults;
  const unsent = first?.unsent === true && !isAnswered;
  const rejects = faults.some(({ rejectsOne }) => rejectsOne) ? { rejectsOne: true as const } : {};
  const refused = first?.silent ? {} : { refused: true as const };
  return { result: 'FAILED', reason: first?.fault ?? '', unsent, ...refused, ...rejects };
}

function resultOf(
  { totals }: SettlingBatch,
  results: readonly (Result & { readonly total: SettlingTotal })[],
): SettlementResult {
  const uploaded = results.filter(({ result }) => result === 'UPLOADED');
  if (uploaded.length === 0) return { result: 'BALANCED' };
  const differing = uploaded.filter(({ isExplained, missing = [] }) => !isExplained || missing.length > 0);
  if (differing.length === 0) return { result: 'UPLOADED', reason: booksMoved };
  const count = differing.reduce((sum, { missing = [] }) => sum + missing.length, 0);
  const reason = count > 0 ? booksLack(count) : totals.length > 0 ? booksDiffered : booksHadMore;
  return { result: 'UPLOADED', reason, differences: differing.map(difference) };
}

function difference({ total, missing = [] }: Result & { readonly total: SettlingTotal }): BatchDifference {
  const { currency, sales, refunds } = total;
  return { currency, sales, refunds, ...(missing.length > 0 ? { rejected: sumsOf(missing) } : {}) };
}

/**
 * No message of a dialect names the transactions that differ: an upload can't list those that this terminal does not
 * have.
 */
const booksDiffered =
  'the host’s books differed before the upload, it may have transactions that this terminal does not have: ask the bank';
/** If the host has other transactions as well, its books differ again at the next settlement. */
const booksMoved =
  'payments were made while the host was asked, so its books had more before the upload: the next settlement compares them';
const booksHadMore = 'the host has transactions that this terminal does not have: ask the bank';
const booksLack = (count: number) =>
  `the host rejected ${count} of its transactions, they are not settled: ask the bank`;
/** A host may count a settled batch twice, so it is not asked before the operator has the bank's answer. */
const oldCopy = `${settlementFaults.olderCopy}: ask the bank whether it is settled`;

async function askCurrency(
  closed: SettlingBatch,
  total: SettlingTotal,
  read: () => Promise<Batch>,
  host: AcquirerHost,
  parts: CardBatchParts,
): Promise<Asked> {
  const { journal, isStopping, uploads, site, onFailure } = parts;
  const questions = new Questions(closed, total, host, parts);
  const ask = (trailer: boolean, totals = total) => questions.ask(trailer, totals);
  const task = async (): Promise<UploadTask> => {
    const items = (await read()).items.filter(({ record }) => record.amount.currency === total.currency);
    const { batch } = closed;
    return { batch, site, currency: total.currency, items, leavesOut: total.isUnsettled === true, isStopping };
  };
  const upload = async (what: UploadTask): Promise<Asked> => {
    const { fault, missing } = await uploads.run(what);
    const meanwhile = (await readResult(closed, total, journal)) ?? fault;
    if (meanwhile) return meanwhile;
    const last = await ask(true, without(total, missing));
    if (last.kind === 'balanced') return { result: 'UPLOADED', missing };
    return (await readResult(closed, total, journal)) ?? settlementFault(last);
  };
  try {
    const interrupted = await task();
    if (uploads.canContinue(interrupted)) {
      const asked = await upload(interrupted);
      if ('result' in asked || asked.silent) return asked;
      // The host no longer waits for the rest: it is asked again, and everything is uploaded.
    }
    uploads.forget(interrupted);
    const repeated = await repeatTrailer(questions, total);
    if (repeated) return repeated;
    const { outcome, fault, meanwhile } = await compare(closed, total, () => ask(false), parts);
    if (outcome.kind === 'balanced') return { result: 'BALANCED' };
    // A late answer may have concluded this currency meanwhile. The host is not asked again, because it may count the
    // batch twice.
    const before = await readResult(closed, total, journal);
    if (before) return before;
    if (outcome.kind === 'notSent') return { ...settlementFault(outcome), unsent: true };
    if (outcome.kind !== 'mismatch') return settlementFault(outcome);
    if (fault !== undefined) return { fault: fault, silent: true };
    const asked = await upload(await task());
    return 'result' in asked && meanwhile?.some ? { ...asked, isExplained: true } : asked;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The message can't be built, and another attempt changes nothing.
    onFailure?.(error);
    return { fault: `${settlementFaults.notBuilt}: ${error.message}`, silent: false };
  }
}

/**
 * Repeats an unanswered settlement after an upload: the host may have settled the batch. Undefined if there is none, or
 * if the host has answered that it has not.
 */
async function repeatTrailer(questions: Questions, total: SettlingTotal): Promise<Asked | undefined> {
  if (!questions.unanswered?.trailer) return undefined;
  const last = await questions.ask(true, total);
  if (last.kind === 'balanced') return { result: 'UPLOADED' };
  return last.kind === 'unanswered' || last.kind === 'notSent' ? settlementFault(last) : undefined;
}

/** The settlements of one currency, each with a trace number of its own or, as a repeat, with that of the last one. */
class Questions {
  readonly #closed: SettlingBatch;
  readonly #currency: CurrencyCode;
  readonly #host: AcquirerHost;
  readonly #parts: Pick<CardBatchParts, 'journal' | 'site'>;
  /** The last one, if the host repeats settlements and has not answered it. */
  unanswered: AskedCurrency | undefined;

  constructor(
    closed: SettlingBatch,
    { currency, asked }: SettlingTotal,
    host: AcquirerHost,
    parts: Pick<CardBatchParts, 'journal' | 'site'>,
  ) {
    this.#closed = closed;
    this.#currency = currency;
    this.#host = host;
    this.#parts = parts;
    // A refused batch has an answer.
    if (host.repeatsSettlements && !closed.refused) this.unanswered = asked?.at(-1);
  }

  /** `totals`: those of the batch, less what the host has rejected of its upload. */
  async ask(trailer: boolean, totals: SettlingTotal): Promise<SettlementOutcome> {
    const { batch, at } = this.#closed;
    const { journal, site } = this.#parts;
    const host = this.#host;
    const repeated = this.unanswered?.trailer === trailer ? this.unanswered : undefined;
    const stan = repeated?.stan ?? (await journal.askCurrency(host.id, batch, this.#currency, trailer));
    const outcome = await host.settle({
      ...settlementOrder(this.#closed, totals, { stan, trailer }),
      ...(site === undefined ? {} : { site }),
      ...(host.repeatsSettlements ? { at: new Date(at), repeat: repeated !== undefined } : {}),
    });
    if (outcome.kind === 'notSent') this.unanswered = repeated;
    else this.unanswered = host.repeatsSettlements && outcome.kind === 'unanswered' ? { stan, trailer } : undefined;
    return outcome;
  }
}

/**
 * Asks whether the books agree. If they differ while a payment is in progress or is being taken back, the host may have
 * it only temporarily, so the host is asked again once that payment is over. `fault`: the reason why the terminal
 * can't wait for that now.
 */
async function compare(
  closed: SettlingBatch,
  total: SettlingTotal,
  ask: () => Promise<SettlementOutcome>,
  { journal, isStopping, rest }: CardBatchParts,
): Promise<{ outcome: SettlementOutcome; fault?: string; meanwhile?: PaymentsMeanwhile }> {
  let known: ReadonlySet<string> = new Set();
  for (;;) {
    const outcome = await ask();
    if (outcome.kind !== 'mismatch') return { outcome };
    const meanwhile = await readPaymentsMeanwhile(closed, total.currency, journal);
    if ([...meanwhile.passing].every((id) => known.has(id)) || isStopping()) return { outcome, meanwhile };
    known = meanwhile.passing;
    const fault = await rest();
    if (fault !== undefined) return { outcome, meanwhile, fault };
    if (await readResult(closed, total, journal)) return { outcome, meanwhile };
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

function without(total: SettlingTotal, missing: readonly BatchItem[]): SettlingTotal {
  const { sales, refunds } = sumsOf(missing);
  const less = (all: SettlingTotal['sales'], gone: SettlingTotal['sales']) => ({
    count: all.count - gone.count,
    totalMinor: (BigInt(all.totalMinor) - BigInt(gone.totalMinor)).toString(),
  });
  return { ...total, sales: less(total.sales, sales), refunds: less(total.refunds, refunds) };
}

function sumsOf(items: readonly BatchItem[]): Pick<SettlingTotal, 'sales' | 'refunds'> {
  const sum = (isRefund: boolean) => {
    const counted = items.filter(({ kind }) => (kind === 'REFUND') === isRefund);
    return { count: counted.length, totalMinor: counted.reduce((all, { minor }) => all + minor, 0n).toString() };
  };
  return { sales: sum(false), refunds: sum(true) };
}

function settlementFault(outcome: Exclude<SettlementOutcome, { kind: 'balanced' }>): Fault {
  switch (outcome.kind) {
    case 'mismatch':
      return { fault: settlementFaults.booksDiffer, silent: false };
    case 'refused':
      return { fault: `${settlementFaults.hostRefuses} (code ${outcome.responseCode})`, silent: false };
    case 'unanswered':
      return { fault: settlementFaults.hostSilent, silent: true };
    case 'notSent':
      return { fault: settlementFaults.hostUnreachable, silent: true };
    default:
      return outcome satisfies never;
  }
}
