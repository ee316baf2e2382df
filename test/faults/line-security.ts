import { timingSafeEqual } from 'node:crypto';
import { messageMac } from '../../hw-sim/crypto/message-mac.ts';
import { type MessageForm, partLast, withLast } from '../../hw-sim/host/iso8583/last-field.ts';
import { encodeMessage, type Message } from '../../hw-sim/host/iso8583/message.ts';
import type { Dice } from './dice.ts';
import type { Log } from './log.ts';

/** A test key (ISO/IEC 9797-1:2011, B.4). */
export const testMacKey = '0123456789ABCDEFFEDCBA9876543210';

const algorithm = 'iso9797-3';
const field = 64;
const macBytes = 8;
const frameHeadBytes = 7;
const form: MessageForm = { mti: 'bcd', bitmap: 'binary', bytes: 'binary' };
/** The maximum number of answers that the attacker has recorded. */
const recordedMax = 20;

/** `mac` of the terminal's configuration. */
export const agreedMac = {
  algorithm,
  padding: 1,
  key: { fixed: testMacKey },
  field,
  bytes: macBytes,
  over: 'message',
} as const;

/** What an attacker on the line between terminal and host does with an answer. */
export type Tampering = 'forged' | 'altered' | 'replayed' | 'cut';

/** The authentication codes of one host's line, and an attacker on it who does not have the key. */
export class LineSecurity {
  readonly #key = Buffer.from(testMacKey, 'hex');
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #odds: number;
  readonly #recorded: Buffer[] = [];

  /** `odds`: the probability of an attack on each message, percent. */
  constructor(dice: Dice, log: Log, odds: number) {
    this.#dice = dice;
    this.#log = log;
    this.#odds = odds;
  }

  /**
   * The message without its code. Throws if the code is not right, because every message of the terminal has a right
   * one.
   */
  open(message: Buffer): Buffer {
    const parted = partLast(message, field, form);
    if (!parted || !timingSafeEqual(parted.value, this.#codeOf(parted.before)))
      throw new Error('a message of the terminal has no right authentication code');
    return parted.rest;
  }

  seal(message: Buffer): Buffer {
    return withLast(message, field, form, (before) => this.#codeOf(before));
  }

  /** Draws the attack on an exchange; undefined: none. */
  draw(host: string): Tampering | undefined {
    if (!this.#dice.odds(this.#odds)) return undefined;
    const kind = this.#dice.of(['forged', 'altered', 'replayed', 'cut'] as const);
    if (kind === 'replayed' && this.#recorded.length === 0) return undefined;
    this.#log.counted(`answer ${kind}`, host);
    return kind;
  }

  /** A forged approval: without a code, with an arbitrary one, or with that of another message. */
  forge(request: Message): Buffer {
    const echoed = ([3, 4, 11, 24, 41] as const).flatMap((each): [number, string][] => {
      const value = request.fields.get(each);
      return value === undefined ? [] : [[each, value]];
    });
    const given: [number, string][] = [
      [12, '120000'],
      [13, '0101'],
      [37, '999999999999'],
      [38, 'F0RGED'],
      [39, '00'],
    ];
    const mti = `${request.mti.slice(0, 2)}${Number(request.mti[2]) + 1}0`;
    const message = encodeMessage({
      mti,
      fields: new Map([...echoed, ...given].sort(([one], [other]) => one - other)),
    });
    const codes = [Buffer.alloc(macBytes), this.#recorded.at(-1)?.subarray(-macBytes), undefined];
    const other = codes[this.#dice.below(codes.length)];
    return other === undefined ? message : withLast(message, field, form, () => other);
  }

  /** Changes one bit of the message in a frame. Nothing protects length and TPDU, so they stay unchanged. */
  alter(frame: Buffer): Buffer {
    const changed = Buffer.from(frame);
    const at = frameHeadBytes + this.#dice.below(changed.length - frameHeadBytes);
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << this.#dice.below(8)), at);
    return changed;
  }

  record(frame: Buffer): void {
    this.#recorded.push(frame);
    if (this.#recorded.length > recordedMax) this.#recorded.shift();
  }

  /** An earlier answer of this host, unchanged. */
  replay(): Buffer | undefined {
    return this.#recorded[this.#dice.below(this.#recorded.length)];
  }

  #codeOf(before: Buffer): Buffer {
    return messageMac(algorithm, this.#key, before);
  }
}
