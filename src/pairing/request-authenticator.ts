import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SteadyClock } from '../ports/clock.ts';
import { KeyWatch } from './key-watch.ts';
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
/** In passed time: a call that is older than this is behind, unless the clock was set back meanwhile. */
const memoryMs = (behindMaxS + aheadMaxS) * 1_000;
/** The last signed calls, and at least those within that time. */
const noncesMax = 20_000;

/**
 * Lets in who has a key (docs/pairing.md). What was signed before this start, or could have been accepted before it, is refused
 * until it is too old: so nonces need no file. How long goes by the time that passes, because a clock is set: one that ran ahead
 * at the start would keep everybody out until it is there again.
 */
export class RequestAuthenticator {
  readonly #keys: PairedKeys;
  readonly #clock: SteadyClock;
  readonly #watch: KeyWatch;
  /** Keys that another start may have let in, the last second that it could have let them in for, and until when that matters. */
  readonly #older: ReadonlySet<string>;
  readonly #olderS: number;
  readonly #olderUntilMs: number;
  /** keyId and nonce → when it was let in, of the time that passes. In that order. */
  readonly #nonces = new Map<string, number>();

  private constructor(keys: PairedKeys, clock: SteadyClock, older: ReadonlySet<string>) {
    this.#keys = keys;
    this.#clock = clock;
    this.#watch = new KeyWatch(keys, clock);
    this.#older = older;
    this.#olderS = this.#nowS() + aheadMaxS;
    this.#olderUntilMs = clock.elapsedMs() + memoryMs;
  }

  /** At the start, before anybody is let in. Rejects where the keys can't be read. */
  static async open(keys: PairedKeys, clock: SteadyClock): Promise<RequestAuthenticator> {
    return new RequestAuthenticator(keys, clock, new Set((await keys.all()).map(({ keyId }) => keyId)));
  }

  async authenticate({ method, target, headers, body }: SignedCall): Promise<Caller | NotAdmitted> {
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

  /** Calls back, once, when this key is revoked or replaced. Returns the way to stop. */
  whenRevoked(keyId: string, tell: () => void): () => void {
    return this.#watch.whenGone(keyId, tell);
  }

  #replay(keyId: string, nonce: string, signedS: number): string | undefined {
    const nowS = this.#nowS();
    const elapsedMs = this.#clock.elapsedMs();
    const name = `${keyId} ${nonce}`;
    const differenceS = signedS - nowS;
    if (differenceS < -behindMaxS || differenceS > aheadMaxS) {
      const side = differenceS < 0 ? 'behind' : 'ahead of';
      return `Poid-Time is ${Math.abs(differenceS)} s ${side} the terminal's clock, which is at ${nowS}`;
    }
    if (this.#nonces.has(name)) return 'this call was made before: a new one needs a new Poid-Nonce';
    if (elapsedMs < this.#olderUntilMs && signedS <= this.#olderS && this.#older.has(keyId)) {
      return 'this call may have been made before the terminal was started: sign it anew in some seconds';
    }
    const [oldest] = this.#nonces;
    if (oldest && this.#nonces.size >= noncesMax) {
      const [forgotten, atMs] = oldest;
      if (elapsedMs - atMs <= memoryMs) return 'too many calls within a minute';
      this.#nonces.delete(forgotten);
    }
    this.#nonces.set(name, elapsedMs);
    return undefined;
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
