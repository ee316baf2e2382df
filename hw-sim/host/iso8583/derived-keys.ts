import { macKey } from '../../crypto/dukpt.ts';
import type { HostKeys, KeyPair } from './host-keys.ts';

/** The lowest 21 bits of a key serial number are the counter; the others identify the terminal's initial key. */
const counterBits = 21n;

/** Keys that the host derives from its base derivation key and the serial number in a request (DUKPT, triple DES). */
export class DerivedKeys implements HostKeys {
  readonly #bdk: Buffer;
  readonly #ksnOf: (request: Buffer) => Buffer | undefined;
  /** The highest counter, by initial key. */
  readonly #counters = new Map<bigint, bigint>();

  /** `ksnOf`: the serial number in a request; undefined if it has none. */
  constructor(bdk: Buffer, ksnOf: (request: Buffer) => Buffer | undefined) {
    this.#bdk = bdk;
    this.#ksnOf = ksnOf;
  }

  /** Empty if no device uses this serial number. */
  pairsFor(request: Buffer): readonly KeyPair[] {
    const ksn = this.#ksnOf(request);
    if (!ksn) return [];
    try {
      return [{ request: macKey(this.#bdk, ksn, 'request'), answer: macKey(this.#bdk, ksn, 'response') }];
    } catch (error) {
      if (error instanceof RangeError) return [];
      throw error;
    }
  }

  isFresh(request: Buffer): boolean {
    const ksn = this.#ksnOf(request);
    if (!ksn) return false;
    const value = BigInt(`0x${ksn.toString('hex')}`);
    const [initial, counter] = [value >> counterBits, BigInt.asUintN(Number(counterBits), value)];
    if (counter <= (this.#counters.get(initial) ?? 0n)) return false;
    this.#counters.set(initial, counter);
    return true;
  }
}
