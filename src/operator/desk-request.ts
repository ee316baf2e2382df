import * as z from 'zod';

const word = z.string().max(64);
/** A request of the operator's menu. `session` is the token that a login returned. */
export const deskRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('look') }),
  z.strictObject({ kind: z.literal('login'), password: word }),
  z.strictObject({ kind: z.literal('logout'), session: word }),
  z.strictObject({ kind: z.literal('settle'), session: word }),
  z.strictObject({ kind: z.literal('list'), session: word }),
  z.strictObject({ kind: z.literal('void'), session: word, transaction: word, amount: word, currency: word }),
  z.strictObject({ kind: z.literal('refund'), session: word, amount: word, currency: word }),
  z.strictObject({ kind: z.literal('receipts'), session: word }),
  z.strictObject({ kind: z.literal('printReceipt'), session: word, transaction: word }),
  z.strictObject({ kind: z.literal('waiting'), session: word }),
  z.strictObject({
    kind: z.literal('setAside'),
    session: word,
    transaction: word,
    outcome: z.enum(['POSTED', 'NOT_POSTED']),
  }),
  z.strictObject({
    kind: z.literal('decideBatch'),
    session: word,
    acquirer: word,
    batch: z.int(),
    currency: word,
    outcome: z.enum(['SETTLED', 'NOT_SETTLED']),
  }),
  z.strictObject({ kind: z.literal('pair'), session: word }),
  z.strictObject({ kind: z.literal('decide'), session: word, yes: z.boolean(), code: word }),
]);
export type DeskRequest = z.infer<typeof deskRequest>;
