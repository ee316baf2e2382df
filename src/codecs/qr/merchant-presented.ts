import { type Amount, parseMajor } from '../../base/domain/amount.ts';
import { numericCode } from '../../base/domain/currency.ts';

/** The content of a merchant-presented code (EMVCo MPM, table 3.2). */
export interface MerchantPresentedCode {
  readonly kind: 'code';
  /** Id 01, where the code has one: whether it is for one payment only. */
  readonly initiation: 'static' | 'dynamic' | undefined;
  /** Id 54, major units with an optional point: '30', '30.00'. Absent if the customer enters it. */
  readonly amount: string | undefined;
  /** Id 53, ISO 4217 numeric. */
  readonly currency: string;
  /** Ids 55 to 57: the customer pays a tip or a fee on top of `amount`. */
  readonly surcharged: boolean;
  /** Id 58, ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Id 59. */
  readonly merchantName: string;
  /** Id 60. */
  readonly merchantCity: string;
}

/** The fault and its place: characters from the start of the payload. Never the content. */
export type MerchantPresentedFault = {
  readonly kind: 'fault';
  readonly fault:
    | DataObjectFault['fault']
    | ('not-text' | 'too-long' | 'bad-format-indicator' | 'crc-not-last' | 'bad-crc')
    | ('missing-object' | 'bad-value' | 'bad-template');
  readonly offset: number;
};

/** EMVCo MPM, 3.1: the payload has at most 512 characters. */
const charactersMax = 512;

const amount = /^(?=[\d.]{1,13}$)\d+(\.\d*)?$/;

/** Formats of values: EMVCo MPM, tables 3.2 to 3.7. A value without an entry is free text. */
const formats: Readonly<Record<string, RegExp>> = {
  '00': /^01$/,
  '01': /^1[12]$/,
  '52': /^\d{4}$/,
  '53': /^\d{3}$/,
  '54': amount,
  '55': /^0[123]$/,
  '56': amount,
  '57': /^(?=[\d.]{1,5}$)\d+(\.\d*)?$/,
  '58': /^[A-Z]{2}$/,
  '59': /^.{1,25}$/u,
  '60': /^.{1,15}$/u,
  '61': /^.{1,10}$/u,
};

const needed = ['52', '53', '58', '59', '60'];

/** Ids 02 to 51: merchant account information. */
const isAccount = ({ id }: DataObject) => id >= '02' && id <= '51';

/** Objects that contain objects: EMVCo MPM, 3.3. Those of an account or an unreserved template begin with id 00. */
const isTemplate = ({ id }: DataObject) => id === '62' || id === '64' || needsIdentifier(id);
const needsIdentifier = (id: string) => (id >= '26' && id <= '51') || id >= '80';

/** Parses an EMVCo merchant-presented payload, strictly. */
export function parseMerchantPresented(payload: string): MerchantPresentedCode | MerchantPresentedFault {
  if (!payload.isWellFormed() || /\p{Cc}/u.test(payload)) return fault('not-text', 0);
  if (payload.length > 2 * charactersMax || Array.from(payload).length > charactersMax) return fault('too-long', 0);
  if (!payload.startsWith('000201')) return fault('bad-format-indicator', 0);
  const objects = dataObjects(payload);
  if ('kind' in objects) return objects;
  return crcFault(payload, objects) ?? valueFault(objects) ?? code(objects);
}

/** Whether a code asks for exactly this amount (if it names one) in this currency. */
export function asksFor(code: MerchantPresentedCode, { minor, currency }: Amount): boolean {
  if (code.currency !== numericCode(currency) || code.surcharged) return false;
  if (code.amount === undefined) return true;
  // '98.' is a valid amount in EMVCo MPM, 4.7.5, but not a JSON number.
  const asked = parseMajor(code.amount.replace(/\.$/, ''), currency);
  return typeof asked === 'object' && asked.minor === minor;
}

function crcFault(payload: string, objects: readonly DataObject[]): MerchantPresentedFault | undefined {
  const last = objects.at(-1);
  if (last?.id !== '63') return fault('crc-not-last', last?.offset ?? 0);
  // The CRC covers everything up to and including its own id and length: EMVCo MPM, 4.7.3.
  return last.value === crc16(payload.slice(0, -last.value.length)) ? undefined : fault('bad-crc', last.offset);
}

function valueFault(objects: readonly DataObject[]): MerchantPresentedFault | undefined {
  for (const { id, value, offset } of objects) {
    const format = formats[id];
    if (format && !format.test(value)) return fault('bad-value', offset);
  }
  const broken = objects.find((object) => isTemplate(object) && !isWellFormed(object));
  if (broken) return fault('bad-template', broken.offset);
  const has = (id: string) => objects.some((object) => object.id === id);
  return needed.every(has) && objects.some(isAccount) ? undefined : fault('missing-object', 0);
}

function isWellFormed({ id, value }: DataObject): boolean {
  const inner = dataObjects(value);
  return !('kind' in inner) && (!needsIdentifier(id) || inner[0]?.id === '00');
}

function code(objects: readonly DataObject[]): MerchantPresentedCode {
  const value = (id: string) => objects.find((object) => object.id === id)?.value;
  const initiation = value('01');
  return {
    kind: 'code',
    initiation: initiation === undefined ? undefined : initiation === '11' ? 'static' : 'dynamic',
    amount: value('54'),
    currency: value('53') ?? '',
    surcharged: ['55', '56', '57'].some((id) => value(id) !== undefined),
    country: value('58') ?? '',
    merchantName: value('59') ?? '',
    merchantCity: value('60') ?? '',
  };
}

function fault(what: MerchantPresentedFault['fault'], offset: number): MerchantPresentedFault {
  return { kind: 'fault', fault: what, offset };
}

/** An object of a merchant-presented code: two digits of id, two digits of length, value. */
interface DataObject {
  readonly id: string;
  readonly value: string;
  /** Where it begins, in characters from the start of the parsed text. */
  readonly offset: number;
}

type DataObjectFault = {
  readonly kind: 'fault';
  readonly fault: 'bad-id' | 'bad-length' | 'truncated' | 'duplicate';
  readonly offset: number;
};

/**
 * The data objects at the top level of `text`. A length counts characters, not bytes or UTF-16 units: EMVCo MPM, 3.2. A
 * repeated id is refused, because neither object could be trusted.
 */
function dataObjects(text: string): readonly DataObject[] | DataObjectFault {
  const characters = Array.from(text);
  const objects: DataObject[] = [];
  for (let offset = 0; offset < characters.length; ) {
    const fault = (what: DataObjectFault['fault']): DataObjectFault => ({ kind: 'fault', fault: what, offset });
    const id = characters.slice(offset, offset + 2).join('');
    const length = characters.slice(offset + 2, offset + 4).join('');
    if (!/^\d{2}$/.test(id)) return fault('bad-id');
    if (!/^\d{2}$/.test(length) || length === '00') return fault('bad-length');
    const end = offset + 4 + Number(length);
    if (end > characters.length) return fault('truncated');
    if (objects.some((other) => other.id === id)) return fault('duplicate');
    objects.push({ id, value: characters.slice(offset + 4, end).join(''), offset });
    offset = end;
  }
  return objects;
}

/**
 * CRC-16/CCITT-FALSE of a text's UTF-8 bytes, as four upper-case hex digits: polynomial 1021, initial value FFFF, not
 * reflected (ISO/IEC 13239, as used by EMVCo QR Code Specification for Payment Systems, Merchant-Presented Mode,
 * 4.7.3).
 */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
