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
  cardNumbers: z
    .enum(['refuse', 'print'])
    .default('refuse')
    .describe('what happens to a till’s text that looks like a whole card number'),
});
