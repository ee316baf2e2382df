import type { Reason, Retry, FinancialImpact, ResponseResult } from '../../base/domain/reason.ts';
import { isUndone } from './answer-result.ts';
import { readText } from './answer-text.ts';
import { followEvents, pause, type TillEvent } from './events.ts';
import { rotateKey } from './pairing.ts';
import { isAnswerTo, overMs, signCall, type TillKey } from './signing.ts';
import { platformTimers } from '../../base/domain/long-timeout.ts';

export { mqttFetch, type MqttClient, type MqttFetchOptions } from './mqtt-fetch.ts';
export { pair, type PairingTill } from './pairing.ts';
export type { FinancialImpact, Reason, ResponseResult, Retry, TillEvent, TillKey };

/** An answer of the terminal: GET /openapi.json has every field. */
export interface Answer {
  readonly responseResult: ResponseResult;
  readonly messageId?: string;
  readonly terminalTransactionId?: string;
  readonly message?: string;
  readonly reason?: Reason;
  readonly retryable?: Retry;
  readonly financialImpact?: FinancialImpact;
  /** For the cashier. */
  readonly text?: Readonly<Record<'en' | 'zh-Hant', string>>;
  readonly [field: string]: unknown;
}

/**
 * How a payment or settlement ended. `undone`: it was done, and all of it was returned since: voided, released,
 * refunded or reversed, as `tranStatus` shows. A partly refunded payment is `done`, and has `refundedAmount`.
 * `unknown`: do not charge again; ask with `outcome()` later, send the same request again, or call the operator.
 * Without an answer of the terminal `trouble` contains the reason.
 */
export type Outcome =
  | { readonly is: 'done' | 'undone' | 'notDone'; readonly answer: Answer }
  | { readonly is: 'unknown'; readonly answer?: Answer; readonly trouble?: string };
export type Identity = Readonly<Record<'posId' | 'messageId', string>>;
export type Fields = Readonly<Record<string, unknown>>;

export interface ClientOptions {
  /** The terminal: https://192.168.1.5:8080 */
  readonly url: string;
  /** Signs calls. Then only signed answers count. */
  readonly key?: TillKey | undefined;
  /** Another fetch, for a certificate of the terminal's own. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * Time-out of the answer to a POST. Afterwards the client enquires, because a terminal without power never answers.
   */
  readonly holdMs?: number;
  /** A lost POST is repeated within this time. Later the customer may have left. */
  readonly repeatMs?: number;
  /** The terminal is asked for this long after its last answer, every `pauseMs`, each time for at most `askMs`. */
  readonly giveUpMs?: number;
  readonly askMs?: number;
  readonly pauseMs?: number;
}
type Answered = { readonly status: number; readonly answer: Answer };
const payment = '/sp/v1/payment';
const times = { holdMs: 30_000, askMs: 5_000, repeatMs: 20_000, giveUpMs: 120_000, pauseMs: 1_000 };

/** A till's side of the terminal's interface. The till stores the messageId before it calls pay or settle. */
export class Client {
  readonly #options: ClientOptions & typeof times;

  constructor(options: ClientOptions) {
    this.#options = { ...times, ...options };
  }

  /** Any transaction of POST /sp/v1/payment. Resolves when it is over; `signal` ends the waiting, not the payment. */
  pay(request: Identity & Fields, signal?: AbortSignal): Promise<Outcome> {
    return this.#conclude(payment, request, signal);
  }

  settle(request: Identity & Fields, signal?: AbortSignal): Promise<Outcome> {
    return this.#conclude('/sp/v1/settlement', request, signal);
  }

  /**
   * How a payment or settlement ended that was begun earlier: after a crash of the till, or an unknown outcome.
   * `sentAt`: when the till last called `pay` or `settle` for it. A call that the terminal does not have may still be
   * on its way, and begin later. A signed call can't begin after its expiry, so until then the client enquires again
   * after NOT_FOUND. A call without a key has no expiry: then the outcome is `unknown`.
   */
  async outcome(request: Identity & { readonly sentAt?: Date }, signal?: AbortSignal): Promise<Outcome> {
    const begun = Date.now();
    const { key, giveUpMs } = this.#options;
    const overAt = key ? this.#lastSent(request.sentAt, begun) + overMs : Infinity;
    for (;;) {
      const outcome = await this.#ask(request, signal);
      if (!isUnheard(outcome) || Date.now() > overAt) return outcome;
      if (!key || signal?.aborted || Date.now() - begun > giveUpMs) return { is: 'unknown', answer: outcome.answer };
      await this.#pause();
    }
  }

  /** The latest time of a POST of a call that was made at `calledAt`, and has ended. */
  #lastSent(calledAt: Date | undefined, now: number): number {
    const { repeatMs, holdMs, giveUpMs, askMs } = this.#options;
    // The repeats, the answer that the last of them waits for, and then the uncertain time, which ends with an enquiry.
    const sendsMs = repeatMs + holdMs + giveUpMs + askMs;
    return calledAt ? Math.min(calledAt.getTime() + sendsMs, now) : now;
  }

  enquiry({ posId, messageId }: Identity): Promise<Answer> {
    return this.call('POST', '/sp/v1/enquiry', { posId, messageId });
  }

  cancel({ posId, messageId }: Identity): Promise<Answer> {
    return this.call('POST', '/sp/v1/cancel', { posId, messageId });
  }

  receipt(request: Fields): Promise<Answer> {
    return this.call('POST', '/sp/v1/receipt', request);
  }

  /**
   * Agrees on a new key, through the cloud. Store it, then use it: with its first call the terminal revokes the present
   * one. If no answer comes, the present key stays valid, and this may be called again.
   */
  rotate(posId: string): Promise<TillKey & { readonly key: string }> {
    return rotateKey(posId, (body) => this.call('POST', '/sp/v1/pairing/rotate', body));
  }

  /** Any other call: status, capabilities, lists. Throws if there is no answer of the terminal. */
  async call(method: 'GET' | 'POST', path: string, request?: object): Promise<Answer> {
    return (await this.#send(method, path, request)).answer;
  }

  /**
   * Every change of state. The stream is not signed: it is a hint for the cashier's screen, not a proof of a payment.
   */
  events({ posId, signal }: { posId?: string; signal?: AbortSignal } = {}): AsyncGenerator<TillEvent> {
    const path = `/sp/v1/events${posId === undefined ? '' : `?posId=${encodeURIComponent(posId)}`}`;
    const open = async (headers: object) => (await this.#fetch('GET', path, '', signal, headers)).response;
    return followEvents(open, this.#options.pauseMs, signal);
  }

  /** Enquires until the answer is a final state. */
  async #ask({ posId, messageId }: Identity, signal?: AbortSignal): Promise<Outcome> {
    for (let heard = Date.now(); ; await this.#pause()) {
      const answered = await this.#send('POST', '/sp/v1/enquiry', { posId, messageId }, signal).catch(sentenceOf);
      const isAnswered = typeof answered !== 'string';
      if (isAnswered && answered.answer.responseResult === 'PROCESSING') heard = Date.now();
      else if (isAnswered && (answered.status === 200 || answered.status === 404)) return outcomeOf(answered);
      if (signal?.aborted || Date.now() - heard > this.#options.giveUpMs)
        return { is: 'unknown', ...(isAnswered ? { answer: answered.answer } : { trouble: answered }) };
    }
  }

  /** The same POST again, then enquiries: neither charges twice. */
  async #conclude(path: string, request: Identity, signal?: AbortSignal): Promise<Outcome> {
    const begun = Date.now();
    for (let isFirst = true; ; isFirst = false) {
      const answered = await this.#send('POST', path, request, signal).catch(sentenceOf);
      const isAnswered = typeof answered !== 'string' && answered.answer.responseResult !== 'PROCESSING';
      // A refusal of the first call is an answer. After a lost call it does not cover the lost one.
      const isRefused =
        isAnswered &&
        isFirst &&
        isLookedAt(answered) &&
        (answered.status < 500 || answered.answer.financialImpact === 'NONE');
      if (isAnswered && (answered.status === 200 || isRefused)) return outcomeOf(answered);
      const isLate = Date.now() - begun + this.#options.pauseMs > this.#options.repeatMs;
      if (typeof answered !== 'string' || isLate || signal?.aborted) return this.#settleDoubt(path, request, signal);
      await this.#pause();
    }
  }

  /**
   * The outcome of a lost request. NOT_FOUND is not final: the request may still be on its way, and be carried out when
   * nobody waits for it. So it is sent again and cancelled: once the terminal has received it, a copy begins nothing.
   */
  async #settleDoubt(path: string, request: Identity, signal?: AbortSignal): Promise<Outcome> {
    const begun = Date.now();
    for (;;) {
      const outcome = await this.#ask(request, signal);
      if (!isUnheard(outcome)) return outcome;
      if (signal?.aborted || Date.now() - begun > this.#options.giveUpMs)
        return { is: 'unknown', answer: outcome.answer };
      const heard = new AbortController();
      if (path === payment) void this.#cancelUntil(request, heard.signal);
      const answered = await this.#send('POST', path, request, signal).catch(sentenceOf);
      heard.abort();
      if (typeof answered !== 'string' && answered.status === 200 && answered.answer.responseResult !== 'PROCESSING')
        return outcomeOf(answered);
      await this.#pause();
    }
  }

  /** The cancel may arrive before the payment. */
  async #cancelUntil({ posId, messageId }: Identity, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answered = await this.#send('POST', '/sp/v1/cancel', { posId, messageId }, signal).catch(sentenceOf);
      if (typeof answered !== 'string' && answered.answer.responseResult !== 'NOT_FOUND') return;
      await this.#pause();
    }
  }

  /** Throws if no answer comes in time, or none of the terminal to this call. */
  #send(method: string, path: string, request?: Partial<Identity>, signal?: AbortSignal): Promise<Answered> {
    const { holdMs, askMs } = this.#options;
    const ms = path === '/sp/v1/enquiry' ? askMs : holdMs;
    return withDeadline(ms, signal, (end) => this.#exchange(method, path, request, end));
  }

  async #exchange(method: string, path: string, request: Partial<Identity> | undefined, signal: AbortSignal) {
    const { key } = this.#options;
    const body = request ? JSON.stringify(request) : '';
    const { response, signed } = await this.#fetch(method, path, body, signal);
    const text = await readText(response);
    const answer = JSON.parse(text) as Answer;
    if (typeof answer !== 'object' || answer === null) throw new Error('an answer that is no object');
    if (key && signed && !(await isAnswerTo(signed, key, response, text)))
      throw new Error(`an answer that the terminal has not signed: ${response.status} ${answer.message ?? ''}`);
    // Only a refusal may lack the identity that it could not read. An enquiry's answer always has it.
    const given = response.status < 400 || path === '/sp/v1/enquiry' ? {} : request;
    for (const name of ['posId', 'messageId'] as const)
      if (request?.[name] !== undefined && (answer[name] ?? given?.[name]) !== request[name])
        throw new Error(`an answer to another ${name}`);
    return { status: response.status, answer };
  }

  async #fetch(method: string, path: string, body: string, signal?: AbortSignal, more: object = {}) {
    const { key, fetch = globalThis.fetch } = this.#options;
    const url = new URL(path, this.#options.url);
    const signed = key && (await signCall(key, method, url, body));
    const headers = { ...more, ...(body === '' ? {} : { 'content-type': 'application/json' }), ...signed };
    const rest = { ...(signal ? { signal } : {}), ...(body === '' ? {} : { body }) };
    return { signed, response: await fetch(url, { method, headers, redirect: 'error', ...rest }) };
  }

  #pause(): Promise<void> {
    return pause(this.#options.pauseMs);
  }
}

function outcomeOf({ status, answer }: Answered): Outcome {
  const { responseResult, financialImpact: impact = 'UNKNOWN' } = answer;
  if (status === 200 && responseResult === 'SUCCESS') return { is: isUndone(answer) ? 'undone' : 'done', answer };
  return { is: impact === 'NONE' || impact === 'REVERSED' ? 'notDone' : 'unknown', answer };
}

/**
 * A refusal because of too many calls does not concern the payment; terminals before 0.2.0 added that nothing was
 * charged.
 */
function isLookedAt({ answer }: Answered): boolean {
  return answer.reason !== 'tooManyCalls' && answer.reason !== 'callBudgetSpent';
}

/** The terminal has no record of it, or not yet. */
function isUnheard(outcome: Outcome): outcome is Outcome & { readonly answer: Answer } {
  return outcome.is === 'notDone' && outcome.answer.responseResult === 'NOT_FOUND';
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Does `work` for at most `ms`, or until `signal`; then rejects, without waiting for the work. Unlike
 * AbortSignal.timeout, the timer keeps an otherwise idle program alive.
 */
async function withDeadline<Result>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const timer = platformTimers.setTimeout(() => end.abort(new DOMException('no answer in time', 'TimeoutError')), ms);
  const stop = () => end.abort(signal?.reason);
  const ended = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason as Error), { once: true });
  });
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(end.signal), ended]);
  } finally {
    platformTimers.clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
