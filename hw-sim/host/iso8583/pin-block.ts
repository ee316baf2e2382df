import { aesDecrypt } from '../../crypto/aes.ts';
import { tdesDecryptCbc, xor } from '../../crypto/des.ts';
import * as tdes from '../../crypto/dukpt.ts';
import * as aes from '../../crypto/dukpt-aes.ts';
import type { BaseKeys } from './reader-objects.ts';

const format0Bytes = 8;
const format4Bytes = 16;

/**
 * The PIN in an encrypted block: ISO 9564-1 format 0 under the PIN key variant of `ksn` (X9.24-1:2009, A.4), or format
 * 4 under the PIN key of a serial number of 12 bytes (X9.24-3:2017). Undefined if the block does not decrypt under
 * this key for this card number, or no device has such a key serial number.
 */
export function openPinBlock(keys: BaseKeys, ksn: Buffer, block: Buffer, pan: string): string | undefined {
  try {
    return ksn.length === aes.ksnBytes
      ? openFormat4(keys.aesBdk, ksn, block, pan)
      : openFormat0(keys.bdk, ksn, block, pan);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function openFormat0(bdk: Buffer, ksn: Buffer, block: Buffer, pan: string): string | undefined {
  if (block.length !== format0Bytes) return undefined;
  // One block in CBC with a zero initial vector is that block in ECB.
  return pinOf(tdesDecryptCbc(tdes.pinKey(bdk, ksn), block), pan);
}

function openFormat4(bdk: Buffer | undefined, ksn: Buffer, block: Buffer, pan: string): string | undefined {
  if (bdk === undefined || block.length !== format4Bytes) return undefined;
  const key = aes.pinKey(bdk, ksn);
  return pinOfFormat4(aesDecrypt(key, xor(aesDecrypt(key, block), panField4(pan))));
}

/** The PIN of 4 to 12 digits in a clear block of format 0; undefined for another format or another card. */
export function pinOf(clear: Buffer, pan: string): string | undefined {
  if (clear.length !== format0Bytes) return undefined;
  const field = xor(clear, panField(pan)).toString('hex').toUpperCase();
  return pinIn(field, '0', 'F');
}

/** The PIN in a clear field of format 4, whose right half is random. */
function pinOfFormat4(field: Buffer): string | undefined {
  return pinIn(field.toString('hex', 0, 8).toUpperCase(), '4', 'A');
}

/** A control digit, the number of digits, the PIN, and its filling: 16 digits in all. */
function pinIn(field: string, control: string, filling: string): string | undefined {
  const [, digits = ''] = /^[04]([4-9A-C])[\dA-F]{14}$/.exec(field) ?? [];
  if (!field.startsWith(control) || digits === '') return undefined;
  const end = 2 + Number.parseInt(digits, 16);
  const pin = field.slice(2, end);
  const filled = field.slice(end) === filling.repeat(field.length - end);
  return /^\d+$/.test(pin) && filled ? pin : undefined;
}

/** Four zeros, then the twelve digits left of the check digit. */
function panField(pan: string): Buffer {
  const digits = pan.slice(-13, -1);
  return Buffer.from(digits.padStart(2 * format0Bytes, '0'), 'hex');
}

/** PAN field of format 4: digits beyond twelve, the number padded with leading zeros to twelve, trailing zeros. */
function panField4(pan: string): Buffer {
  const beyond = Math.max(0, pan.length - 12);
  return Buffer.from(`${beyond}${pan.padStart(12, '0')}`.padEnd(2 * format4Bytes, '0'), 'hex');
}
