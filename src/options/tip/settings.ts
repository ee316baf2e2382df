import * as z from 'zod';
import { currencyCodes } from '../../base/domain/currency.ts';
import { milliseconds, minorUnits } from '../../config/common-settings.ts';
import type { Contradiction } from '../../config/contradiction.ts';
import type { OptionSettings } from '../../config/settings-part.ts';

/** Maximum number that fits on the smallest screen, beside "no tip" and "other amount". */
const offersMax = 4;

/** The tips that a customer is offered if a request asks for a tip. */
const tipsSettings = z
  .strictObject({
    percents: z
      .array(z.number().int().min(1).max(100))
      .max(offersMax)
      .default([])
      .describe('percentages of the amount that are offered, at most four: [10, 15, 20]'),
    amounts: z
      .partialRecord(z.enum(currencyCodes), z.array(minorUnits.min(1)).max(offersMax))
      .default({})
      .describe('amounts that are offered, by currency, in minor units, at most four: {"HKD": [1000, 2000]}'),
    ownAmount: z.boolean().default(true).describe('the customer may enter an amount, up to rules.tipPercentMax'),
  })
  .describe('what the customer is offered if a request asks for a tip (askTip); without it such a request is refused');

/** The keys of the configuration that it reads. */
interface Checked {
  readonly tips?: z.infer<typeof tipsSettings> | undefined;
  readonly rules: { readonly tipPercentMax: number };
}

/** A tip that is offered must be one that may be given. */
function contradictions({ tips, rules: { tipPercentMax } }: Checked): Contradiction[] {
  return (tips?.percents ?? []).flatMap((percent, at) =>
    percent > tipPercentMax
      ? [{ path: ['tips', 'percents', at], message: `must not be more than rules.tipPercentMax, ${tipPercentMax}` }]
      : [],
  );
}

export const tipSettings = {
  sections: { tips: tipsSettings.optional() },
  rules: {
    tipPercentMax: z.number().int().min(0).max(1000).default(100),
    tipNeedsSignature: z.boolean().default(true).describe('a tip may be adjusted only if the customer signed'),
  },
  timeouts: {
    tipMs: milliseconds
      .default(60_000)
      .describe(
        'how long a customer who is asked for a tip may take to choose; after that the payment goes on without',
      ),
  },
  fleet: ['tips'],
  contradictions,
} satisfies OptionSettings;
