import * as z from 'zod';
import { identifierLengthMax } from '../../base/domain/identifiers.ts';
import { harmless } from '../../base/domain/json-keys.ts';
import type { Reason, ResponseResult } from '../../base/domain/reason.ts';
import type { ReferenceRefusal } from '../../payment/transaction/reference.ts';
import { nearestWord } from '../../base/domain/nearest-word.ts';
import type { TransactionKind } from '../../base/domain/transaction-kind.ts';
import { JsonNumber } from '../contracts/pos-calls.ts';

/** Parses JSON and keeps every number as its source text. Throws SyntaxError, also if the nesting exceeds the stack. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown, context?: { source?: string }) => {
      // No request has a field of this name. zod compares it if an object stands in place of a string, and
      // `{"toString":1}` throws there.
      if (key === 'length') return undefined;
      return typeof value === 'number' ? new JsonNumber(context?.source ?? '') : value;
    });
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('nested too deep', { cause: error });
    throw error;
  }
}

/** One fault of a request: its place (RFC 6901 pointer) and a description. Never the value that was sent. */
export interface InputFault {
  readonly pointer: string;
  readonly message: string;
  readonly reason: Reason;
}

export interface InputRefusal {
  readonly result: ResponseResult;
  readonly errors: readonly InputFault[];
  /** The transaction kinds that are possible instead. */
  readonly possible?: readonly TransactionKind[];
}

/** Maximum number of faults of one request that are reported and examined. */
const faultsMax = 20;

const missing = 'is missing';

/** Message for an absent or mistyped field. It fits any field and repeats no value. */
export function expectation(what: string) {
  return ({ input }: { readonly input?: unknown }) => (input === undefined ? missing : `must be ${what}`);
}

export function text(charactersMax: number) {
  return z
    .string({ error: expectation('a string') })
    .max(charactersMax, `must have at most ${charactersMax} characters`);
}

export function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: expectation(`one of ${values.join(', ')}`) });
}

/**
 * Control and format characters, surrogates and private use, in a form that every language reads. The terminal's own
 * checks also refuse what Unicode has not assigned.
 */
const unprintable =
  '\\u0000-\\u001F\\u007F-\\u009F\\u00AD\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uD800-\\uF8FF\\uFEFF\\uFFFE\\uFFFF';
const spaces = ' \\u00A0\\u1680\\u2000-\\u200A\\u202F\\u205F\\u3000';
const lineEnds = '\\u2028\\u2029';

/** The same of codes that this terminal knows only once it is set up. A fault suggests the probably intended one. */
export function oneOfNow<T extends string>(list: () => readonly T[]) {
  return z.lazy(() => {
    const values = list();
    return z.enum(values, {
      error: ({ input }) => {
        const said = `must be one of ${values.join(', ')}`;
        const meant = typeof input === 'string' && harmless.test(input) ? nearestWord(input, values) : undefined;
        if (input === undefined) return missing;
        return meant === undefined ? said : `${said}; did you mean ${meant}?`;
      },
    });
  });
}

export const identifier = text(identifierLengthMax)
  .min(1, 'must not be empty')
  .regex(/^[^\p{C}]*$/u, 'must have no control characters')
  .meta({ pattern: `^[^${unprintable}]*$` });

/** Text that is shown and printed on one line. */
export function printableText(charactersMax: number) {
  const pattern = `^[${spaces}]*[^${unprintable}${spaces}${lineEnds}][^${unprintable}${lineEnds}]*$`;
  return text(charactersMax)
    .regex(/^\p{Zs}*[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]*$/u, 'must have no control characters, and more than spaces')
    .meta({ pattern });
}

/** The same, which may be empty or begin with spaces. */
export function shownText(charactersMax: number) {
  return text(charactersMax)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must have no control characters')
    .meta({ pattern: `^[^${unprintable}${lineEnds}]*$` });
}

export const jsonObject = { error: 'must be a JSON object' };

/** SPEC's sample requests carry empty strings for unused fields: empty and null mean absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());
}

export function isRefusal(parsed: object): parsed is InputRefusal {
  return 'errors' in parsed;
}

export function refusal(result: ResponseResult, reason: Reason, pointer: string, message: string): InputRefusal {
  return { result, errors: [{ pointer, message, reason }] };
}

/** The refusal of a request that is well-formed, and not possible. */
export function refusalOf({ result, reason, pointer, message }: ReferenceRefusal): InputRefusal {
  return refusal(result, reason, pointer, message);
}

/** `fields`: the fields of the request, to suggest the intended one. */
export function inputFaults(error: z.ZodError, fields: readonly string[] = []): InputFault[] {
  return error.issues
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.slice(0, faultsMax).map((key) => unknownField(issue.path, key, fields))
        : [{ pointer: pointer(issue.path), message: issue.message, reason: reasonOf(issue.message) }],
    )
    .slice(0, faultsMax);
}

function reasonOf(message: string): Reason {
  return message === missing ? 'fieldMissing' : 'fieldInvalid';
}

/** An unknown name may be a card number in the wrong place: only names of letters are repeated. */
function unknownField(path: readonly PropertyKey[], key: string, fields: readonly string[]): InputFault {
  const reason = 'fieldUnknown';
  if (!harmless.test(key))
    return { pointer: pointer(path), message: 'has a field that this request does not have', reason };
  const meant = nearestWord(key, fields);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return { pointer: pointer([...path, key]), message: `is not a field of this request${hint}`, reason };
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
