import { z } from 'zod';
import { cardBrands } from '../domain/payment-method.ts';
import { receiptColumns } from '../receipt/lines.ts';

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
  brands: z.array(z.enum(cardBrands)).min(1),
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
      networks: z.array(z.string()).default([]).describe('address ranges allowed beside the private ones, as CIDR'),
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
export type AcquirerConfiguration = Configuration['acquirers'][number];

function distinct(acquirers: readonly { id: string }[]): boolean {
  return new Set(acquirers.map(({ id }) => id)).size === acquirers.length;
}
