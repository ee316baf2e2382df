import * as z from 'zod';
import { matterKinds } from '../payment/events/customer-matter.ts';

const word = z.string().max(64);
/**
 * One press of Yes: the messageId of the request that it starts. The page sends the same again after a lost answer, and
 * gets the answer of the first.
 */
const confirmation = z.string().regex(/^[0-9a-f]{32}$/);
/** Absent: the open batches; with a number, that batch of one acquirer. */
const ofBatch = { acquirer: word.optional(), batch: z.int().min(1).max(999_999).optional() };
const instant = z.iso.datetime({ precision: 3 });

/** The possible actions with an earlier transaction. */
export const menuActs = ['VOID', 'REFUND', 'TIP_ADJUST', 'AUTH_COMP', 'OFFLINE_SALE'] as const;

/** A request of the operator's menu. `session` is the token that a login returned. */
export const menuRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('look') }),
  z.strictObject({ kind: z.literal('login'), password: word }),
  z.strictObject({ kind: z.literal('logout'), session: word }),
  z.strictObject({ kind: z.literal('settle'), session: word, confirmation, acquirer: word.optional() }),
  z.strictObject({ kind: z.literal('report'), session: word, ...ofBatch }),
  z.strictObject({ kind: z.literal('printReport'), session: word, confirmation, ...ofBatch }),
  z.strictObject({ kind: z.literal('settlements'), session: word }),
  z.strictObject({ kind: z.literal('printSettlement'), session: word, settlement: word }),
  z.strictObject({ kind: z.literal('machine'), session: word }),
  z.strictObject({ kind: z.literal('openDrawer'), session: word, confirmation }),
  z.strictObject({ kind: z.literal('testPrint'), session: word, confirmation }),
  z.strictObject({
    kind: z.literal('today'),
    session: word,
    amount: word.optional(),
    lastFour: z
      .string()
      .regex(/^\d{1,4}$/)
      .optional(),
    since: instant.optional(),
    until: instant.optional(),
    posId: word.optional(),
    merchantId: word.optional(),
    holds: z.literal(true).optional(),
    after: z.int().nonnegative().optional(),
  }),
  z.strictObject({ kind: z.literal('story'), session: word, transaction: word }),
  z.strictObject({
    kind: z.literal('act'),
    session: word,
    confirmation,
    act: z.enum(menuActs),
    transaction: word,
    amount: word,
    currency: word,
  }),
  z.strictObject({
    kind: z.literal('refund'),
    session: word,
    confirmation,
    amount: word,
    currency: word,
    merchantId: word.optional(),
  }),
  z.strictObject({ kind: z.literal('receipts'), session: word }),
  z.strictObject({ kind: z.literal('printReceipt'), session: word, transaction: word }),
  z.strictObject({ kind: z.literal('waiting'), session: word }),
  z.strictObject({
    kind: z.literal('setAside'),
    session: word,
    transaction: word,
    outcome: z.enum(['POSTED', 'NOT_POSTED']),
    amount: word.optional(),
  }),
  z.strictObject({ kind: z.literal('givenBackInCash'), session: word, confirmation, transaction: word }),
  z.strictObject({
    kind: z.literal('settledWithCustomer'),
    session: word,
    confirmation,
    transaction: word,
    matter: z.enum(matterKinds),
  }),
  z.strictObject({ kind: z.literal('settledWithBank'), session: word, confirmation, discrepancy: z.int() }),
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
export type MenuRequest = z.infer<typeof menuRequest>;
export type MenuAsked<Kind extends MenuRequest['kind']> = Extract<MenuRequest, { kind: Kind }>;

const readingKinds = ['today', 'story', 'receipts', 'waiting', 'report', 'settlements', 'machine'] as const;

/** A request that changes nothing. */
export type MenuReading = MenuAsked<(typeof readingKinds)[number]>;

/** A request that changes something, and is audited. */
export type AuditedRequest = Exclude<MenuRequest, MenuReading | MenuAsked<'look' | 'login'>>;

export function isReading(asked: MenuReading | AuditedRequest): asked is MenuReading {
  return (readingKinds as readonly string[]).includes(asked.kind);
}
