import * as tdes from '../../crypto/dukpt.ts';
import * as aes from '../../crypto/dukpt-aes.ts';
import { MalformedObjects } from './emv-data.ts';

/** Base derivation keys of the readers and their PIN pads, 16 bytes each: published test keys. */
export interface BaseKeys {
  /** TDES DUKPT. */
  readonly bdk: Buffer;
  /** AES DUKPT; absent if no reader has AES keys. */
  readonly aesBdk?: Buffer | undefined;
}

/**
 * Field 48: the reader's own objects, DFEE12 <length> <key serial number> <tag> C1 <length> <ciphertext>. The marker
 * C1 stands between tag and length; the clear text is <tag> <length> <value>, padded with 00 to whole blocks: of 8
 * bytes under a TDES key, whose serial number has 10 bytes, and of 16 under an AES key, 12. Behind a track may come
 * DFEE51 <length> <key serial number>: the key of the PIN block, which is in field 52, or behind it as 99 C1 10
 * <block>. Assumed layout, fixtures/README.md: real hosts each have their own envelope.
 */
export interface OpenedObject {
  /** Key serial number, 20 or 24 hexadecimal digits. */
  readonly ksn: string;
  /** The decrypted value, upper-case hexadecimal: track 2 equivalent data (57) or the PAN (5A). */
  readonly value: string;
  readonly pin?: ReaderPin;
}

export interface ReaderPin {
  /** Key serial number of the PIN pad, 20 or 24 hexadecimal digits. */
  readonly ksn: string;
  /** 32 hexadecimal digits: a block of ISO 9564-1 format 4. */
  readonly block?: string;
}

const layout =
  /^DFEE12(?:0A(?<tdes>[\dA-F]{20})|0C(?<aes>[\dA-F]{24}))(?<tag>57|5A)C1(?<length>[0-7][\dA-F])(?<rest>(?:[\dA-F]{2})+)$/;

const pinLayout = /^DFEE51(?:0A(?<tdes>[\dA-F]{20})|0C(?<aes>[\dA-F]{24})(?:99C110(?<block>[\dA-F]{32}))?)$/;

/** Decrypts field 48 (hexadecimal) with the key of its serial number. Throws MalformedObjects, never with a value. */
export function openReaderObjects(keys: BaseKeys, field48: string, tag: '57' | '5A'): OpenedObject {
  const { tdes: tdesKsn, aes: aesKsn, tag: found, length, rest } = layout.exec(field48)?.groups ?? {};
  const ksn = tdesKsn ?? aesKsn;
  if (ksn === undefined || length === undefined || rest === undefined || found !== tag) {
    throw new MalformedObjects(`field 48 does not hold an encrypted ${tag}`);
  }
  const digits = 2 * Number.parseInt(length, 16);
  const pin = readerPin(rest.slice(digits));
  if (digits === 0 || rest.length < digits || pin === 'malformed')
    throw new MalformedObjects('field 48: a wrong length');
  const blockBytes = aesKsn === undefined ? 8 : 16;
  const value = clearValue(decrypted(keys, ksn, rest.slice(0, digits)), tag, blockBytes);
  if (pin === undefined) return { ksn, value };
  if (tag !== '57') throw new MalformedObjects('field 48: the key of a PIN behind a card number');
  return { ksn, value, pin };
}

function readerPin(objects: string): ReaderPin | 'malformed' | undefined {
  if (objects === '') return undefined;
  const { tdes: tdesKsn, aes: aesKsn, block } = pinLayout.exec(objects)?.groups ?? {};
  const ksn = tdesKsn ?? aesKsn;
  if (ksn === undefined) return 'malformed';
  return { ksn, ...(block !== undefined && { block }) };
}

function decrypted({ bdk, aesBdk }: BaseKeys, ksn: string, cipher: string): Buffer {
  const [serial, bytes] = [Buffer.from(ksn, 'hex'), Buffer.from(cipher, 'hex')];
  try {
    if (serial.length !== aes.ksnBytes) return tdes.decryptData(bdk, serial, bytes);
    if (aesBdk !== undefined) return aes.decryptData(aesBdk, serial, bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new MalformedObjects('field 48: no key of any device');
}

/** Checks tag, length and padding: a wrong key or a flipped bit gives noise, which practically never passes. */
function clearValue(clear: Buffer, tag: string, blockBytes: number): string {
  const length = clear.readUInt8(1);
  const end = 2 + length;
  const padding = clear.subarray(end);
  if (clear.toString('hex', 0, 1).toUpperCase() !== tag || end > clear.length || padding.length >= blockBytes) {
    throw new MalformedObjects('field 48 does not decrypt');
  }
  if (padding.some((byte) => byte !== 0)) throw new MalformedObjects('field 48: padding that is not 00');
  return clear.toString('hex', 2, end).toUpperCase();
}

/** The account number and the expiry date (YYMM) of track 2 equivalent data (EMV tag 57). */
export function readTrack2(value: string): { pan: string; expiry: string } {
  const { pan, expiry } = /^(?<pan>\d{8,19})D(?<expiry>\d{4})\d{3}\d*F?$/.exec(value)?.groups ?? {};
  if (pan === undefined || expiry === undefined) throw new MalformedObjects('field 48: no track 2');
  return { pan, expiry };
}

/** The account number of EMV tag 5A, where it is filled up with F. */
export function readPan(value: string): string {
  const { pan } = /^(?<pan>\d{8,19})F*$/.exec(value)?.groups ?? {};
  if (pan === undefined) throw new MalformedObjects('field 48: no account number');
  return pan;
}
