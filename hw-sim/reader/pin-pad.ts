import { randomBytes } from 'node:crypto';
import { dukptScheme } from '../crypto/dukpt-scheme.ts';

/** The request of a command that asks for a PIN, in any protocol. */
export interface PinRequest {
  readonly timeoutMs: number;
  readonly digitsMin: number;
  readonly digitsMax: number;
  /** The last PIN was wrong. */
  readonly again: boolean;
}

/**
 * The result of a PIN request. `block`: ISO 9564-1 under the PIN key of `ksn`, 8 bytes of format 0 with a TDES key, 16
 * of format 4 with an AES key. `cancelKey`: the customer pressed it. `exhausted`: no key is left.
 */
export type PinResult =
  | { readonly kind: 'pin'; readonly ksn: Buffer; readonly block: Buffer }
  | { readonly kind: 'cancelKey' | 'timeout' | 'exhausted' };

export interface PinPadOptions {
  readonly bdk: Buffer;
  /**
   * Initial key serial number of the PIN keys, 10 bytes for TDES or 12 for AES; the first PIN uses the one after it.
   */
  readonly ksn: Buffer;
  /** Fills blocks of format 4. */
  readonly random?: (bytes: number) => Buffer;
  readonly ended: (result: PinResult) => void;
  readonly changed: () => void;
}

interface Asking {
  readonly request: PinRequest;
  readonly pan: string;
  readonly timer: NodeJS.Timeout;
}

/** ISO 9564-1: a PIN has 4 to 12 digits. */
export function isPinLength(digitsMin: number, digitsMax: number): boolean {
  return digitsMin >= 4 && digitsMax <= 12 && digitsMin <= digitsMax;
}

/** The reader's PIN pad: turns digits into a PIN block, each under a key of its own. */
export class PinPad {
  readonly #options: PinPadOptions;
  #ksn: Buffer;
  #asking: Asking | undefined;

  constructor(options: PinPadOptions) {
    this.#options = options;
    this.#ksn = options.ksn;
  }

  /** Key serial number of the last PIN. */
  get ksn(): Buffer {
    return this.#ksn;
  }

  get asking(): boolean {
    return this.#asking !== undefined;
  }

  get again(): boolean {
    return this.#asking?.request.again ?? false;
  }

  get exhausted(): boolean {
    return this.#nextKsn() === undefined;
  }

  /** Begins to ask for the PIN of this card number. */
  ask(request: PinRequest, pan: string): void {
    const timer = setTimeout(() => {
      this.off();
      this.#options.ended({ kind: 'timeout' });
    }, request.timeoutMs);
    this.#asking = { request, pan, timer };
    this.#options.changed();
  }

  /** The customer enters the PIN. False if none is awaited. Throws RangeError if it has too few or too many digits. */
  enter(pin: string): boolean {
    const asking = this.#asking;
    if (asking === undefined) return false;
    const { digitsMin, digitsMax } = asking.request;
    if (!/^\d*$/.test(pin) || pin.length < digitsMin || pin.length > digitsMax) {
      throw new RangeError(`the pad takes ${digitsMin} to ${digitsMax} digits`);
    }
    const ksn = this.#nextKsn();
    this.off();
    if (ksn === undefined) {
      this.#options.ended({ kind: 'exhausted' });
      return true;
    }
    this.#ksn = ksn;
    const { bdk, random = randomBytes } = this.#options;
    const block = dukptScheme(ksn).encryptPin(bdk, ksn, { digits: pin, pan: asking.pan }, random);
    this.#options.ended({ kind: 'pin', ksn, block });
    return true;
  }

  /** The customer presses the cancel key. False if no PIN is awaited. */
  pressCancel(): boolean {
    if (this.#asking === undefined) return false;
    this.off();
    this.#options.ended({ kind: 'cancelKey' });
    return true;
  }

  /** Ends a PIN entry without a result. */
  off(): void {
    if (this.#asking === undefined) return;
    clearTimeout(this.#asking.timer);
    this.#asking = undefined;
    this.#options.changed();
  }

  #nextKsn(): Buffer | undefined {
    try {
      return dukptScheme(this.#ksn).nextKsn(this.#ksn);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}
