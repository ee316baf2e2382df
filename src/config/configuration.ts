import { z } from 'zod';
import { cardBrands } from '../domain/payment-method.ts';
import { transactionTypes } from '../domain/transaction-type.ts';
import { receiptColumns } from '../receipt/line.ts';

const kinds = transactionTypes.filter((type) => type !== 'VOID');
const port = z.number().int().min(0).max(65535);
const milliseconds = z.number().int().min(1).max(86_400_000);
const serialDevice = {
  path: z.string().min(1).describe('device node or stable link'),
  baudRate: z.number().int().min(300).max(4_000_000).default(115_200),
};

const acquirer = z.strictObject({
  id: z.enum(['EDC', 'CUP', 'EPS']).describe('the name that forceAcquirer uses'),
  protocol: z.literal('iso8583'),
  host: z.string().min(1),
  port: port.min(1),
  tid: z
    .string()
    .regex(/^[\x20-\x7e]{8}$/)
    .describe('terminal id, field 41, 8 characters'),
  mid: z
    .string()
    .regex(/^[\x20-\x7e]{15}$/)
    .describe('merchant id, field 42, 15 characters'),
  nii: z
    .string()
    .regex(/^\d{3}$/)
    .describe('network international identifier, field 24'),
  tpdu: z
    .string()
    .regex(/^60\d{8}$/)
    .describe('60, destination, source'),
  dialect: z.enum(['EDC', 'CUP']).optional().describe('the field layouts of its host; by its id where none is named'),
  brands: z.array(z.enum(cardBrands)).min(1).describe('a card goes to the first acquirer that takes it'),
  bins: z
    .array(z.string().regex(/^\d{1,6}$/))
    .optional()
    .describe('leading digits of its card numbers; all if absent'),
  kinds: z
    .array(z.enum(kinds))
    .optional()
    .describe('transaction kinds that it offers; all that the method can if absent'),
  connectTimeoutMs: milliseconds.default(5_000),
  replyTimeoutMs: milliseconds.default(30_000),
});

/** The configuration of one terminal: one schema gives the types, the checks, the defaults and the documentation. */
export const configurationSchema = z.strictObject({
  stateDir: z.string().min(1).default('/var/lib/poid').describe('where the journal lives'),
  http: z
    .strictObject({
      host: z.string().default('0.0.0.0'),
      port: port.default(8080),
      hostnames: z.array(z.string()).default([]).describe('names that a Host header may use beside IP addresses'),
      origins: z.array(z.string()).default([]).describe('web origins that may call'),
      networks: z
        .array(z.union([z.cidrv4(), z.cidrv6()]))
        .default([])
        .describe('address ranges allowed beside the private ones, as CIDR'),
      bodyBytesMax: z.number().int().min(256).max(1_048_576).default(65_536),
    })
    .prefault({}),
  screen: z
    .strictObject({
      port: port.default(8081),
      outcomeMs: milliseconds.default(5_000).describe('how long an outcome stays before the screen is idle'),
    })
    .prefault({}),
  shop: z.strictObject({
    name: z.string().min(1),
    address: z.string().default(''),
    phone: z.string().default(''),
    email: z.string().default(''),
    logo: z.string().default(''),
  }),
  reader: z.strictObject({ driver: z.literal('neo2'), ...serialDevice }),
  printer: z
    .strictObject({
      driver: z.literal('escpos'),
      ...serialDevice,
      columns: z.literal(receiptColumns).default(48),
    })
    .optional(),
  acquirers: z.array(acquirer).min(1).refine(distinct, 'two acquirers have the same id'),
  receipt: z
    .strictObject({
      printedBy: z.enum(['terminal', 'pos']).default('terminal').describe('pos: answers carry transactionPrintData'),
      printedByPosId: z.record(z.string(), z.enum(['terminal', 'pos'])).default({}),
      merchantCopy: z
        .enum(['always', 'signature', 'never'])
        .default('signature')
        .describe('signature: where one is asked'),
      charset: z.enum(['bitmap', 'big5', 'gb18030']).default('bitmap').describe('how Chinese gets on paper'),
    })
    .prefault({}),
  rules: z
    .strictObject({
      completionTolerancePercent: z.number().int().min(0).max(100).default(0).describe('a completion over its auth'),
      tipPercentMax: z.number().int().min(0).max(1000).default(100),
      tipNeedsSignature: z.boolean().default(true).describe('a tip is adjusted only where the customer signed'),
    })
    .prefault({}),
  settlement: z
    .strictObject({
      dailyAt: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
        .optional()
        .describe('time of day, of the terminal, at which all open batches are settled'),
    })
    .prefault({}),
  timeouts: z
    .strictObject({
      collectMs: milliseconds.default(120_000).describe('how long a customer may take to present a card'),
      reversalWaitMs: milliseconds
        .default(5_000)
        .describe('how long an answer waits for the reversal of an unknown outcome'),
    })
    .prefault({}),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
});

export type Configuration = z.infer<typeof configurationSchema>;

function distinct(acquirers: readonly { id: string }[]): boolean {
  return new Set(acquirers.map(({ id }) => id)).size === acquirers.length;
}
