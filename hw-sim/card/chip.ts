import { applicationCryptogram, cardMasterKey } from '../crypto/cryptogram.ts';
import type { ChipCard } from './card.ts';
import { cryptogramData } from './cryptogram-data.ts';
import { numeric, packed } from './digits.ts';
import { authenticatesIssuer } from './issuer-authentication.ts';
import { terminalData } from './terminal-data.ts';
import { type DataObject, decodeObjects } from './tlv.ts';
import { track2 } from './track2.ts';

/** The terminal's data of a transaction. */
export interface TransactionTerms {
  /** 9F02, minor units. */
  readonly amountMinor: bigint;
  /** 9F03, minor units; zero without cashback. */
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

/** The issuer's decision for a chip that waits in its slot. */
export interface IssuerDecision {
  /** False if the issuer could not be asked. */
  readonly answered: boolean;
  /** 8A, two characters. */
  readonly responseCode: string;
  /** 91. */
  readonly authenticationData?: Buffer;
  readonly scripts: readonly DataObject[];
}

/** Byte 5 of the terminal verification results: a script failed before, or after, the second cryptogram. */
const scriptFailed: Readonly<Record<string, number>> = { '71': 0x20, '72': 0x10 };

/** The interface over which the chip is read. */
export type ChipEntry = 'contactless' | 'contact';

/** Terminal verification results (EMV 4.3 Book 3, annex C5): offline data authentication not performed, no error. */
const cleanTvr = Buffer.of(0x80, 0, 0, 0, 0);

/** CVM code, and byte 3 of the terminal verification results: online PIN, and that one was entered. */
const onlinePin = 0x02;
const onlinePinEntered = 0x04;

/** Byte 5 of the terminal verification results (EMV 4.3 Book 3, annex C5): issuer authentication failed. */
const issuerAuthenticationFailed = 0x40;

/** Transaction status information (annex C6), byte 1: cardholder verified, card and terminal risk management done. */
const statusInformation = 0x68;
const issuerAuthenticated = 0x10;
const scriptsProcessed = 0x04;

/** 9F39: point-of-service entry mode. */
const entryModes: Readonly<Record<ChipEntry, number>> = { contactless: 0x07, contact: 0x05 };

/** 9F27. */
const cryptogramTypes = { arqc: 0x80, tc: 0x40, aac: 0x00 } as const;

/** Values of 8A that approve, as ISO 8583:1987, field 39: approved, partially, VIP. */
const approvingCodes: ReadonlySet<string> = new Set(['00', '10', '11']);

/** Whether the issuer was asked and approves. The chip may still decline. */
export function approves({ answered, responseCode }: IssuerDecision): boolean {
  return answered && approvingCodes.has(responseCode);
}

/** The chip of a card: it counts its transactions and signs each with its own key. */
export class Chip {
  readonly #card: ChipCard;
  readonly #masterKey: Buffer;
  #transactions = 0;
  /** What the first cryptogram of a transaction covered, until the second has been given. */
  #waiting: Map<string, Buffer> | undefined;

  constructor(card: ChipCard) {
    this.#card = card;
    this.#masterKey = cardMasterKey(Buffer.from(card.testKeyImkAc, 'hex'), card.pan, card.panSequenceNumber);
  }

  /** Transactions so far: the application transaction counter, 9F36. */
  get transactions(): number {
    return this.#transactions;
  }

  /**
   * Starts a transaction that asks to go online. On the contact interface `conclude` must follow. Returns all data
   * objects of card and reader by tag, including the sensitive ones (57, 5A, 5F20): the reader decides which of them
   * it sends, and how.
   */
  transact(terms: TransactionTerms, entry: ChipEntry = 'contactless'): Map<string, Buffer> {
    const card = this.#card;
    const atc = this.#nextTransaction();
    const cvmResults = (entry === 'contactless' && card.contactlessCvmResults) || card.cvmResults;
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
      ['9F27', Buffer.of(cryptogramTypes.arqc)],
      ['9F02', numeric(terms.amountMinor, 12)],
      ['9F03', numeric(terms.amountOtherMinor ?? 0n, 12)],
      ['9F1A', packed(terms.countryNumeric)],
      ['5F2A', packed(terms.currencyNumeric)],
      ['95', firstTvr(cvmResults)],
      ['9A', packed(terms.date)],
      ['9C', packed(terms.transactionType)],
      ['9F37', terms.unpredictableNumber],
      ['9F41', numeric(BigInt(terms.sequenceCounter), 8)],
      ['9F09', Buffer.from(card.applicationVersion, 'hex')],
      ['9F34', Buffer.from(cvmResults, 'hex')],
      ['9F39', Buffer.of(entryModes[entry])],
      ...terminalData,
    ]);
    if (entry === 'contactless') objects.set('DF52', verification(cvmResults));
    if (card.preferredName !== undefined) objects.set('9F12', Buffer.from(card.preferredName, 'latin1'));
    if (card.formFactor !== undefined) objects.set('9F6E', Buffer.from(card.formFactor, 'hex'));
    objects.set('9F26', this.#cryptogram(objects));
    this.#waiting = entry === 'contact' ? objects : undefined;
    return new Map(objects);
  }

  /**
   * The second GENERATE AC: a certificate (TC) if the issuer approved and authenticated itself, otherwise a refusal
   * (AAC). Returns 9F26, 9F27, 95 and 9B. Scripts are parsed and reported as executed, but change nothing: a test card
   * has nothing to change. `refuse`: the card declines although the issuer approved.
   */
  conclude(decision: IssuerDecision, refuse = false): Map<string, Buffer> {
    const objects = this.#waiting;
    if (objects === undefined) throw new TypeError(`card ${this.#card.name} does not wait for its issuer`);
    this.#waiting = undefined;
    const authentic = this.#authentic(objects, decision);
    const approved = approves(decision) && authentic !== false && !refuse;
    const type = approved ? cryptogramTypes.tc : cryptogramTypes.aac;
    const tvr = firstTvr(this.#card.cvmResults);
    if (authentic === false) tvr[4] = issuerAuthenticationFailed;
    failScripts(tvr, decision.scripts, '71');
    objects.set('95', Buffer.from(tvr));
    objects.set('9F10', this.#issuerData(type));
    const status =
      statusInformation |
      (authentic === undefined ? 0 : issuerAuthenticated) |
      (decision.scripts.length > 0 ? scriptsProcessed : 0);
    const cryptogram = this.#cryptogram(objects);
    // Too late for the cryptogram: 72 comes after it.
    failScripts(tvr, decision.scripts, '72');
    return new Map([
      ['9F26', cryptogram],
      ['9F27', Buffer.of(type)],
      ['95', tvr],
      ['9B', Buffer.of(status, 0)],
    ]);
  }

  /** Undefined if the issuer sent no authentication data: then the card trusts the terminal. */
  #authentic(objects: ReadonlyMap<string, Buffer>, decision: IssuerDecision): boolean | undefined {
    const { authenticationData, responseCode } = decision;
    const arqc = objects.get('9F26');
    const atc = objects.get('9F36');
    if (authenticationData === undefined || arqc === undefined || atc === undefined) return undefined;
    const first = { scheme: this.#card.cryptogram.scheme, masterKey: this.#masterKey, atc, arqc };
    return authenticatesIssuer(first, authenticationData, Buffer.from(responseCode, 'latin1'));
  }

  /**
   * 9F10 of the second cryptogram: the two highest bits of the card verification results give its kind: 01 TC, 00 AAC,
   * 10 not requested yet. Visa and M/Chip 4 have them in the same place.
   */
  #issuerData(type: number): Buffer {
    const { cryptogram, verificationResultsAt: at } = this.#card;
    const data = Buffer.from(cryptogram.issuerApplicationData, 'hex');
    data[at] = ((data[at] ?? 0) & 0x3f) | type;
    return data;
  }

  #cryptogram(objects: ReadonlyMap<string, Buffer>): Buffer {
    const { cryptogram, name } = this.#card;
    const data = cryptogramData(this.#card, (tag) => objects.get(tag));
    const atc = objects.get('9F36');
    if (data === undefined || atc === undefined) throw new TypeError(`card ${name} lacks what its cryptogram covers`);
    return applicationCryptogram(cryptogram.scheme, this.#masterKey, atc, data);
  }

  #nextTransaction(): Buffer {
    // A real chip blocks itself permanently at FFFF; a test card starts again.
    this.#transactions = (this.#transactions % 0xffff) + 1;
    const atc = Buffer.alloc(2);
    atc.writeUInt16BE(this.#transactions);
    return atc;
  }
}

/** A script is a template with commands in 86, of class 8x (EMV 4.3 Book 3, 10.10). Any other script fails. */
function failScripts(tvr: Buffer, scripts: readonly DataObject[], tag: '71' | '72'): void {
  const failed = scripts.some((script) => {
    const commands = decodeObjects(script.value)?.filter((object) => object.tag === '86') ?? [];
    const good = ({ value }: DataObject) => value.length >= 4 && ((value[0] ?? 0) & 0xf0) === 0x80;
    return script.tag === tag && !(commands.length > 0 && commands.every(good));
  });
  if (failed) tvr[4] = (tvr[4] ?? 0) | (scriptFailed[tag] ?? 0);
}

/** Terminal verification results with the first cryptogram: byte 3 shows whether a PIN goes to the issuer. */
function firstTvr(cvmResults: string): Buffer {
  const tvr = Buffer.from(cleanTvr);
  if (methodOf(cvmResults) === onlinePin) tvr[2] = onlinePinEntered;
  return tvr;
}

/** The CVM code (EMV 4.3 Book 3, annex C3): bits 1 to 6 of the first byte of the CVM results. */
function methodOf(cvmResults: string): number {
  return Number.parseInt(cvmResults.slice(0, 2), 16) & 0x3f;
}

/** DF52: how the cardholder was verified (IDG p.213): 00 not at all, 01 signature, 02 online PIN. */
function verification(cvmResults: string): Buffer {
  const method = methodOf(cvmResults);
  if (method === 0x1e) return Buffer.of(0x01);
  return Buffer.of(method === onlinePin ? 0x02 : 0x00);
}

/** Cards expire at the end of a month; 5F24 names the day. */
function lastDay(expiry: string): string {
  const year = 2000 + Number(expiry.slice(0, 2));
  return new Date(Date.UTC(year, Number(expiry.slice(2)), 0)).getUTCDate().toString();
}
