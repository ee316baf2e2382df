import * as z from 'zod';
import { currencyCodes } from '../base/domain/currency.ts';
import { canonicalTimeZone } from '../base/domain/time-zone.ts';
import { transactionTypes } from '../base/domain/transaction-kind.ts';

/** The placeholder of each key for a command that reads no keys. */
export const unreadKey = 'unread';

export const port = z.number().int().min(0).max(65535);
export const milliseconds = z.number().int().min(1).max(86_400_000);
export const minorUnits = z.number().int().min(0).max(999_999_999_999);

export function filePath(charactersMax = 4_095) {
  return z
    .string()
    .min(1)
    .max(charactersMax)
    .refine((text) => !text.includes('\0'), 'must not contain NUL');
}

/** The transaction kinds that an acquirer may offer. */
export const acquirerKinds = transactionTypes.filter((type) => type !== 'VOID');

export const currencies = z.array(z.enum(currencyCodes)).min(1);

export const amounts = z
  .partialRecord(
    z.enum(currencyCodes),
    z
      .strictObject({ minMinor: minorUnits.optional(), maxMinor: minorUnits.optional() })
      .refine(({ minMinor = 0, maxMinor = minMinor }) => minMinor <= maxMinor, 'minMinor is above maxMinor'),
  )
  .describe('limits of one payment by currency, in minor units: {"HKD": {"minMinor": 100, "maxMinor": 500000}}');

/**
 * The id of a merchant in configuration and requests. A merchant is a group of acquirers with its own receipt header.
 */
export const merchantId = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, '1 to 32 letters, digits, _ or -');

/** The settings of every acquirer, with any protocol. */
export const everyAcquirer = {
  merchant: merchantId
    .optional()
    .describe('the merchant whose payments it takes, by its id; the first of merchants if absent'),
};

export type Amounts = z.infer<typeof amounts>;

/** A zone by any of its names, in any case. It is kept under its canonical name. */
export const timeZone = z
  .string()
  .refine((name) => !/^[+-]/.test(name), {
    message: 'a name of the IANA time zone database, such as Asia/Hong_Kong, not an offset from UTC',
    abort: true,
  })
  .refine(
    (name) => canonicalTimeZone(name) !== undefined,
    'a name of the IANA time zone database, such as Asia/Hong_Kong',
  )
  .overwrite((name) => canonicalTimeZone(name) ?? name);
