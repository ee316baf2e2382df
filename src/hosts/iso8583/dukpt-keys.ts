import { FutureKeys } from '../../codecs/iso8583/dukpt.ts';
import type { KeyCounterFault } from '../../base/domain/line-security.ts';
import type { KeyCounter } from '../../payment/contracts/key-counter.ts';
import type { KeyPair, MacKeys } from './mac-keys.ts';

/** Keys that are derived from an initial key (ANSI X9.24-1:2009, triple DES DUKPT). */
export interface DukptSettings {
  /** 16 bytes in hexadecimal. */
  readonly initialKey: string;
  /** Its serial number, 10 bytes in hexadecimal. Its counter counts as used. */
  readonly ksn: string;
}

/** One pair of keys per request. Throws RangeError. */
export class DukptKeys implements MacKeys {
  readonly #counter: KeyCounter;
  readonly #keys: FutureKeys;
  /** Empty: an answer is under the answer key of its own request, which the link passes on. */
  readonly recent: readonly KeyPair[] = [];

  constructor({ initialKey, ksn }: DukptSettings, counter: KeyCounter) {
    this.#counter = counter;
    this.#keys = new FutureKeys(ksn, Buffer.from(initialKey, 'hex'));
  }

  /** Prepares the next key. Resolves to the fault if there is none. */
  prepare(): Promise<KeyCounterFault | undefined> {
    return this.#counter.prepare();
  }

  /** The sites of one host share the counter. */
  async next(): Promise<KeyPair | undefined> {
    const counter = await this.#counter.take();
    return counter === undefined ? undefined : this.#keys.take(counter);
  }
}
