import { aesEncrypt } from './aes.ts';
import { xor } from './des.ts';

/**
 * The clear PIN block of ISO 9564-1 format 0, 8 bytes: 0, the number of digits, the PIN filled with F, combined with
 * the twelve digits of the card number before its check digit. `pin` is 4 to 12 digits, `pan` 13 to 19.
 */
export function pinBlockFormat0(pin: string, pan: string): Buffer {
  checkPin(pin);
  if (!/^\d{13,19}$/.test(pan)) throw new RangeError('a card number is 13 to 19 digits');
  const pinField = `0${pin.length.toString(16)}${pin}`.padEnd(16, 'f');
  const panField = `0000${pan.slice(-13, -1)}`;
  return xor(Buffer.from(pinField, 'hex'), Buffer.from(panField, 'hex'));
}

/**
 * The PIN field of ISO 9564-1 format 4, 16 bytes: 4, the number of digits, the PIN filled with A, then 8 bytes of
 * `filling`, which are to be random.
 */
export function pinFieldFormat4(pin: string, filling: Buffer): Buffer {
  checkPin(pin);
  if (filling.length !== 8) throw new RangeError(`a filling of ${filling.length} bytes`);
  const left = `4${pin.length.toString(16)}${pin}`.padEnd(16, 'a');
  return Buffer.concat([Buffer.from(left, 'hex'), filling]);
}

/**
 * The card number's field of format 4, 16 bytes: how many digits it has over twelve, then the number, at least twelve
 * digits wide, filled with 0.
 */
export function panFieldFormat4(pan: string): Buffer {
  if (!/^\d{1,19}$/.test(pan)) throw new RangeError('a card number is 1 to 19 digits');
  const digits = pan.padStart(12, '0');
  return Buffer.from(`${digits.length - 12}${digits}`.padEnd(32, '0'), 'hex');
}

/**
 * An encrypted PIN block of format 4, 16 bytes: the PIN field is encrypted, XORed with the PAN field, encrypted again.
 */
export function encryptedPinBlockFormat4(key: Buffer, pin: string, pan: string, filling: Buffer): Buffer {
  const inner = aesEncrypt(key, pinFieldFormat4(pin, filling));
  return aesEncrypt(key, xor(inner, panFieldFormat4(pan)));
}

function checkPin(pin: string): void {
  if (!/^\d{4,12}$/.test(pin)) throw new RangeError('a PIN is 4 to 12 digits');
}
