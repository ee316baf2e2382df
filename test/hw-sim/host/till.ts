import assert from 'node:assert/strict';
import type { Card, ChipCard } from '../../../hw-sim/card/card.ts';
import { Chip } from '../../../hw-sim/card/chip.ts';
import { ascii, lll, mid, readerObjects, responseCode, saleMessage, type Terminal, tid } from './terminal.ts';

/** A transaction as a terminal remembers it. */
export interface Done {
  /** The whole answer, with its TPDU. */
  readonly answer: string;
  /** Field 39. */
  readonly code: string;
  readonly type: string;
  readonly processing: string;
  readonly amount: number;
  readonly stan: string;
  readonly invoice: string;
  readonly rrn: string;
  readonly approval: string;
  /** Fields 12 and 13 of the answer. */
  readonly time: string;
}

export interface Terms {
  readonly tip?: number;
  readonly field49?: string;
  readonly stan?: string;
}

/** What a message that refers back says, where it shall not say what its original does. */
export interface Other {
  readonly amount?: number;
  readonly stan?: string;
  readonly rrn?: string;
  readonly approval?: string;
  readonly invoice?: string;
  readonly currency?: string;
  readonly time?: string;
  readonly card?: Card;
  readonly processing?: string;
  readonly before?: number;
  readonly tip?: number;
  readonly tid?: string;
  readonly repeat?: boolean;
  readonly result?: string;
  readonly more?: boolean;
  readonly original?: string;
}

export interface Sums {
  readonly sales?: readonly [count: number, amount: number];
  readonly refunds?: readonly [count: number, amount: number];
}

export const n12 = (amount: number): string => amount.toString().padStart(12, '0');

/** A terminal that packs every message by hand, from the table of fixtures/README.md. One card, HKD. */
export class Till {
  readonly card: ChipCard;
  readonly #terminal: Terminal;
  readonly #chip: Chip;
  #stan = 0;
  #invoice = 0;
  /** Key serial numbers of the reader count its transactions. */
  #transactions: number;

  constructor(terminal: Terminal, card: ChipCard, chip = new Chip(card), transactions = 0) {
    this.#terminal = terminal;
    this.card = card;
    this.#chip = chip;
    this.#transactions = transactions;
  }

  nextStan(): string {
    this.#stan += 1;
    return this.#stan.toString().padStart(6, '0');
  }

  presented(amount: number, type = '0200', processing = '000000', terms: Terms = {}): Asked {
    const { tip, field49 = '344', stan = this.nextStan() } = terms;
    this.#transactions += 1;
    this.#invoice += 1;
    const invoice = this.#invoice.toString().padStart(6, '0');
    const { card } = this;
    const transaction = this.#transactions;
    const amountMinor = BigInt(amount);
    const common = { card, chip: this.#chip, transaction, stan, amountMinor, field49, type, processing, invoice };
    const message = saleMessage({ ...common, ...(tip !== undefined && { tip: n12(tip) }) });
    return { message, type, processing, amount, stan, invoice };
  }

  sale(amount: number, terms: Terms = {}): Promise<Done> {
    return this.#done(this.presented(amount, '0200', '000000', terms));
  }

  auth(amount: number, terms: Terms = {}): Promise<Done> {
    return this.#done(this.presented(amount, '0100', '000000', terms));
  }

  refund(amount: number, terms: Terms = {}): Promise<Done> {
    return this.#done(this.presented(amount, '0200', '200000', terms));
  }

  voidOf(original: Done, other: Other = {}): Asked {
    const processing = other.processing ?? (original.processing === '200000' ? '220000' : '020000');
    const stan = other.stan ?? this.nextStan();
    const { amount = original.amount, invoice = original.invoice } = other;
    const message = this.#referring('0200', '303805800CC18004', { ...original, processing, amount, stan }, other, '');
    return { message, type: '0200', processing, amount, stan, invoice };
  }

  async void(original: Done, other: Other = {}): Promise<Done> {
    return await this.#done(this.voidOf(original, other));
  }

  /** Without a tip as without a chip: fields 23, 54 and 55 are left out. */
  offline(amount: number, other: Other = {}): Asked {
    this.#invoice += 1;
    const invoice = this.#invoice.toString().padStart(6, '0');
    const stan = other.stan ?? this.nextStan();
    const { approval = 'PHONE1', time = '1014590825', card = this.card, tip } = other;
    const message = [
      other.repeat === true ? '0221' : '0220',
      tip === undefined ? '3038058004C18004' : '3038058004C18404',
      '000000',
      n12(amount),
      stan,
      time,
      '0071',
      '0003',
      '00',
      ascii(approval),
      ascii(tid),
      ascii(mid),
      lll(number(card)),
      ascii('344'),
      tip === undefined ? '' : lll(ascii(n12(tip))),
      lll(ascii(invoice)),
    ].join('');
    return { message, type: '0220', processing: '000000', amount, stan, invoice };
  }

  async offlineSale(amount: number, other: Other = {}): Promise<Done> {
    const done = await this.#done(this.offline(amount, other));
    return { ...done, approval: other.approval ?? 'PHONE1' };
  }

  completion(auth: Done, amount: number, other: Other = {}): Asked {
    const stan = other.stan ?? this.nextStan();
    this.#invoice += 1;
    const invoice = other.invoice ?? this.#invoice.toString().padStart(6, '0');
    const type = other.repeat === true ? '0221' : '0220';
    const spoken = { ...auth, processing: '000000', amount, stan, invoice };
    const before = lll(ascii(n12(other.before ?? auth.amount)));
    const message = this.#referring(type, '303805800EC18014', spoken, { result: '00', ...other }, before);
    return { message, type: '0220', processing: '000000', amount, stan, invoice };
  }

  async complete(auth: Done, amount: number, other: Other = {}): Promise<Done> {
    return { ...(await this.#done(this.completion(auth, amount, other))), approval: auth.approval };
  }

  tipAdjust(original: Done, amount: number, tip: number, other: Other = {}): Asked {
    const stan = other.stan ?? this.nextStan();
    const type = other.repeat === true ? '0221' : '0220';
    const spoken = { ...original, processing: '020000', amount, stan };
    const behind = lll(ascii(n12(tip))) + lll(ascii(n12(other.before ?? original.amount)));
    const message = this.#referring(type, '303805800CC18414', spoken, other, behind);
    return { message, type: '0220', processing: '020000', amount, stan, invoice: original.invoice };
  }

  /** The original as it is remembered afterwards. */
  async adjust(original: Done, amount: number, tip: number, other: Other = {}): Promise<Done> {
    const { answer, code } = await this.#done(this.tipAdjust(original, amount, tip, other));
    return code === '00' ? { ...original, amount, answer, code } : { ...original, answer, code };
  }

  reversal(original: Pick<Done, 'processing' | 'amount' | 'stan' | 'invoice'>, other: Other = {}): string {
    return [
      other.repeat === true ? '0401' : '0400',
      '3020058000C18004',
      other.processing ?? original.processing,
      n12(other.amount ?? original.amount),
      original.stan,
      '0071',
      '0003',
      '00',
      ascii(tid),
      ascii(mid),
      lll(number(other.card ?? this.card)),
      ascii('344'),
      lll(ascii(original.invoice)),
    ].join('');
  }

  async reverse(
    original: Pick<Done, 'processing' | 'amount' | 'stan' | 'invoice'>,
    other: Other = {},
  ): Promise<string> {
    return responseCode(await this.#terminal.ask(this.reversal(original, other)));
  }

  settlement(batch: number, sums: Sums = {}, trailer = false, other: Other = {}): string {
    return [
      other.repeat === true ? '0501' : '0500',
      '2020010000C08012',
      trailer ? '960000' : '920000',
      other.stan ?? this.nextStan(),
      '0003',
      ascii(tid),
      ascii(mid),
      ascii(other.currency ?? '344'),
      lll(ascii(batch.toString().padStart(6, '0'))),
      lll(ascii(totals(sums))),
    ].join('');
  }

  async settle(batch: number, sums: Sums = {}, trailer = false, other: Other = {}): Promise<string> {
    return responseCode(await this.#terminal.ask(this.settlement(batch, sums, trailer, other)));
  }

  upload(original: Done, other: Other = {}): string {
    const kind = original.processing.slice(0, 2);
    const processing = other.processing ?? `${kind}000${other.more === false ? '0' : '1'}`;
    const { amount = original.amount, stan = this.nextStan() } = other;
    const behind = lll(ascii(other.original ?? original.type + original.stan));
    const type = other.repeat === true ? '0321' : '0320';
    const spoken = { ...original, processing: processing.padEnd(6, '0'), amount, stan };
    return this.#referring(type, '303805800CC18014', spoken, other, behind);
  }

  async uploaded(original: Done, other: Other = {}): Promise<string> {
    return responseCode(await this.#terminal.ask(this.upload(original, other)));
  }

  /** The form that a void, a completion, a tip adjust and an upload have in common. `behind` stands before field 62. */
  #referring(type: string, bitmap: string, of: Omit<Done, 'answer' | 'code'>, other: Other, behind: string): string {
    return [
      type,
      bitmap,
      of.processing,
      n12(of.amount),
      of.stan,
      other.time ?? of.time,
      '0071',
      '0003',
      '00',
      ascii(other.rrn ?? of.rrn),
      ascii(other.approval ?? of.approval),
      other.result === undefined ? '' : ascii(other.result),
      ascii(other.tid ?? tid),
      ascii(mid),
      lll(number(other.card ?? this.card)),
      ascii(other.currency ?? '344'),
      behind,
      lll(ascii(other.invoice ?? of.invoice)),
    ].join('');
  }

  async #done({ message, ...asked }: Asked): Promise<Done> {
    return doneOf(asked, await this.#terminal.ask(message));
  }
}

export interface Asked extends Pick<Done, 'type' | 'processing' | 'amount' | 'stan' | 'invoice'> {
  readonly message: string;
}

export function doneOf(asked: Pick<Done, 'type' | 'processing' | 'amount' | 'stan' | 'invoice'>, answer: string): Done {
  const text = (from: number, characters: number): string =>
    Buffer.from(answer.slice(from, from + 2 * characters), 'hex').toString('latin1');
  // Behind TPDU, type, bitmap, 3, 4 and 11 come 12 and 13, then 24, 37 and 38 where the bitmap has it.
  const approved = answer.slice(22, 24) === '0E';
  assert.equal(answer.slice(48, 54), asked.stan);
  return {
    ...asked,
    answer,
    code: responseCode(answer),
    time: answer.slice(54, 64),
    rrn: text(68, 12),
    approval: approved ? text(92, 6) : '',
  };
}

/** Field 63; counts have six digits where one of them needs more than three. */
export function totals({ sales = [0, 0], refunds = [0, 0] }: Sums): string {
  const digits = Math.max(sales[0], refunds[0]) > 999 ? 6 : 3;
  const sums = [sales, refunds, [0, 0], [0, 0], [0, 0], [0, 0]] as const;
  return sums.map(([count, amount]) => count.toString().padStart(digits, '0') + n12(amount)).join('');
}

const numbers = new Map<string, string>();

/** Field 48 of what refers back to a card: the same ciphertext every time, as a terminal has kept it. */
function number({ pan }: Card): string {
  const known = numbers.get(pan) ?? readerObjects('5A', pan.length % 2 === 0 ? pan : `${pan}F`, 1);
  numbers.set(pan, known);
  return known;
}
