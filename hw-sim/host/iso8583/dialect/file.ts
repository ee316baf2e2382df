import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { StartError } from '../../../start-error.ts';

/** A dialect file as the bank's host reads it: docs/acquirer.md. It ignores what only the terminal needs. */
const format = z.object({
  encoding: z.enum(['bcd', 'track2', 'ascii', 'ebcdic', 'ebcdic37', 'binary', 'hex', 'hexEbcdic']).optional(),
  length: z.number().optional(),
  prefix: z.string().optional(),
  counts: z.enum(['units', 'bytes']).default('units'),
  filler: z.enum(['left0', 'right0', 'leftF', 'rightF']).optional(),
  content: z.unknown().optional(),
  echoed: z.string().optional(),
  secret: z.boolean().default(false),
});

const place = z.object({ field: z.number(), at: z.number().default(0), bytes: z.number() });

const row = z.object({
  type: z.string(),
  repeat: z.string().optional(),
  answer: z.string(),
  processingCode: z.string().optional(),
  fields: z.array(z.number()).default([]),
  repeats: z.array(z.number()).default([]),
  content: z.record(z.string(), z.unknown()).default({}),
  moreDigit: z.string().optional(),
  key: place.extend({ checkValue: place.extend({ bytes: z.number().default(3) }) }).optional(),
});

const codes = z.array(z.string()).min(1);

const file = z.object({
  framing: z.object({
    length: z.string(),
    before: z.string().default(''),
    after: z.string().default(''),
    countsItself: z.boolean().default(false),
    tpdu: z.boolean().default(false),
    header: z.string().default(''),
    trailer: z.string().default(''),
  }),
  packing: z.enum(['bcd', 'ascii', 'ebcdic']),
  mti: z.enum(['bcd', 'ascii', 'ebcdic']).optional(),
  bitmap: z.enum(['binary', 'hex', 'hexEbcdic']).default('binary'),
  fields: z.record(z.string(), format),
  messages: z.record(z.string(), row),
  entryModes: z.record(z.string(), z.string()).default({}),
  codes: z
    .object({
      approved: codes.default(['00']),
      duplicate: codes.default(['94']),
      reversed: codes.default(['00']),
      noRecord: codes.default(['25']),
      balanced: codes.default(['00']),
      mismatch: codes.default(['95']),
      uploaded: codes.default(['00']),
      keysOutOfStep: z.array(z.string()).default([]),
    })
    .prefault({}),
  totals: z
    .object({ parts: z.array(z.string()), countDigits: z.array(z.number()), amountDigits: z.number() })
    .optional(),
});

export type DialectFile = z.infer<typeof file>;
export type Row = z.infer<typeof row>;
export type Format = z.infer<typeof format>;

/** The dialect of `--dialect FILE`. Rejects with StartError. */
export async function readDialect(path: string): Promise<DialectFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(2, `--dialect ${path} can't be read (${error.code}).`);
  });
  return parseDialect(text, `--dialect ${path}`);
}

/** Throws StartError. `from`: the name of the text in messages. */
export function parseDialect(text: string, from: string): DialectFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StartError(2, `${from} is not JSON.`);
  }
  const { data, error } = file.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new StartError(2, `${from} is wrong at ${issue?.path.join('.') || 'the top level'}: ${issue?.message}.`);
}

/** The settings of the acquirer that a dialect names, with the size of each; default: 1. */
export function settingSizes(dialect: DialectFile): readonly (readonly [name: string, size: number])[] {
  const sizes = new Map<string, number>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { setting, size } = value as { readonly setting?: unknown; readonly size?: unknown };
    if (typeof setting === 'string') sizes.set(setting, typeof size === 'number' ? size : 1);
    for (const each of Object.values(value)) visit(each);
  };
  visit(dialect);
  return [...sizes];
}
