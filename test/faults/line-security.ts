import { timingSafeEqual } from 'node:crypto';
import { messageMac } from '../../hw-sim/crypto/message-mac.ts';
import { type MessageForm, mtiOf, partLast, withLast } from '../../hw-sim/host/iso8583/last-field.ts';
import { encodeMessage, type Message } from '../../hw-sim/host/iso8583/message.ts';
import type { CardAcquirerName } from './card-acquirers.ts';
import type { Dice } from './dice.ts';
import { keyedDialect, type KeyTerms } from './keyed-dialects.ts';
import type { Log } from './log.ts';
import { testKeyEncryptingKey, type WorkingKeys } from './working-keys.ts';

/** A test key (ISO/IEC 9797-1:2011, B.4). */
export const testMacKey = '0123456789ABCDEFFEDCBA9876543210';

const algorithm = 'iso9797-3';
const field = 64;
const macBytes = 8;
const frameHeadBytes = 7;
const form: MessageForm = { mti: 'bcd', bitmap: 'binary', bytes: 'binary' };
/** The maximum number of answers that the attacker has recorded. */
const recordedMax = 20;

/** `mac` of the terminal's configuration, without `key`. */
const agreedMac = { algorithm, padding: 1, field, bytes: macBytes, over: 'message' } as const;

/** The settings of an acquirer for the security of its line. */
export function securedSettings(id: CardAcquirerName, terms: KeyTerms | undefined): object {
  if (!terms) return { mac: { ...agreedMac, key: { fixed: testMacKey } } };
  const { afterSignOn, everyH } = terms;
  const session = { keyEncryptingKey: testKeyEncryptingKey, afterSignOn, everyH };
  // The name of a file, because no built-in dialect has a key exchange.
  const dialect = { dialect: 'keyed.json', dialectContent: keyedDialect(id, terms) };
  return { mac: { ...agreedMac, key: { session } }, ...dialect, echoS: 300 };
}

/** What an attacker on the line between terminal and host does with an answer. */
export type Tampering = 'forged' | 'altered' | 'replayed' | 'cut';

/** A message without its code, and the key of the code. Without `key`, the message needs no code. */
export interface Opened {
  readonly rest: Buffer;
  readonly key?: Buffer;
}

const fixedKey = Buffer.from(testMacKey, 'hex');

/** The authentication codes of one host's line, and an attacker on it who does not have the key. */
export class LineSecurity {
  /** Absent: the key is fixed. */
  readonly working: WorkingKeys | undefined;
  /** Absent: the key is fixed. */
  readonly terms: KeyTerms | undefined;
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #odds: number;
  readonly #recorded: Buffer[] = [];

  /** `odds`: the probability of an attack on each message, percent. */
  constructor(dice: Dice, log: Log, odds: number, keys?: { readonly working: WorkingKeys; readonly terms: KeyTerms }) {
    this.#dice = dice;
    this.#log = log;
    this.#odds = odds;
    this.working = keys?.working;
    this.terms = keys?.terms;
  }

  /**
   * The message without its code. Throws if the code is not right, because every message of the terminal has a right
   * one: under a key that the host has issued, or none where there may be no key yet.
   */
  open(message: Buffer): Opened {
    const parted = partLast(message, field, form);
    if (this.working && mtiOf(message, form) === '0800') {
      if (parted) throw new Error('a network management message has an authentication code');
      return { rest: message };
    }
    const keys = this.working?.issued ?? [fixedKey];
    const key = parted && keys.findLast((each) => timingSafeEqual(parted.value, codeOf(each, parted.before)));
    if (!parted || !key) throw new Error('a message of the terminal has no right authentication code');
    return { rest: parted.rest, key };
  }

  seal(message: Buffer, key: Buffer = fixedKey): Buffer {
    return withLast(message, field, form, (before) => codeOf(key, before));
  }

  /** Draws the attack on an exchange; undefined: none. */
  draw(host: string): Tampering | undefined {
    if (!this.#dice.odds(this.#odds)) return undefined;
    const kind = this.#dice.of(['forged', 'altered', 'replayed', 'cut'] as const);
    if (kind === 'replayed' && this.#recorded.length === 0) return undefined;
    this.#log.counted(`answer ${kind}`, host);
    return kind;
  }

  /**
   * A forged approval: without a code, with an arbitrary one, with that of another message, or under a key that the
   * attacker has obtained since it was replaced.
   */
  forge(request: Message, key: Buffer = fixedKey): Buffer {
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
    const learnt = this.working && this.#dice.odds(50) ? this.working.retired(key) : undefined;
    if (learnt) {
      this.#log.counted('answer forged under a former key');
      return this.seal(message, learnt);
    }
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
}

function codeOf(key: Buffer, before: Buffer): Buffer {
  return messageMac(algorithm, key, before);
}
