import type { Card } from '../../card/card.ts';

const wrongMax = 3;

/** What the issuer says to a PIN, field 39: 00 right, 55 wrong, 75 wrong too often. */
export type PinCode = '00' | '55' | '75';

/** Counts wrong PINs in a row, card by card. A card that had three stays blocked, whatever comes, until `clear`. */
export class PinTries {
  /** By card number; there are no more entries than cards. */
  readonly #wrong = new Map<string, number>();

  /** A card whose issuer knows no PIN has no right one. */
  verify({ pan, testPin }: Pick<Card, 'pan' | 'testPin'>, pin: string): PinCode {
    const before = this.#wrong.get(pan) ?? 0;
    if (before >= wrongMax) return '75';
    if (pin === testPin) {
      this.#wrong.delete(pan);
      return '00';
    }
    this.#wrong.set(pan, before + 1);
    return before + 1 < wrongMax ? '55' : '75';
  }

  clear(): void {
    this.#wrong.clear();
  }
}
