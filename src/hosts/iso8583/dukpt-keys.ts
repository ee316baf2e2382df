import { FutureKeys } from '../../codecs/iso8583/dukpt.ts';
import type { KeyCounterFault } from '../../base/domain/line-security.ts';
import type { KeyCounter } from '../../payment/contracts/key-counter.ts';
import type { KeyPair, MacKeys } from './mac-keys.ts';

/** Keys that are derived from an initial key (ANSI X9.24-1:2009, triple DES DUKPT). */
export interface DukptSettings {
  /** 16 bytes in hexadecimal. */
  readonly initialKey: string;
  /** Its serial number, 10 bytes in hexadecimal. A counter in it counts as used. */
  readonly ksn: string;
}

/** A pair of keys for each request, which is used only once. Throws RangeError. */
export class DukptKeys implements MacKeys {
  readonly #counter: KeyCounter;
  readonly #keys: FutureKeys;
  /** An answer is under the key of its own request, which the link knows. */
  readonly recent: readonly KeyPair[] = [];

  constructor({ initialKey, ksn }: DukptSettings, counter: KeyCounter) {
    this.#counter = counter;
    this.#keys = new FutureKeys(ksn, Buffer.from(initialKey, 'hex'));
  }

  /** Whether there is another key. Resolves to the reason if not. */
  prepare(): Promise<KeyCounterFault | undefined> {
    return this.#counter.prepare();
  }

  /** Sites of one host take their keys from the same counter. */
  async next(): Promise<KeyPair | undefined> {
    const counter = await this.#counter.take();
    return counter === undefined ? undefined : this.#keys.take(counter);
  }
}
