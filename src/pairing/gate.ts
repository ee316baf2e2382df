import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../ports/clock.ts';
import type { PairedKeys } from './paired-keys.ts';

/** One call as it came. `target`: path and query. */
export interface SignedCall {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Who calls, and how an answer to this call is signed. */
export interface Caller {
  readonly posId: string;
  readonly keyId: string;
  /** Over the answer: its status and body, and the nonce of the call. Hex. */
  readonly sign: (status: number, body: string) => string;
}

export interface NotAdmitted {
  /** In a sentence, for whoever writes the POS. */
  readonly refused: string;
}

/** How far a signed time may lie behind and ahead of the terminal's, seconds. */
const behindMaxS = 60;
const aheadMaxS = 5;
/** Signed calls within that time. */
const noncesMax = 20_000;

/**
 * Lets in who has a key (docs/pairing.md). What was signed before this start, or could have been accepted before it, is refused:
 * so nonces need no file.
 */
export class Gate {
  readonly #keys: PairedKeys;
  readonly #clock: Clock;
  /** Keys that another start may have let in, and the last second that it could have let them in for. */
  readonly #older: ReadonlySet<string>;
  readonly #olderS: number;
  /** Nothing that was signed for this second or an earlier one is let in. */
  #floorS = 0;
  /** keyId and nonce → the second that it was signed for. */
  readonly #nonces = new Map<string, number>();

  private constructor(keys: PairedKeys, clock: Clock, older: ReadonlySet<string>) {
    this.#keys = keys;
    this.#clock = clock;
    this.#older = older;
    this.#olderS = this.#nowS() + aheadMaxS;
  }

  /** At the start, before anybody is let in. Rejects where the keys can't be read. */
  static async open(keys: PairedKeys, clock: Clock): Promise<Gate> {
    return new Gate(keys, clock, new Set((await keys.all()).map(({ keyId }) => keyId)));
  }

  async admit({ method, target, headers, body }: SignedCall): Promise<Caller | NotAdmitted> {
    const { 'poid-key': keyId, 'poid-time': time, 'poid-nonce': nonce, 'poid-signature': signature } = headers;
    if (![keyId, time, nonce, signature].every((each) => typeof each === 'string')) {
      return no(
        'this terminal talks to paired points of sale: Poid-Key, Poid-Time, Poid-Nonce and Poid-Signature are missing',
      );
    }
    if (!/^\d{1,12}$/.test(String(time))) return no('Poid-Time must be seconds since 1970');
    if (!/^[\w-]{16,64}$/.test(String(nonce))) return no('Poid-Nonce must be 16 to 64 letters, digits, _ or -');
    const known = (await this.#keys.all()).find((each) => each.keyId === keyId);
    const key = Buffer.from(known?.key ?? unknownKey, 'hex');
    const text = ['poid call 1', method, target, time, nonce, sha256(body)].join('\n');
    const right = same(hmac(key, text), String(signature));
    // From here to the remembered nonce nothing waits: of two that are the same one is let in.
    if (!known) return no('Poid-Key names no key: pair again');
    if (!right) return no('Poid-Signature is wrong');
    const refused = this.#replay(known.keyId, String(nonce), Number(time));
    if (refused !== undefined) return no(refused);
    const sign = (status: number, answer: string) =>
      hmac(key, ['poid answer 1', nonce, String(status), sha256(answer)].join('\n'));
    return { posId: known.posId, keyId: known.keyId, sign };
  }

  #replay(keyId: string, nonce: string, signedS: number): string | undefined {
    const nowS = this.#nowS();
    const name = `${keyId} ${nonce}`;
    const floorS = this.#older.has(keyId) ? this.#olderS : 0;
    this.#forgetBefore(nowS - behindMaxS);
    const differenceS = signedS - nowS;
    if (differenceS < -behindMaxS || differenceS > aheadMaxS) {
      const side = differenceS < 0 ? 'behind' : 'ahead of';
      return `Poid-Time is ${Math.abs(differenceS)} s ${side} the terminal's clock, which is at ${nowS}`;
    }
    if (this.#nonces.has(name)) return 'this call was made before: a new one needs a new Poid-Nonce';
    if (signedS <= Math.max(floorS, this.#floorS)) {
      return 'this call may have been made before the terminal was started: sign it anew in some seconds';
    }
    if (this.#nonces.size >= noncesMax) return 'too many calls within a minute';
    this.#nonces.set(name, signedS);
    return undefined;
  }

  /** A clock that is set back must not bring back what was forgotten. */
  #forgetBefore(oldestS: number): void {
    for (const [name, signedS] of this.#nonces) {
      if (signedS >= oldestS) continue;
      this.#nonces.delete(name);
      this.#floorS = Math.max(this.#floorS, signedS);
    }
  }

  #nowS(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }
}

/** As much work for a key that is not there. */
const unknownKey = '00'.repeat(32);

function no(refused: string): NotAdmitted {
  return { refused };
}

function hmac(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** In the same time wherever they differ. */
function same(wanted: string, given: string): boolean {
  const [one, other] = [Buffer.from(wanted), Buffer.from(given.toLowerCase())];
  return one.length === other.length && timingSafeEqual(one, other);
}
