import { testBdk } from '../../hw-sim/configuration.ts';
import type { Card } from '../../hw-sim/card/card.ts';
import { encryptPinBlock } from '../../hw-sim/crypto/dukpt.ts';
import { pinBlockFormat0 } from '../../hw-sim/crypto/pin-block.ts';

/** Secrets that must not be found anywhere, by a name for the report. */
export type Secrets = Map<string, Buffer>;

/**
 * First six and last four digits may be visible (PCI DSS v4, 3.4.1): each searched part contains all hidden digits.
 */
export function hideCard(into: Secrets, { name, pan, expiry, serviceCode, track2Discretionary }: Card): void {
  hideDigits(into, `${name}: card number up to its last four`, pan.slice(0, -4));
  hideDigits(into, `${name}: card number behind its first six`, pan.slice(6));
  hideDigits(into, `${name}: first digits of the card number`, pan.slice(0, packedDigits));
  hideDigits(into, `${name}: last digits of the card number`, pan.slice(-packedDigits));
  hideDigits(into, `${name}: track 2 behind the card number`, expiry + serviceCode + track2Discretionary);
}

/** Fewer digits would be under six bytes at one of the two nibbles, and any five bytes occur somewhere in a memory. */
const packedDigits = 13;

/** Digits as text of one and of two bytes each, and packed, starting at either nibble. */
export function hideDigits(into: Secrets, name: string, digits: string): void {
  const forms: Record<string, Buffer> = {
    ASCII: Buffer.from(digits, 'latin1'),
    'UTF-16': Buffer.from(digits, 'utf16le'),
  };
  if (digits.length >= packedDigits) {
    const packed = (part: string) => Buffer.from(part.slice(0, part.length & ~1), 'hex');
    forms['packed'] = packed(digits);
    forms['packed, one nibble on'] = packed(digits.slice(1));
  }
  for (const [form, bytes] of Object.entries(forms)) {
    // Most parts of 6200000000000005 are only zeros.
    if (new Set(digits).size > 2 && new Set(bytes).size > 2) into.set(`${name}, ${form}`, bytes);
  }
}

/** The clear block of a PIN: as bytes, and as text of both widths. */
export function hidePin(into: Secrets, pin: string, pan: string): void {
  const block = pinBlockFormat0(pin, pan);
  hideBytes(into, `the clear PIN block of ${pin}`, block);
  // Any four digits occur somewhere in a memory.
  if (pin.length >= 10) hideDigits(into, `the PIN ${pin}`, pin);
}

/** The encrypted block of the pad: must be overwritten after its message, and never written to disk. */
export function hideEnciphered(into: Secrets, pin: string, pan: string, ksn: string): void {
  const block = encryptPinBlock(testBdk, Buffer.from(ksn, 'hex'), pinBlockFormat0(pin, pan));
  hideBytes(into, `the PIN block of ${ksn}`, block);
}

function hideBytes(into: Secrets, name: string, bytes: Buffer): void {
  const hex = bytes.toString('hex');
  into.set(`${name}, bytes`, bytes);
  for (const text of [hex, hex.toUpperCase(), bytes.toString('base64')]) {
    into.set(`${name}, ${text.length} characters`, Buffer.from(text, 'latin1'));
    into.set(`${name}, ${text.length} characters, UTF-16`, Buffer.from(text, 'utf16le'));
  }
}
