import { isWithCash } from './account.ts';
import { cardReadOf } from './entry-mode.ts';
import type { Message } from './message.ts';
import type { Refusal } from './verdict.ts';

/** The operations of the terminal dialect: fixtures/README.md, "Messages". */
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

export interface Operation {
  readonly name: OperationName;
  /** Message types of it; a last digit 1 is a repeat. */
  readonly types: readonly string[];
  /** Field 3. */
  readonly processing: RegExp;
  readonly mandatory: readonly number[];
  readonly optional: readonly number[];
  readonly field60?: RegExp;
  /** A card was presented: the entry mode decides about fields 49 and 55. */
  readonly withCard?: true;
  /** Field 54 is present if and only if field 3 says so. */
  readonly cash?: true;
  /** Distinguishes two operations of one type and processing code: this one has the field, the other has not. */
  readonly marked?: readonly number[];
}

const amount = /^\d{12}$/;

/** Fields that are reported elsewhere, as clear card data. */
const clear = new Set([2, 14, 35]);

/** The operation of a message; undefined if its type and processing code are unknown. */
export function operationOf(operations: readonly Operation[], message: Message): OperationName | undefined {
  return specOf(operations, message)?.name;
}

/** Why a message does not fit its operation. An extra field is only noted: it can't mislead the host. */
export function formOf(
  operations: readonly Operation[],
  message: Message,
  note: (finding: string) => void,
): Refusal | undefined {
  const { mti, fields } = message;
  const spec = specOf(operations, message);
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
  if (spec.cash === true && isWithCash(fields.get(3) ?? '') !== fields.has(54)) {
    return { refused: '30', finding: 'field 54 does not go with the processing code' };
  }
  return spec.withCard === true ? cardFormOf(spec.name, fields) : undefined;
}

/** A chip needs field 55. A stripe has none, so only field 49 gives its currency. */
function cardFormOf(name: OperationName, fields: Message['fields']): Refusal | undefined {
  const read = cardReadOf(fields.get(22) ?? '');
  switch (read) {
    case 'chip':
      return fields.has(55) ? undefined : { refused: '30', finding: `${named(name)} without field 55` };
    case 'stripe':
      if (fields.has(55)) return { refused: '30', finding: `${named(name)} from a stripe with field 55` };
      return fields.has(49) ? undefined : { refused: '30', finding: `${named(name)} from a stripe without field 49` };
    case undefined:
      return { refused: '30', finding: `${named(name)} from nothing that field 22 can name` };
    default:
      return read satisfies never;
  }
}

/** 'a sale', 'an auth'. */
export function named(name: OperationName): string {
  return `${/^[aeou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function specOf(operations: readonly Operation[], { mti, fields }: Message): Operation | undefined {
  const processing = fields.get(3) ?? '';
  // An echo is not an operation.
  const fitting = operations.filter(
    (spec) => spec.types.includes(mti) && (spec.name === 'echo' || spec.processing.test(processing)),
  );
  return fitting.find(({ marked }) => !marked || marked.some((field) => fields.has(field)));
}

function takes({ mandatory, optional }: Operation, field: number): boolean {
  return mandatory.includes(field) || optional.includes(field) || clear.has(field);
}
