import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { WalletScheme } from '../../base/domain/payment-scheme.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import { type LinkState, UnsendableOrder } from '../../payment/contracts/acquirer-host.ts';
import type { RecognitionListener } from '../../payment/contracts/terminal-recognition.ts';
import type {
  PresentedOrder,
  ScannedOrder,
  WalletClosing,
  WalletFinding,
  WalletHost,
  WalletOrder,
  WalletOutcome,
  WalletPresentation,
  WalletRefundOrder,
} from '../../payment/contracts/wallet-host.ts';
import { walletClosing, walletFinding, walletPayment, walletPresentation, walletRefund } from './answer.ts';
import { LastSent } from './last-sent.ts';
import type { Dial } from './dial.ts';
import { readAnswer } from './answer-fields.ts';
import type { Fields } from './fields.ts';
import { HostClock } from './host-clock.ts';
import { wallTimeMs } from './host-time.ts';
import { qfpayLimits } from './limits.ts';
import { HttpLink } from './link.ts';
import { type Search, search } from './months.ts';
import { checkOptions, type QfpayOptions } from './options.ts';
import { Requests } from './request.ts';
import { type Parameters, requestSignature, sortByName } from './signature.ts';
import { HostWallets } from './wallets.ts';

type Call = 'payment' | 'query' | 'refund' | 'reversal' | 'close';

/** The result that all calls have in common. */
type Called =
  | { readonly kind: 'fields'; readonly fields: Fields }
  | Extract<WalletOutcome, { kind: 'unknown' | 'notSent' }>;

export interface QfpayHostOptions {
  readonly clock: MonotonicClock;
  /** Default: TCP or TLS. */
  readonly dial?: Dial;
  /** Called for each answer that shows whether the host knows this terminal, its merchant and its key. */
  readonly onRecognition?: RecognitionListener;
}

/**
 * Wallets behind QFPay's public API (sdk.qfapi.com; fixtures/README.md, "QR wallet host"). The connection opens with
 * the first order. Throws RangeError.
 */
export function qfpayHost(options: QfpayOptions, opened: QfpayHostOptions): WalletHost {
  return new QfpayHost(options, opened);
}

/** An order that can't be encoded rejects with UnsendableOrder. */
class QfpayHost implements WalletHost {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly limits = qfpayLimits;
  readonly scanned: readonly WalletScheme[];
  readonly presented: readonly WalletScheme[];
  readonly #options: QfpayOptions;
  readonly #hostClock: HostClock;
  readonly #lastSent: LastSent;
  readonly #lagMs: number;
  readonly #url: URL;
  readonly #requests: Requests;
  readonly #link: HttpLink;
  readonly #wallets: HostWallets;
  readonly #onRecognition: RecognitionListener | undefined;

  constructor(options: QfpayOptions, { clock, dial, onRecognition }: QfpayHostOptions) {
    checkOptions(options);
    this.id = options.id;
    this.mid = options.mchid ?? '';
    this.tid = options.tid;
    this.#wallets = new HostWallets(options.wallets);
    this.scanned = this.#wallets.scanned;
    this.presented = this.#wallets.presented;
    this.#options = options;
    this.#onRecognition = onRecognition;
    this.#hostClock = new HostClock(clock, options.timeZone);
    this.#lagMs = options.queryLagMs ?? 60_000;
    this.#lastSent = new LastSent(this.#lagMs, clock);
    this.#requests = new Requests(options);
    this.#url = new URL(options.url);
    const secure = this.#url.protocol === 'https:';
    this.#link = new HttpLink({
      host: this.#url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(this.#url.port || (secure ? 443 : 80)),
      secure,
      ca: options.ca,
      connectTimeoutMs: options.connectTimeoutMs,
      replyTimeoutMs: options.replyTimeoutMs,
      clock,
      dial,
    });
  }

  get link(): LinkState {
    return this.#link.state;
  }

  get hostTime(): string | undefined {
    return this.#hostClock.text;
  }

  async pay(order: ScannedOrder): Promise<WalletOutcome> {
    const wallet = this.#wallets.of(order.scheme);
    const called = await this.#moveMoney(order, 'payment', (requests) => requests.payment(order, wallet));
    return called.kind === 'fields' ? walletPayment(order, called.fields) : called;
  }

  async present(order: PresentedOrder): Promise<WalletPresentation> {
    const wallet = this.#wallets.of(order.scheme);
    const called = await this.#moveMoney(order, 'payment', (requests) => requests.presentation(order, wallet));
    const isEmvco = wallet?.presented?.isEmvco === true;
    return called.kind === 'fields' ? walletPresentation(order, called.fields, isEmvco) : called;
  }

  /** "Not found" counts only after every month that may contain the order was searched. */
  async enquire(order: WalletOrder): Promise<WalletFinding> {
    const isQuiet = this.#isQuiet(order);
    const current = await this.#enquireOnce(order);
    if (current.kind !== 'notFound') return current;
    const { spans, isWhole } = this.#search(order);
    for (const span of spans) {
      const finding = await this.#enquireOnce(order, span);
      if (finding.kind !== 'notFound') return finding;
    }
    return { kind: isQuiet && isWhole ? 'noSuchOrder' : 'notFound' };
  }

  /**
   * No public page states which call ends the orders of every wallet: for others, the second is tried after the first.
   */
  async close(order: WalletOrder & { readonly scheme: WalletScheme }): Promise<WalletClosing> {
    const call = this.#wallets.of(order.scheme)?.closing;
    if (call) return this.#end(call, order);
    const reversed = await this.#end('reversal', order);
    const isRefused = reversed.kind === 'refused' || reversed.kind === 'notOperational';
    return isRefused ? this.#end('close', order) : reversed;
  }

  async refund(order: WalletRefundOrder): Promise<WalletOutcome> {
    const called = await this.#moveMoney(order, 'refund', (requests) => requests.refund(order));
    return called.kind === 'fields' ? walletRefund(order, called.fields) : called;
  }

  reverseRefund(order: WalletOrder): Promise<WalletClosing> {
    return this.#end('reversal', order);
  }

  stop(): Promise<void> {
    return this.#link.close();
  }

  async #enquireOnce(order: WalletOrder, span?: Search['spans'][number]): Promise<ReturnType<typeof walletFinding>> {
    const called = await this.#call('query', (requests) => requests.enquiry(order, span));
    return called.kind === 'fields' ? walletFinding(order, called.fields) : { kind: 'unknown' };
  }

  #search({ tradeNo, at, hostAt }: WalletOrder): Search {
    const hostNowMs = this.#hostClock.nowMs;
    const sentMs = this.#hostClock.wallTimeOf(at) ?? 0;
    return search({ hostNowMs, agoMs: this.#lastSent.agoMs(tradeNo), sentMs, hostAtMs: wallTimeMs(hostAt) });
  }

  async #end(call: 'reversal' | 'close', order: WalletOrder): Promise<WalletClosing> {
    const isQuiet = this.#isQuiet(order);
    const called = await this.#call(call, (requests) => requests.closing(order));
    if (called.kind === 'fields') return walletClosing(order, called.fields, isQuiet);
    return { kind: 'unanswered', ...(called.kind === 'notSent' ? { request: 'notSent' } : {}) };
  }

  /**
   * Whether the order was sent so long ago that it can't be on its way, nor hidden by a query that lags behind the
   * host's books.
   */
  #isQuiet({ tradeNo }: WalletOrder): boolean {
    return this.#lastSent.quietMs(tradeNo) >= this.#lagMs;
  }

  async #moveMoney(
    { tradeNo }: WalletOrder,
    call: Call,
    parameters: (requests: Requests) => Parameters,
  ): Promise<Called> {
    this.#lastSent.noteRequest(tradeNo);
    try {
      return await this.#call(call, parameters);
    } finally {
      this.#lastSent.noteRequest(tradeNo);
    }
  }

  async #call(call: Call, made: (requests: Requests) => Parameters): Promise<Called> {
    const { appCode, clientKey, signType = 'SHA256' } = this.#options;
    const parameters = this.#sendable(made);
    const exchange = await this.#link.post({
      path: `${this.#url.pathname.replace(/\/$/, '')}/trade/v1/${call}`,
      headers: {
        Host: this.#url.host,
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-QF-APPCODE': appCode,
        'X-QF-SIGN': requestSignature(parameters, clientKey, signType),
        'X-QF-SIGNTYPE': signType,
      },
      body: new URLSearchParams(sortByName(parameters)).toString(),
    });
    if (exchange.kind === 'notSent') return { kind: 'notSent', reason: 'host-down' };
    if (exchange.kind === 'unknown') return exchange;
    const { fields, recognition } = readAnswer(exchange.answer, this.#options);
    if (recognition) this.#onRecognition?.({ acquirerId: this.id, ...recognition });
    if (!fields) return { kind: 'unknown', reason: 'garbled-answer' };
    this.#hostClock.hear(exchange.answer.date, call === 'payment' ? fields['sysdtm'] : undefined);
    return { kind: 'fields', fields };
  }

  #sendable(made: (requests: Requests) => Parameters): Parameters {
    try {
      return made(this.#requests);
    } catch (error) {
      throw new UnsendableOrder((error as Error).message);
    }
  }
}
