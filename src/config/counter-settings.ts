import * as z from 'zod';

/** What tills may do with printer, drawer and idle screen. */
export const counterSettings = z.strictObject({
  print: z.boolean().default(true).describe('tills may print on the terminal’s printer'),
  printKeptMs: z
    .number()
    .int()
    .min(1)
    .max(86_400_000)
    .default(600_000)
    .describe('for how long a till’s job is kept while the printer can’t print'),
  drawer: z.boolean().default(true).describe('tills may open the cash drawer without a payment'),
  display: z.boolean().default(true).describe('tills may show text and carts on the idle screen'),
  displayMs: z
    .number()
    .int()
    .min(1_000)
    .max(3_600_000)
    .default(300_000)
    .describe('for how long, unless the till tells another time'),
  cardNumbers: z
    .enum(['refuse', 'print'])
    .default('refuse')
    .describe('what happens to a till’s text that looks like a whole card number'),
});
