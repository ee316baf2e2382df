import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { isLoopback } from '../../base/domain/loopback.ts';
import { cardBrands } from '../../base/domain/payment-scheme.ts';
import { acquirerKinds, amounts, currencies, milliseconds, minorUnits, port } from '../../config/common-settings.ts';
import { type Contradiction, findRepeated } from '../../config/contradiction.ts';
import type { HostSettings, MethodSample, MethodSettings } from '../../config/settings-part.ts';

const acquirer = z.strictObject({
  id: z.enum(['EDC', 'CUP', 'EPS']).describe('the name that forceAcquirer uses'),
  protocol: z.literal('iso8583'),
  host: z.string().regex(/^[\w.:-]{1,255}$/, 'a name or an address'),
  port: port.min(1),
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
    .describe('network international identifier, field 24'),
  tpdu: z
    .string()
    .regex(/^60\d{8}$/, '60 and eight digits')
    .describe('60, destination, source'),
  dialect: z.enum(['EDC', 'CUP', 'EPS']).optional().describe('the field layouts of its host; default: that of its id'),
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
  connectTimeoutMs: milliseconds.default(5_000),
  replyTimeoutMs: milliseconds.default(30_000),
});

export type CardAcquirer = z.infer<typeof acquirer>;

const host = {
  secrets: [],
  stored: z.looseObject({
    id: z.string(),
    protocol: z.literal('iso8583'),
    tid: z.string(),
    mid: z.string(),
    host: z.string(),
    port: z.number(),
    currencies: z.array(z.string()),
  }),
  terms: ({ tid, mid, host: name, port: number }) => ({
    tid,
    mid,
    host: name.toLowerCase(),
    port: String(number),
  }),
  places: ['host', 'port'],
  placeOf: (kept) => `${kept.host}:${kept.port}`,
  numbersOf: ({ tid, mid }) => ({ tid, mid }),
  withNumbers: (kept, { tid, mid }) => ({ ...kept, tid, mid }),
  // One batch and one count of trace numbers.
  terminalOf: (kept) => JSON.stringify([kept.tid, kept.host.toLowerCase(), kept.port]),
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
  contradictions: (configuration: Checked) => [...ofLinks(configuration), ...ofTimes(configuration)],
  longestPaymentMs: ({ acquirers, timeouts: { pendingMs } }: Checked) =>
    Math.max(
      0,
      ...acquirers.filter(isCard).map((each) => pendingMs + each.connectTimeoutMs + each.replyTimeoutMs + chipMs),
    ),
} satisfies MethodSettings;

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
    }),
    examples: ['host', 'port', 'tid', 'mid', 'nii', 'tpdu'],
  };
}

function isCard(each: Checked['acquirers'][number]): each is CardAcquirer {
  return each.protocol === 'iso8583';
}

/** The host identifies transactions by terminal and trace number, and each acquirer counts its own trace numbers. */
function ofLinks({ acquirers }: Checked): Contradiction[] {
  const links = acquirers.flatMap((each, at) =>
    isCard(each) ? [[String(at), JSON.stringify([hostOf(each.host), each.port, each.tid])] as const] : [],
  );
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
