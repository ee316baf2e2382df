import { highestBit, ksnBytes, onesIn, onesMax, withCounter } from '../../base/domain/dukpt-counter.ts';
import { desBlock, encryptDes, xor } from './triple-des.ts';

/** Length of an initial key in bytes: triple DES with two keys. */
export const initialKeyBytes = 16;

/** XORed with a key to derive the left half of the next one (ANSI X9.24-1:2009, A.2). */
const halfKeyMask = Buffer.from('C0C0C0C000000000C0C0C0C000000000', 'hex');

/** Variants of the transaction key for messages to the host and for its answers (ANSI X9.24-1:2009, A.4.1). */
const variants = {
  request: Buffer.from('000000000000FF00000000000000FF00', 'hex'),
  answer: Buffer.from('00000000FF00000000000000FF000000', 'hex'),
} as const;

interface FutureKey {
  /** The first counter whose key is derived from this one: its own. 0: the initial key. */
  readonly counter: number;
  readonly key: Buffer;
}

/** The keys for the authentication codes of one request and of its answer. */
export interface TransactionMacKeys {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  readonly ksn: Uint8Array;
}

/**
 * The keys of one initial key that are still to be used (ANSI X9.24-1:2009, A.2): at most 21, from which the others are
 * derived. Keys of earlier counters can't be recovered from them. Triple DES.
 */
export class FutureKeys {
  readonly #initialKsn: string;
  #keys: readonly FutureKey[];

  /** `ksn`: in hexadecimal; its counter has no effect. Overwrites `initialKey`. Throws RangeError for other lengths. */
  constructor(ksn: string, initialKey: Uint8Array) {
    if (initialKey.length !== initialKeyBytes) throw new RangeError(`an initial key has ${initialKeyBytes} bytes`);
    if (ksn.length !== 2 * ksnBytes) throw new RangeError(`a key serial number has ${ksnBytes} bytes`);
    this.#initialKsn = withCounter(ksn, 0);
    this.#keys = [{ counter: 0, key: Buffer.from(initialKey) }];
    initialKey.fill(0);
  }

  /** The keys of a counter. Then no counter up to it can be used. Throws RangeError if this counter has no key. */
  take(counter: number): TransactionMacKeys {
    const key = this.#keyOf(counter);
    const [request, answer] = [xor(key, variants.request), xor(key, variants.answer)];
    key.fill(0);
    return { request, answer, ksn: Buffer.from(withCounter(this.#initialKsn, counter), 'hex') };
  }

  #keyOf(counter: number): Buffer {
    const isUsable = Number.isInteger(counter) && counter > 0 && counter < 2 * highestBit && onesIn(counter) <= onesMax;
    const from = this.#keys.find((each) => isUsable && isBelow(counter, each.counter));
    if (!from) throw new RangeError('this counter has no key any more');
    const later = this.#keys.filter((each) => each.counter > counter);
    for (const { key } of this.#keys.filter((each) => each !== from && !later.includes(each))) key.fill(0);
    let { key } = from;
    let reached = from.counter;
    for (let bit = lowestBit(reached) >> 1; bit > 0; bit >>= 1) {
      if ((counter & bit) === 0) {
        if (onesIn(reached) < onesMax) later.push({ counter: reached | bit, key: this.#derive(key, reached | bit) });
        continue;
      }
      reached |= bit;
      const next = this.#derive(key, reached);
      key.fill(0);
      key = next;
    }
    this.#keys = later;
    return key;
  }

  /** The key of a counter from the key of that counter without its lowest one bit. */
  #derive(key: Buffer, counter: number): Buffer {
    const register = Buffer.from(withCounter(this.#initialKsn, counter), 'hex').subarray(-desBlock);
    const masked = xor(key, halfKeyMask);
    const derived = Buffer.concat([halfKey(masked, register), halfKey(key, register)]);
    masked.fill(0);
    return derived;
  }
}

/** Whether the key of `counter` is that of `first`, or is derived from it. */
function isBelow(counter: number, first: number): boolean {
  return counter >= first && counter < first + lowestBit(first);
}

/** For 0, the bit above all others: every key is derived from the initial key. */
function lowestBit(counter: number): number {
  return counter === 0 ? 2 * highestBit : counter & -counter;
}

function halfKey(key: Buffer, register: Buffer): Buffer {
  const [left, right] = [key.subarray(0, desBlock), key.subarray(desBlock)];
  return xor(encryptDes(left, xor(right, register)), right);
}
