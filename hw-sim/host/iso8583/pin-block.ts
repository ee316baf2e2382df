import { tdesDecryptCbc, xor } from '../../crypto/des.ts';
import { pinKey } from '../../crypto/dukpt.ts';

const blockBytes = 8;

/**
 * The PIN in an encrypted block of 8 bytes: ISO 9564-1 format 0 under the PIN key variant of `ksn` (X9.24-1:2009, A.4).
 * Nothing where the block is none under this key and for this card number, or no device has such a key serial number.
 */
export function openPinBlock(bdk: Buffer, ksn: Buffer, block: Buffer, pan: string): string | undefined {
  if (block.length !== blockBytes) return undefined;
  try {
    // One block in CBC with a zero initial vector is that block in ECB.
    return pinOf(tdesDecryptCbc(pinKey(bdk, ksn), block), pan);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The PIN of 4 to 12 digits in a clear block of format 0; nothing where the block is another, or for another card. */
export function pinOf(clear: Buffer, pan: string): string | undefined {
  if (clear.length !== blockBytes) return undefined;
  const field = xor(clear, panField(pan)).toString('hex').toUpperCase();
  const { length, rest } = /^0(?<length>[4-9A-C])(?<rest>[\dA-F]{14})$/.exec(field)?.groups ?? {};
  if (length === undefined || rest === undefined) return undefined;
  const digits = Number.parseInt(length, 16);
  const pin = rest.slice(0, digits);
  return /^\d+$/.test(pin) && /^F+$/.test(rest.slice(digits)) ? pin : undefined;
}

/** Four zeros, then the twelve digits left of the check digit. */
function panField(pan: string): Buffer {
  const digits = pan.slice(-13, -1);
  return Buffer.from(digits.padStart(2 * blockBytes, '0'), 'hex');
}
