import * as z from 'zod';
import { currencyCodes } from '../base/domain/currency.ts';
import { minorUnits } from './common-settings.ts';

/** What the operator's menu may do. */
export const operatorSettings = z.strictObject({
  unlinkedRefund: z
    .partialRecord(z.enum(currencyCodes), minorUnits.min(1))
    .default({})
    .describe(
      'the greatest refund that names no sale, by currency, in minor units: {"HKD": 50000}; without one the menu offers none',
    ),
});
