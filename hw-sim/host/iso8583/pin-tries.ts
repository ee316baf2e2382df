import type { Card } from '../../card/card.ts';

const wrongMax = 3;

/** The issuer's answer to a PIN, field 39: 00 right, 55 wrong, 75 too many tries. */
export type PinCode = '00' | '55' | '75';

/** Counts wrong PINs in a row per card. After three the card stays blocked until `clear`. */
export class PinTries {
  /** By card number; never more entries than cards. */
  readonly #wrong = new Map<string, number>();

  /** Without a PIN on file every PIN is wrong. */
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
