import { applicationCryptogram, cardMasterKey } from '../crypto/cryptogram.ts';
import type { Card } from './card.ts';
import { cryptogramData } from './cryptogram-data.ts';

/** What the terminal brings to a contactless transaction. */
export interface TransactionTerms {
  /** 9F02, minor units. */
  readonly amountMinor: bigint;
  /** 9F03, minor units; zero where there is no cashback. */
  readonly amountOtherMinor?: bigint;
  /** 5F2A, ISO 4217 numeric in four digits: '0344'. */
  readonly currencyNumeric: string;
  /** 9F1A, ISO 3166 numeric in four digits: '0344'. */
  readonly countryNumeric: string;
  /** 9C: '00' purchase, '20' refund. */
  readonly transactionType: string;
  /** 9A, YYMMDD. */
  readonly date: string;
  /** 9F37, four bytes. */
  readonly unpredictableNumber: Buffer;
  /** 9F41, up to eight digits. */
  readonly sequenceCounter: number;
}

/** What the reader says of itself: 9F33, 9F35, 9F1E. Values of ID TECH's 60-06 example (IDG p.197). */
const terminalData = [
  ['9F33', Buffer.from('60D8C8', 'hex')],
  ['9F35', Buffer.from('25', 'hex')],
  ['9F1E', Buffer.from('Terminal', 'latin1')],
] as const;

/** Contactless kernels leave the terminal verification results empty unless something is wrong. */
const cleanTvr = Buffer.alloc(5);

/** Contactless EMV, EMV 4.3 Book 3: point-of-service entry mode 07. */
const contactlessEntryMode = Buffer.of(0x07);

const arqc = Buffer.of(0x80);

/** The chip on a card: it counts its transactions and signs each with a key of its own. */
export class Chip {
  readonly #card: Card;
  readonly #masterKey: Buffer;
  #transactions = 0;

  constructor(card: Card) {
    this.#card = card;
    this.#masterKey = cardMasterKey(Buffer.from(card.testKeyImkAc, 'hex'), card.pan, card.panSequenceNumber);
  }

  /** Transactions so far: the application transaction counter, 9F36. */
  get transactions(): number {
    return this.#transactions;
  }

  /**
   * One contactless transaction that asks to go online. All data objects that card and reader then have, by tag, with
   * those that are nobody else's business (57, 5A, 5F20): which of them leave the reader, and how, is the reader's duty.
   */
  transact(terms: TransactionTerms): Map<string, Buffer> {
    const card = this.#card;
    const atc = this.#nextTransaction();
    const objects = new Map<string, Buffer>([
      ['84', Buffer.from(card.aid, 'hex')],
      ['50', Buffer.from(card.label, 'latin1')],
      ['57', track2(card)],
      ['5A', packed(card.pan)],
      ['5F20', Buffer.from(card.cardholderName, 'latin1')],
      ['5F24', packed(card.expiry + lastDay(card.expiry))],
      ['5F34', packed(card.panSequenceNumber)],
      ['82', Buffer.from(card.aip, 'hex')],
      ['9F36', atc],
      ['9F10', Buffer.from(card.cryptogram.issuerApplicationData, 'hex')],
      ['9F27', arqc],
      ['9F02', numeric(terms.amountMinor, 12)],
      ['9F03', numeric(terms.amountOtherMinor ?? 0n, 12)],
      ['9F1A', packed(terms.countryNumeric)],
      ['5F2A', packed(terms.currencyNumeric)],
      ['95', cleanTvr],
      ['9A', packed(terms.date)],
      ['9C', packed(terms.transactionType)],
      ['9F37', terms.unpredictableNumber],
      ['9F41', numeric(BigInt(terms.sequenceCounter), 8)],
      ['9F09', Buffer.from(card.applicationVersion, 'hex')],
      ['9F34', Buffer.from(card.cvmResults, 'hex')],
      ['9F39', contactlessEntryMode],
      ['DF52', verification(card.cvmResults)],
      ...terminalData,
    ]);
    if (card.preferredName !== undefined) objects.set('9F12', Buffer.from(card.preferredName, 'latin1'));
    if (card.formFactor !== undefined) objects.set('9F6E', Buffer.from(card.formFactor, 'hex'));
    const data = cryptogramData(card, (tag) => objects.get(tag));
    if (data === undefined) throw new TypeError(`card ${card.name} lacks what its cryptogram covers`);
    objects.set('9F26', applicationCryptogram(card.cryptogram.scheme, this.#masterKey, atc, data));
    return objects;
  }

  #nextTransaction(): Buffer {
    // A real chip blocks itself for ever at FFFF; a test card that did so would only surprise.
    this.#transactions = (this.#transactions % 0xffff) + 1;
    const atc = Buffer.alloc(2);
    atc.writeUInt16BE(this.#transactions);
    return atc;
  }
}

/** 57: card number, separator D, expiry, service code, discretionary data, filled to whole bytes with F. */
function track2(card: Card): Buffer {
  return packed(`${card.pan}D${card.expiry}${card.serviceCode}${card.track2Discretionary}`);
}

/** DF52, the reader's word for how the cardholder was verified (IDG p.213): 00 not at all, 01 signature, 02 online PIN. */
function verification(cvmResults: string): Buffer {
  const method = Number.parseInt(cvmResults.slice(0, 2), 16) & 0x3f;
  if (method === 0x1e) return Buffer.of(0x01);
  return Buffer.of(method === 0x02 ? 0x02 : 0x00);
}

function packed(digits: string): Buffer {
  if (!/^[0-9D]+$/.test(digits)) throw new RangeError(`'${digits}' can't be packed`);
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}F`, 'hex');
}

/** EMV format n: right-justified digits with leading zeros. */
function numeric(value: bigint, digits: number): Buffer {
  const text = value.toString().padStart(digits, '0');
  if (value < 0n || text.length > digits) throw new RangeError(`${value} does not fit ${digits} digits`);
  return Buffer.from(text, 'hex');
}

/** Cards expire at the end of a month; 5F24 names the day. */
function lastDay(expiry: string): string {
  const year = 2000 + Number(expiry.slice(0, 2));
  return new Date(Date.UTC(year, Number(expiry.slice(2)), 0)).getUTCDate().toString();
}
