import type { OptionAnswer } from '../../payment/options/option-question.ts';
import type { OptionTerms, AmountOption } from '../../payment/options/sale-option.ts';
import { tipReport } from './capabilities.ts';
import { planTips, type TipTerms } from './offers.ts';
import { TipQuestion } from './question.ts';

interface TipSettings {
  /** The offered tips; absent if this terminal asks for no tips. */
  readonly terms?: TipTerms | undefined;
  readonly timeoutMs: number;
}

/**
 * The question for a tip, if the request asks for it (docs/decisions/0032-tip-before-the-card.md). A tip has a place of
 * its own in requests, records and messages: a POS may know it, and it may be adjusted.
 */
export function tipOption({ terms, timeoutMs }: TipSettings): AmountOption {
  return {
    name: 'tip',
    asks: 'beforeCollecting',
    plan({ terms: { askTip, amount }, faultOf }) {
      if (askTip !== true) return undefined;
      const plan = planTips(amount, terms, faultOf);
      return 'pointer' in plan ? plan : { begin: () => new TipQuestion(amount, plan, timeoutMs) };
    },
    apply: withTip,
    eventOf: ({ addedMinor }) => ({ kind: 'tipChosen', tipMinor: addedMinor.toString() }),
    capabilities: () => (terms ? { tips: tipReport(terms) } : {}),
  };
}

/** The request once the customer has chosen this tip. */
function withTip<Terms extends OptionTerms>(terms: Terms, { addedMinor }: OptionAnswer): Terms {
  const { askTip: _asked, tipMinor: _none, ...rest } = terms;
  const amount = { ...terms.amount, minor: terms.amount.minor + addedMinor };
  return { ...rest, amount, ...(addedMinor === 0n ? {} : { tipMinor: addedMinor }) } as Terms;
}
