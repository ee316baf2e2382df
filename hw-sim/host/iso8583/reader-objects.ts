import { decryptData } from '../../crypto/dukpt.ts';
import { MalformedObjects } from './emv-data.ts';

/**
 * Field 48: the reader's own objects, DFEE12 0A <key serial number> <tag> C1 <length> <ciphertext>. The marker C1 stands
 * between tag and length (TDES DUKPT); the clear text is <tag> <length> <value>, padded with 00 to whole blocks of 8.
 * Behind a track may come DFEE51 0A <key serial number>: the key of the PIN block in field 52.
 * Assumed layout, fixtures/README.md: real hosts each have their own envelope.
 */
export interface OpenedObject {
  /** Key serial number, 20 hexadecimal digits. */
  readonly ksn: string;
  /** What the ciphertext hid, upper-case hexadecimal: track 2 equivalent data (57) or the PAN (5A). */
  readonly value: string;
  /** Key serial number of the PIN pad, 20 hexadecimal digits. */
  readonly pinKsn?: string;
}

const layout =
  /^DFEE120A(?<ksn>[\dA-F]{20})(?<tag>57|5A)C1(?<length>[0-7][\dA-F])(?<cipher>(?:[\dA-F]{16})+)(?:DFEE510A(?<pinKsn>[\dA-F]{20}))?$/;

/** Decrypts field 48 (hexadecimal) with the key of its serial number. Throws MalformedObjects, never with a value. */
export function openReaderObjects(bdk: Buffer, field48: string, tag: '57' | '5A'): OpenedObject {
  const { ksn, tag: found, length, cipher, pinKsn } = layout.exec(field48)?.groups ?? {};
  if (ksn === undefined || length === undefined || cipher === undefined || found !== tag) {
    throw new MalformedObjects(`field 48 does not hold an encrypted ${tag}`);
  }
  if (Number.parseInt(length, 16) !== cipher.length / 2) throw new MalformedObjects('field 48: a wrong length');
  const value = clearValue(decrypted(bdk, ksn, cipher), tag);
  if (pinKsn === undefined) return { ksn, value };
  if (tag !== '57') throw new MalformedObjects('field 48: the key of a PIN behind a card number');
  return { ksn, value, pinKsn };
}

function decrypted(bdk: Buffer, ksn: string, cipher: string): Buffer {
  try {
    return decryptData(bdk, Buffer.from(ksn, 'hex'), Buffer.from(cipher, 'hex'));
  } catch (error) {
    if (error instanceof RangeError) throw new MalformedObjects('field 48: no key of any device');
    throw error;
  }
}

/** The wrong key or a flipped bit leaves noise: tag, length and padding together let about none of it through. */
function clearValue(clear: Buffer, tag: string): string {
  const length = clear.readUInt8(1);
  const end = 2 + length;
  const padding = clear.subarray(end);
  if (clear.toString('hex', 0, 1).toUpperCase() !== tag || end > clear.length || padding.length > 7) {
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
