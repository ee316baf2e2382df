import type { Card } from '../../card/card.ts';
import { Chip } from '../../card/chip.ts';
import { nextKsn } from '../../crypto/dukpt.ts';
import type { Activation } from './activation.ts';
import { cardAnswer } from './card-answer.ts';

export interface ReadingOptions {
  /** Base derivation key of the test reader, 16 bytes. Only a simulator holds it: a real reader has an initial key. */
  readonly bdk: Buffer;
  /** Initial key serial number, 10 bytes; the first transaction uses the one after it. */
  readonly ksn: Buffer;
  /** 9F1A, and 5F2A where 02-40 names none; four digits. */
  readonly countryNumeric: string;
  readonly now: () => Date;
  /** Where 9F37 comes from. */
  readonly random: (bytes: number) => Buffer;
}

/** Reads cards, one transaction after the other, each under a key of its own. */
export class Reading {
  readonly #options: ReadingOptions;
  /** A card keeps counting its transactions for as long as the simulator lives, and the reader its keys. */
  readonly #chips = new Map<Card, Chip>();
  #ksn: Buffer;
  #count = 0;

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#ksn = options.ksn;
  }

  get countryNumeric(): string {
    return this.#options.countryNumeric;
  }

  /** Key serial number of the last transaction. */
  get ksn(): Buffer {
    return this.#ksn;
  }

  /** Cards read so far. */
  get count(): number {
    return this.#count;
  }

  /** One contactless transaction: the data of the answer to 02-40. */
  read(card: Card, activation: Activation): Buffer {
    this.#ksn = nextKsn(this.#ksn);
    this.#count++;
    const objects = this.#chip(card).transact({
      amountMinor: activation.amountMinor,
      amountOtherMinor: activation.amountOtherMinor,
      currencyNumeric: activation.currencyNumeric,
      transactionType: activation.transactionType,
      countryNumeric: this.#options.countryNumeric,
      date: yymmdd(this.#options.now()),
      unpredictableNumber: this.#options.random(4),
      sequenceCounter: this.#count,
    });
    const encryption = { bdk: this.#options.bdk, ksn: this.#ksn };
    return cardAnswer(objects, encryption, card.brand === 'MASTER' ? 'group' : 'flat');
  }

  #chip(card: Card): Chip {
    const known = this.#chips.get(card);
    if (known !== undefined) return known;
    const chip = new Chip(card);
    this.#chips.set(card, chip);
    return chip;
  }
}

/** The date on the reader's own clock, which shows local time: 9A is local (EMV 4.3 Book 3, annex A). */
function yymmdd(at: Date): string {
  return twoDigits(at.getFullYear()) + twoDigits(at.getMonth() + 1) + twoDigits(at.getDate());
}

function twoDigits(value: number): string {
  return (value % 100).toString().padStart(2, '0');
}
