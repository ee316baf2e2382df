import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { isLoopback } from '../../base/domain/loopback.ts';
import { siteName } from '../../base/domain/site.ts';
import { cardBrands } from '../../base/domain/payment-scheme.ts';
import { operationOf } from '../../base/domain/transaction-kind.ts';
import {
  acquirerKinds,
  amounts,
  currencies,
  everyAcquirer,
  filePath,
  milliseconds,
  minorUnits,
  port,
} from '../../config/common-settings.ts';
import { type Contradiction, findRepeated } from '../../config/contradiction.ts';
import type { HostSettings, MethodSample, MethodSettings } from '../../config/settings-part.ts';
import { dialectFileSchema, settingNamesOf, usesValue } from '../../hosts/iso8583/dialects/check.ts';
import { settingName } from '../../hosts/iso8583/dialects/content-schema.ts';
import { builtInNames, type DialectFile, dialectJsonSchema } from '../../hosts/iso8583/dialects/dialect-schema.ts';
import { initialNumbers } from './settings/initial-numbers.ts';
import { lineKey, lineSecurity, ofLineSecurity } from './settings/line-security.ts';
import { books, hostName, isSameBooks, ofSites, placeTerms, sites, sitesOf } from './settings/sites.ts';
import { initialKey, keyEncryptingKey, macKey, messageMac, ofKeyExchange, ofKeySerial, ofMac } from './settings/mac.ts';

const acquirer = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,15}$/, 'a capital letter, then at most 15 capitals, digits or _')
    .refine((id) => !reservedIds.includes(id), 'is the name of another method')
    .describe('the name that forceAcquirer uses: EDC, CUP, EPS, or a name of its own'),
  protocol: z.literal('iso8583'),
  host: hostName.optional().describe('with port, the one address of its host; required without sites'),
  port: port.min(1).optional(),
  sites: sites.optional(),
  books: books.optional(),
  sharedBooks: z
    .boolean()
    .default(false)
    .describe(
      'its sites share their books, by the bank’s own word: what follows a payment may go to another one than the payment',
    ),
  tid: z
    .string()
    .regex(/^[\x20-\x7e]{8}$/, '8 characters')
    .describe('terminal id, field 41, 8 characters'),
  mid: z
    .string()
    .regex(/^[\x20-\x7e]{15}$/, '15 characters')
    .describe('merchant id, field 42, 15 characters'),
  nii: z
    .string()
    .regex(/^\d{3}$/, 'three digits')
    .optional()
    .describe('network international identifier, field 24; absent for a dialect without it'),
  tpdu: z
    .string()
    .regex(/^60\d{8}$/, '60 and eight digits')
    .optional()
    .describe('60, destination, source; absent for a dialect without a TPDU'),
  dialect: z
    .union([z.enum(builtInNames), filePath().regex(/\.json$/, 'EDC, CUP, EPS, or a file that ends in .json')])
    .optional()
    .describe('the messages of its host: EDC, CUP, EPS, or a JSON file (docs/acquirer.md); default: that of its id'),
  values: z
    .record(settingName, z.string().regex(/^[\x20-\x7e]{1,99}$/, '1 to 99 characters'))
    .optional()
    .describe('constants of this terminal that the dialect file names'),
  brands: z
    .array(z.enum([...cardBrands, 'EPS']))
    .min(1)
    .describe('card schemes; a card goes to the first acquirer that accepts it'),
  currencies: currencies.default(['HKD']).describe('currencies that its host takes; EPS takes HKD alone'),
  amounts: amounts.default({}),
  bins: z
    .array(z.string().regex(/^\d{1,6}$/))
    .min(1)
    .optional()
    .describe('leading digits of its card numbers; all if absent'),
  kinds: z
    .array(z.enum(acquirerKinds))
    .min(1)
    .optional()
    .describe('transaction kinds that it offers; all that the method can if absent'),
  offline: z
    .strictObject({
      amountMinorMax: minorUnits.default(1_000_000).describe('maximum amount of one offline sale'),
      countMax: z
        .number()
        .int()
        .min(0)
        .max(10_000)
        .default(100)
        .describe('maximum number that the host has not received'),
      sumMinorMax: minorUnits.default(10_000_000).describe('maximum sum that the host has not received, per currency'),
    })
    .prefault({})
    .describe('floor limits of offline sales, in minor units of any currency; 0: no offline sales'),
  undecidedCodes: z
    .array(z.string().regex(/^[\dA-Z]{2}$/))
    .optional()
    .describe('field 39 of requests that its host could not decide, to be reversed; 09, 68, 91 and 96 if absent'),
  unknownTerminalCodes: z
    // Not a code that approves, or that says that the host has this number already.
    .array(z.string().regex(/^(?!00|08|10|11|16|94)[\dA-Z]{2}$/))
    .optional()
    .describe('field 39 with which its host does not know this terminal or its merchant; 03, 89 and 97 if absent'),
  initialNumbers: initialNumbers.optional(),
  security: lineSecurity.optional(),
  mac: messageMac.optional(),
  echoS: z
    .number()
    .int()
    .min(10)
    .max(3_600)
    .default(60)
    .describe('seconds of silence after which its host is asked for an echo, if its dialect has one'),
  partialApproval: z
    .boolean()
    .default(false)
    .describe(
      'its host may approve a part of a sale (field 39 is 10, and field 4 smaller), for a request with allowPartial',
    ),
  ...everyAcquirer,
  connectTimeoutMs: milliseconds.default(5_000),
  replyTimeoutMs: milliseconds.default(30_000),
});

/** `dialectContent`: the content of the file that `dialect` names. */
export type CardAcquirer = z.infer<typeof acquirer> & { readonly dialectContent?: DialectFile };

/** Values of forceAcquirer that are not card acquirers. */
const reservedIds: readonly string[] = ['QR', 'OCTOPUS', 'CASH', 'DCC'];

type BuiltIn = (typeof builtInNames)[number];

function isBuiltIn(name: string): name is BuiltIn {
  return (builtInNames as readonly string[]).includes(name);
}

/**
 * The dialect of an acquirer's host: a built-in one, or the content of its file. Throws RangeError if there is neither.
 */
export function dialectOf(entry: Pick<CardAcquirer, 'id' | 'dialect' | 'dialectContent'>): BuiltIn | DialectFile {
  const { id, dialect = id, dialectContent } = entry;
  if (isBuiltIn(dialect)) return dialect;
  if (!dialectContent) throw new RangeError(`the dialect of ${id} was not read`);
  return dialectContent;
}

/** Identifies a dialect: the name of a built-in one, or a digest of the content, independent of its formatting. */
export function dialectTerm({
  id,
  dialect = id,
  dialectContent,
}: Pick<CardAcquirer, 'id' | 'dialect' | 'dialectContent'>): string {
  if (isBuiltIn(dialect) || !dialectContent) return dialect;
  return createHash('sha256')
    .update(JSON.stringify(sorted(dialectContent)))
    .digest('hex');
}

/** Sorts the keys of every object. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, sorted(each)]),
  );
}

const host = {
  secrets: {
    'security.tls.clientKey': lineKey,
    'mac.key.fixed': macKey,
    'mac.key.session.keyEncryptingKey': keyEncryptingKey,
    'mac.key.dukpt.initialKey': initialKey,
  },
  stored: z.looseObject({
    id: z.string(),
    protocol: z.literal('iso8583'),
    tid: z.string(),
    mid: z.string(),
    host: z.string().optional(),
    port: z.number().optional(),
    sites: z
      .array(z.object({ host: z.string(), port: z.number() }))
      .min(1)
      .optional(),
    currencies: z.array(z.string()),
  }),
  terms: ({ values, ...entry }) => ({
    tid: entry.tid,
    mid: entry.mid,
    ...placeTerms(entry),
    dialect: dialectTerm(entry),
    ...(values ? { values: JSON.stringify(sorted(values)) } : {}),
  }),
  // `security` and `mac` belong to the address: they are how the host there is recognized.
  places: ['host', 'port', 'sites', 'books', 'sharedBooks', 'security', 'mac'],
  placeOf: (kept) =>
    sitesOf(kept)
      .map(({ host: name, port: number }) => `${name}:${number}`)
      .join(', '),
  isSameBooks,
  numbersOf: ({ tid, mid }) => ({ tid, mid }),
  withNumbers: (kept, { tid, mid }) => ({ ...kept, tid, mid }),
  // One batch and one count of trace numbers.
  terminalsOf: (kept) => [
    ...sitesOf(kept).map((each) => JSON.stringify([kept.tid, siteName(each)])),
    ...(kept.books === undefined ? [] : [JSON.stringify([kept.tid, kept.books, 'books'])]),
  ],
  file: {
    key: 'dialect',
    contentKey: 'dialectContent',
    pathOf: ({ dialect }) => (dialect === undefined || isBuiltIn(dialect) ? undefined : dialect),
    schema: dialectFileSchema,
    jsonSchema: dialectJsonSchema,
    contradictions: ofDialect,
  },
} as const satisfies HostSettings<CardAcquirer>;

/** The keys of the configuration that are read here. */
interface Checked {
  readonly acquirers: readonly (CardAcquirer | { readonly id: string; readonly protocol: string })[];
  readonly timeouts: { readonly noRecordGraceMs: number; readonly pendingMs: number };
}

/** The time limit of a chip card's completion (drivers/card-reader). */
const chipMs = 10_000;

/** Cards, EPS cards among them. */
export const cardSettings = {
  acquirer,
  host,
  equipment: {},
  sections: {},
  timeouts: {},
  fleet: [],
  samples: { EDC: sample('EDC', ['VISA', 'MASTER', 'AMEX', 'JCB']), CUP: sample('CUP', ['UNIONPAY']) },
  contradictions: (configuration: Checked) => [
    ...ofDialects(configuration),
    ...ofLinks(configuration),
    ...ofTimes(configuration),
    ...configuration.acquirers.flatMap((each, at) =>
      isCard(each) ? [...ofSites(each, at), ...ofLineSecurity(each, at), ...ofMac(each, at)] : [],
    ),
  ],
  longestPaymentMs: ({ acquirers, timeouts: { pendingMs } }: Checked) =>
    Math.max(0, ...acquirers.filter(isCard).map((each) => pendingMs + longestMs(each))),
} satisfies MethodSettings;

/** A sale that tries every site. A new connection begins with a sign-on and a key exchange, if the host has them. */
function longestMs(acquirer: CardAcquirer): number {
  const { connectTimeoutMs, replyTimeoutMs, mac, dialectContent } = acquirer;
  const { signOn, keyExchange } = dialectContent?.messages ?? {};
  const managed = (signOn ? 1 : 0) + (keyExchange && mac?.key.session ? 1 : 0);
  return sitesOf(acquirer).length * (connectTimeoutMs + managed * replyTimeoutMs) + replyTimeoutMs + chipMs;
}

/** An acquirer with an example in place of what only its owner knows. */
export function sample(id: string, brands: readonly string[]): MethodSample {
  return {
    acquirer: (at) => ({
      id,
      protocol: 'iso8583',
      // RFC 2606: a name that nobody has.
      host: `${id.toLowerCase()}.acquirer.example`,
      port: 7001 + at,
      tid: `0000000${at + 1}`,
      mid: `00000000000000${at + 1}`,
      nii: `00${at + 1}`,
      tpdu: `60000${at + 1}0000`,
      brands,
      currencies: ['HKD'],
      security: { tls: { ca: `/etc/poid/${id.toLowerCase()}-ca.pem` } },
    }),
    examples: ['host', 'port', 'tid', 'mid', 'nii', 'tpdu', 'security.tls.ca'],
  };
}

function isCard(each: Checked['acquirers'][number]): each is CardAcquirer {
  return each.protocol === 'iso8583';
}

/** Checks what the built-in dialects need. Files are checked when they are read (`ofDialect`). */
function ofDialects({ acquirers }: Checked): Contradiction[] {
  return acquirers.flatMap((each, at): Contradiction[] => {
    if (!isCard(each)) return [];
    const { id, dialect = id } = each;
    const place = (key: string) => ['acquirers', at, key];
    if (each.dialect === undefined && !isBuiltIn(id)) {
      return [{ path: place('dialect'), message: `is missing: only ${builtInNames.join(', ')} have one by their id` }];
    }
    if (!isBuiltIn(dialect)) return [];
    if (each.mac?.key.dukpt) {
      const message = `is not possible: the dialect ${dialect} has no field for a key serial number`;
      return [{ path: ['acquirers', at, 'mac', 'key', 'dukpt'], message }];
    }
    if (each.mac?.key.session) {
      const message = `is not possible: the dialect ${dialect} has no exchange of keys`;
      return [{ path: ['acquirers', at, 'mac', 'key', 'session'], message }];
    }
    const lacking = (['nii', 'tpdu'] as const).filter((key) => each[key] === undefined);
    return lacking.map((key) => ({ path: place(key), message: `is missing: the dialect ${dialect} needs it` }));
  });
}

/** Checks what a dialect file needs of its acquirer, and that it has the messages of the acquirer's kinds. */
function ofDialect(acquirer: CardAcquirer, file: DialectFile): Contradiction[] {
  const { nii, tpdu, values = {}, kinds = [] } = acquirer;
  const lacking = [
    ...(nii === undefined && usesValue(file, 'nii') ? ['nii'] : []),
    ...(tpdu === undefined && file.framing.tpdu ? ['tpdu'] : []),
  ];
  const { messages } = file;
  return [
    ...lacking.map((key) => ({ path: [key], message: 'is missing: the dialect needs it' })),
    ...ofKeyExchange(acquirer, file),
    ...ofKeySerial(acquirer, file),
    ...settingNamesOf(file)
      .filter((name) => values[name] === undefined)
      .map((name) => ({ path: ['values'], message: `lacks ${name}, which the dialect needs` })),
    ...kinds.flatMap((kind, at): Contradiction[] =>
      messages[operationOf(kind)] ? [] : [{ path: ['kinds', at], message: 'has no message in the dialect' }],
    ),
  ];
}

/** The host identifies transactions by terminal and trace number, and each acquirer counts its own trace numbers. */
function ofLinks({ acquirers }: Checked): Contradiction[] {
  const links = acquirers.flatMap((each, at) => {
    if (!isCard(each)) return [];
    const places = new Set(sitesOf(each).map((site) => JSON.stringify([hostOf(site.host), site.port, each.tid])));
    if (each.books !== undefined) places.add(JSON.stringify([each.books, each.tid]));
    return [...places].map((place) => [String(at), place] as const);
  });
  return findRepeated(links).map(([at, first]) => ({
    path: ['acquirers', Number(at), 'tid'],
    message: `is that of acquirers.${first} at the same host and port: their trace numbers would collide`,
  }));
}

/** Normalizes a host name: an address has several spellings, and this machine several addresses. */
function hostOf(written: string): string {
  const bracketed = isIPv6(written) ? `[${written}]` : written;
  const name = (URL.canParse(`http://${bracketed}`) ? new URL(`http://${bracketed}`).hostname : written)
    .toLowerCase()
    .replace(/\.$/, '');
  // `::ffff:127.0.0.1`, as the URL standard writes it.
  const isOwn =
    isLoopback(name) || name.endsWith('.localhost') || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(name);
  return isOwn ? 'localhost' : name;
}

/** A request may be answered up to its reply time-out. Only after that can "no record" be final. */
function ofTimes({ acquirers, timeouts: { noRecordGraceMs } }: Checked): Contradiction[] {
  const slower = acquirers.filter(isCard).find((each) => each.replyTimeoutMs >= noRecordGraceMs);
  if (!slower) return [];
  const message = `it must be longer than the replyTimeoutMs of the acquirer ${slower.id}`;
  return [{ path: ['timeouts', 'noRecordGraceMs'], message }];
}
