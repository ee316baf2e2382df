import type { AcquirerId } from '../../domain/identifiers.ts';
import { type WalletScheme, walletSchemes } from '../../domain/payment-method.ts';
import type { LinkState } from '../../ports/acquirer-host.ts';
import type { Clock } from '../../ports/clock.ts';
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
} from '../../ports/wallet-host.ts';
import {
  type Fields,
  isFields,
  walletClosing,
  walletFinding,
  walletPayment,
  walletPresentation,
  walletRefund,
} from './answer.ts';
import type { Dial } from './dial.ts';
import { type HttpAnswer, HttpLink } from './link.ts';
import { checkOptions, type QfpayOptions } from './options.ts';
import { Requests } from './request.ts';
import { fitsAnswer, type Parameters, requestSignature, sorted } from './signature.ts';
import { closingCalls, type PayTypes, presentedPayTypes, scannedPayTypes } from './wallets.ts';

type Call = 'payment' | 'query' | 'refund' | 'reversal' | 'close';

/** What a call came to, as far as every call is alike. */
type Called =
  | { readonly kind: 'fields'; readonly fields: Fields }
  | Extract<WalletOutcome, { kind: 'unknown' | 'notSent' }>;

export interface QfpaySurroundings {
  readonly clock: Clock;
  /** TCP or TLS unless told otherwise. */
  readonly dial?: Dial;
}

/**
 * Wallets behind QFPay's public API (sdk.qfapi.com; fixtures/README.md, "QR wallet host"). Nothing is dialled before the
 * first order. Throws RangeError.
 */
export function qfpayHost(options: QfpayOptions, surroundings: QfpaySurroundings): WalletHost {
  return new QfpayHost(options, surroundings);
}

/** Each order rejects with RangeError where it can't be put into a request: a fault of the caller. */
class QfpayHost implements WalletHost {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly scanned: readonly WalletScheme[];
  readonly presented: readonly WalletScheme[];
  readonly #options: QfpayOptions;
  readonly #clock: Clock;
  readonly #url: URL;
  readonly #requests: Requests;
  readonly #link: HttpLink;
  readonly #scannedPayTypes: PayTypes;
  readonly #presentedPayTypes: PayTypes;

  constructor(options: QfpayOptions, { clock, dial }: QfpaySurroundings) {
    checkOptions(options);
    this.id = options.id;
    this.mid = options.mchid ?? '';
    this.tid = options.tid;
    this.#scannedPayTypes = options.scanned ?? scannedPayTypes;
    this.#presentedPayTypes = options.presented ?? presentedPayTypes;
    this.scanned = walletSchemes.filter((scheme) => this.#scannedPayTypes[scheme] !== undefined);
    this.presented = walletSchemes.filter((scheme) => this.#presentedPayTypes[scheme] !== undefined);
    this.#options = options;
    this.#clock = clock;
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

  async pay(order: ScannedOrder): Promise<WalletOutcome> {
    const called = await this.#call('payment', this.#requests.payment(order, this.#scannedPayTypes));
    return called.kind === 'fields' ? walletPayment(order, called.fields) : called;
  }

  async present(order: PresentedOrder): Promise<WalletPresentation> {
    const called = await this.#call('payment', this.#requests.presentation(order, this.#presentedPayTypes));
    return called.kind === 'fields' ? walletPresentation(order, called.fields) : called;
  }

  async enquire(order: WalletOrder): Promise<WalletFinding> {
    const called = await this.#call('query', this.#requests.enquiry(order, this.#clock.now()));
    return called.kind === 'fields' ? walletFinding(order, called.fields) : { kind: 'unknown' };
  }

  close(order: WalletOrder & { readonly scheme: WalletScheme }): Promise<WalletClosing> {
    return this.#end(closingCalls[order.scheme], order);
  }

  async refund(order: WalletRefundOrder): Promise<WalletOutcome> {
    const called = await this.#call('refund', this.#requests.refund(order));
    return called.kind === 'fields' ? walletRefund(order, called.fields) : called;
  }

  reverseRefund(order: WalletOrder): Promise<WalletClosing> {
    return this.#end('reversal', order);
  }

  stop(): Promise<void> {
    return this.#link.close();
  }

  async #end(call: 'reversal' | 'close', order: WalletOrder): Promise<WalletClosing> {
    const called = await this.#call(call, this.#requests.closing(order));
    return called.kind === 'fields' ? walletClosing(order, called.fields) : { kind: 'unanswered' };
  }

  async #call(call: Call, parameters: Parameters): Promise<Called> {
    const { appCode, clientKey, signType = 'SHA256' } = this.#options;
    const exchange = await this.#link.post({
      path: `${this.#url.pathname.replace(/\/$/, '')}/trade/v1/${call}`,
      headers: {
        Host: this.#url.host,
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-QF-APPCODE': appCode,
        'X-QF-SIGN': requestSignature(parameters, clientKey, signType),
        'X-QF-SIGNTYPE': signType,
      },
      body: new URLSearchParams(sorted(parameters)).toString(),
    });
    if (exchange.kind === 'notSent') return { kind: 'notSent', reason: 'host-down' };
    if (exchange.kind === 'unknown') return exchange;
    const fields = this.#fieldsOf(exchange.answer);
    return fields ? { kind: 'fields', fields } : { kind: 'unknown', reason: 'garbled-answer' };
  }

  /** The JSON object of an answer, or nothing where it is none, or its signature does not fit. */
  #fieldsOf({ status, signature, body }: HttpAnswer): Fields | undefined {
    if (status !== 200) return undefined;
    if (signature !== undefined && !fitsAnswer(signature, body, this.#options.clientKey)) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
    } catch {
      return undefined;
    }
    return isFields(value) ? value : undefined;
  }
}
