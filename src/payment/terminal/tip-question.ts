import { type Amount, majorText, parseMajor } from '../../base/domain/amount.ts';
import type { Trouble } from '../../base/domain/reason.ts';
import { failure } from '../events/conclusion.ts';
import type { Order } from '../method/order.ts';
import type { ScreenHint, ScreenView, ShownTip } from '../contracts/screen.ts';
import type { TipKept } from '../transaction/machine.ts';
import { isImpossible, planPayment, withTip } from '../transaction/plan.ts';
import { isReferenceRefusal } from '../transaction/reference.ts';
import { chosenTip, type TipOffer, type TipPlan } from '../transaction/tips.ts';
import { capabilitiesOf } from './capabilities-of.ts';
import { orderOf } from './order-of.ts';
import type { RunParts } from './parts.ts';
import type { PaymentRequest } from './request.ts';
import type { Sessions } from './sessions.ts';

/** The question for a tip, of one payment. All amounts are the terminal's: the page names one of those that it shows. */
export class TipQuestion {
  readonly #request: PaymentRequest;
  readonly #plan: TipPlan;
  readonly #sessions: Sessions;
  readonly #parts: RunParts;
  /** What the customer has entered, to be confirmed. */
  #own: TipOffer | undefined;
  #hint: ScreenHint | undefined;

  constructor(request: PaymentRequest, plan: TipPlan, sessions: Sessions, parts: RunParts) {
    this.#request = request;
    this.#plan = plan;
    this.#sessions = sessions;
    this.#parts = parts;
  }

  /** What the screen shows while the customer chooses. */
  get view(): Partial<ScreenView> {
    const { offers, ownMostMinor } = this.#plan;
    return {
      tips: offers.map((offer) => this.#shown(offer)),
      ...(ownMostMinor === undefined ? {} : { ownTipMost: majorText({ ...this.#base, minor: ownMostMinor }) }),
      ...(this.#own ? { ownTip: this.#shown(this.#own) } : {}),
      ...(this.#hint === undefined ? {} : { hint: this.#hint }),
    };
  }

  /** The tip that the page has chosen; undefined if it was not offered. */
  chosen(text: string): bigint | undefined {
    return chosenTip(text, this.#base, [...this.#plan.offers, ...(this.#own ? [this.#own] : [])]);
  }

  /** Offers the amount that the customer has entered. Returns false if it is not possible. */
  enter(text: string): boolean {
    const entered = parseMajor(text, this.#base.currency);
    if (typeof entered === 'string' || entered.minor === 0n) return false;
    if (entered.minor > (this.#plan.ownMostMinor ?? 0n)) return false;
    this.#own = { tipMinor: entered.minor };
    this.#hint = undefined;
    return true;
  }

  /** Plans the payment with this tip, and makes the tip durable. Rejects with JournalError. */
  async keep(tipMinor: bigint): Promise<TipKept> {
    const order = await this.#orderWith(tipMinor);
    if ('reason' in order) {
      const conclusion = failure('ERROR', order.reason, `the payment can't be collected: ${order.message}`);
      if (tipMinor === 0n) return { kind: 'ended', conclusion };
      this.#own = undefined;
      this.#hint = 'tipNotPossible';
      return { kind: 'again' };
    }
    await this.#parts.journal.append(order.id, [{ kind: 'tipChosen', tipMinor: tipMinor.toString() }]);
    this.#sessions.replan(order);
    const { modes, defaultMode, start, codeModes, wallets } = order.collects;
    return { kind: 'kept', amount: order.amount, modes, defaultMode, start, codeModes, wallets };
  }

  get #base(): Amount {
    return this.#request.amount;
  }

  async #orderWith(tipMinor: bigint): Promise<Order | Trouble> {
    const request = withTip(this.#request, tipMinor);
    const plan = planPayment(request, capabilitiesOf(this.#parts));
    if (isImpossible(plan)) return plan;
    if (plan.collects.notReady) return plan.collects.notReady;
    const order = await orderOf(this.#sessions.order.id, request, plan, this.#parts);
    if (isReferenceRefusal(order)) return order;
    return 'notReady' in order ? order.notReady : order;
  }

  #shown({ tipMinor, percent }: TipOffer): ShownTip {
    const text = (minor: bigint) => majorText({ ...this.#base, minor });
    return {
      tip: text(tipMinor),
      total: text(this.#base.minor + tipMinor),
      ...(percent === undefined ? {} : { percent }),
    };
  }
}
