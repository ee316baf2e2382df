import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { type ChipCard, hasChip, loadCards } from '../../../hw-sim/card/card.ts';
import { Chip } from '../../../hw-sim/card/chip.ts';
import { encryptData } from '../../../hw-sim/crypto/dukpt.ts';

/** The published DUKPT test key (X9.24-1:2009, A.4). */
export const testBdk = Buffer.from('0123456789ABCDEFFEDCBA9876543210', 'hex');
export const tid = '12345678';
export const mid = '123456789012345';

const cardsDirectory = path.join(import.meta.dirname, '../../../fixtures/cards');

/** Cards with a chip, by name. */
export async function testCards(): Promise<(name: string) => ChipCard> {
  const cards = await loadCards(cardsDirectory);
  return (name) => {
    const card = cards.get(name);
    if (!card || !hasChip(card)) throw new Error(`no test card ${name} with a chip`);
    return card;
  };
}

/** Key serial number of the reader's n-th transaction. */
export function ksn(transaction: number): string {
  return `FFFF9876543210E${transaction.toString(16).padStart(5, '0').toUpperCase()}`;
}

export interface SaleParts {
  readonly card: ChipCard;
  readonly chip?: Chip;
  readonly transaction?: number;
  readonly stan?: string;
  readonly amountMinor?: bigint;
  readonly field4?: string;
  readonly field24?: string;
  readonly field49?: string;
  /** Message type and processing code: a sale when not given. */
  readonly type?: string;
  readonly processing?: string;
  readonly invoice?: string;
  /** Field 54. */
  readonly tip?: string;
  readonly currencyNumeric?: string;
  /** Changes the data objects before they are packed. */
  readonly emv?: (objects: Map<string, Buffer>) => void;
  /** Track 2 that is encrypted in place of the card's. */
  readonly track2?: string;
}

const de55Tags = [
  '9F26',
  '9F27',
  '9F10',
  '9F37',
  '9F36',
  '95',
  '9A',
  '9C',
  '9F02',
  '5F2A',
  '82',
  '9F1A',
  '9F03',
  '9F33',
];

/** A 0200 without length and TPDU, packed by hand from fixtures/README.md. */
export function saleMessage(parts: SaleParts): string {
  const { card, transaction = 1, stan = '000123', amountMinor = 3000n, currencyNumeric = '0344' } = parts;
  const chip = parts.chip ?? new Chip(card);
  const objects = chip.transact({
    amountMinor,
    currencyNumeric,
    countryNumeric: '0344',
    transactionType: '00',
    date: '260825',
    unpredictableNumber: Buffer.from('52BF4585', 'hex'),
    sequenceCounter: transaction,
  });
  const track2 = parts.track2 ?? objects.get('57')?.toString('hex').toUpperCase() ?? '';
  const sent = new Map(de55Tags.map((tag) => [tag, objects.get(tag) ?? Buffer.alloc(0)]));
  parts.emv?.(sent);
  const de55 = [...sent].map(([tag, value]) => tag + hexByte(value.length) + value.toString('hex')).join('');
  return [
    parts.type ?? '0200',
    saleBitmap(parts),
    parts.processing ?? '000000',
    parts.field4 ?? amountMinor.toString().padStart(12, '0'),
    stan,
    '0071',
    `00${card.panSequenceNumber}`,
    parts.field24 ?? '0003',
    '00',
    ascii(tid),
    ascii(mid),
    lll(readerObjects('57', track2, transaction)),
    parts.field49 === undefined ? '' : ascii(parts.field49),
    parts.tip === undefined ? '' : lll(ascii(parts.tip)),
    lll(de55),
    lll(ascii(parts.invoice ?? '000045')),
  ]
    .join('')
    .toUpperCase();
}

/** Fields 49 and 54 are there or not. */
function saleBitmap({ field49, tip }: SaleParts): string {
  if (field49 === undefined) return '3020078000C10204';
  return tip === undefined ? '3020078000C18204' : '3020078000C18604';
}

/** A 0400, or another type of the same form. */
export function reversalMessage(
  parts: { card: ChipCard; transaction?: number; stan?: string; field4?: string; field48?: string },
  type = '0400',
): string {
  const { card, transaction = 1, stan = '000123', field4 = '000000003000' } = parts;
  const pan = card.pan.length % 2 === 0 ? card.pan : `${card.pan}F`;
  return [
    type,
    '3020078000C10004',
    '000000',
    field4,
    stan,
    '0071',
    `00${card.panSequenceNumber}`,
    '0003',
    '00',
    ascii(tid),
    ascii(mid),
    lll(parts.field48 ?? readerObjects('5A', pan, transaction)),
    lll(ascii('000045')),
  ].join('');
}

/** The 0800 sample of fixtures/messages/iso8583.json, with a trace number of one's own. */
export function echoMessage(stan: string): string {
  return `08002020010000800000990000${stan}0003${ascii(tid)}`;
}

/** Field 48: the reader's objects with their markers (fixtures/README.md). `padding` is 00 to a whole block by default. */
export function readerObjects(tag: '57' | '5A', value: string, transaction: number, padding?: string): string {
  const clear = Buffer.from(tag + hexByte(value.length / 2) + value, 'hex');
  const fill = padding === undefined ? Buffer.alloc((8 - (clear.length % 8)) % 8) : Buffer.from(padding, 'hex');
  const padded = Buffer.concat([clear, fill]);
  const cipher = encryptData(testBdk, Buffer.from(ksn(transaction), 'hex'), padded);
  return `DFEE120A${ksn(transaction)}${tag}C1${hexByte(cipher.length)}${cipher.toString('hex')}`.toUpperCase();
}

export function ascii(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex').toUpperCase();
}

export function lll(hex: string): string {
  return (hex.length / 2).toString().padStart(4, '0') + hex;
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0').toUpperCase();
}

/** Length and TPDU 60 0003 0000 in front. */
export function frame(message: string): Buffer {
  const body = Buffer.from(`6000030000${message}`, 'hex');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([length, body]);
}

/** A terminal's end of the wire: whole answers as hexadecimal text, without their length. */
export class Terminal {
  readonly #socket: Socket;
  #held: Buffer = Buffer.alloc(0);
  readonly #answers: string[] = [];
  readonly #waiting: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  readonly #closed: Promise<void>;

  static open(port: number): Promise<Terminal> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.off('error', reject);
        resolve(new Terminal(socket));
      });
      socket.once('error', reject);
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#take(chunk));
    this.#closed = new Promise((resolve) => {
      socket.on('close', () => {
        for (const { reject } of this.#waiting.splice(0)) reject(new Error('the host closed the connection'));
        resolve();
      });
    });
  }

  /** Answers that came and were not asked for yet. */
  get unread(): number {
    return this.#answers.length;
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Sends a message (hexadecimal, without length and TPDU) and gives the next answer. */
  ask(message: string): Promise<string> {
    this.write(frame(message));
    return this.next();
  }

  next(): Promise<string> {
    const answer = this.#answers.shift();
    if (answer !== undefined) return Promise.resolve(answer);
    if (this.#socket.destroyed) return Promise.reject(new Error('the connection is closed'));
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Ends when the connection has. */
  closed(): Promise<void> {
    return this.#closed;
  }

  /** Ends the connection properly: what was written still arrives. */
  async end(): Promise<void> {
    this.#socket.end();
    await this.#closed;
  }

  #take(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk]);
    while (this.#held.length >= 2 && this.#held.length >= 2 + this.#held.readUInt16BE(0)) {
      const end = 2 + this.#held.readUInt16BE(0);
      const answer = this.#held.toString('hex', 2, end).toUpperCase();
      this.#held = this.#held.subarray(end);
      const waiting = this.#waiting.shift();
      if (waiting) waiting.resolve(answer);
      else this.#answers.push(answer);
    }
  }
}

/** Field 39 of an answer, found by its place: behind TPDU, type and bitmap come the fields that the bitmap names. */
export function responseCode(answer: string): string {
  const bitmap = answer.slice(14, 30);
  const fixed = new Map([
    ['303801000E800200', 30 + 6 + 12 + 6 + 6 + 4 + 4 + 24 + 12],
    ['303801000A800200', 30 + 6 + 12 + 6 + 6 + 4 + 4 + 24],
    ['303801000A800000', 30 + 6 + 12 + 6 + 6 + 4 + 4 + 24],
    ['3038010002800000', 30 + 6 + 12 + 6 + 6 + 4 + 4],
    ['303801000E800000', 30 + 6 + 12 + 6 + 6 + 4 + 4 + 24 + 12],
    ['2038010002800000', 30 + 6 + 6 + 6 + 4 + 4],
    ['3020010002800000', 30 + 6 + 12 + 6 + 4],
  ]);
  const at = fixed.get(bitmap);
  if (at === undefined) throw new Error(`an answer with the fields ${bitmap}: ${answer}`);
  return Buffer.from(answer.slice(at, at + 4), 'hex').toString('latin1');
}
