import * as z from 'zod';
import { isLoopback } from '../../../base/domain/loopback.ts';
import {
  acquirerKinds,
  amounts,
  currencies,
  everyAcquirer,
  milliseconds,
  timeZone,
} from '../../../config/common-settings.ts';

const payTypes = z.record(z.string(), z.string().regex(/^\d{6}$/));

function isPlainElsewhere(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

function printable(charactersMax: number) {
  return z
    .string()
    .max(charactersMax)
    .regex(/^[\x21-\x7e]+$/, 'printable characters without spaces');
}

const baseText = 'http or https, host and path only';

function isBase(text: string): boolean {
  const { username = '', password = '', search = '', hash = '' } = URL.parse(text) ?? {};
  return [username, password, search, hash].every((part) => part === '');
}

export const clientKey = printable(128).describe(
  'signs every request; { "credential": NAME } in its place takes it from the credentials of the service',
);

export const walletAcquirer = z.strictObject({
  id: z.literal('QR').describe('the name that forceAcquirer uses'),
  protocol: z.literal('qfpay'),
  url: z
    .url({ protocol: /^https?$/, abort: true, error: ({ code }) => (code === 'invalid_format' ? baseText : undefined) })
    .refine(isBase, { message: baseText, abort: true })
    .refine((url) => !isPlainElsewhere(url), 'https is required: plain http is allowed to this machine only')
    .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?:', description: 'base URL; https, except to this machine' }),
  appCode: printable(128),
  clientKey,
  signType: z.enum(['SHA256', 'MD5']).default('SHA256'),
  mchid: z
    .string()
    .regex(/^[\dA-Za-z]{1,16}$/, '1 to 16 letters or digits')
    .optional()
    .describe('merchant, if the key serves several'),
  tid: z
    .string()
    .regex(/^[\dA-Za-z_-]{1,40}$/, '1 to 40 letters, digits, _ or -')
    .describe('this terminal: udid'),
  timeZone: timeZone.default('Asia/Hong_Kong').describe('time zone of the host’s dates'),
  scanned: payTypes
    .optional()
    .describe('older form of wallets: those scanned from a phone, with their pay_type, and no others'),
  presented: payTypes.optional().describe('the same of those whose code is shown'),
  currencies: currencies
    .default(['HKD'])
    .describe('currencies that its wallets take, unless a wallet has its own, as FPS has HKD and CNY'),
  amounts: amounts.default({}),
  kinds: z
    .array(z.enum(acquirerKinds))
    .min(1)
    .optional()
    .describe('transaction kinds that it offers; all that the method can if absent'),
  answerSignature: z
    .enum(['verified', 'required'])
    .default('verified')
    .describe('verified: an answer without a signature that can be verified counts over TLS; required: it does not'),
  queryLagMs: milliseconds
    .default(60_000)
    .describe('for this long after an order was sent, "no such order" proves nothing'),
  codeMinutes: z.number().int().min(5).max(120).default(5).describe('how long a shown code can be paid'),
  ...everyAcquirer,
  connectTimeoutMs: milliseconds.default(5_000),
  replyTimeoutMs: milliseconds.default(30_000),
});

export type WalletAcquirer = z.infer<typeof walletAcquirer>;
