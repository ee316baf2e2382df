import * as z from 'zod';

/** What a paired POS may do beyond its own transactions. */
const posRights = z.strictObject({
  reportAll: z
    .boolean()
    .default(false)
    .describe('its reports, read or printed, contain the sales of every POS and of the operator’s menu'),
});

/** Who may call, and what each may do. */
export const pairingSettings = z.strictObject({
  required: z.boolean().default(false).describe('only points of sale that were paired at the screen may call'),
  rights: z
    .record(z.string(), posRights)
    .default({})
    .describe(
      'rights of a paired POS, by its posId: {"POS-1": {"reportAll": true}}; none beyond its own transactions if absent',
    ),
});
