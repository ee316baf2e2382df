import * as z from 'zod';
import { capabilities } from '../../../base/domain/capability.ts';
import { amounts, currencies, filePath } from '../../../config/common-settings.ts';
import { nearestWord } from '../../../base/domain/nearest-word.ts';

const payType = z
  .string()
  .regex(/^\d{6}$/, 'six digits')
  .describe('pay_type at the host');
const offered = z.boolean().optional().describe('false: not taken');
/** `auth_code` is String(128) at the host. */
const length = z.number().int().min(1).max(128);
const name = z
  .string()
  .regex(/^[^\p{C}]{1,24}$/u, '1 to 24 characters')
  .optional();

const codeForm = strictObject({
  prefixes: z
    .array(z.string().regex(/^[A-Za-z\d]{1,16}$/, '1 to 16 letters or digits'))
    .min(1)
    .describe('how the codes begin; of several wallets, the one with the longest prefix takes a code'),
  length: z
    .tuple([length, length])
    .refine(([least, most]) => least <= most, 'the fewest, then the most characters')
    .describe('the fewest and the most characters of a code, with its prefix'),
  characters: z.enum(['digits', 'alphanumeric']).default('digits').describe('what follows the prefix'),
});

/** A wallet of the configuration, or what it changes of a built-in one (wallets.json). */
const walletSettings = strictObject({
  name: strictObject({ en: name, 'zh-Hant': name }).optional().describe('on screen and paper, by language'),
  logo: filePath().optional().describe('a PNG for the screen’s choice of wallets, 64 KiB and 512 dots at most'),
  offered,
  source: z.string().max(1_000).optional().describe('where its facts are published'),
  presented: strictObject({
    offered,
    payType: payType.optional(),
    payTag: z
      .string()
      .regex(/^[A-Z\d]{1,16}$/, '1 to 16 capitals or digits')
      .optional()
      .describe('pay_tag at the host, where it tells wallets of one pay_type apart'),
    emvco: z.boolean().optional().describe('its code is always an EMVCo payload: its amount is checked'),
    canExpire: z.boolean().optional().describe('the host takes expired_time for it'),
  })
    .optional()
    .describe('the terminal shows its code'),
  scanned: strictObject({
    offered,
    payType: payType.optional(),
    codes: z.array(codeForm).optional().describe('the codes that its customers show'),
    emvco: z.boolean().optional().describe('its customers also show codes of EMVCo’s Consumer-Presented Mode'),
  })
    .optional()
    .describe('the customer’s code is scanned; without codes it can’t be'),
  closing: z
    .enum(['reversal', 'close'])
    .optional()
    .describe('the call that ends its unpaid orders; if absent, reversal, then close where the host refuses that'),
  refund: z
    .enum(['host', 'none'])
    .optional()
    .describe('host: its payments can be voided and refunded; none: it gives nothing back'),
  kinds: z
    .array(z.enum(capabilities.QR))
    .min(1)
    .optional()
    .describe('transaction kinds that are allowed; all that it can if absent'),
  currencies: currencies.optional().describe('currencies that it takes; those of its acquirer if absent'),
  amounts: amounts.optional(),
});

/** By code: `paymentMethod` of an answer. */
export const walletsSettings = z
  .record(z.string(), walletSettings)
  .describe('wallets by code: built-in ones that are taken or changed, and further ones');

export type WalletSettings = z.infer<typeof walletSettings>;

/** An object without further keys. A fault names the key that was probably meant. */
function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code, keys }) => (code === 'unrecognized_keys' ? unknownKey(keys, names) : undefined),
  });
}

function unknownKey([key = '']: readonly string[], names: readonly string[]): string {
  return `has no key "${key}"${meant(key, names)}`;
}

/** The rest of a sentence about a name that is not known. */
function meant(written: string, names: readonly string[]): string {
  const nearest = nearestWord(written, names);
  return nearest === undefined ? `; there are ${names.join(', ')}` : `; did you mean ${nearest}?`;
}
