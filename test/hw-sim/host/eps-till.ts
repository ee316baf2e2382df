import type { Card } from '../../../hw-sim/card/card.ts';
import { encryptPinBlock } from '../../../hw-sim/crypto/dukpt.ts';
import { pinBlockFormat0 } from '../../../hw-sim/crypto/pin-block.ts';
import { ascii, ksn, lll, mid, readerObjects, responseCode, type Terminal, testBdk, tid } from './terminal.ts';
import { n12, type Sums, totals } from './till.ts';

export interface Drawn {
  readonly amount?: number;
  /** Field 54. */
  readonly cash?: number;
  /** Digits 3 and 4 of field 3. */
  readonly account?: string;
  readonly processing?: string;
  /** null: no field 52 and no DFEE51. */
  readonly pin?: string | null;
  readonly stan?: string;
  readonly entry?: string;
  /** Numbers of the keys that track and PIN are encrypted with. */
  readonly transaction?: number;
  readonly pinTransaction?: number;
  /** Changes the fields before they are packed; a value is whole, with its length. */
  readonly change?: (fields: Map<number, string>) => void;
}

/** A stripe sale as it was asked for, and what came of it. */
export interface Paid {
  readonly code: string;
  /** The whole answer, with its TPDU. */
  readonly answer: string;
  readonly processing: string;
  readonly amount: number;
  readonly stan: string;
  readonly rrn: string;
  readonly approval: string;
  readonly time: string;
}

/** Packs a message whose fields are packed already: type, bitmap, fields in their order. */
export function packedMessage(type: string, fields: ReadonlyMap<number, string>): string {
  let bitmap = 0n;
  for (const field of fields.keys()) bitmap |= 1n << BigInt(64 - field);
  const body = [...fields].sort(([a], [b]) => a - b).map(([, value]) => value);
  return [type, bitmap.toString(16).padStart(16, '0'), ...body].join('').toUpperCase();
}

/** DFEE51 0A and the key serial number of the pad's n-th PIN. */
export const pinKsnObject = (transaction: number): string => `DFEE510A${ksn(transaction)}`;

/** Field 52. */
export function pinBlock(pin: string, pan: string, transaction: number): string {
  return encryptPinBlock(testBdk, Buffer.from(ksn(transaction), 'hex'), pinBlockFormat0(pin, pan)).toString('hex');
}

/** A terminal that draws one card's stripe, and packs every message by hand from fixtures/README.md. */
export class EpsTill {
  readonly card: Card;
  readonly #terminal: Terminal;
  #stan = 0;
  #tracks = 0;
  #pins = 0;

  constructor(terminal: Terminal, card: Card) {
    this.#terminal = terminal;
    this.card = card;
  }

  get stan(): string {
    this.#stan += 1;
    return this.#stan.toString().padStart(6, '0');
  }

  async pay(drawn: Drawn = {}): Promise<Paid> {
    const { pan, expiry, serviceCode, track2Discretionary } = this.card;
    const { amount = 3000, cash, account = '10', pin = this.card.testPin ?? '', stan = this.stan } = drawn;
    const processing = drawn.processing ?? `${cash === undefined ? '00' : '09'}${account}00`;
    const { transaction = (this.#tracks += 1), entry = '901' } = drawn;
    const track2 = `${pan}D${expiry}${serviceCode}${track2Discretionary}`;
    const track = readerObjects('57', track2.length % 2 === 0 ? track2 : `${track2}F`, transaction);
    const fields = new Map([
      [3, processing],
      [4, n12(amount)],
      [11, stan],
      [22, `0${entry}`],
      [24, '0003'],
      [25, '00'],
      [41, ascii(tid)],
      [42, ascii(mid)],
      [48, lll(track)],
      [49, ascii('344')],
      [62, lll(ascii(stan))],
    ]);
    if (cash !== undefined) fields.set(54, lll(ascii(n12(cash))));
    if (pin !== null) {
      const { pinTransaction = (this.#pins += 1) } = drawn;
      fields.set(48, lll(track + pinKsnObject(pinTransaction)));
      fields.set(52, pinBlock(pin, pan, pinTransaction));
    }
    drawn.change?.(fields);
    const answer = await this.#terminal.ask(packedMessage('0200', fields));
    const text = (from: number, characters: number): string =>
      Buffer.from(answer.slice(from, from + 2 * characters), 'hex').toString('latin1');
    return {
      code: responseCode(answer),
      answer,
      processing,
      amount,
      stan,
      time: answer.slice(54, 64),
      rrn: text(68, 12),
      approval: text(92, 6),
    };
  }

  async reverse(paid: Paid, change?: (fields: Map<number, string>) => void): Promise<string> {
    const fields = new Map([...this.#referring(paid), [11, paid.stan]] as [number, string][]);
    change?.(fields);
    return responseCode(await this.#terminal.ask(packedMessage('0400', fields)));
  }

  async settle(batch: number, sums: Sums, trailer = false): Promise<string> {
    const fields = new Map([
      [3, trailer ? '960000' : '920000'],
      [11, this.stan],
      [24, '0003'],
      [41, ascii(tid)],
      [42, ascii(mid)],
      [49, ascii('344')],
      [60, lll(ascii(batch.toString().padStart(6, '0')))],
      [63, lll(ascii(totals(sums)))],
    ]);
    return responseCode(await this.#terminal.ask(packedMessage('0500', fields)));
  }

  async upload(paid: Paid, more: boolean, processing = paid.processing): Promise<string> {
    const fields = new Map([
      ...this.#referring(paid),
      [3, processing.slice(0, 5) + (more ? '1' : '0')],
      [11, this.stan],
      [12, paid.time.slice(0, 6)],
      [13, paid.time.slice(6)],
      [37, ascii(paid.rrn)],
      [38, ascii(paid.approval)],
      [60, lll(ascii(`0200${paid.stan}`))],
    ] as [number, string][]);
    return responseCode(await this.#terminal.ask(packedMessage('0320', fields)));
  }

  /** What everything that refers back to a sale carries. */
  #referring(paid: Paid): [number, string][] {
    return [
      [3, paid.processing],
      [4, n12(paid.amount)],
      [22, '0901'],
      [24, '0003'],
      [25, '00'],
      [41, ascii(tid)],
      [42, ascii(mid)],
      [48, lll(readerObjects('5A', this.card.pan, 1))],
      [49, ascii('344')],
      [62, lll(ascii(paid.stan))],
    ];
  }
}
