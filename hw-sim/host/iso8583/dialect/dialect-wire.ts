import type { Frame } from '../frame.ts';
import type { FrameSplitter, HostWire } from '../host-wire.ts';
import type { MessageForm } from '../last-field.ts';
import { MalformedMessage, type Message } from '../message.ts';
import type { NetworkName, NetworkRequest } from '../network-request.ts';
import type { IssuedKey } from '../host-keys.ts';
import type { DialectFile, Row } from './file.ts';
import { DialectFraming } from './framing.ts';
import { formatOf, packWire, unpackWire, type WireMessage } from './packing.ts';
import { readContent, type Values } from './template.ts';

/** The message type and field 3 of each message in the dialect of the host: fixtures/README.md, "Messages". */
const known = {
  sale: ['0200', '000000'],
  auth: ['0100', '000000'],
  refund: ['0200', '200000'],
  void: ['0200', '020000'],
  voidRefund: ['0200', '220000'],
  offlineSale: ['0220', '000000'],
  completion: ['0220', '000000'],
  tipAdjust: ['0220', '020000'],
  reversal: ['0400', ''],
  settlement: ['0500', '920000'],
  trailer: ['0500', '960000'],
  upload: ['0320', ''],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

type Name = keyof typeof known;

const networkNames: readonly NetworkName[] = ['signOn', 'keyExchange', 'echo', 'signOff'];

const entryModes: Readonly<Record<string, string>> = {
  CONTACTLESS: '071',
  CHIP: '051',
  MAGSTRIPE: '901',
  FALLBACK: '801',
  MANUAL: '011',
};

/** The host's answer to an original, to which a void or an advice refers. */
interface Remembered {
  readonly name: Name;
  readonly rrn: string;
  readonly time: string;
  readonly date: string;
  readonly approvalCode: string;
}

const rememberedMax = 10_000;

/** A received request: its kind of message, and its values. */
interface Read {
  readonly name: Name;
  readonly row: Row;
  readonly wire: WireMessage;
  readonly values: Values;
}

/** The line of a bank with its own dialect file. */
export class DialectWire implements HostWire {
  readonly #file: DialectFile;
  readonly #framing: DialectFraming;
  /** Keys: the trace number, and the host's retrieval reference number. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(file: DialectFile) {
    this.#file = file;
    this.#framing = new DialectFraming(file);
  }

  splitter(): FrameSplitter {
    return new Splitter(this.#framing);
  }

  frame(tpdu: Buffer, message: Buffer): Buffer {
    return this.#framing.write(tpdu, message);
  }

  get emptyFrame(): Buffer {
    return this.#framing.empty;
  }

  get form(): MessageForm {
    const { mti, packing, bitmap } = this.#file;
    // Fields 64 and 128 have the same encoding.
    const { encoding } = formatOf(this.#file, 128);
    return { mti: mti ?? packing, bitmap, bytes: encoding === 'hex' || encoding === 'hexEbcdic' ? encoding : 'binary' };
  }

  /** The field of the message authentication code: 128 if a message has a field above 64, otherwise 64. */
  get lastField(): 64 | 128 {
    const rows = Object.values(this.#file.messages);
    return rows.some(({ fields, repeats }) => [...fields, ...repeats].some((field) => field > 64)) ? 128 : 64;
  }

  /** Types of the messages that are sent before a working key exists. */
  get typesBeforeKey(): readonly string[] {
    const { signOn, keyExchange } = this.#file.messages;
    return [signOn, keyExchange].flatMap((each) => (each ? [each.type, each.answer] : []));
  }

  /** The serial number of the key of a request's authentication code; undefined if it has none. */
  macKsn(request: Buffer): Buffer | undefined {
    const [field] = Object.entries(this.#file.fields).find(([, { content }]) => content === 'macKsn') ?? [];
    const text = unpackWire(this.#file, request).fields.get(Number(field));
    return text !== undefined && /^[\dA-Fa-f]{20}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
  }

  get outOfStepCode(): string | undefined {
    return this.#file.codes.keysOutOfStep[0];
  }

  get needsSignOn(): boolean {
    return this.#file.messages['signOn'] !== undefined;
  }

  network(bytes: Buffer): NetworkRequest | undefined {
    const wire = unpackWire(this.#file, bytes);
    for (const name of networkNames) {
      const row = this.#file.messages[name];
      if (row?.type !== wire.mti || !this.#isOf(row, wire)) continue;
      const repeated = [...wire.fields].filter(([field]) => this.#isRepeated(field) || row.fields.includes(field));
      return {
        name,
        answer: (code, _mode, key) =>
          packWire(this.#file, {
            mti: row.answer,
            fields: new Map([
              ...repeated,
              [39, code.padStart(formatOf(this.#file, 39).length, '0')],
              ...(key ? keyFields(this.#file, row, key) : []),
            ]),
          }),
      };
    }
    return undefined;
  }

  /** Whether a message has only fields of this row, with their content. */
  #isOf(row: Row, wire: WireMessage): boolean {
    if ([...wire.fields.keys()].some((field) => !row.fields.includes(field))) return false;
    try {
      const code = this.#valuesOf(wire, row).get('processingCode');
      return code === undefined || row.processingCode === undefined || code === row.processingCode;
    } catch (error) {
      if (error instanceof MalformedMessage) return false;
      throw error;
    }
  }

  read(bytes: Buffer): Message {
    const read = this.#identify(unpackWire(this.#file, bytes));
    const { name, values, wire, row } = read;
    const [type] = known[name];
    const isRepeat = row.repeat !== undefined && row.repeat !== row.type && wire.mti === row.repeat;
    const fields = new Map<number, string>();
    const set = (field: number, value: string | undefined) => {
      if (value !== undefined) fields.set(field, value);
    };
    set(3, this.#processingCode(read));
    set(4, values.get('amount'));
    set(11, values.get('stan'));
    set(24, values.get('nii') ?? '000');
    set(41, values.get('tid'));
    set(42, values.get('mid') ?? '0'.repeat(15));
    set(49, values.get('currency'));
    if (name === 'settlement' || name === 'trailer') this.#setTotals(values, set);
    else this.#setPayment(read, set);
    return { mti: isRepeat ? `${type.slice(0, 3)}1` : type, fields };
  }

  write(answer: Message, request: Buffer): Buffer {
    const read = this.#identify(unpackWire(this.#file, request));
    const { name, row, wire, values } = read;
    const fields = new Map<number, string>();
    for (const [field, value] of wire.fields) if (this.#isRepeated(field)) fields.set(field, value);
    for (const [field, value] of answer.fields) {
      if ([12, 13, 37, 38, 55].includes(field)) fields.set(field, value);
    }
    const code = answer.fields.get(39) ?? '';
    fields.set(39, this.#codeOf(code, name));
    const [rrn, time = '', date = ''] = [37, 12, 13].map((field) => answer.fields.get(field));
    const stan = values.get('stan');
    if (code === '00' && rrn !== undefined && stan !== undefined && name !== 'reversal') {
      const approvalCode = answer.fields.get(38) ?? values.get('approvalCode') ?? '';
      this.#remember([`stan ${stan}`, `rrn ${rrn}`], { name, rrn, time, date, approvalCode });
    }
    return packWire(this.#file, { mti: row.answer, fields });
  }

  #remember(keys: readonly string[], what: Remembered): void {
    for (const key of keys) {
      this.#remembered.delete(key);
      this.#remembered.set(key, what);
    }
    for (const key of this.#remembered.keys()) {
      if (this.#remembered.size <= rememberedMax) break;
      this.#remembered.delete(key);
    }
  }

  /** Whether an answer repeats this field of its request. */
  #isRepeated(field: number): boolean {
    return [3, 4, 11, 24, 41, 42, 49].includes(field) || this.#file.fields[String(field)]?.echoed !== undefined;
  }

  /** The dialect's code for a field 39 of the host. */
  #codeOf(code: string, name: Name): string {
    const { codes } = this.#file;
    const done = {
      reversal: codes.reversed,
      settlement: codes.balanced,
      trailer: codes.balanced,
      upload: codes.uploaded,
    };
    const own: Readonly<Record<string, readonly string[]>> = {
      '00': name in done ? done[name as keyof typeof done] : codes.approved,
      '25': codes.noRecord,
      '94': codes.duplicate,
      '95': codes.mismatch,
    };
    const size = formatOf(this.#file, 39).length;
    return (own[code]?.[0] ?? code).padStart(size, '0');
  }

  #identify(wire: WireMessage): Read {
    const found: Read[] = [];
    let fault: MalformedMessage | undefined;
    for (const [name, row] of Object.entries(this.#file.messages)) {
      if (!(name in known) || (wire.mti !== row.type && wire.mti !== row.repeat)) continue;
      try {
        found.push({ name: name as Name, row, wire, values: this.#valuesOf(wire, row) });
      } catch (error) {
        if (!(error instanceof MalformedMessage)) throw error;
        fault = error;
      }
    }
    const fitting = found.filter((read) => this.#fits(read));
    // Two rows may have the same type and processing code. The one that lacks the fewest fields applies.
    const lacking = ({ row }: Read) =>
      [...row.fields, ...row.repeats].filter((field) => !wire.fields.has(field)).length;
    const [best] = fitting.toSorted((one, other) => lacking(one) - lacking(other));
    if (best) return best;
    throw fault ?? new MalformedMessage(0, 'no message of this dialect');
  }

  #fits({ name, row, wire, values }: Read): boolean {
    const fields = new Set([...row.fields, ...row.repeats]);
    if ([...wire.fields.keys()].some((field) => !fields.has(field))) return false;
    if (name === 'reversal' || name === 'upload' || row.processingCode === undefined) return true;
    const code = values.get('processingCode');
    return code === undefined || code === row.processingCode;
  }

  #valuesOf(wire: WireMessage, row: Row): Values {
    const values: Values = new Map();
    for (const [field, text] of wire.fields) {
      const content = row.content[String(field)] ?? this.#file.fields[String(field)]?.content;
      if (content === undefined) continue;
      const { encoding } = formatOf(this.#file, field);
      const isBytes = encoding === 'binary' || encoding === 'hex' || encoding === 'hexEbcdic';
      for (const [name, value] of readContent(field, content, text, isBytes)) values.set(name, value);
    }
    return values;
  }

  #processingCode(read: Read): string {
    const [, code] = known[read.name];
    if (code !== '') return code;
    const base = known[this.#originalOf(read)][1];
    const isMore = read.name === 'upload' && read.values.get('processingCode')?.slice(-1) === read.row.moreDigit;
    return isMore ? `${base.slice(0, -1)}1` : base;
  }

  /** The kind of the message to which a reversal or an upload refers. */
  #originalOf({ name, values }: Read): Name {
    const stan = name === 'upload' ? values.get('originalStan') : values.get('stan');
    const remembered = this.#remembered.get(`stan ${stan}`)?.name;
    if (remembered !== undefined && remembered !== 'reversal') return remembered;
    const code = values.get('processingCode') ?? '';
    const isOfCode = ([, row]: readonly [string, Row]) => row.processingCode?.slice(0, -1) === code.slice(0, -1);
    const found = Object.entries(this.#file.messages).find(([each, row]) => each in known && isOfCode([each, row]));
    return (found?.[0] ?? 'sale') as Name;
  }

  #setPayment(read: Read, set: (field: number, value: string | undefined) => void): void {
    const { name, values } = read;
    const isPresented = name === 'sale' || name === 'auth' || name === 'refund';
    set(22, this.#entryMode(values.get('entryMode')));
    if (isPresented || name === 'offlineSale' || name === 'reversal') set(23, values.get('panSequence'));
    set(25, '00');
    set(48, envelope(values));
    set(52, isPresented ? values.get('pinBlock') : undefined);
    set(54, values.get('tip') ?? (name === 'tipAdjust' ? '0'.repeat(12) : undefined));
    set(55, values.get('emv'));
    set(62, values.get('invoice') ?? '000001');
    if (name === 'offlineSale') {
      set(12, values.get('time') ?? '000000');
      set(13, values.get('date') ?? '0101');
      set(38, values.get('approvalCode'));
    }
    if (name === 'upload') set(60, this.#uploaded(read));
    if (['void', 'voidRefund', 'completion', 'tipAdjust', 'upload'].includes(name)) this.#setOriginal(read, set);
    if (name === 'completion') set(39, '00');
    if (name === 'completion' || name === 'tipAdjust') set(60, values.get('originalAmount'));
  }

  /** Message type and trace number of an original in the dialect of the host. */
  #uploaded(read: Read): string {
    return known[this.#originalOf(read)][0] + (read.values.get('originalStan') ?? '000000');
  }

  #setOriginal({ name, values }: Read, set: (field: number, value: string | undefined) => void): void {
    const [rrn, stan] = [values.get('rrn'), values.get('originalStan') ?? values.get('originalIfUnknown')?.slice(4)];
    const original = this.#remembered.get(`rrn ${rrn}`) ?? this.#remembered.get(`stan ${stan}`);
    set(37, rrn ?? original?.rrn);
    set(12, values.get('hostTime') ?? original?.time);
    set(13, values.get('hostDate') ?? original?.date);
    set(
      38,
      name === 'voidRefund' ? values.get('approvalCode') : (values.get('approvalCode') ?? original?.approvalCode),
    );
  }

  #entryMode(text: string | undefined): string {
    const own = Object.entries(this.#file.entryModes).find(([, value]) => value === text);
    return (own && entryModes[own[0]]) ?? text ?? '051';
  }

  /** Fields 60 and 63 of a settlement. */
  #setTotals(values: Values, set: (field: number, value: string | undefined) => void): void {
    set(60, values.get('batch'));
    const pairs = this.#totalsOf(values);
    const width = pairs.some(([count]) => count > 999n) ? 6 : 3;
    const all = [...pairs, ...Array.from({ length: 4 }, () => [0n, 0n] as const)];
    set(
      63,
      all.map(([count, sum]) => count.toString().padStart(width, '0') + sum.toString().padStart(12, '0')).join(''),
    );
  }

  /** Count and sum of the sales, then of the refunds. */
  #totalsOf(values: Values): readonly (readonly [bigint, bigint])[] {
    const text = values.get('totals');
    const { totals } = this.#file;
    if (text === undefined || !totals) {
      const read = (name: string) => BigInt(values.get(name)?.trim() || '0');
      return [
        [read('salesCount'), read('salesAmount')],
        [read('refundsCount'), read('refundsAmount')],
      ];
    }
    const { parts, amountDigits } = totals;
    const width = text.length / parts.length;
    const countDigits = width - amountDigits;
    return ['sales', 'refunds'].map((part) => {
      const at = parts.indexOf(part) * width;
      if (at < 0) return [0n, 0n] as const;
      return [BigInt(text.slice(at, at + countDigits)), BigInt(text.slice(at + countDigits, at + width))] as const;
    });
  }
}

/** The fields of an answer that hold a key and its check value. Their other positions are zeros. */
function keyFields(file: DialectFile, { key: place }: Row, { wrapped, checkValue }: IssuedKey): Map<number, string> {
  const fields = new Map<number, string>();
  const put = (field: number, at: number, hex: string) => {
    const { encoding, length, prefix } = formatOf(file, field);
    const units = encoding === 'binary' || encoding === 'hex' || encoding === 'hexEbcdic' ? 2 : 1;
    const least = prefix === undefined ? units * length : 0;
    const before = (fields.get(field) ?? '').padEnd(Math.max(units * at + hex.length, least), '0');
    fields.set(field, before.slice(0, units * at) + hex + before.slice(units * at + hex.length));
  };
  if (!place) return fields;
  put(place.field, place.at, wrapped.toString('hex').toUpperCase());
  const { field, at, bytes } = place.checkValue;
  put(field, at, checkValue.subarray(0, bytes).toString('hex').toUpperCase());
  return fields;
}

/** Field 48 in the dialect of the host: fixtures/README.md, "Fields". */
function envelope(values: Values): string | undefined {
  const whole = values.get('cardData');
  if (whole !== undefined) return whole;
  const [ksn, track, pan] = ['ksn', 'encryptedTrack2', 'encryptedPan'].map((name) => values.get(name));
  const cipher = track ?? pan;
  if (ksn === undefined || cipher === undefined) return undefined;
  const pinKsn = values.get('pinKsn');
  const block = values.get('wholePinBlock');
  const card = `DFEE12${lengthOf(ksn)}${ksn}${track === undefined ? '5A' : '57'}C1${lengthOf(cipher)}${cipher}`;
  if (pinKsn === undefined) return card;
  const pin = `${card}DFEE51${lengthOf(pinKsn)}${pinKsn}`;
  return block?.length === 32 ? `${pin}99C110${block}` : pin;
}

function lengthOf(hex: string): string {
  return (hex.length / 2).toString(16).padStart(2, '0').toUpperCase();
}

class Splitter implements FrameSplitter {
  readonly #framing: DialectFraming;
  #held: Buffer = Buffer.alloc(0);

  constructor(framing: DialectFraming) {
    this.#framing = framing;
  }

  get held(): Buffer {
    return this.#held;
  }

  *push(chunk: Buffer): Generator<Frame> {
    this.#held = Buffer.concat([this.#held, chunk]);
    for (;;) {
      const length = this.#framing.lengthOf(this.#held);
      if (length === undefined) return;
      const frame = this.#held.subarray(0, length);
      this.#held = this.#held.subarray(length);
      // A keep-alive.
      if (length > this.#framing.lengthBytes) yield this.#framing.open(frame);
    }
  }
}
