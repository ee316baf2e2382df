import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { testBdk } from '../../hw-sim/configuration.ts';
import { type Card, loadCards } from '../../hw-sim/card/card.ts';
import { encryptPinBlock } from '../../hw-sim/crypto/dukpt.ts';
import { pinBlockFormat0 } from '../../hw-sim/crypto/pin-block.ts';

/** The simulator's cards. */
export async function readCards(): Promise<readonly Card[]> {
  return [...(await loadCards(fileURLToPath(new URL('../../fixtures/cards', import.meta.url)))).values()];
}

/** The secrets that a text must not contain, in every encoding, by a name for the report. */
export class CardSecrets {
  readonly forms = new Map<string, Buffer>();

  constructor(cards: readonly Card[]) {
    this.#hide('the key of readers and PIN pads', Buffer.from(testBdk));
    for (const { name, pan, expiry, serviceCode, track2Discretionary, cardholderName } of cards) {
      this.#hideDigits(`${name}: card number`, pan);
      // A number such as 62000000000 occurs in amounts.
      if (new Set(pan).size > 3) this.#hideDigits(`${name}: card number up to its last four`, pan.slice(0, -4));
      for (const separator of ['D', '=', '']) {
        this.#hideDigits(`${name}: track 2 with '${separator}'`, `${pan}${separator}${expiry}${serviceCode}`);
      }
      this.#hideDigits(`${name}: track 2 behind the card number`, expiry + serviceCode + track2Discretionary);
      this.#hide(`${name}: cardholder`, Buffer.from(cardholderName, 'latin1'));
    }
  }

  /** Adds the blocks of a PIN: in the clear, and encrypted by the pad. */
  hidePin(pin: string, pan: string, ksn: string): void {
    const clear = pinBlockFormat0(pin, pan);
    this.#hide(`clear PIN block of ${pin}`, Buffer.from(clear));
    this.#hide(`PIN block of ${ksn}`, Buffer.from(encryptPinBlock(testBdk, Buffer.from(ksn, 'hex'), clear)));
  }

  /** Throws if the text contains one of them. */
  assertAbsentIn(text: string | Buffer): void {
    const bytes = Buffer.from(text);
    const upper = Buffer.from(bytes.toString('latin1').toUpperCase(), 'latin1');
    for (const [name, form] of this.forms) {
      assert.ok(!bytes.includes(form) && !upper.includes(form), `${name} was found: ${form.toString('latin1')}`);
    }
  }

  #hideDigits(name: string, digits: string): void {
    this.#hide(name, Buffer.from(digits, 'latin1'));
    if (/[^\dD]/.test(digits)) return;
    const packed = (part: string) => Buffer.from(part.slice(0, part.length & ~1), 'hex');
    this.#hide(`${name}, packed`, packed(digits));
    this.#hide(`${name}, packed one nibble on`, packed(digits.slice(1)));
  }

  /** Adds the bytes unchanged, as UTF-16, in hexadecimal, and in base64 at each of its three offsets. */
  #hide(name: string, bytes: Buffer): void {
    this.forms.set(`${name}, as it is`, bytes);
    this.forms.set(`${name}, UTF-16`, Buffer.from(bytes.toString('latin1'), 'utf16le'));
    this.forms.set(`${name}, hexadecimal`, Buffer.from(bytes.toString('hex').toUpperCase()));
    for (const before of [0, 1, 2]) {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .replace(/=+$/, '');
      // The characters at both ends depend on the adjacent bytes.
      this.forms.set(`${name}, base64 behind ${before}`, Buffer.from(text.slice(before === 0 ? 0 : before + 1, -1)));
    }
  }
}
