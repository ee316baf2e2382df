import { majorText } from '../../base/domain/amount.ts';
import type { EcrChannel } from '../../config/ecr-settings.ts';
import { attemptId, callerOf, type CallingParts, type EcrTill, newMessageId } from './calling.ts';
import type { OpenCall } from './ledger.ts';
import { jsonOf, messageOf, type Outcome, outcomeOf } from './outcome.ts';
import { Payments } from './payments.ts';
import { queryData } from './report.ts';
import { type EcrAnswer, failure, success, wrongParameters } from './wire/answer.ts';
import { type EcrContent, fingerprintOf } from './wire/content.ts';
import { type EcrCall, type EcrRequest, parseRequest, type RefundRequest, type TradeRequest } from './wire/request.ts';

/** An answer, and what to do once its caller has it. */
export interface Answered {
  readonly answer: EcrAnswer;
  /** Called when the answer was written to the caller's connection as a whole. */
  readonly noteDelivery: () => void;
}

/** What begins a call; or the answer, because nothing begins. */
type Chosen = { readonly call: OpenCall; readonly isNew: boolean } | { readonly answer: EcrAnswer };

/** Attempts under one out_trade_no. A cashier who presses Send so often has another fault. */
const attemptsMax = 50;
/** Numbers whose latest attempt is remembered, so that earlier ones are not asked for again. */
const rememberedMax = 500;

/** What a cancel gives back. */
const refundable: readonly string[] = ['SALE', 'OFFLINE_SALE'];

/** How a channel is paid. An acquirer takes all cards or wallets that it has, so the instrument is only the first. */
const channels: Readonly<Record<EcrChannel, { readonly acquirer: string; readonly instrument: string }>> = {
  card_payment: { acquirer: 'EDC', instrument: 'CARD' },
  amex_card: { acquirer: 'EDC', instrument: 'AMEX' },
  unionpay_card: { acquirer: 'CUP', instrument: 'UNIONPAY' },
  wx: { acquirer: 'QR', instrument: 'WECHAT' },
  alipay: { acquirer: 'QR', instrument: 'ALIPAY' },
  payme: { acquirer: 'QR', instrument: 'PAYME' },
  union: { acquirer: 'QR', instrument: 'UPI_QR' },
  fps: { acquirer: 'QR', instrument: 'FPS' },
  octopus: { acquirer: 'OCTOPUS', instrument: 'OCTOPUS' },
};

/** The six calls, as calls of the terminal. */
export class EcrCalls {
  readonly #parts: CallingParts;
  readonly payments: Payments;
  /** The latest attempt of a number, by POS and number. */
  readonly #attempts = new Map<string, number>();
  /** One request of a POS at a time is compared with what it has begun: two at once could begin twice. */
  readonly #choosing = new Map<string, Promise<unknown>>();

  constructor(parts: CallingParts) {
    this.#parts = parts;
    this.payments = new Payments(parts);
  }

  /** Never rejects. */
  async answer(till: EcrTill, call: EcrCall, content: EcrContent): Promise<Answered> {
    const request = parseRequest(call, content, this.#parts.currency);
    if ('fault' in request) return plain(wrongParameters(request.fault));
    if (request.call !== 'trade' && request.call !== 'cancel') return plain(await this.#ask(till, request));
    const fingerprint = fingerprintOf(content);
    const chosen = await this.#inTurn(till.posId, () => this.#choose(till, request, fingerprint));
    if ('answer' in chosen) return plain(chosen.answer);
    const { messageId } = chosen.call;
    const { ledger } = this.#parts;
    const noteDelivery = () => {
      ledger.noteAnswer(messageId);
      void ledger.tryFlush();
    };
    return { answer: await chosen.running, noteDelivery };
  }

  #ask(till: EcrTill, request: Exclude<EcrRequest, TradeRequest | RefundRequest>): Promise<EcrAnswer> {
    switch (request.call) {
      case 'print_receipt':
        return this.#printReceipt(till, request.orderId);
      case 'transaction_info':
        return this.#printSummary(till);
      case 'query_transaction':
        return 'orderId' in request ? this.#query(till, request.orderId) : this.#queryNumber(till, request.outTradeNo);
      case 'cancel_request':
        return this.payments.cancel(till.posId);
      default:
        return request satisfies never;
    }
  }

  /** Chooses, and begins, before the next request of this POS is looked at. */
  async #choose(till: EcrTill, request: TradeRequest | RefundRequest, fingerprint: string) {
    const { ledger } = this.#parts;
    const again = ledger.findRepeat(till.posId, fingerprint);
    const chosen: Chosen = again
      ? { call: again, isNew: false }
      : await (request.call === 'trade'
          ? this.#chooseTrade(till, request, fingerprint)
          : this.#chooseRefund(till, request, fingerprint));
    if ('answer' in chosen) return chosen;
    if (chosen.isNew) ledger.add(chosen.call);
    return { call: chosen.call, running: this.payments.run(chosen.call, chosen.isNew) };
  }

  async #chooseTrade(till: EcrTill, request: TradeRequest, fingerprint: string): Promise<Chosen> {
    const { ledger, random } = this.#parts;
    const { posId } = till;
    const fields = await this.#tradeFields(request);
    const callOf = (messageId: string): OpenCall => ({
      posId,
      messageId,
      call: 'trade',
      fingerprint,
      fields,
      isAnswered: false,
      isDecided: false,
    });
    const { outTradeNo } = request;
    if (outTradeNo === undefined) return { call: callOf(newMessageId(random)), isNew: true };
    const { messageId, outcome } = await this.#latestAttempt(posId, outTradeNo);
    if (messageId === undefined) return { answer: failure('Too many attempts under this out_trade_no.') };
    // It was begun with other fields, and is not over.
    const known = ledger.find(messageId);
    if (known) return { answer: wrongParameters('out_trade_no is that of another request, which is not over.') };
    const call = callOf(messageId);
    // An enquiry that could not be answered is open: the payment may begin only now.
    if (outcome.kind === 'open') ledger.add(call);
    return { call, isNew: outcome.kind === 'unknown' };
  }

  /** The attempt that is not over without money having moved: one that was never begun, runs, has succeeded, or is open. */
  async #latestAttempt(posId: string, outTradeNo: string) {
    const key = JSON.stringify([posId, outTradeNo]);
    for (let attempt = this.#attempts.get(key) ?? 1; attempt <= attemptsMax; attempt++) {
      const messageId = attemptId(outTradeNo, attempt);
      const outcome = await this.#enquire(posId, messageId);
      if (outcome.kind === 'ended' && !this.payments.isRunning(messageId)) continue;
      this.#remember(key, attempt);
      return { messageId, outcome };
    }
    return { messageId: undefined, outcome: undefined };
  }

  #remember(key: string, attempt: number): void {
    this.#attempts.delete(key);
    this.#attempts.set(key, attempt);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > rememberedMax && oldest !== undefined) this.#attempts.delete(oldest);
  }

  async #tradeFields({ minor, channel, outTradeNo, collectS, entryMode }: TradeRequest) {
    const { channels: own, currency } = this.#parts;
    const { acquirer, instrument } = channels[channel];
    const seconds = collectS === undefined ? undefined : await this.#withinLimits(collectS);
    return {
      transactionType: 'SALE',
      requestAmount: majorText({ minor, currency }),
      currency,
      forceAcquirer: own[channel] ?? acquirer,
      preferredInstrument: instrument,
      ...(entryMode === undefined ? {} : { preferredEntryMode: entryMode }),
      ...(outTradeNo === undefined ? {} : { posReference: outTradeNo }),
      ...(seconds === undefined ? {} : { collectTimeoutSeconds: String(seconds) }),
    };
  }

  /** What a request asks for, cut to what this terminal offers. */
  async #withinLimits(seconds: number): Promise<number> {
    const { body } = await this.#parts.calls.capabilities({ query: new URLSearchParams() }, callerOf('ecr'));
    const { min, max } = jsonOf(jsonOf(body)['collectTimeoutSeconds']);
    if (typeof min !== 'number' || typeof max !== 'number') return seconds;
    return Math.min(Math.max(seconds, min), max);
  }

  /** The whole payment is voided, a part or the rest of it is refunded. */
  async #chooseRefund(till: EcrTill, request: RefundRequest, fingerprint: string): Promise<Chosen> {
    const { currency, random } = this.#parts;
    const { posId } = till;
    const { orderId } = request;
    const answer = await this.#parts.calls.enquiry({ terminalTransactionId: orderId }, callerOf(posId));
    const outcome = outcomeOf(answer);
    if (outcome.kind !== 'success') return { answer: answerOf(outcome) };
    const { reference, finalMinor, refundedMinor, type } = outcome.transaction;
    // A void of a refund would charge the customer again.
    if (!refundable.includes(type)) return { answer: failure('Only a payment can be refunded.') };
    if (outcome.transaction.currency !== currency)
      return { answer: failure(`The payment was not made in ${currency}.`) };
    const leftMinor = finalMinor - refundedMinor;
    const minor = request.minor ?? leftMinor;
    if (minor > leftMinor || minor <= 0n) return { answer: failure('The amount is more than what is left to refund.') };
    const amount = majorText({ minor, currency });
    const isWhole = refundedMinor === 0n && minor === finalMinor;
    const fields = {
      currency,
      originalTerminalTransactionId: orderId,
      ...(reference === '' ? {} : { posReference: reference }),
      ...(isWhole ? { transactionType: 'VOID' } : { transactionType: 'REFUND', requestAmount: amount }),
    };
    const call: OpenCall = {
      posId,
      messageId: newMessageId(random),
      call: 'cancel',
      fingerprint,
      fields,
      ...(isWhole ? { left: amount } : {}),
      isAnswered: false,
      isDecided: false,
    };
    return { call, isNew: true };
  }

  async #query({ posId }: EcrTill, orderId: string): Promise<EcrAnswer> {
    const answer = await this.#parts.calls.enquiry({ terminalTransactionId: orderId }, callerOf(posId));
    return this.#report(outcomeOf(answer));
  }

  /** The attempt that has succeeded or is not over; else the last one. */
  async #queryNumber({ posId }: EcrTill, outTradeNo: string): Promise<EcrAnswer> {
    let last: Outcome | undefined;
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const outcome = await this.#enquire(posId, attemptId(outTradeNo, attempt));
      if (outcome.kind === 'unknown') return this.#report(last ?? outcome);
      if (outcome.kind !== 'ended') return this.#report(outcome);
      last = outcome;
    }
    return this.#report(last);
  }

  #report(outcome: Outcome | undefined): EcrAnswer {
    if (outcome?.kind === 'success') return success(queryData(outcome.transaction, this.#parts.clock.now()));
    return outcome ? answerOf(outcome) : failure('There is no such transaction.');
  }

  async #printReceipt({ posId }: EcrTill, orderId: string): Promise<EcrAnswer> {
    const request = { terminalTransactionId: orderId, output: 'PRINT' };
    const { status, body } = await this.#parts.calls.receipt(request, callerOf(posId));
    return status === 200 ? success() : failure(messageOf(body));
  }

  /** What this POS has taken since the last settlement. */
  async #printSummary({ posId }: EcrTill): Promise<EcrAnswer> {
    const request = { posId, messageId: newMessageId(this.#parts.random), wait: false };
    const { status, body } = await this.#parts.calls.printReport(request, callerOf(posId));
    return status === 200 ? success() : failure(messageOf(body));
  }

  async #enquire(posId: string, messageId: string): Promise<Outcome> {
    return outcomeOf(await this.#parts.calls.enquiry({ posId, messageId }, callerOf(posId)));
  }

  /** Resolves to the result of `work`, which begins after those before it of this POS. */
  async #inTurn<T>(posId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#choosing.get(posId) ?? Promise.resolve();
    const mine = before.then(work);
    // One that fails does not hold up the next.
    this.#choosing.set(
      posId,
      mine.catch(() => undefined),
    );
    return mine;
  }
}

/** The answer for a transaction that has not succeeded. */
function answerOf(outcome: Exclude<Outcome, { readonly kind: 'success' }>): EcrAnswer {
  return outcome.kind === 'ended' ? outcome.answer : failure(outcome.message);
}

function plain(answer: EcrAnswer): Answered {
  return { answer, noteDelivery: () => undefined };
}
