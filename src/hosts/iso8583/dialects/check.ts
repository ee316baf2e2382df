import { type Content, settingsIn, valuesIn } from './content-schema.ts';
import { type DialectFile, dialectSchema, type MessageName } from './dialect-schema.ts';
import { codesOf } from './response-codes.ts';
import type { ValueName } from './values.ts';

interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * The dialects that the service accepts: the schema, and the checks between its parts. A fault names its place and
 * never repeats a value.
 */
export const dialectFileSchema = dialectSchema.superRefine((file, context) => {
  for (const { path, message } of contradictionsIn(file)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});

/** Card number, expiry date and tracks: this terminal has them only as the reader has encrypted them. */
const clearCardFields: readonly number[] = [2, 14, 35, 36, 45];

/** Fields that the terminal compares or keeps as text, whatever their encoding. */
const textFields: readonly number[] = [3, 4, 11, 12, 13, 24, 37, 38, 39, 41, 42, 49];

const byteEncodings: readonly (string | undefined)[] = ['binary', 'hex', 'hexEbcdic'];

function contradictionsIn(file: DialectFile): readonly Fault[] {
  return [
    ...ofFormats(file),
    ...ofMessages(file),
    ...ofAnswers(file),
    ...ofCodes(file),
    ...ofNeeds(file),
    ...ofKey(file),
    ...ofKsn(file),
  ];
}

function ofFormats({ fields }: DialectFile): Fault[] {
  return Object.entries(fields).flatMap(([number, entry]): Fault[] => {
    const place = (key: string) => ['fields', number, key];
    const { encoding, length, prefix, filler } = entry;
    if (encoding === undefined) {
      const named = Object.entries({ length, prefix, filler }).find(([, value]) => value !== undefined);
      return named ? [{ path: place(named[0]), message: 'needs an encoding beside it' }] : [];
    }
    const faults: Fault[] = [];
    if (length === undefined) faults.push({ path: ['fields', number], message: 'needs a length beside its encoding' });
    if (prefix !== undefined && (length ?? 0) > greatestOf(prefix)) {
      faults.push({ path: place('length'), message: 'is more than its prefix can say' });
    }
    if (textFields.includes(Number(number)) && byteEncodings.includes(encoding)) {
      faults.push({ path: place('encoding'), message: 'must be one of text or digits: the terminal reads this field' });
    }
    if (number === '55' && !byteEncodings.includes(encoding)) {
      faults.push({ path: place('encoding'), message: 'must be binary, hex or hexEbcdic: it holds EMV objects' });
    }
    return faults;
  });
}

/** The greatest number that a prefix can encode. */
function greatestOf(prefix: string): number {
  const size = Number(prefix.slice(-1));
  if (prefix.startsWith('binary')) return 256 ** size - 1;
  return (prefix.startsWith('hex') ? 16 : 10) ** size - 1;
}

type Row = NonNullable<DialectFile['messages'][MessageName]>;

function rowsOf({ messages }: DialectFile): readonly (readonly [MessageName, Row])[] {
  return Object.entries(messages).flatMap(([name, row]) => (row ? [[name as MessageName, row] as const] : []));
}

function ofMessages(file: DialectFile): Fault[] {
  return rowsOf(file).flatMap(([name, row]) => [
    ...row.fields.flatMap((number, at): Fault[] => {
      const message = faultOfField(number, row, file);
      return message === undefined ? [] : [{ path: ['messages', name, 'fields', at], message }];
    }),
    ...Object.keys(row.content).flatMap((number): Fault[] => {
      const isCarried = row.fields.includes(Number(number));
      const message = 'is for a field that is not in the fields of this message';
      return isCarried ? [] : [{ path: ['messages', name, 'content', number], message }];
    }),
    ...('repeats' in row ? row.repeats : []).flatMap((number, at): Fault[] =>
      clearCardFields.includes(number) ? [{ path: ['messages', name, 'repeats', at], message: clearCard }] : [],
    ),
  ]);
}

const clearCard = 'would carry card data in clear: this terminal has it only encrypted';

function faultOfField(number: number, row: Row, file: DialectFile): string | undefined {
  // The schema reports a number that no field has. It may be a card number, and is not repeated.
  if (number < 2 || number > 128) return undefined;
  if (clearCardFields.includes(number)) return clearCard;
  if (number === 65) return 'would announce a third bitmap, which is not supported';
  const content = contentOf(number, row, file);
  if (content === undefined) return `has no content: fields.${number}.content, or content of this message`;
  const values = valuesIn(content);
  const hasOwnCode = !('processingCode' in row) || row.processingCode !== undefined || 'moreDigit' in row;
  if (values.includes('processingCode') && !hasOwnCode) return 'needs the processingCode of this message';
  if (values.includes('reversalReason') && !('reasons' in row && row.reasons))
    return 'needs the reasons of this message';
  if (values.includes('totals') && !file.totals) return 'has the value totals, which needs the key totals';
  if (values.includes('emv') && (row.emvTags ?? file.emvTags).length === 0) return 'has the value emv without emvTags';
  return faultOfTags(content);
}

function contentOf(number: number, row: Row, { fields }: DialectFile): Content | undefined {
  return row.content[String(number)] ?? fields[String(number)]?.content;
}

function faultOfTags(content: Content): string | undefined {
  if (typeof content === 'string') return undefined;
  if ('parts' in content) return content.parts.map(faultOfTags).find((fault) => fault !== undefined);
  if (!('objects' in content)) return undefined;
  const { objects, tags, lengths } = content;
  if (lengths === 'ber' && tags !== 'hex') return 'has lengths of BER, whose tags are hex';
  const isHex = ({ tag }: (typeof objects)[number]) => /^(?:[\dA-Fa-f]{2}){1,4}$/.test(tag);
  if (tags === 'hex' && !objects.every(isHex)) return 'has a tag that is not 1 to 4 bytes in hexadecimal';
  return objects.map((each) => faultOfTags(each.content)).find((fault) => fault !== undefined);
}

/** Every answer must be distinguishable from the others. */
function ofAnswers(file: DialectFile): Fault[] {
  const { fields, messages } = file;
  const always = Object.keys(fields).filter((number) => fields[number]?.echoed === 'always');
  const lacking = rowsOf(file).flatMap(([name, row]) =>
    always.flatMap((number): Fault[] => {
      const message = `lacks field ${number}, which every answer repeats`;
      return fieldsOf(row).includes(Number(number)) ? [] : [{ path: ['messages', name, 'fields'], message }];
    }),
  );
  const { sale, auth, completion, refund, voidRefund, reversal, upload, trailer } = messages;
  const decided = [sale, auth, refund, messages.void, voidRefund].map((row) => row?.answer);
  const faults: Fault[] = [];
  if (!always.includes('11')) {
    faults.push({ path: ['fields'], message: 'must have 11 with "echoed": "always": it tells whose answer it is' });
  }
  if (decided.includes(reversal.answer)) {
    const message = 'is also the answer to a request: a late one could be taken for the other';
    faults.push({ path: ['messages', 'reversal', 'answer'], message });
  }
  if (auth && (!completion || !messages.void)) {
    const message = 'needs completion and void beside it: what is held could not be ended';
    faults.push({ path: ['messages', 'auth'], message });
  }
  const others = [...decided, reversal.answer, messages.settlement.answer];
  for (const name of ['signOn', 'keyExchange', 'echo', 'signOff'] as const) {
    const row = messages[name];
    if (!row || !others.includes(row.answer)) continue;
    const message = 'is also the answer to a message about money: one could be taken for the other';
    faults.push({ path: ['messages', name, 'answer'], message });
  }
  if ((upload === undefined) !== (trailer === undefined)) {
    faults.push({ path: ['messages'], message: 'must have both upload and trailer, or neither' });
  }
  return [...lacking, ...faults];
}

/** A code of an approval must have no other meaning. */
function ofCodes({ codes }: DialectFile): Fault[] {
  const all = codesOf(codes);
  const pairs = [
    ['approved', 'duplicate'],
    ['approved', 'undecided'],
    ['approved', 'noRecord'],
    ['approved', 'tryAgain'],
    ['approved', 'terminalUnknown'],
    ['approved', 'keysOutOfStep'],
    ['reversed', 'keysOutOfStep'],
    ['noRecord', 'keysOutOfStep'],
    ['balanced', 'keysOutOfStep'],
    ['reversed', 'noRecord'],
    ['balanced', 'mismatch'],
  ] as const;
  return pairs.flatMap(([one, other]): Fault[] => {
    const isShared = all[one].some((code) => all[other].includes(code));
    return isShared ? [{ path: ['codes'], message: `has a code that is in both ${one} and ${other}` }] : [];
  });
}

function ofNeeds({ debit, entryModes }: DialectFile): Fault[] {
  const lacks = debit && (debit.accounts.SAVINGS === undefined || debit.accounts.CURRENT === undefined);
  const widths = new Set(Object.values(entryModes).map((text) => text.length));
  return [
    ...(lacks ? [{ path: ['debit', 'accounts'], message: 'must have SAVINGS and CURRENT' }] : []),
    ...(widths.size > 1 ? [{ path: ['entryModes'], message: 'must all have as many digits' }] : []),
  ];
}

/** Checks the place of the key in the answer to an exchange of keys. */
function ofKey({ fields, messages: { keyExchange } }: DialectFile): Fault[] {
  if (!keyExchange) return [];
  const { key } = keyExchange;
  const path = ['messages', 'keyExchange', 'key'];
  return [
    { path, ...key },
    { path: [...path, 'checkValue'], ...key.checkValue },
  ].flatMap(({ path: place, field }): Fault[] => {
    if (textFields.includes(field) || field === 55) {
      return [{ path: [...place, 'field'], message: 'is a field with another meaning' }];
    }
    const isSecret = fields[String(field)]?.secret === true;
    return isSecret ? [] : [{ path: [...place, 'field'], message: 'must be secret in fields: it holds a key' }];
  });
}

/** The serial number of the key is inserted when the code is added, so it must be the whole content of one field. */
function ofKsn(file: DialectFile): Fault[] {
  const has = (content: Content | undefined) => content !== undefined && valuesIn(content).includes('macKsn');
  const own = Object.entries(file.fields).filter(([, { content }]) => has(content));
  return [
    ...own.flatMap(([number, { content, echoed }], at): Fault[] => [
      ...(content === 'macKsn'
        ? []
        : [{ path: ['fields', number, 'content'], message: 'must be macKsn alone: it is the whole of its field' }]),
      ...(echoed === undefined
        ? []
        : [{ path: ['fields', number, 'echoed'], message: 'is not possible: each request has another macKsn' }]),
      ...(at === 0 ? [] : [{ path: ['fields', number, 'content'], message: 'is macKsn, which another field has' }]),
    ]),
    ...rowsOf(file).flatMap(([name, row]) =>
      Object.entries(row.content).flatMap(([number, content]): Fault[] => {
        const message = 'has macKsn, which stands in fields: it is in the same field of all messages';
        return has(content) ? [{ path: ['messages', name, 'content', number], message }] : [];
      }),
    ),
  ];
}

/** All contents of a dialect. */
function contentsOf(file: DialectFile): readonly Content[] {
  const own = Object.values(file.fields).flatMap(({ content }) => (content === undefined ? [] : [content]));
  return [...own, ...rowsOf(file).flatMap(([, row]) => Object.values(row.content))];
}

/** The messages that do not list the field of the key serial number. `has`: whether this type has a code. */
export function messagesWithoutKsn(file: DialectFile, has: (type: string) => boolean): readonly MessageName[] {
  const number = ksnFieldNumber(file);
  return rowsOf(file).flatMap(([name, row]) => {
    const types = 'repeat' in row && row.repeat !== undefined ? [row.type, row.repeat] : [row.type];
    const isListed = number !== undefined && fieldsOf(row).includes(number);
    return isListed || !types.some(has) ? [] : [name];
  });
}

/** The field whose whole content is `macKsn`; undefined if there is none. */
export function ksnFieldNumber({ fields }: Pick<DialectFile, 'fields'>): number | undefined {
  const [number] = Object.entries(fields).find(([, { content }]) => content === 'macKsn') ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The fields that a message lists, with those that a reversal repeats of its original. */
function fieldsOf(row: ReturnType<typeof rowsOf>[number][1]): readonly number[] {
  return 'repeats' in row ? [...row.fields, ...row.repeats] : row.fields;
}

/** The settings of its acquirer that a dialect uses: acquirers[].values. */
export function settingNamesOf(file: DialectFile): readonly string[] {
  return [...new Set(contentsOf(file).flatMap(settingsIn))];
}

/** Whether a message of the dialect has this value. */
export function usesValue(file: DialectFile, name: ValueName): boolean {
  return contentsOf(file).some((content) => valuesIn(content).includes(name));
}
