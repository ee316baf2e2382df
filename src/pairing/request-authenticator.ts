import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SteadyClock } from '../ports/clock.ts';
import { KeyWatch } from './key-watch.ts';
import type { PairedKeys } from './paired-keys.ts';

/** A call as received. `target`: path and query. */
export interface SignedCall {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The authenticated caller, and how the answer is signed. */
export interface Caller {
  readonly posId: string;
  readonly keyId: string;
  /** Signs the answer: its status and body, and the nonce of the call. Hex. */
  readonly sign: (status: number, body: string) => string;
}

export interface NotAdmitted {
  /** A sentence for the developer of the POS. */
  readonly refused: string;
}

/** How far a signed time may be behind or ahead of the terminal's clock, in seconds. */
const behindMaxS = 60;
const aheadMaxS = 5;
/** In elapsed time: an older call is outside the limits, unless the clock was set back meanwhile. */
const memoryMs = (behindMaxS + aheadMaxS) * 1_000;
/** Maximum number of remembered nonces. At least those of `memoryMs` are kept. */
const noncesMax = 20_000;

/**
 * Admits calls signed with a paired key (docs/pairing.md). Calls that an earlier start could have accepted are refused
 * until they are too old, so that nonces need not be stored in a file. That period is measured in elapsed time, because
 * the clock may be set: a clock that was ahead at the start would otherwise keep everybody out until that time.
 */
export class RequestAuthenticator {
  readonly #keys: PairedKeys;
  readonly #clock: SteadyClock;
  readonly #watch: KeyWatch;
  /**
   * Keys that an earlier start may have admitted, the latest signed second that it could have accepted, and until when
   * this matters.
   */
  readonly #older: ReadonlySet<string>;
  readonly #olderS: number;
  readonly #olderUntilMs: number;
  /** Key id and nonce → the elapsed time of admission, in that order. */
  readonly #nonces = new Map<string, number>();

  private constructor(keys: PairedKeys, clock: SteadyClock, older: ReadonlySet<string>) {
    this.#keys = keys;
    this.#clock = clock;
    this.#watch = new KeyWatch(keys, clock);
    this.#older = older;
    this.#olderS = this.#nowS() + aheadMaxS;
    this.#olderUntilMs = clock.elapsedMs() + memoryMs;
  }

  /** Called at the start, before any call is admitted. Rejects if the keys can't be read. */
  static async open(keys: PairedKeys, clock: SteadyClock): Promise<RequestAuthenticator> {
    return new RequestAuthenticator(keys, clock, new Set((await keys.all()).map(({ keyId }) => keyId)));
  }

  async authenticate({ method, target, headers, body }: SignedCall): Promise<Caller | NotAdmitted> {
    const { 'poid-key': keyId, 'poid-time': time, 'poid-nonce': nonce, 'poid-signature': signature } = headers;
    if (![keyId, time, nonce, signature].every((each) => typeof each === 'string')) {
      return no(
        'this terminal accepts paired points of sale only: Poid-Key, Poid-Time, Poid-Nonce or Poid-Signature is missing',
      );
    }
    if (!/^\d{1,12}$/.test(String(time))) return no('Poid-Time must be seconds since 1970');
    if (!/^[\w-]{16,64}$/.test(String(nonce))) return no('Poid-Nonce must be 16 to 64 letters, digits, _ or -');
    const known = (await this.#keys.all()).find((each) => each.keyId === keyId);
    const key = Buffer.from(known?.key ?? unknownKey, 'hex');
    const text = ['poid call 1', method, target, time, nonce, sha256(body)].join('\n');
    const right = same(hmac(key, text), String(signature));
    // No await between here and the stored nonce, so that only one of two equal calls is admitted.
    if (!known) return no('Poid-Key is not known: pair again');
    if (!right) return no('Poid-Signature is wrong');
    const refused = this.#replay(known.keyId, String(nonce), Number(time));
    if (refused !== undefined) return no(refused);
    const sign = (status: number, answer: string) =>
      hmac(key, ['poid answer 1', nonce, String(status), sha256(answer)].join('\n'));
    return { posId: known.posId, keyId: known.keyId, sign };
  }

  /** Calls `tell` once when this key is revoked or replaced. Returns a function that stops it. */
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
      return 'this call may have been made before the terminal was started: sign it again in some seconds';
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

/** Dummy key: unknown keys take equal time. */
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

/** Compares in a time that does not depend on where they differ. */
function same(wanted: string, given: string): boolean {
  const [one, other] = [Buffer.from(wanted), Buffer.from(given.toLowerCase())];
  return one.length === other.length && timingSafeEqual(one, other);
}
