import { createHash } from 'node:crypto';
import * as z from 'zod';
import { currencyCodes } from '../base/domain/currency.ts';
import { identifierLengthMax, isOwnPosId } from '../base/domain/identifiers.ts';
import { isLoopback } from '../base/domain/loopback.ts';
import { filePath, port, unreadKey } from './common-settings.ts';
import { type Contradiction, findRepeated } from './contradiction.ts';

/** The ways to pay as ECR names them (QFPay/docs@3943715, docs/pos/ecr.md, 4). */
export const ecrChannels = [
  'card_payment',
  'unionpay_card',
  'amex_card',
  'wx',
  'alipay',
  'payme',
  'union',
  'fps',
  'octopus',
] as const;
export type EcrChannel = (typeof ecrChannels)[number];

/** SHA-256 of the POS-KEY that the same page prints (1). Whoever has read the page has it. */
const publishedKeyDigest = '73f635f5639bff4bf4fa7dbfdc77f6c35701b5905cb789d4410ddbd4c9d632c4';

/** Whether a key is the published one, in any case. */
export function isPublishedKey(key: string, digest = publishedKeyDigest): boolean {
  return createHash('sha256').update(key.trim().toLowerCase()).digest('hex') === digest;
}

const posKey = z
  .string()
  .refine((key) => key === unreadKey || [16, 24, 32].includes(Buffer.byteLength(key)), 'must have 16, 24 or 32 bytes')
  .refine((key) => !isPublishedKey(key), 'is the published default key, which everybody knows: make one of your own')
  .describe('the POS-KEY, a text of 16, 24 or 32 bytes: whoever has it pays as this POS');

const notificationKey = z
  .string()
  .max(128)
  .refine((key) => key === unreadKey || key.length >= 8, 'must have at least 8 characters')
  .describe('the key that signs notifications; the server of the POS has the same');

/** The secret settings of a till. */
export const ecrSecrets: readonly z.ZodType[] = [posKey, notificationKey];

/** Without TLS everybody on the way could repeat and drop notifications. */
function isPlainElsewhere(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && !isLoopback(url.hostname);
}

function hasCredentials(text: string): boolean {
  const { username = '', password = '', hash = '' } = URL.parse(text) ?? {};
  return [username, password, hash].some((part) => part !== '');
}

const notify = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be https://HOST/PATH' })
    .max(1_024)
    .refine((url) => !isPlainElsewhere(url), 'must be https: plain http is allowed to this machine only')
    .refine((url) => !hasCredentials(url), 'must have no user, password or fragment')
    .meta({
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
      description: 'where successes are reported: for Odoo https://SERVER/qfpay/notify',
    }),
  key: notificationKey,
  ca: filePath().optional().describe('PEM file: the authority of the server’s certificate; the public ones if absent'),
  refundTypes: z
    .array(z.enum(['cancel', 'refund']))
    .min(1)
    .max(2)
    .default(['cancel', 'refund'])
    .describe('values of notify_type in which a refund is reported, one notification each'),
});

const till = z.strictObject({
  posId: z
    .string()
    .min(1)
    .max(identifierLengthMax)
    .regex(/^[^\p{C}]*$/u, 'must have no control characters')
    .refine((posId) => !isOwnPosId(posId), 'is a name that is reserved for the terminal')
    .describe('the POS whose calls these are'),
  key: posKey,
  notify: notify.optional().describe('the server that is told of payments and refunds; none if absent'),
});

/** The terminal as a QFPay terminal: its ECR interface for POS software (docs/ecr.md). */
export const ecrSettings = z.strictObject({
  host: z.string().default('0.0.0.0'),
  port: port.default(9001),
  tills: z.array(till).min(1).max(16).describe('who may call, each with a key of its own'),
  channels: z
    .partialRecord(
      z.enum(ecrChannels),
      z.string().regex(/^[A-Z][A-Z0-9_]{0,15}$/, 'must be the id of an acquirer, such as EDC'),
    )
    .default({})
    .describe('the acquirer of a channel, where it is not EDC, CUP, QR or OCTOPUS: {"amex_card": "AMEX"}'),
  currency: z.enum(currencyCodes).default('HKD').describe('the currency of all amounts: ECR has none'),
  requests: z
    .enum(['encrypted', 'clear'])
    .default('encrypted')
    .describe('clear: requests that are signed and not encrypted are taken, too'),
  answers: z.enum(['clear', 'encrypted']).default('clear').describe('Odoo reads clear ones; TLS encrypts both'),
});

interface Beside {
  readonly ecr?: z.infer<typeof ecrSettings> | undefined;
  readonly http: { readonly tls: boolean; readonly port: number };
  readonly receipt: {
    readonly printedBy: string;
    readonly printedByPosId: Readonly<Record<string, string>>;
  };
}

/** Checks of ECR against the other settings. */
export function ofEcr({ ecr, http, receipt }: Beside): Contradiction[] {
  if (!ecr) return [];
  const { tills, port: own } = ecr;
  const repeatsOf = (name: 'posId' | 'key') =>
    findRepeated(tills.map((each, at) => [String(at), each[name]] as const))
      .filter(([at]) => tills[Number(at)]?.[name] !== unreadKey)
      .map(([at, first]) => ({
        path: ['ecr', 'tills', Number(at), name],
        message: `is that of ecr.tills.${first} too: each needs its own`,
      }));
  const silent = tills.flatMap(({ posId }, at) =>
    (receipt.printedByPosId[posId] ?? receipt.printedBy) === 'pos'
      ? [{ path: ['ecr', 'tills', at, 'posId'], message: 'has its receipts printed by the POS, which ECR can’t' }]
      : [],
  );
  return [
    ...(http.tls ? [] : [{ path: ['ecr'], message: 'needs http.tls: its calls come over HTTPS only' }]),
    ...(own !== 0 && own === http.port ? [{ path: ['ecr', 'port'], message: 'is http.port too' }] : []),
    ...repeatsOf('posId'),
    ...repeatsOf('key'),
    ...silent,
  ];
}
