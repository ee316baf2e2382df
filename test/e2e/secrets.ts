import { testBdk } from '../../hw-sim/configuration.ts';
import type { Card } from '../../hw-sim/card/card.ts';
import { encryptPinBlock } from '../../hw-sim/crypto/dukpt.ts';
import { pinBlockFormat0 } from '../../hw-sim/crypto/pin-block.ts';

/** What must be nowhere, by a name that says what was found. */
export type Secrets = Map<string, Buffer>;

/** First six and last four digits may be seen (PCI DSS v4, 3.4.1): each part has all the hidden digits in it. */
export function hideCard(into: Secrets, { name, pan, expiry, serviceCode, track2Discretionary }: Card): void {
  hideDigits(into, `${name}: card number up to its last four`, pan.slice(0, -4));
  hideDigits(into, `${name}: card number behind its first six`, pan.slice(6));
  hideDigits(into, `${name}: first digits of the card number`, pan.slice(0, packedDigits));
  hideDigits(into, `${name}: last digits of the card number`, pan.slice(-packedDigits));
  hideDigits(into, `${name}: track 2 behind the card number`, expiry + serviceCode + track2Discretionary);
}

/** Fewer make less than six bytes at one of the two nibbles, and any memory has any five bytes. */
const packedDigits = 13;

/** As text of one byte and of two, and packed two to a byte, at either nibble. */
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
    // Of 6200000000000005 most parts are nothing but zeros.
    if (new Set(digits).size > 2 && new Set(bytes).size > 2) into.set(`${name}, ${form}`, bytes);
  }
}

/** The block of a PIN before it is enciphered: as bytes, and as text of both widths. */
export function hidePin(into: Secrets, pin: string, pan: string): void {
  const block = pinBlockFormat0(pin, pan);
  hideBytes(into, `the clear PIN block of ${pin}`, block);
  // Four digits are in any memory.
  if (pin.length >= 10) hideDigits(into, `the PIN ${pin}`, pin);
}

/** The block as it left the pad: kept no longer than its message, and never written. */
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
