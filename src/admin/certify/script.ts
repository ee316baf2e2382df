import * as z from 'zod';
import { findFileFaults } from '../../config/faults.ts';
import { parseObject, readText } from '../../config/json-file.ts';
import { plainText } from '../../base/domain/plain-text.ts';
import { currencyCodes } from '../../base/domain/currency.ts';
import type { TransactionType } from '../../base/domain/transaction-kind.ts';
import { CommissioningError } from '../commissioning-error.ts';

/** The kinds of a case, and the transaction type of each. A reversal is a sale whose answer does not arrive. */
export const caseKinds = {
  sale: 'SALE',
  auth: 'AUTH',
  refund: 'REFUND',
  offlineSale: 'OFFLINE_SALE',
  void: 'VOID',
  completion: 'AUTH_COMP',
  tipAdjust: 'TIP_ADJUST',
  reversal: 'SALE',
  settlement: undefined,
} as const satisfies Readonly<Record<string, TransactionType | undefined>>;
export type CaseKind = keyof typeof caseKinds;

/** Kinds that need an earlier case. */
const referring: readonly CaseKind[] = ['void', 'completion', 'tipAdjust'];
const withoutAmount: readonly CaseKind[] = ['void', 'settlement'];

const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$/, 'letters, digits, dots, _ and -, 24 at most');
const line = z.string().min(1).max(500);
const amount = z.string().regex(/^\d{1,10}(\.\d{1,3})?$/, 'a decimal amount, such as "30.00"');
const expected = z
  .string()
  .max(999)
  .describe('the exact value; "present" or "absent" if only that matters, and for what is not shown');

const message = z.strictObject({
  direction: z.enum(['sent', 'received']),
  type: z
    .string()
    .regex(/^\d{4}$/, 'four digits')
    .describe('the message type'),
  fields: z.record(z.string().regex(/^\d{1,3}$/, 'the number of a field'), expected).default({}),
  tags: z.record(z.string().regex(/^[0-9A-F]{2,8}$/, 'the tag of an EMV object'), expected).default({}),
});

const expectation = z.strictObject({
  responseResult: z.string().regex(/^[A-Z_]{1,40}$/, 'a responseResult of the API, such as SUCCESS'),
  responseCode: z
    .string()
    .regex(/^[\dA-Za-z]{2,3}$/, 'field 39')
    .optional()
    .describe('field 39 of the host’s answer'),
  messages: z.array(message).max(32).default([]).describe('each must be among the recorded ones'),
  receipt: z.array(line).max(32).default([]).describe('texts on the customer’s copy'),
});

const simulator = z.strictObject({
  card: z.string().max(40).optional(),
  pin: z
    .string()
    .regex(/^\d{4,12}$/, '4 to 12 digits')
    .optional(),
  host: z.record(z.string(), z.unknown()).optional().describe('what the simulated host does in this case'),
});

const entryModes = ['CONTACTLESS', 'CHIP', 'MAGSTRIPE', 'FALLBACK', 'MANUAL'] as const;

const certificationCase = z
  .strictObject({
    id,
    title: line,
    person: line.optional().describe('which card to present, and how: shown before the case'),
    kind: z.enum(Object.keys(caseKinds) as [CaseKind, ...CaseKind[]]),
    of: id.optional().describe('the case whose transaction it refers to'),
    entryMode: z.enum(entryModes).optional().describe('how the card must have been read'),
    amount: amount.optional(),
    tip: amount.optional(),
    currency: z.enum(currencyCodes as unknown as [string, ...string[]]).optional(),
    approvalCode: z.string().max(6).optional().describe('of an offline sale'),
    waitS: z
      .number()
      .int()
      .min(0)
      .max(300)
      .default(15)
      .describe('how long expected messages may take after the answer'),
    simulator: simulator.optional().describe('what the simulator’s customer does, with --sim'),
    expect: expectation,
  })
  .superRefine((each, context) => {
    const fault = (path: string, text: string) => context.addIssue({ code: 'custom', path: [path], message: text });
    if (referring.includes(each.kind) && each.of === undefined) fault('of', `is needed: ${each.kind} refers to a case`);
    if (!withoutAmount.includes(each.kind) && each.amount === undefined) fault('amount', `is needed for ${each.kind}`);
  });

export const scriptSchema = z
  .strictObject({
    name: line,
    acquirer: z.string().regex(/^[A-Z][A-Z0-9_]{0,15}$/, 'the id of an acquirer'),
    posId: z.string().min(1).max(64).optional().describe('CERTIFY if absent'),
    currency: z.enum(currencyCodes as unknown as [string, ...string[]]).default('HKD'),
    cases: z.array(certificationCase).min(1).max(500),
  })
  .superRefine(({ cases }, context) => {
    const earlier = new Set<string>();
    for (const [at, each] of cases.entries()) {
      const fault = (key: string, text: string) =>
        context.addIssue({ code: 'custom', path: ['cases', at, key], message: text });
      if (earlier.has(each.id)) fault('id', 'is that of an earlier case');
      if (each.of !== undefined && !earlier.has(each.of)) fault('of', 'names no earlier case');
      earlier.add(each.id);
    }
  });

export type Script = z.infer<typeof scriptSchema>;
export type Case = Script['cases'][number];
export type Expectation = Case['expect'];

const jsonSchema = () => z.toJSONSchema(scriptSchema, { io: 'input', unrepresentable: 'any' });

/** Rejects with CommissioningError, which has a line for each fault with its place. */
export async function readScript(file: string): Promise<{ readonly script: Script; readonly text: string }> {
  const text = await readText(file);
  const faults = findFileFaults(text, { schema: scriptSchema, jsonSchema });
  if (faults.length === 0) return { script: scriptSchema.parse(parseObject(text)), text };
  const lines = faults.map(({ line: at, column, path, message: why }) => `${file}:${at}:${column}: ${path}: ${why}`);
  throw new CommissioningError(`this script can’t be used\n${lines.map(plainText).join('\n')}`);
}
