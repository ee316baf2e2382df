import { hash } from 'node:crypto';
import { keyCheckValue, wrapKey } from '../../hw-sim/crypto/wrapped-key.ts';
import type { Message } from '../../hw-sim/host/iso8583/message.ts';
import type { Dice } from './dice.ts';
import { keyField, networkCodes } from './keyed-dialects.ts';
import type { Log } from './log.ts';

/** A test key, which no real terminal may use. */
export const testKeyEncryptingKey = '89ABCDEF0123456776543210FEDCBA98';

const algorithm = 'iso9797-3';
const keyBytes = 16;
const checkValueBytes = 3;
/** The maximum number of key exchanges that the attacker has recorded. */
const recordedMax = 10;

/** How a host answers a message under a key that it does not accept. */
type Refusal = 'announced' | 'unreadable' | 'silent';

/** A network management answer, and how often and how late it is sent. */
export interface NetworkAnswer {
  readonly message: Message;
  readonly isSignOn: boolean;
  readonly times: number;
  readonly afterMs: number;
}

/**
 * The working keys of one site of a card host, and their faults: the host changes them at critical moments, forgets
 * them, and answers an exchange late, twice, incorrectly or not at all.
 */
export class WorkingKeys {
  /** Every key of this line, in order. */
  readonly issued: Buffer[] = [];
  /** How many messages it has refused because of their key. */
  refusals = 0;
  readonly #site: string;
  readonly #dice: Dice;
  readonly #log: Log;
  readonly #odds: number;
  /** Whether messages under the key before the last exchange are accepted. */
  readonly #keepsFormer: boolean;
  /** The refusal of a key that was never exchanged, or that the host no longer has. */
  #refusal: Refusal;
  #accepted: readonly Buffer[] = [];
  readonly #recorded: Message[] = [];

  /** `odds`: the probability of each fault, percent. */
  constructor(site: string, dice: Dice, log: Log, odds: number) {
    this.#site = site;
    this.#dice = dice;
    this.#log = log;
    this.#odds = odds;
    this.#keepsFormer = dice.odds(60);
    this.#refusal = this.#drawRefusal();
  }

  /** Called when a message arrives. Returns how it is refused; undefined if its key is accepted. */
  admit(mti: string, key: Buffer, isTroubled: boolean): Refusal | undefined {
    if (isTroubled && this.#dice.odds(this.#odds)) {
      this.#changes(
        mti.startsWith('04') ? 'keys changed between answer and reversal' : 'keys changed before a message',
      );
    }
    if (this.#accepted.includes(key)) return undefined;
    this.refusals += 1;
    this.#log.counted(`message under another key: ${this.#refusal}`, this.#site);
    return this.#refusal;
  }

  /** The key of the answer to a message that was carried out. */
  answerKey(mti: string, key: Buffer, isTroubled: boolean): Buffer {
    if (!isTroubled || !this.#dice.odds(this.#odds)) return key;
    const other = this.#dice.odds(50) ? this.retired(key) : undefined;
    if (other) {
      this.#log.counted('answer under a former key', `${this.#site} ${mti}`);
      return other;
    }
    this.#changes('keys changed between request and answer');
    return this.present;
  }

  /** The key of an answer to a message that the host could not verify. */
  get present(): Buffer {
    return this.#accepted[0] ?? this.#another();
  }

  /** An earlier key that is not the key of this request; undefined if there is none. */
  retired(key: Buffer): Buffer | undefined {
    const others = this.issued.slice(0, -1).filter((each) => each !== key);
    return others[this.#dice.below(others.length)];
  }

  /** Called when the terminal's process has ended. */
  restarts(isTroubled: boolean): void {
    if (isTroubled && this.#dice.odds(30)) this.#changes('keys changed at a restart');
  }

  /** The answer to a network management message; undefined: none. */
  answer(request: Message, isTroubled: boolean): NetworkAnswer | undefined {
    const code = request.fields.get(3) ?? '';
    const hasFault = isTroubled && this.#dice.odds(this.#odds);
    if (code === networkCodes.keyExchange) return this.#exchange(request, hasFault);
    const name = code === networkCodes.signOn ? 'sign-on' : 'echo';
    const isRefused = hasFault && name === 'sign-on' && this.#dice.odds(50);
    if (hasFault) this.#log.counted(`${name} ${isRefused ? 'refused' : 'not answered'}`, this.#site);
    if (hasFault && !isRefused) return undefined;
    const message = answered(request, isRefused ? '05' : '00');
    return { message, isSignOn: name === 'sign-on' && !isRefused, times: 1, afterMs: 0 };
  }

  /** A recorded answer to an earlier exchange: unchanged, or with the trace number of this one. */
  replay(request: Message): Message | undefined {
    const old = this.#recorded[this.#dice.below(this.#recorded.length)];
    if (!old) return undefined;
    const isPatched = this.#dice.odds(50);
    this.#log.counted(`key exchange replayed${isPatched ? ' with the present number' : ''}`, this.#site);
    return isPatched ? { mti: old.mti, fields: new Map([...old.fields, [11, request.fields.get(11) ?? '']]) } : old;
  }

  #exchange(request: Message, hasFault: boolean): NetworkAnswer | undefined {
    const fault = hasFault
      ? this.#dice.of(['refused', 'not answered', 'late', 'twice', 'wrong check value'])
      : undefined;
    this.#log.counted(fault === undefined ? 'key exchange' : `key exchange ${fault}`, this.#site);
    if (fault === 'not answered') return undefined;
    const own = { isSignOn: false, times: fault === 'twice' ? 2 : 1 };
    if (fault === 'refused') return { ...own, message: answered(request, '91'), afterMs: 0 };
    const former = this.#accepted[0];
    const key = this.#another();
    this.#accepted = this.#keepsFormer && former ? [key, former] : [key];
    this.#refusal = this.#drawRefusal();
    const check = fault === 'wrong check value' ? Buffer.alloc(checkValueBytes) : keyCheckValue(algorithm, key);
    const wrapped = wrapKey(algorithm, Buffer.from(testKeyEncryptingKey, 'hex'), key);
    const value = Buffer.concat([wrapped, check.subarray(0, checkValueBytes)])
      .toString('hex')
      .toUpperCase();
    const message = answered(request, '00', [[keyField, value]]);
    this.#recorded.push(message);
    if (this.#recorded.length > recordedMax) this.#recorded.shift();
    return { ...own, message, afterMs: fault === 'late' ? this.#dice.between(16_000, 60_000) : 0 };
  }

  /** Gives the host another key, which the terminal has never received. */
  #changes(when: string): void {
    this.#refusal = this.#drawRefusal();
    this.#accepted = [this.#another()];
    this.#log.counted(when, this.#site);
  }

  #drawRefusal(): Refusal {
    return this.#dice.of(['announced', 'unreadable', 'silent'] as const);
  }

  #another(): Buffer {
    const key = hash('sha256', `${this.#site} ${this.issued.length}`, 'buffer').subarray(0, keyBytes);
    this.issued.push(key);
    return key;
  }
}

function answered({ fields }: Message, code: string, more: readonly (readonly [number, string])[] = []): Message {
  const echoed = ([3, 11, 24, 41] as const).flatMap((field): [number, string][] => {
    const value = fields.get(field);
    return value === undefined ? [] : [[field, value]];
  });
  return { mti: '0810', fields: new Map([...echoed, [39, code], ...more]) };
}
