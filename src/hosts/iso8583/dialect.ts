import type { CardEntryMode } from '../../base/domain/payment-scheme.ts';
import type { AdviceOperation, OnlineOperation } from '../../base/domain/transaction-kind.ts';
import { commissioningReasons, type DeclineReason, issuerReasons } from '../../base/domain/decline-reason.ts';
import type { Framing } from '../../codecs/iso8583/frame.ts';
import { type Content, valuesIn } from './dialects/content-schema.ts';
import cup from './dialects/cup.json' with { type: 'json' };
import edc from './dialects/edc.json' with { type: 'json' };
import eps from './dialects/eps.json' with { type: 'json' };
import { codesOf, declineReasons, type ResponseCodes, responseCodes } from './dialects/response-codes.ts';
import { ksnFieldNumber } from './dialects/check.ts';
import { batchValues } from './dialects/values.ts';
import {
  type BuiltInDialect,
  type DialectFile,
  dialectSchema,
  type FieldEntry,
  type KeyPlace,
  type NumbersPlace,
} from './dialects/dialect-schema.ts';
import type { Room } from './content.ts';
import { framingOf, holdsBytes, sizeOf, type WireSpec, wireSpec } from './wire.ts';

/** Without a host's own list: of a record that has the code only. */
export function declineReason(
  field39: string,
  { terminalUnknown, keysOutOfStep, reasons = {} } = responseCodes,
): DeclineReason {
  if (terminalUnknown.includes(field39)) return 'terminalUnknown';
  if (keysOutOfStep.includes(field39)) return 'hostTrouble';
  return reasons[field39] ?? declineReasons[field39] ?? 'declined';
}

/** Whether the host knows this terminal, by field 39 of any answer; undefined if the code does not tell. */
export function knowsTerminal(codes: ResponseCodes, field39: string): boolean | undefined {
  const { approved, duplicate, reversed, noRecord, balanced, mismatch, uploaded } = codes;
  const reason = declineReason(field39, codes);
  if (commissioningReasons.includes(reason)) return false;
  const taken = [approved, duplicate, reversed, noRecord, balanced, mismatch, uploaded];
  return issuerReasons.includes(reason) || taken.some((each) => each.includes(field39)) ? true : undefined;
}

/** Fields of a message that are text in every dialect that the service accepts (dialects/check.ts). */
type TextField = 3 | 4 | 11 | 12 | 13 | 24 | 37 | 38 | 39 | 41 | 42 | 49;

export interface HostMessage {
  /** Message type identifier, four digits: '0200'. */
  readonly mti: string;
  readonly fields: HostValues;
}

/** Text or bytes by field number; absent and undefined are the same. */
export type HostValues = { readonly [Field in TextField]?: string | undefined } & {
  readonly 55?: Uint8Array | undefined;
  readonly [field: number]: string | Uint8Array | undefined;
};

interface MessageTypes {
  readonly mti: string;
  readonly answerMti: string;
}

interface RepeatableTypes extends MessageTypes {
  readonly repeatMti: string;
}

/** One field of a message: its content, kind and size. */
interface CarriedField extends Room {
  readonly number: number;
  readonly content: Content;
  /** Whether the message is sent only if this field has a value. */
  readonly isRequired: boolean;
}

/** The field that has the serial number of a request's key. */
export interface KsnField extends Room {
  readonly number: number;
}

/** The fields of a message. A field without a value in a message (23 38 52 54 55, …) is left out. */
export interface Carrier {
  readonly fields: readonly CarriedField[];
  /** The EMV objects of field 55, in this order. */
  readonly emvTags: readonly string[];
}

interface Transaction extends Carrier {
  /** Field 3; for a debit host, before the customer's choices are inserted. */
  readonly processingCode: string;
}

interface OnlineRow extends MessageTypes, Transaction {
  /** Fields that an approval must have. */
  readonly needs: readonly number[];
}

/** `repeatMti` undefined: an unanswered settlement is not repeated, but sent anew. */
type SettlementRow = MessageTypes & Transaction & { readonly repeatMti: string | undefined };

export type NetworkMessage = 'signOn' | 'keyExchange' | 'echo' | 'signOff';

/** The operations that move money. */
type Operations = Readonly<Record<OnlineOperation, OnlineRow> & Record<AdviceOperation, RepeatableTypes & Transaction>>;

/** The properties of one host. Hosts differ only here. */
export interface Dialect {
  readonly spec: WireSpec;
  /** For reading answers: `spec`, limited to the fields that this terminal uses. */
  readonly answerSpec: WireSpec;
  readonly framing: Framing;
  /** Whether a frame of length zero is sent back. */
  readonly echoesKeepAlive: boolean;
  /** The fields of a request that its answer repeats: always, or if it has the field. */
  readonly matching: Matching;
  /** The host does not accept an operation that is absent here. */
  readonly operations: Partial<Operations>;
  /** Set for hosts whose cards always pay with an account and a PIN. Other hosts have neither account nor cashback. */
  readonly debit: DialectFile['debit'];
  /** Has the original's processing code, those fields of `repeats` that the original had, and its own fields. */
  readonly reversal: RepeatableTypes & Carrier & Pick<DialectFile['messages']['reversal'], 'repeats' | 'reasons'>;
  readonly settlement: SettlementRow;
  /** The settlement that ends a batch upload. */
  readonly trailer: SettlementRow | undefined;
  /** Carries the original's processing code, with `moreDigit` as the last digit if another upload follows. */
  readonly upload: (RepeatableTypes & Carrier & { readonly moreDigit: string }) | undefined;
  /** Network management messages. The host does not need those that are absent. */
  readonly network: Partial<Readonly<Record<NetworkMessage, MessageTypes & Transaction>>>;
  /** Where the answer to `keyExchange` has the key. */
  readonly keyPlace: KeyPlace | undefined;
  /** Undefined: requests do not carry the serial number of their key. */
  readonly ksnField: KsnField | undefined;
  /** The positions of the first numbers in the answer to `signOn`. */
  readonly numbersPlace: NumbersPlace | undefined;
  readonly totals: TotalsLayout;
  /** Field 22. */
  readonly entryModes: Readonly<Record<CardEntryMode, string>>;
  readonly codes: ResponseCodes;
  /** Fields whose value is never shown. */
  readonly secretFields: readonly number[];
}

export interface Matching {
  readonly always: readonly number[];
  readonly ifPresent: readonly number[];
  /** The fields of a settlement that have its batch number and its totals, if its answer has the same. */
  readonly ofBatch: readonly number[];
}

/** Counts and sums of a settlement: a pair for each part, as digits. */
export type TotalsLayout = NonNullable<DialectFile['totals']>;

// The first two digits are those of EMV tag 9F39. The third, 1 for a terminal with a PIN pad, is recalled.
const entryModes = { CONTACTLESS: '071', CHIP: '051', MAGSTRIPE: '901', FALLBACK: '801', MANUAL: '011' } as const;
/** For a dialect without `totals`. */
const widestTotals: TotalsLayout = { parts: ['sales', 'refunds'], countDigits: [6], amountDigits: 12 };

/** The fields that this terminal reads in an answer, by kind of message (fixtures/README.md). */
const decisions = [3, 4, 11, 12, 13, 24, 37, 38, 39, 41, 49, 55];
const reports = [3, 4, 11, 12, 13, 24, 37, 39, 41, 49];
const confirmations = [3, 4, 11, 24, 39, 41, 49];
const settled = [3, 11, 24, 39, 41, 49];
const managed = [3, 11, 24, 39, 41];

/** Compiles a dialect from a file that dialects/check.ts has accepted. */
export function compileDialect(file: DialectFile): Dialect {
  const { messages, codes, debit, framing } = file;
  const { sale, auth, refund, offlineSale, completion, tipAdjust } = messages;
  const onlineOf = (row: typeof sale | undefined) => row && { ...onlineRow(row, file), needs: row.needs };
  const adviceOf = (row: typeof offlineSale) => row && { ...onlineRow(row, file), repeatMti: row.repeat ?? row.type };
  const operations = {
    sale: onlineOf(sale),
    auth: onlineOf(auth),
    refund: onlineOf(refund),
    void: onlineOf(messages.void),
    voidRefund: onlineOf(messages.voidRefund),
    offlineSale: adviceOf(offlineSale),
    completion: adviceOf(completion),
    tipAdjust: adviceOf(tipAdjust),
  };
  const { reversal, settlement, trailer, upload } = messages;
  const networkOf = (name: NetworkMessage) => {
    const row = messages[name];
    return row ? { [name]: onlineRow(row, file) } : {};
  };
  const matching = matchingOf(file);
  return {
    ...specsOf(file, matching),
    framing: framingOf(file),
    echoesKeepAlive: framing.keepAlive === 'echo',
    matching,
    operations: Object.fromEntries(Object.entries(operations).filter(([, row]) => row)),
    debit,
    reversal: { ...repeatable(reversal, file), repeats: reversal.repeats, reasons: reversal.reasons },
    settlement: { ...onlineRow(settlement, file), repeatMti: settlement.repeat },
    trailer: trailer && { ...onlineRow(trailer, file), repeatMti: trailer.repeat },
    upload: upload && { ...repeatable(upload, file), moreDigit: upload.moreDigit },
    network: { ...networkOf('signOn'), ...networkOf('keyExchange'), ...networkOf('echo'), ...networkOf('signOff') },
    keyPlace: messages.keyExchange?.key,
    ksnField: ksnFieldOf(file),
    numbersPlace: messages.signOn?.numbers,
    totals: file.totals ?? widestTotals,
    entryModes: { ...entryModes, ...file.entryModes },
    codes: codesOf(codes),
    secretFields: Object.entries(file.fields).flatMap(([number, { secret }]) => (secret ? [Number(number)] : [])),
  };
}

interface FileRow {
  readonly type: string;
  readonly answer: string;
  readonly fields: readonly number[];
  readonly content: Readonly<Record<string, Content>>;
  readonly emvTags?: readonly string[] | undefined;
}

function onlineRow(
  row: FileRow & { readonly processingCode?: string | undefined },
  file: DialectFile,
): MessageTypes & Transaction {
  const { type, answer, processingCode = '' } = row;
  return { mti: type, answerMti: answer, processingCode, ...carrier(row, file) };
}

function repeatable(
  row: FileRow & { readonly repeat?: string | undefined },
  file: DialectFile,
): RepeatableTypes & Carrier {
  const { type, answer, repeat = type } = row;
  return { mti: type, answerMti: answer, repeatMti: repeat, ...carrier(row, file) };
}

function carrier({ fields, content, emvTags }: FileRow, file: DialectFile): Carrier {
  const carried = fields
    .toSorted((one, other) => one - other)
    .flatMap((number): CarriedField[] => {
      const entry = file.fields[String(number)];
      const held = content[String(number)] ?? entry?.content;
      if (held === undefined) return [];
      return [{ number, content: held, isRequired: entry?.required ?? false, ...roomOf(number, file) }];
    });
  return { fields: carried, emvTags: emvTags ?? file.emvTags };
}

function ksnFieldOf(file: DialectFile): KsnField | undefined {
  const number = ksnFieldNumber(file);
  return number === undefined ? undefined : { number, ...roomOf(number, file) };
}

function roomOf(number: number, { fields, packing }: DialectFile): Room {
  const entry = fields[String(number)];
  const { size, isFixed } = sizeOf(number, entry ?? {});
  return { holdsBytes: holdsBytes(number, entry, packing), size: isFixed ? size : undefined };
}

function matchingOf({ fields, messages: { settlement, trailer } }: DialectFile): Matching {
  const echoed = (how: FieldEntry['echoed']) =>
    Object.entries(fields).flatMap(([number, entry]) => (entry.echoed === how ? [Number(number)] : []));
  const changed = [settlement.nextBatch, trailer?.nextBatch];
  const ofBatch = settlement.fields.filter((number) => {
    if (changed.includes(number)) return false;
    const content = settlement.content[String(number)] ?? fields[String(number)]?.content;
    return content !== undefined && valuesIn(content).some((name) => batchValues.includes(name));
  });
  return { always: echoed('always'), ifPresent: echoed('ifPresent'), ofBatch };
}

/**
 * Fields that are only repeated or compared may have any value, so that no value of them makes an answer unreadable.
 */
const onlyRepeated = [12, 13];

function specsOf(file: DialectFile, { always, ifPresent, ofBatch }: Matching): Pick<Dialect, 'spec' | 'answerSpec'> {
  const used = new Map<string, Set<number>>();
  const use = (row: FileRow | undefined, numbers: readonly number[]) => {
    if (!row) return;
    const known = used.get(row.answer) ?? new Set();
    for (const number of [...numbers, ...always, ...ifPresent]) known.add(number);
    used.set(row.answer, known);
  };
  const { sale, auth, refund, voidRefund, offlineSale, completion, tipAdjust, ...others } = file.messages;
  for (const row of [sale, auth, refund, voidRefund, others.void]) use(row, [...decisions, ...(row?.needs ?? [])]);
  for (const row of [offlineSale, completion, tipAdjust]) use(row, reports);
  for (const row of [others.reversal, others.upload]) use(row, confirmations);
  for (const row of [others.settlement, others.trailer]) use(row, [...settled, ...ofBatch]);
  for (const row of [others.signOn, others.echo, others.signOff]) use(row, managed);
  const { batch, invoice, stan } = others.signOn?.numbers ?? {};
  for (const place of [batch, invoice, stan]) if (place) use(others.signOn, [place.field]);
  const { keyExchange } = others;
  if (keyExchange) use(keyExchange, [...managed, keyExchange.key.field, keyExchange.key.checkValue.field]);
  const nothing: ReadonlySet<number> = new Set();
  const answers = wireSpec(file, [...onlyRepeated, ...ofBatch]);
  // A message of another type is no answer to this terminal.
  return { spec: wireSpec(file), answerSpec: { ...answers, used: (mti) => used.get(mti) ?? nothing } };
}

export type DialectName = BuiltInDialect;

// Each file is read once: compiling zod's checks would take longer than it saves.
const read = (file: unknown): DialectFile => dialectSchema.parse(file, { jitless: true });

/** The dialects that are part of the program. */
export const builtInDialects: Readonly<Record<DialectName, DialectFile>> = {
  EDC: read(edc),
  CUP: read(cup),
  EPS: read(eps),
};

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  EDC: compileDialect(builtInDialects.EDC),
  CUP: compileDialect(builtInDialects.CUP),
  EPS: compileDialect(builtInDialects.EPS),
};

/** The row of one operation. Throws RangeError if the host does not accept it. */
export function operation<Name extends keyof Operations>(
  { operations }: Pick<Dialect, 'operations'>,
  name: Name,
): NonNullable<Partial<Operations>[Name]> {
  const found = operations[name];
  if (!found) throw new RangeError(`this host accepts no ${name}`);
  return found;
}

/** The types of messages that are sent before a session key exists. */
export function typesBeforeKey({ network: { signOn, keyExchange } }: Pick<Dialect, 'network'>): readonly string[] {
  return [signOn, keyExchange].flatMap((row) => (row ? [row.mti, row.answerMti] : []));
}

/** The message of a batch upload, or the settlement that ends it. Throws RangeError if the host has no upload. */
export function uploadRow<Row extends 'upload' | 'trailer'>(dialect: Dialect, row: Row): NonNullable<Dialect[Row]> {
  const found = dialect[row];
  if (!found) throw new RangeError('this host takes no upload of a batch');
  return found;
}
