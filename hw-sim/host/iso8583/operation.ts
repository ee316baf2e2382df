import type { Message } from './message.ts';
import type { Refusal } from './verdict.ts';

/** The messages of the terminal dialect by what they ask for: fixtures/README.md, "The messages". */
export type OperationName =
  | 'sale'
  | 'auth'
  | 'refund'
  | 'void'
  | 'void of a refund'
  | 'offline sale'
  | 'completion'
  | 'tip adjust'
  | 'reversal'
  | 'settlement'
  | 'trailer'
  | 'upload'
  | 'echo';

interface Operation {
  readonly name: OperationName;
  /** Message types that ask for it; the last digit 1 is a repeat. */
  readonly types: readonly string[];
  /** Field 3. */
  readonly processing: RegExp;
  readonly mandatory: readonly number[];
  readonly optional: readonly number[];
  readonly field60?: RegExp;
  /** Of two operations in one type and processing code: the one that has this field, before the one that has not. */
  readonly marked?: readonly number[];
}

const presented = [3, 4, 11, 22, 24, 25, 41, 42, 48, 55, 62];
// 49 may be left out with a card's own data, because 5F2A names the currency; 52 and 53 are a PIN.
const presentedToo = [23, 49, 52, 53, 54];
const referring = [3, 4, 11, 12, 13, 22, 24, 25, 37, 38, 41, 42, 48, 49, 62];
const closing = [3, 11, 24, 41, 42, 49, 60, 63];
const amount = /^\d{12}$/;

const operations: readonly Operation[] = [
  { name: 'sale', types: ['0200'], processing: /^00\d{4}$/, mandatory: presented, optional: presentedToo },
  { name: 'auth', types: ['0100'], processing: /^00\d{4}$/, mandatory: presented, optional: presentedToo },
  { name: 'refund', types: ['0200'], processing: /^20\d{4}$/, mandatory: presented, optional: presentedToo },
  { name: 'void', types: ['0200'], processing: /^02\d{4}$/, mandatory: referring, optional: [] },
  {
    name: 'void of a refund',
    types: ['0200'],
    processing: /^22\d{4}$/,
    mandatory: referring.filter((field) => field !== 38),
    optional: [38],
  },
  {
    name: 'completion',
    types: ['0220', '0221'],
    processing: /^00\d{4}$/,
    mandatory: [...referring, 39, 60],
    optional: [],
    field60: amount,
    marked: [37, 60],
  },
  {
    name: 'offline sale',
    types: ['0220', '0221'],
    processing: /^00\d{4}$/,
    mandatory: referring.filter((field) => field !== 37),
    optional: [23, 54, 55],
  },
  {
    name: 'tip adjust',
    types: ['0220', '0221'],
    processing: /^02\d{4}$/,
    mandatory: [...referring, 54, 60],
    optional: [],
    field60: amount,
  },
  {
    name: 'reversal',
    types: ['0400', '0401'],
    processing: /^\d{6}$/,
    mandatory: [3, 4, 11, 24, 41, 42, 48],
    optional: [22, 23, 25, 49, 62],
  },
  {
    name: 'settlement',
    types: ['0500', '0501'],
    processing: /^920000$/,
    mandatory: closing,
    optional: [],
    field60: /^\d{6}$/,
  },
  {
    name: 'trailer',
    types: ['0500', '0501'],
    processing: /^960000$/,
    mandatory: closing,
    optional: [],
    field60: /^\d{6}$/,
  },
  {
    name: 'upload',
    types: ['0320', '0321'],
    processing: /^[02]0000[01]$/,
    mandatory: [...referring.filter((field) => field !== 38), 60],
    optional: [38],
    field60: /^02[02]0\d{6}$/,
  },
  { name: 'echo', types: ['0800'], processing: /^\d{6}$/, mandatory: [], optional: [3, 11, 24, 41] },
];

const known = new Set(operations.flatMap(({ types }) => types));

/** Fields whose presence is found elsewhere, as card data in the clear. */
const clear = new Set([2, 14, 35]);

/** Whether the dialect has this message type at all. */
export function isKnownType(mti: string): boolean {
  return known.has(mti);
}

/** What a message asks for; nothing where its type and processing code name nothing. */
export function operationOf({ mti, fields }: Message): OperationName | undefined {
  return specOf(mti, fields)?.name;
}

/** Why a message does not have the form of its operation. A field too many is only noted: it can't mislead the host. */
export function formOf({ mti, fields }: Message, note: (finding: string) => void): Refusal | undefined {
  const spec = specOf(mti, fields);
  if (!spec) return { refused: '12', finding: `a processing code that is nothing in a ${mti}` };
  const missing = spec.mandatory.filter((field) => !fields.has(field));
  if (missing.length > 0) return { refused: '30', finding: `${named(spec.name)} without field ${missing.join(', ')}` };
  const foreign = [...fields.keys()].filter((field) => !takes(spec, field));
  if (foreign.length > 0) note(`${named(spec.name)} with field ${foreign.join(', ')}`);
  if (spec.mandatory.includes(62) && !/^\d{6}$/.test(fields.get(62) ?? '')) {
    return { refused: '30', finding: 'field 62 is no invoice number' };
  }
  if (!amount.test(fields.get(54) ?? '000000000000')) return { refused: '30', finding: 'field 54 is no amount' };
  if (spec.field60 && !spec.field60.test(fields.get(60) ?? '')) {
    return { refused: '30', finding: `field 60 of ${named(spec.name)} has another form` };
  }
  return undefined;
}

/** 'a sale', 'an auth'. */
export function named(name: OperationName): string {
  return `${/^[aeou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function specOf(mti: string, fields: Message['fields']): Operation | undefined {
  const processing = fields.get(3) ?? '';
  // An echo has no operation to choose from.
  const fitting = operations.filter(
    (spec) => spec.types.includes(mti) && (spec.name === 'echo' || spec.processing.test(processing)),
  );
  return fitting.find(({ marked }) => !marked || marked.some((field) => fields.has(field)));
}

function takes({ mandatory, optional }: Operation, field: number): boolean {
  return mandatory.includes(field) || optional.includes(field) || clear.has(field);
}
