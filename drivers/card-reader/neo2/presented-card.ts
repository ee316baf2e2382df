import { brandOfNumber } from '../../../src/codecs/emv/aid.ts';
import type { EmvData, EncryptedCard, PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { cardApplication } from '../transaction-request.ts';
import { protocolError } from '../protocol-error.ts';
import { parseTlv, readLength, readTag, readValue, TlvError } from '../../../src/codecs/emv/tlv.ts';
import { sensitiveTags } from '../../../src/codecs/emv/tags.ts';
import { keptData } from '../device-lane.ts';

/**
 * The data objects of an answer to 02-40. Sensitive ones have a marker byte between tag and length and come twice:
 * `57 A1 <length> <masked>` and `57 C1 <length> <ciphertext>` (fixtures/README.md).
 */
export interface CardObject {
  /** Upper-case hex. */
  readonly tag: string;
  readonly form: 'clear' | 'masked' | 'encrypted';
  /** A view of the bytes that were parsed. */
  readonly value: Uint8Array;
}

const markers: ReadonlyMap<number, CardObject['form']> = new Map([
  [0xa1, 'masked'],
  [0xc1, 'encrypted'],
]);

/** Groups that contain further objects. Other constructed tags (FFEE1F) contain plain bytes. */
const groups: ReadonlySet<string> = new Set(['E1', 'FF8105', 'FFEE01', '70', '77']);

const depthMax = 4;
const objectsMax = 256;

/** All objects, including those inside the reader's groups, without the groups themselves. Throws TlvError. */
export function cardObjects(bytes: Uint8Array): CardObject[] {
  const objects: CardObject[] = [];
  gather(bytes, 0, objects);
  return objects;
}

function gather(bytes: Uint8Array, depth: number, into: CardObject[]): void {
  if (depth >= depthMax) throw new TlvError('too-deep', 0);
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] === 0) {
      at++; // Zero bytes between objects mean nothing: EMV 4.3 Book 3, Annex B1.
      continue;
    }
    if (into.length >= objectsMax) throw new TlvError('too-many', at);
    const tag = readTag(bytes, at);
    // As BER lengths A1 and C1 would announce 33 and 65 length bytes, which is impossible: a marker can't be a length.
    const form = markers.get(bytes[tag.next] ?? 0);
    const length = readLength(bytes, tag.next + (form === undefined ? 0 : 1));
    const value = readValue(bytes, length.next, length.value);
    at = length.next + length.value;
    if (groups.has(tag.value) && form === undefined) gather(value, depth + 1, into);
    else into.push({ tag: tag.value, form: form ?? 'clear', value });
  }
}

const errorTag = [0xff, 0xee, 0x1f] as const;

/**
 * FFEE1F from the data of a failed 02-40, with or without an attribution byte before the objects: error code, SW1,
 * SW2, RF state (IDG p.32). Empty if it is missing.
 */
export function readerError(data: Uint8Array): Uint8Array {
  // The form that readers send. It is read without the parser, so that the reader is armed again sooner.
  const at = data[0] === errorTag[0] ? 0 : 1;
  const length = data[at + errorTag.length] ?? 0;
  const begin = at + errorTag.length + 1;
  if (length < 0x80 && begin + length === data.length && errorTag.every((byte, index) => data[at + index] === byte)) {
    return data.subarray(begin);
  }
  // The first byte shows which form it is: FF begins the tag. The right form is tried first, because a failure builds
  // a stack trace.
  for (const skip of data[0] === 0xff ? [0, 1] : [1, 0]) {
    try {
      const found = parseTlv(data.subarray(skip)).find((object) => object.tag === 'FFEE1F');
      if (found) return found.value;
    } catch (error) {
      if (!(error instanceof TlvError)) throw error;
    }
  }
  return new Uint8Array();
}

type Scheme = EncryptedCard['scheme'];

/** A card with an application and a cryptogram for the issuer. Throws DeviceError 'protocol'. */
export function chipCard(
  entryMode: 'CONTACTLESS' | 'CHIP',
  scheme: Scheme,
  objects: readonly CardObject[],
  emv: EmvData,
): PresentedCard {
  // DF52 comes from a contactless kernel (IDG p.220). On the contact interface only the CVM results count.
  const kept = entryMode === 'CHIP' ? new Map([...emv].filter(([tag]) => tag !== 'DF52')) : emv;
  return {
    entryMode,
    ...cardApplication(emv),
    maskedPan: maskedNumber(objects),
    emv: kept,
    encrypted: encryptedCard(scheme, objects),
    ...(entryMode === 'CHIP' && { awaitsDecision: true }),
  };
}

/** POS entry modes of a magstripe, tag 9F39 (ISO 8583:1987, field 22). */
const magstripeEntryMode: ReadonlyMap<number, 'MAGSTRIPE' | 'FALLBACK'> = new Map([
  [0x90, 'MAGSTRIPE'],
  [0x80, 'FALLBACK'],
]);

/** A card whose magstripe was read: no cryptogram; its number gives the brand. Throws DeviceError 'protocol'. */
export function magstripeCard(scheme: Scheme, objects: readonly CardObject[], emv: EmvData): PresentedCard {
  const mode = emv.get('9F39');
  // The liability for fraud depends on it: a fallback must not be taken for a plain swipe.
  const entryMode = mode?.length === 1 ? magstripeEntryMode.get(mode[0] ?? 0) : undefined;
  if (entryMode === undefined) throw protocolError('a magstripe without its entry mode');
  if (emv.has('9F26') || emv.has('9F27')) throw protocolError('a magstripe with a cryptogram');
  const number = maskedNumber(objects);
  return {
    entryMode,
    aid: '',
    appName: brandOfNumber(number) ?? '',
    maskedPan: number,
    emv,
    encrypted: encryptedCard(scheme, objects),
  };
}

function maskedNumber(objects: readonly CardObject[]): string {
  const fromTrack2 = maskedPanOfTrack2(only(objects, '57', 'masked') ?? new Uint8Array());
  const fromPan = maskedPan(only(objects, '5A', 'masked') ?? new Uint8Array());
  const number = fromPan ?? fromTrack2;
  if (number === undefined) throw protocolError('no masked card number');
  if (fromPan !== undefined && fromTrack2 !== undefined && fromPan !== fromTrack2) {
    throw protocolError('two different card numbers');
  }
  return number;
}

/** Key serial numbers: 10 bytes TDES (ANSI X9.24-1:2009), 12 bytes AES (X9.24-3:2017). Ciphertext: whole blocks. */
function encryptedCard(scheme: Scheme, objects: readonly CardObject[]): EncryptedCard {
  const [ksnBytes, blockBytes] = scheme === 'TDES-DUKPT' ? [10, 8] : [12, 16];
  const ksn = only(objects, 'DFEE12', 'clear');
  if (ksn?.length !== ksnBytes) throw protocolError('no key serial number');
  const ciphertext = (tag: string) => {
    const value = only(objects, tag, 'encrypted');
    if (!value || value.length === 0 || value.length % blockBytes !== 0) throw protocolError(`no ciphertext of ${tag}`);
    return Uint8Array.from(value);
  };
  return { scheme, ksn: Uint8Array.from(ksn), track2: ciphertext('57'), pan: ciphertext('5A') };
}

/** The only object of this tag and form. Throws if there are two, because either could be wrong. */
function only(objects: readonly CardObject[], tag: string, form: CardObject['form']): Uint8Array | undefined {
  const found = objects.filter((object) => object.tag === tag && object.form === form);
  if (found.length > 1) throw protocolError(`two objects ${tag}`);
  return found[0]?.value;
}

/** Reads data objects, and refuses card data in the clear. Views of `bytes`. Throws DeviceError 'protocol'. */
export function readObjects(bytes: Uint8Array): CardObject[] {
  try {
    const objects = cardObjects(bytes);
    refuseClear(objects);
    return objects;
  } catch (error) {
    if (error instanceof TlvError) throw protocolError(error.message);
    throw error;
  }
}

/** Refuses sensitive objects that are neither masked nor encrypted: the reader has lost its keys or its settings. */
function refuseClear(objects: readonly CardObject[]): void {
  for (const { tag, form, value } of objects) {
    if (!sensitiveTags.has(tag) || form === 'encrypted') continue;
    if (form === 'clear') {
      // A cardholder's name in the clear is only dropped, because it does not suffice for a payment.
      if (tag !== '5F20') throw protocolError(`tag ${tag} in the clear`);
    } else if (tag === '57' ? maskedPanOfTrack2(value) === undefined : tag === '5A' && maskedPan(value) === undefined) {
      throw protocolError(`tag ${tag} is not masked`);
    }
  }
}

/** Copies of the objects that may be kept. Throws DeviceError 'protocol' if two of the same tag differ. */
export function keptObjects(objects: readonly CardObject[]): Map<string, Uint8Array> {
  return keptData(objects.filter(({ form }) => form === 'clear'));
}

/** The nibble that a reader puts in place of a hidden digit (fixtures/README.md). */
const hidden = 'C';

/** At most the first six and last four digits visible (PCI DSS v4, 3.4.1), the rest hidden, 12 to 19 digits in all. */
const maskedDigits = /^(\d{0,6})(C{2,15})(\d{4})$/;

/** Expiry and service code may be visible; the discretionary data after them must be hidden (3.3.1). */
const maskedAfterSeparator = /^(?:\d{4}|C{4})(?:\d{3}|C{3})C*F?$/;

/** Masked tag 57: number, separator D, expiry, service code, discretionary data. Undefined unless really masked. */
function maskedPanOfTrack2(value: Uint8Array): string | undefined {
  const text = hexOf(value);
  const separator = text.indexOf('D');
  if (separator < 0 || !maskedAfterSeparator.test(text.slice(separator + 1))) return undefined;
  return withAsterisks(text.slice(0, separator));
}

/** Masked tag 5A: number, filled with F to whole bytes. Undefined unless really masked. */
function maskedPan(value: Uint8Array): string | undefined {
  return withAsterisks(hexOf(value).replace(/F$/, ''));
}

function withAsterisks(number: string): string | undefined {
  if (number.length < 12 || number.length > 19 || !maskedDigits.test(number)) return undefined;
  return number.replaceAll(hidden, '*');
}

function hexOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex').toUpperCase();
}
