import { xor } from './des.ts';

/**
 * The clear PIN block of ISO 9564-1 format 0, 8 bytes: 0, the number of digits, the PIN filled with F, combined with the
 * twelve digits of the card number before its check digit. `pin` is 4 to 12 digits, `pan` 13 to 19.
 */
export function pinBlockFormat0(pin: string, pan: string): Buffer {
  if (!/^\d{4,12}$/.test(pin)) throw new RangeError('a PIN is 4 to 12 digits');
  if (!/^\d{13,19}$/.test(pan)) throw new RangeError('a card number is 13 to 19 digits');
  const pinField = `0${pin.length.toString(16)}${pin}`.padEnd(16, 'f');
  const panField = `0000${pan.slice(-13, -1)}`;
  return xor(Buffer.from(pinField, 'hex'), Buffer.from(panField, 'hex'));
}
