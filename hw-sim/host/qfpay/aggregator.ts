import { Numbers } from '../iso8583/numbers.ts';
import { type AnswerBody, answerBody, enquiryBody, unknownBody } from './answers.ts';
import { HostClock } from './clock.ts';
import type { CallParts } from './call-parts.ts';
import { found, reversedWindow } from './enquiries.ts';
import { type Call, checkFields } from './fields.ts';
import type { Form } from './form.ts';
import type { QfpayHostMode } from './mode.ts';
import type { Order } from './order.ts';
import { Orders } from './orders.ts';
import { pay } from './payments.ts';
import { Phones } from './phones.ts';
import { refund } from './refunds.ts';
import { takeBack } from './take-backs.ts';
import type { Verdict } from './verdict.ts';
import { Wallets } from './wallets.ts';
import type { Wallet } from './wallet.ts';

export interface Answered {
  readonly body: AnswerBody;
  readonly finding?: string;
  /** The order whose code the answer carries. */
  readonly shown?: Order;
}

export interface RequestCounts {
  readonly saleRequests: number;
  readonly enquiryRequests: number;
  readonly refundRequests: number;
  readonly reversalRequests: number;
  readonly closeRequests: number;
}

const countOf: Readonly<Record<Call, keyof RequestCounts>> = {
  payment: 'saleRequests',
  query: 'enquiryRequests',
  refund: 'refundRequests',
  reversal: 'reversalRequests',
  close: 'closeRequests',
};

const noCounts: RequestCounts = {
  saleRequests: 0,
  enquiryRequests: 0,
  refundRequests: 0,
  reversalRequests: 0,
  closeRequests: 0,
};

interface AggregatorOptions {
  readonly seed: number;
  readonly now: () => Date;
  readonly mchid: string | undefined;
  /** Those besides the usual ones. */
  readonly wallets: readonly Wallet[];
}

/** Aggregator and wallets in one: decides, books, and builds the answer. It knows nothing of HTTP. */
export class Aggregator implements CallParts {
  readonly orders: Orders;
  readonly phones: Phones;
  readonly wallets: Wallets;
  readonly numbers: Numbers;
  readonly clock: HostClock;
  readonly #mchid: string | undefined;
  #counts = { ...noCounts };

  constructor({ seed, now, mchid, wallets }: AggregatorOptions) {
    this.clock = new HostClock(now);
    this.numbers = new Numbers(seed);
    this.orders = new Orders(this.clock);
    this.wallets = new Wallets(wallets);
    this.phones = new Phones(this.numbers, this.wallets, now);
    this.#mchid = mchid;
  }

  get counts(): RequestCounts {
    return this.#counts;
  }

  /** Carries out a request whose signature was checked. */
  answer(call: Call, form: Form, mode: QfpayHostMode): Answered {
    this.#counts = { ...this.#counts, [countOf[call]]: this.#counts[countOf[call]] + 1 };
    const refused = checkFields(call, form, this.#mchid) ?? (call === 'query' ? reversedWindow(form) : undefined);
    if (refused) return this.#answered(call === 'query' ? 'payment' : call, refused, mode);
    switch (call) {
      case 'query':
        return { body: enquiryBody(found(this, form, mode), this.#circumstances(mode)) };
      case 'payment':
      case 'refund':
        return this.#moveMoney(call, form, mode);
      case 'reversal':
      case 'close':
        return this.#answered(call, takeBack(this, call, form, mode), mode);
      default:
        return call satisfies never;
    }
  }

  clear(): void {
    this.orders.clear();
    this.phones.clear();
    this.#counts = { ...noCounts };
  }

  #moveMoney(call: 'payment' | 'refund', form: Form, mode: QfpayHostMode): Answered {
    if (mode.outcome === 'unknownLost') return { body: unknownBody(form) };
    const verdict = call === 'payment' ? pay(this, form, mode) : refund(this, form, mode);
    if (mode.outcome === 'unknown' && verdict.order) return { body: unknownBody(form) };
    return this.#answered(call, verdict, mode);
  }

  #answered(call: Exclude<Call, 'query'>, verdict: Verdict, mode: QfpayHostMode): Answered {
    const { order, finding } = verdict;
    return {
      body: answerBody(call, verdict, this.#circumstances(mode)),
      ...(finding !== undefined && { finding }),
      ...(order && call === 'payment' && { shown: order }),
    };
  }

  #circumstances({ wrongAmount = false }: QfpayHostMode): Parameters<typeof enquiryBody>[1] {
    return { clock: this.clock, extraMinor: wrongAmount ? 1n : 0n, syssn: this.orders.syssn() };
  }
}
