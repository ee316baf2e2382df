import type { Limits } from '../../../src/base/domain/capability.ts';
import { type AcquirerId, acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { WalletScheme } from '../../../src/base/domain/payment-scheme.ts';
import type { LinkState } from '../../../src/payment/contracts/acquirer-host.ts';
import type {
  PresentedOrder,
  ScannedOrder,
  WalletApproved,
  WalletClosing,
  WalletFinding,
  WalletHost,
  WalletOrder,
  WalletOutcome,
  WalletPresentation,
  WalletRefundOrder,
} from '../../../src/payment/contracts/wallet-host.ts';
import type { Trace } from './trace.ts';

/** waiting: the customer can still pay it. */
export type OrderState = 'waiting' | 'paid' | 'declined' | 'closed' | 'refunded';

/** What the host does with an order, and its answer to the terminal. Without `state` the host never got it. */
interface Script<Outcome> {
  readonly state?: OrderState;
  readonly outcome: Outcome;
}
export type PayScript = Script<WalletOutcome>;
export type PresentScript = Script<WalletPresentation>;

/** An answer that differs from the books, and whether the books change all the same. */
export interface CloseScript {
  readonly closes: boolean;
  readonly outcome?: WalletClosing;
}

export function approvedOrder(hostNumber: string): WalletApproved {
  return { kind: 'approved', hostNumber, walletNumber: `W${hostNumber}`, hostTime: '120000', hostDate: '0101' };
}

export const asksCustomer: PayScript = { state: 'waiting', outcome: { kind: 'waiting', responseCode: '1145' } };
export const paysAndIsSilent: PayScript = { state: 'paid', outcome: { kind: 'unknown', reason: 'no-answer' } };
export const waitsAndIsSilent: PayScript = { state: 'waiting', outcome: { kind: 'unknown', reason: 'no-answer' } };
export const isSilent: PayScript & PresentScript = { outcome: { kind: 'unknown', reason: 'no-answer' } };
export const isDown: PayScript & PresentScript = { outcome: { kind: 'notSent', reason: 'host-down' } };
export const showsCode: PresentScript = {
  state: 'waiting',
  outcome: { kind: 'code', payload: 'https://qr.example/1' },
};
export const showsAndIsSilent: PresentScript = {
  state: 'waiting',
  outcome: { kind: 'unknown', reason: 'no-answer' },
};

interface Kept {
  readonly number: string;
  state: OrderState;
}

type Answer<Outcome> = Outcome | Promise<Outcome>;

/**
 * A wallet host with books. Every call first follows its script (the way there), then the books, and then waits for
 * `onAnswer` (the way back), so that an answer can be older than the books.
 */
export class ScriptedWallet implements WalletHost {
  limits: Limits = { mostMinor: 999_999_999_999n };
  readonly id: AcquirerId;
  readonly mid = '';
  readonly tid = '00000002';
  readonly link: LinkState = 'up';
  scanned: readonly WalletScheme[] = ['ALIPAY', 'WECHAT', 'UPI_QR'];
  presented: readonly WalletScheme[] = ['ALIPAY', 'WECHAT', 'FPS'];
  /** By trade number, including refunds. */
  readonly books = new Map<string, Kept>();
  readonly calls: { readonly call: keyof WalletHost; readonly order: WalletOrder }[] = [];
  readonly #trace: Trace;

  onPay: (order: ScannedOrder) => Answer<PayScript> = ({ tradeNo }) => ({
    state: 'paid',
    outcome: approvedOrder(this.#number(tradeNo)),
  });
  onPresent: (order: PresentedOrder) => Answer<PresentScript> = () => showsCode;
  onEnquire: (order: WalletOrder) => Answer<WalletFinding | undefined> = () => undefined;
  onClose: (order: WalletOrder) => Answer<CloseScript> = () => ({ closes: true });
  onRefund: (order: WalletRefundOrder) => Answer<PayScript> = ({ tradeNo }) => ({
    state: 'paid',
    outcome: approvedOrder(this.#number(tradeNo)),
  });
  onReverseRefund: (order: WalletOrder) => Answer<CloseScript> = () => ({ closes: true });
  onAnswer: (call: keyof WalletHost) => Answer<void> = () => undefined;

  constructor(id: string, trace: Trace) {
    this.id = acquirerId(id);
    this.#trace = trace;
  }

  approvalOf(tradeNo: string): WalletApproved {
    return approvedOrder(this.#number(tradeNo));
  }

  /** Orders that a customer can still pay. */
  get waiting(): readonly string[] {
    return [...this.books].filter(([, { state }]) => state === 'waiting').map(([tradeNo]) => tradeNo);
  }

  /** Standing payments: neither closed nor refunded. */
  get posted(): number {
    return [...this.books].filter(([tradeNo, { state }]) => !tradeNo.endsWith('-R') && state === 'paid').length;
  }

  /** The customer pays on the phone. False if no order, or not this one, can be paid. */
  paid(tradeNo: string | undefined = this.waiting[0]): boolean {
    if (tradeNo === undefined || this.books.get(tradeNo)?.state !== 'waiting') return false;
    this.#put(tradeNo, 'paid');
    return true;
  }

  /** The order expires at the host. */
  expired(tradeNo: string | undefined = this.waiting[0]): void {
    if (tradeNo !== undefined && this.books.get(tradeNo)?.state === 'waiting') this.#put(tradeNo, 'closed');
  }

  async pay(order: ScannedOrder): Promise<WalletOutcome> {
    this.#called('pay', order);
    const { state, outcome } = await this.onPay(order);
    if (state) this.#put(order.tradeNo, state);
    return this.#answered('pay', outcome);
  }

  async present(order: PresentedOrder): Promise<WalletPresentation> {
    this.#called('present', order);
    const { state, outcome } = await this.onPresent(order);
    if (state) this.#put(order.tradeNo, state);
    return this.#answered('present', outcome);
  }

  async enquire(order: WalletOrder): Promise<WalletFinding> {
    this.#called('enquire', order);
    const reported = await this.onEnquire(order);
    return this.#answered('enquire', reported ?? this.#finding(order.tradeNo));
  }

  async close(order: WalletOrder): Promise<WalletClosing> {
    this.#called('close', order);
    const { closes, outcome } = await this.onClose(order);
    return this.#answered('close', this.#closed(order.tradeNo, 'waiting', closes, outcome));
  }

  async refund(order: WalletRefundOrder): Promise<WalletOutcome> {
    this.#called('refund', order);
    const { state, outcome } = await this.onRefund(order);
    if (state) this.#refunded(order, state);
    return this.#answered('refund', outcome);
  }

  /** A refund that was held on the network arrives, and is carried out. Its sender does not wait for the answer any more. */
  refundArrives(): void {
    const held = this.calls.findLast(({ call }) => call === 'refund')?.order as WalletRefundOrder | undefined;
    if (held && !this.books.has(held.tradeNo)) this.#refunded(held, 'paid');
  }

  #refunded({ tradeNo, originalNumber }: WalletRefundOrder, state: OrderState): void {
    this.#put(tradeNo, state);
    const original = [...this.books].find(([, { number }]) => number === originalNumber);
    if (state === 'paid' && original) this.#put(original[0], 'refunded');
  }

  async reverseRefund(order: WalletOrder): Promise<WalletClosing> {
    this.#called('reverseRefund', order);
    const { closes, outcome } = await this.onReverseRefund(order);
    return this.#answered('reverseRefund', this.#closed(order.tradeNo, 'paid', closes, outcome));
  }

  async stop(): Promise<void> {}

  #closed(tradeNo: string, from: OrderState, closes: boolean, outcome: WalletClosing | undefined): WalletClosing {
    const state = this.books.get(tradeNo)?.state;
    if (closes && state === from) this.#put(tradeNo, 'closed');
    if (outcome) return outcome;
    if (state === undefined) return { kind: 'noSuchOrder', responseCode: '1268' };
    return closes && (state === from || state === 'closed')
      ? { kind: 'closed' }
      : { kind: 'refused', responseCode: '1260' };
  }

  #finding(tradeNo: string): WalletFinding {
    const kept = this.books.get(tradeNo);
    if (!kept) return { kind: 'noSuchOrder' };
    if (kept.state === 'paid') return approvedOrder(kept.number);
    if (kept.state === 'refunded') return { kind: 'refunded', hostNumber: kept.number };
    return kept.state === 'declined'
      ? { kind: 'declined', reason: 'declined', responseCode: '1143' }
      : { kind: kept.state };
  }

  #put(tradeNo: string, state: OrderState): void {
    const kept = this.books.get(tradeNo);
    if (kept) kept.state = state;
    else this.books.set(tradeNo, { number: this.#number(tradeNo), state });
    this.#trace.push(`${this.id}: order ${tradeNo} ${state}`);
  }

  #number(tradeNo: string): string {
    return `2026-${tradeNo}`;
  }

  #called(call: keyof WalletHost, order: WalletOrder): void {
    this.calls.push({ call, order });
    this.#trace.push(`${this.id}: ${call}`);
  }

  async #answered<Outcome>(call: keyof WalletHost, outcome: Outcome): Promise<Outcome> {
    await this.onAnswer(call);
    return outcome;
  }
}
