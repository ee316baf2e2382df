import type { Card, CardInterface, ChipCard } from '../card/card.ts';
import { Chip, type TransactionTerms } from '../card/chip.ts';
import { packed } from '../card/digits.ts';
import { track2 } from '../card/track2.ts';
import { dukptScheme } from '../crypto/dukpt-scheme.ts';
import type { Activation } from './activation.ts';

/** The keys of one transaction. */
export interface Encryption {
  readonly bdk: Buffer;
  readonly ksn: Buffer;
}

/** A card that was read, independent of the reader's protocol. */
export interface ReadCard {
  readonly card: Card;
  readonly from: CardInterface;
  /**
   * By tag, including the sensitive ones (57, 5A, 5F20). The protocol decides which of them leave the reader, and how.
   */
  readonly objects: ReadonlyMap<string, Buffer>;
  readonly encryption: Encryption;
  /** The stripe was read because the chip could not be. */
  readonly fallback: boolean;
}

export interface ReadingOptions {
  /** Base derivation key of the test reader, 16 bytes. Only a simulator holds it: a real reader has an initial key. */
  readonly bdk: Buffer;
  /** Initial key serial number, 10 bytes for TDES or 12 for AES; the first transaction uses the one after it. */
  readonly ksn: Buffer;
  /** 9F1A, and the default of 5F2A; four digits. */
  readonly countryNumeric: string;
  readonly now: () => Date;
  /** Source of 9F37. */
  readonly random: (bytes: number) => Buffer;
}

/** 9F39 of a stripe: a normal swipe, or a fallback from the chip. */
const stripeEntryModes = { swipe: 0x90, fallback: 0x80 } as const;

/** Reads cards, one transaction after the other, each under a key of its own. */
export class Reading {
  readonly #options: ReadingOptions;
  /** Cards count their transactions, and the reader its keys, as long as the simulator runs. */
  readonly #chips = new Map<Card, Chip>();
  #ksn: Buffer;
  #count = 0;
  #lastCard: Card | undefined;

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

  /** The card that was read last. */
  get lastCard(): Card | undefined {
    return this.#lastCard;
  }

  /** One contactless transaction. */
  contactless(card: ChipCard, activation: Activation): ReadCard {
    const encryption = this.#begin(card);
    const objects = this.#chipOf(card).transact(this.#terms(activation));
    return { card, from: 'contactless', objects, encryption, fallback: false };
  }

  /** The first half of a contact transaction, and the chip that waits for the second. */
  chip(card: ChipCard, activation: Activation): { readonly read: ReadCard; readonly chip: Chip } {
    const encryption = this.#begin(card);
    const chip = this.#chipOf(card);
    const objects = chip.transact(this.#terms(activation), 'contact');
    return { read: { card, from: 'chip', objects, encryption, fallback: false }, chip };
  }

  /** Reads a stripe. `fallback`: the chip could not be read. */
  stripe(card: Card, fallback: boolean): ReadCard {
    const encryption = this.#begin(card);
    const objects = new Map([
      ['57', track2(card)],
      ['5A', packed(card.pan)],
      ['9F39', Buffer.of(fallback ? stripeEntryModes.fallback : stripeEntryModes.swipe)],
    ]);
    return { card, from: 'stripe', objects, encryption, fallback };
  }

  /** Forgets the last card, at a loss of power. */
  forget(): void {
    this.#lastCard = undefined;
  }

  #begin(card: Card): Encryption {
    this.#ksn = dukptScheme(this.#ksn).nextKsn(this.#ksn);
    this.#count++;
    this.#lastCard = card;
    return { bdk: this.#options.bdk, ksn: this.#ksn };
  }

  #terms(activation: Activation): TransactionTerms {
    const { countryNumeric, now, random } = this.#options;
    return {
      amountMinor: activation.amountMinor,
      amountOtherMinor: activation.amountOtherMinor,
      currencyNumeric: activation.currencyNumeric,
      transactionType: activation.transactionType,
      countryNumeric,
      date: yymmdd(now()),
      unpredictableNumber: random(4),
      sequenceCounter: this.#count,
    };
  }

  #chipOf(card: ChipCard): Chip {
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
