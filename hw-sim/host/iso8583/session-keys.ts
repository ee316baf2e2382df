import { hash } from 'node:crypto';
import type { HostMac } from '../../crypto/message-mac.ts';
import { keyCheckValue, wrapKey } from '../../crypto/wrapped-key.ts';
import type { HostKeys, IssuedKey, KeyPair } from './host-keys.ts';
import type { OutOfStepManner } from './manners.ts';

/** Working keys that the host creates for its terminal. No real terminal may use their key-encrypting key. */
export class SessionKeys implements HostKeys {
  readonly #algorithm: HostMac;
  readonly #keyEncryptingKey: Buffer;
  #count = 0;
  #present: KeyPair | undefined;
  /** The key before the last exchange: a request that was sent before that may be under it. */
  #former: KeyPair | undefined;
  #outOfStep: { readonly manner: OutOfStepManner; readonly pair: KeyPair | undefined } | undefined;

  constructor(algorithm: HostMac, keyEncryptingKey: Buffer) {
    this.#algorithm = algorithm;
    this.#keyEncryptingKey = keyEncryptingKey;
  }

  pairsFor(): readonly KeyPair[] {
    return [this.#present, this.#former].filter((pair) => pair !== undefined);
  }

  /**
   * The keys of the answer to a request under a key that the host no longer accepts; undefined if it does not report
   * this.
   */
  refusing(isUnder: (pair: KeyPair) => boolean): KeyPair | undefined {
    if (!this.#outOfStep) return undefined;
    const { manner, pair } = this.#outOfStep;
    if (manner === 'forgotten') return this.#present;
    return pair && isUnder(pair) ? pair : undefined;
  }

  issue(): IssuedKey {
    this.#former = this.#outOfStep ? undefined : this.#present;
    this.#outOfStep = undefined;
    const key = this.#another();
    return {
      wrapped: wrapKey(this.#algorithm, this.#keyEncryptingKey, key),
      checkValue: keyCheckValue(this.#algorithm, key),
    };
  }

  fallOutOfStep(manner: OutOfStepManner): void {
    this.#outOfStep = { manner, pair: this.#present };
    this.#former = undefined;
    this.#another();
  }

  /** Changes to another key. */
  #another(): Buffer {
    this.#count++;
    const key = Buffer.from(hash('sha256', `${this.#count} ${this.#keyEncryptingKey.toString('hex')}`, 'buffer'));
    const present = key.subarray(0, 16);
    this.#present = { request: present, answer: present };
    return present;
  }
}
