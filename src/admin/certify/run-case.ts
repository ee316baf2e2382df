import type { Answer, Client, Identity, Outcome } from '../../pos/client/client.ts';
import { scrub } from '../../base/domain/masking.ts';
import { isCurrencyCode } from '../../base/domain/currency.ts';
import { systemClock } from '../../base/ports/clock.ts';
import type { TraceRequest, TracedLine } from '../../observability/trace-request.ts';
import { CommissioningError } from '../commissioning-error.ts';
import { amountField, parseAmount, parseCurrency } from '../shell/money.ts';
import { followTransaction, progressTeller } from '../shell/progress.ts';
import { SimulatedCustomer } from '../shell/simulated-customer.ts';
import { textOf, type Till, type TillFlags } from '../shell/till.ts';
import { TraceClient } from '../trace/trace-client.ts';
import type { Answered, CaseResult } from './evidence.ts';
import { hasAllMessages, judge, responseCodeIn } from './judge.ts';
import { type Case, caseKinds, type Script } from './script.ts';

/** The maximum duration of a case's trace. */
const traceSeconds = 1_800;

export interface CaseBench {
  readonly till: Till;
  readonly flags: TillFlags;
  readonly script: Script;
  readonly stateDir: string;
  readonly who: Pick<TraceRequest, 'user' | 'uid'>;
  readonly runId: string;
  /** The results of the earlier cases. */
  readonly results: readonly CaseResult[];
  /** Called when a case begins, so that it can be cancelled. */
  readonly onBegun: (identity: Identity) => void;
  /** Aborted when the outcome is no longer awaited. */
  readonly left: AbortSignal;
}

/** `isKnown`: the outcome is known, so another case may follow. */
export interface RunCase {
  readonly result: CaseResult;
  readonly isKnown: boolean;
}

/** Throws UsageError for an amount that its currency does not have. */
export function checkAmounts({ cases, currency }: Script): void {
  for (const each of cases) {
    const own = parseCurrency(each.currency ?? currency);
    for (const amount of [each.amount, each.tip]) if (amount !== undefined) parseAmount(amount, own);
  }
}

/** Carries out one case under a messageId of this run. Rejects with CommissioningError if it can't be recorded. */
export async function runCase(each: Case, bench: CaseBench): Promise<RunCase> {
  const { till, script, stateDir, who, runId, results } = bench;
  const identity = till.identity(`${runId}.${each.id}`);
  const head = { id: each.id, title: each.title, kind: each.kind, beganAt: systemClock.now().toISOString() };
  const common = { ...head, messageId: identity.messageId };
  const original = results.find(({ id }) => id === each.of)?.answer?.terminalTransactionId;
  if (each.of !== undefined && original === undefined) {
    const reasons = [`case ${each.of} has no transaction`];
    return { result: { ...common, verdict: 'FAIL', reasons, messages: [] }, isKnown: true };
  }
  const messages: TracedLine[] = [];
  const heard = new Heard(() => hasAllMessages(each, messages));
  const request = { seconds: traceSeconds, acquirer: script.acquirer, ...who };
  const trace = await TraceClient.begin(stateDir, request, (message) => {
    messages.push(message);
    heard.look();
  });
  try {
    const outcome = await conclude(each, bench, identity, original);
    await heard.all(1_000 * each.waitS);
    trace.stop();
    await trace.ended;
    const answer = answerOf(outcome.answer);
    const receipt = await receiptOf(till.client().client, identity, answer);
    const reasons = [
      ...(outcome.is === 'unknown' ? ['the outcome is not known'] : []),
      ...judge(each, { answer, messages, receipt: receipt?.customer }),
    ];
    const code = responseCodeIn(messages);
    const verdict = reasons.length === 0 ? 'PASS' : 'FAIL';
    const shown = { ...(answer ? { answer } : {}), ...(code === undefined ? {} : { responseCode: code }) };
    const result: CaseResult = { ...common, verdict, reasons, ...shown, messages, ...(receipt ? { receipt } : {}) };
    return { result, isKnown: outcome.is !== 'unknown' };
  } finally {
    trace.stop();
  }
}

/** Carries out the transaction, with the simulator's customer if there is one. */
async function conclude(
  each: Case,
  { till, flags, script, onBegun, left }: CaseBench,
  identity: Identity,
  original: string | undefined,
): Promise<Outcome> {
  const { client } = till.client();
  const hostMode = flags['sim'] === undefined ? undefined : each.simulator?.host;
  if (hostMode) await setSimulatedHost(flags, script.acquirer, hostMode);
  const over = new AbortController();
  onBegun(identity);
  try {
    if (each.kind === 'settlement') return await client.settle({ ...identity, acquirer: script.acquirer }, left);
    follow(each, { till, flags }, identity, over.signal);
    return await client.pay({ ...identity, ...requestOf(each, script, original) }, left);
  } finally {
    over.abort();
    if (hostMode) await setSimulatedHost(flags, script.acquirer, { mode: 'up' });
  }
}

/** Sets the behaviour of the simulator's host of an acquirer until the next call (docs/simulator.md). */
async function setSimulatedHost(flags: TillFlags, acquirer: string, mode: object): Promise<void> {
  const url = new URL(`/api/host/${acquirer}`, textOf(flags, 'sim') ?? 'http://127.0.0.1:8090');
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(mode),
  });
  if (!response.ok)
    throw new CommissioningError(`the simulator does not take this for ${acquirer}: ${response.status}`);
}

function requestOf(each: Case, { acquirer, currency: usual }: Script, original: string | undefined) {
  const currency = parseCurrency(each.currency ?? usual);
  const money = (text: string | undefined) =>
    text === undefined || !isCurrencyCode(currency) ? undefined : amountField(parseAmount(text, currency));
  const fields = {
    transactionType: caseKinds[each.kind],
    originalTerminalTransactionId: original,
    requestAmount: money(each.amount),
    tipAmount: money(each.tip),
    currency: each.amount === undefined ? undefined : currency,
    approvalCode: each.approvalCode,
    // A void goes to the acquirer of its original.
    forceAcquirer: original === undefined ? acquirer : undefined,
    preferredEntryMode: original === undefined ? 'CARD' : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const gestures: Readonly<Record<string, string>> = { CONTACTLESS: 'tap', CHIP: 'insert', MAGSTRIPE: 'swipe' };

/** Shows the progress to the person. With --sim the simulated customer acts on it. */
function follow(
  { simulator = {}, entryMode }: Case,
  { till, flags }: Pick<CaseBench, 'till' | 'flags'>,
  identity: Identity,
  over: AbortSignal,
): void {
  const show = progressTeller();
  const entry = entryMode === undefined ? undefined : gestures[entryMode];
  const own = { sim: flags['sim'], card: simulator.card, pin: simulator.pin, entry };
  const cancel = () =>
    void till
      .client()
      .client.cancel(identity)
      .catch(() => undefined);
  const customer = flags['sim'] === undefined ? undefined : new SimulatedCustomer(own, over, cancel);
  void followTransaction(till.client().client, identity, over, (state) => {
    if (over.aborted) return;
    show(state);
    customer?.meet(state);
  }).catch(() => undefined);
}

/** The part of an answer that the evidence contains: names and numbers of the transaction. */
function answerOf(answer: Answer | undefined): Answered | undefined {
  if (!answer) return undefined;
  const result = (answer['transactionResult'] ?? {}) as Readonly<Record<string, unknown>>;
  const own = (name: string, from: Readonly<Record<string, unknown>>) => {
    const value = from[name];
    return typeof value === 'string' && value !== '' ? { [name]: scrub(value) } : {};
  };
  const { terminalTransactionId: id } = answer;
  const numbers = ['entryMode', 'maskedPan', 'paymentMethod', 'approvalCode', 'rrn', 'tranStatus'];
  return {
    responseResult: answer.responseResult,
    ...(id === undefined ? {} : { terminalTransactionId: id }),
    ...Object.assign({}, ...['reason', 'message'].map((name) => own(name, answer))),
    ...Object.assign({}, ...numbers.map((name) => own(name, result))),
    ...(typeof result['trace'] === 'number' ? { trace: result['trace'] } : {}),
  };
}

async function receiptOf(
  client: Client,
  identity: Identity,
  answer: Answered | undefined,
): Promise<CaseResult['receipt']> {
  if (answer?.terminalTransactionId === undefined) return undefined;
  const copies = await Promise.all(
    ['CUSTOMER', 'MERCHANT'].map(async (copy) => {
      const found = await client.receipt({ ...identity, copy, output: 'TEXT' }).catch(() => undefined);
      const text: unknown = found?.responseResult === 'SUCCESS' ? found['text'] : undefined;
      return typeof text === 'string' ? scrub(text.trimEnd()) : undefined;
    }),
  );
  const [customer, merchant] = copies;
  return customer === undefined || merchant === undefined ? undefined : { customer, merchant };
}

/** Waits for messages that come after the answer, such as a reversal. */
class Heard {
  readonly #isComplete: () => boolean;
  readonly #complete = Promise.withResolvers<void>();

  constructor(isComplete: () => boolean) {
    this.#isComplete = isComplete;
  }

  look(): void {
    if (this.#isComplete()) this.#complete.resolve();
  }

  async all(ms: number): Promise<void> {
    this.look();
    const timer = systemClock.setTimeout(this.#complete.resolve, ms);
    await this.#complete.promise;
    systemClock.clearTimeout(timer);
  }
}
