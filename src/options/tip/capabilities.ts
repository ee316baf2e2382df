import { majorNumber } from '../../base/domain/amount.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { TipTerms } from './offers.ts';

/** The tips that a customer is offered if a request asks for a tip: amounts in major units. */
export function tipReport({ percents, amounts, ownAmount, percentMax }: TipTerms) {
  const offered = Object.entries(amounts) as [CurrencyCode, readonly number[]][];
  const majors = offered.map(([currency, minors]) => [
    currency,
    minors.map((minor) => majorNumber({ minor: BigInt(minor), currency })),
  ]);
  return { percents, amounts: Object.fromEntries(majors) as Record<string, number[]>, ownAmount, percentMax };
}

/** Its JSON Schema. */
export const tipSchema = {
  type: 'object',
  properties: {
    percents: { type: 'array', items: { type: 'number' } },
    amounts: { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' } } },
    ownAmount: { type: 'boolean' },
    percentMax: { type: 'number' },
  },
  required: ['percents', 'amounts', 'ownAmount', 'percentMax'],
  description:
    'what a customer is offered if a request asks for a tip (askTip): percentages, amounts by currency, whether one may ' +
    'be entered, and the greatest tip in percent. Absent: such a request is refused',
};
