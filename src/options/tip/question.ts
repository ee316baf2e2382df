import { type Amount, majorText, parseMajor } from '../../base/domain/amount.ts';
import type { ScreenAction, ScreenHint, ScreenView } from '../../payment/contracts/screen.ts';
import type { ShownTip } from './contract.ts';
import { nothingAdded, type OptionAnswer, type OptionQuestion } from '../../payment/options/option-question.ts';
import { chosenTip, type TipOffer, type TipPlan } from './offers.ts';

/**
 * The question for a tip, of one payment. All amounts are the terminal's: the page names one of those that it shows.
 */
export class TipQuestion implements OptionQuestion {
  readonly steps = { choosing: 'choosingTip', keeping: 'keepingTip' };
  readonly timeoutMs: number;
  readonly unanswered = nothingAdded;
  /** The amount without tip. */
  readonly #base: Amount;
  readonly #plan: TipPlan;
  /** The entered amount, to be confirmed. */
  #own: TipOffer | undefined;
  #hint: ScreenHint | undefined;

  constructor(base: Amount, plan: TipPlan, timeoutMs: number) {
    this.#base = base;
    this.#plan = plan;
    this.timeoutMs = timeoutMs;
  }

  get view(): Pick<ScreenView, 'scene' | 'tips' | 'ownTipMost' | 'ownTip' | 'hint'> {
    const { offers, ownMostMinor } = this.#plan;
    return {
      scene: 'chooseTip',
      tips: offers.map((offer) => this.#shown(offer)),
      ...(ownMostMinor === undefined ? {} : { ownTipMost: majorText({ ...this.#base, minor: ownMostMinor }) }),
      ...(this.#own ? { ownTip: this.#shown(this.#own) } : {}),
      ...(this.#hint === undefined ? {} : { hint: this.#hint }),
    };
  }

  act(action: ScreenAction): OptionAnswer | 'shown' | undefined {
    if (action.kind === 'ownTip') return this.#enter(action.amount) ? 'shown' : undefined;
    if (action.kind !== 'tip') return undefined;
    const addedMinor = chosenTip(action.amount, this.#base, [...this.#plan.offers, ...(this.#own ? [this.#own] : [])]);
    return addedMinor === undefined ? undefined : { ...nothingAdded, addedMinor };
  }

  refuse(): void {
    this.#own = undefined;
    this.#hint = 'tipNotPossible';
  }

  /** Offers the amount that the customer has entered. Returns false if it is not possible. */
  #enter(text: string): boolean {
    const entered = parseMajor(text, this.#base.currency);
    if (typeof entered === 'string' || entered.minor === 0n) return false;
    if (entered.minor > (this.#plan.ownMostMinor ?? 0n)) return false;
    this.#own = { tipMinor: entered.minor };
    this.#hint = undefined;
    return true;
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
