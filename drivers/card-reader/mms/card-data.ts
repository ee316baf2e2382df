import { parseTlv, TlvError, type Tlv } from '../../../src/codecs/emv/tlv.ts';
import { sensitiveTags } from '../../../src/codecs/emv/tags.ts';
import { keptData } from '../device-lane.ts';
import { protocolError } from '../protocol-error.ts';

/**
 * Masked track 2 as ASCII: number, '=', the rest; with start and end sentinels of ISO/IEC 7813 if the reader sends
 * them. A hidden digit is 0 (published). Expiry and service code may be visible, discretionary data may not (PCI DSS
 * v4, 3.3.1).
 */
const maskedTrack2 = /^;?(\d{12,19})=(?:\d{7}0*|0*)\??$/;

const leading = 6;
const trailing = 4;

/**
 * '476173******0119' from a masked track. 0 stands both for a hidden digit and for a digit 0, so a middle part that is
 * not all zeros is not masked. Throws DeviceError 'protocol'.
 */
export function maskedNumber(track: Uint8Array): string {
  const number = maskedTrack2.exec(Buffer.from(track).toString('latin1'))?.[1];
  const hidden = number?.slice(leading, -trailing) ?? '';
  if (number === undefined || !/^0+$/.test(hidden)) throw protocolError('the track is not masked');
  return `${number.slice(0, leading)}${'*'.repeat(hidden.length)}${number.slice(-trailing)}`;
}

/**
 * Card data of the notifications 080202 and 080302: 6 bytes of header, 2 bytes of length, then F9 { serial, FA { 70 {
 * clear objects, F8 { encrypted objects } }, F0 { F1 { result } } } }, then padding and a MAC of four bytes, whose key
 * the terminal does not have. The containers are published (D100005000, Tables 4.51 and 4.71), the contents of F8 are
 * assumed (fixtures/README.md). Unverified on hardware.
 */
export interface CardData {
  /** Serial number of the device. A copy. */
  readonly serial: Uint8Array;
  /** Copies of the data objects that may be kept. */
  readonly emv: Map<string, Uint8Array>;
  /** '476173******0119'. Undefined without a track. */
  readonly maskedPan: string | undefined;
  /** DFDF52: 05 contact, 06 contactless, 01 magstripe, 08 contactless in magstripe mode. */
  readonly cardType: number | undefined;
  /** DFDF53: 01 for a magstripe after a chip that could not be read. */
  readonly fallback: number | undefined;
  /** DFDF1A: 00 approved, 01 and 02 not (DynaPro Go Programmer's Manual D998200136, p.135). */
  readonly result: number | undefined;
  /** Copies. */
  readonly encrypted: { readonly ksn: Uint8Array; readonly track2: Uint8Array; readonly pan: Uint8Array } | undefined;
}

const headerBytes = 6;
const lengthBytes = 2;

/** A MAC, and padding to whole blocks of AES before it. */
const macBytes = 4;
const paddingBytesMax = 15;

const tag = {
  maskedTrack2: 'DFDF4D',
  cardType: 'DFDF52',
  fallback: 'DFDF53',
  result: 'DFDF1A',
  track2: 'DFDF59',
  pan: 'DFDF5A',
  ksn: 'DFDF56',
  encryption: 'DFDF57',
  serial: 'DFDF25',
} as const;

/** DFDF57: the data variant of TDES DUKPT (D100005000, 4.4). */
const tdesData = 0x80;

/** Copies from the payload of a notification. The caller overwrites the payload. Throws DeviceError 'protocol'. */
export function readCardData(payload: Uint8Array): CardData {
  try {
    return cardData(payload);
  } catch (error) {
    if (error instanceof TlvError) throw protocolError(error.message);
    throw error;
  }
}

function cardData(payload: Uint8Array): CardData {
  const rest = payload.subarray(headerBytes + lengthBytes);
  const [high = 0, low = 0] = payload.subarray(headerBytes);
  const length = (high << 8) | low;
  const trailerBytes = rest.length - length;
  const isTrailer = trailerBytes === 0 || (trailerBytes >= macBytes && trailerBytes <= macBytes + paddingBytesMax);
  if (payload.length < headerBytes + lengthBytes || !isTrailer) {
    throw protocolError('the length field is wrong');
  }
  const outer = inside(parseTlv(rest.subarray(0, length)), 'F9');
  const middle = inside(outer, 'FA');
  const clear = inside(middle, '70');
  const sealed = inside(clear, 'F8', 'may be missing');
  const results = inside(inside(middle, 'F0', 'may be missing'), 'F1', 'may be missing');
  const open = [...outer, ...middle, ...clear, ...results].filter((object) => !containers.has(object.tag));
  for (const object of [...open, ...sealed]) {
    // A clear object that must be encrypted: the reader has lost its keys or its settings. A clear name is dropped
    // below.
    if (sensitiveTags.has(object.tag) && object.tag !== '5F20') throw protocolError(`tag ${object.tag} in the clear`);
  }
  const track = one(open, tag.maskedTrack2);
  const serial = one(outer, tag.serial);
  if (!serial) throw protocolError('no serial number');
  return {
    serial: Uint8Array.from(serial),
    emv: keptData(clear),
    maskedPan: track && maskedNumber(track),
    cardType: byte(open, tag.cardType),
    fallback: byte(open, tag.fallback),
    result: byte(results, tag.result),
    encrypted: sealed.length > 0 ? encryptedParts(sealed) : undefined,
  };
}

const containers: ReadonlySet<string> = new Set(['FA', '70', 'F8', 'F0', 'F1']);

/** The objects inside the only container of this tag. */
function inside(objects: readonly Tlv[], name: string, absence?: 'may be missing'): Tlv[] {
  const value = one(objects, name);
  if (value) return parseTlv(value);
  if (absence) return [];
  throw protocolError(`no ${name}`);
}

/** TDES DUKPT: a key serial number of 10 bytes (ANSI X9.24-1:2009), ciphertext of whole blocks of 8. */
function encryptedParts(sealed: readonly Tlv[]): NonNullable<CardData['encrypted']> {
  if (byte(sealed, tag.encryption) !== tdesData) throw protocolError('an unknown encryption mode');
  const ksn = one(sealed, tag.ksn);
  if (ksn?.length !== 10) throw protocolError('no key serial number');
  const ciphertext = (name: string) => {
    const value = one(sealed, name);
    if (!value || value.length === 0 || value.length % 8 !== 0) throw protocolError(`no ciphertext in ${name}`);
    return Uint8Array.from(value);
  };
  return { ksn: Uint8Array.from(ksn), track2: ciphertext(tag.track2), pan: ciphertext(tag.pan) };
}

function byte(objects: readonly Tlv[], name: string): number | undefined {
  const value = one(objects, name);
  if (value && value.length !== 1) throw protocolError(`tag ${name} is not one byte`);
  return value?.[0];
}

/** The only object of this tag. Throws if there are two, because either could be wrong. */
function one(objects: readonly Tlv[], name: string): Uint8Array | undefined {
  const found = objects.filter((object) => object.tag === name);
  if (found.length > 1) throw protocolError(`two objects ${name}`);
  return found[0]?.value;
}
