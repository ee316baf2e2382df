import type { MonotonicClock } from '../../base/ports/clock.ts';
import { callRoomOf } from '../../base/domain/call-room.ts';
import { CallClock } from './call-clock.ts';
import { KeyWatch } from './key-watch.ts';
import { contentDigest, isSigned, signatureBase, signBase } from './message-signature.ts';
import type { PairedKey, PairedKeys } from './paired-keys.ts';
import { type CallSignature, hasOwnDigest, readCallSignature, type SignedCall, signatureTag } from './signed-call.ts';

/** The authenticated caller, and how the answer is signed. */
export interface Caller {
  readonly posId: string;
  readonly keyId: string;
  /** When the call was signed, by the till's clock, in seconds since 1970. */
  readonly createdS: number;
  /** When the call expires, by its signature; undefined if it has no expiry. */
  readonly expiresAt?: Date;
  /** The headers that sign an answer: its status and body, as the answer to this call. */
  readonly sign: (status: number, body: string) => Readonly<Record<string, string>>;
}

export interface NotAdmitted {
  /** A sentence for the developer of the POS. */
  readonly refused: string;
}

/** The call is signed as it must be, but its POS has made too many. */
export interface OverBudget extends Pick<Caller, 'sign'> {
  /** A sentence for the developer of the POS. */
  readonly spent: string;
  /** Until it may make another one. */
  readonly pauseMs: number;
}

/** Additional requirements of a transport for its calls. */
export interface CallRules {
  /** The signature must have `expires`, at most this long after `created`. */
  readonly lifeSMax?: number;
}

/** How far a signed time may be behind or ahead of the terminal's clock, in seconds. */
const behindMaxS = 60;
const aheadMaxS = 5;
/** How far a call's time may be before the moment at which a clock that was set back was noticed. */
const noticeS = 5;
/** In elapsed time: an older call is outside the limits, unless the clock was set back meanwhile. */
const memoryMs = (behindMaxS + aheadMaxS) * 1_000;
/**
 * How many calls a POS may make within `memoryMs`, some 30 a second: the nonces of all of them are remembered. Each POS
 * has its own budget, whatever its keys, so that none can use up that of another.
 */
const callsMax = 2_000;
/** Cancels and enquiries beyond that: a till that repeats its payment too often must still get its outcome. */
const recoveryMax = 500;

/**
 * Admits calls signed with a paired key (docs/pairing.md). Calls that an earlier start could have accepted are refused
 * until they are too old, so that nonces need not be stored in a file. That period is measured in elapsed time, because
 * the clock may be set: a clock that was ahead at the start would otherwise refuse all calls until that time.
 */
export class RequestAuthenticator {
  readonly #keys: PairedKeys;
  readonly #clock: MonotonicClock;
  readonly #callClock: CallClock;
  readonly #watch: KeyWatch;
  /**
   * Keys that an earlier start may have admitted, the latest signed second that it could have accepted, and until when
   * this matters.
   */
  readonly #older: ReadonlySet<string> | 'any';
  readonly #olderS: number;
  readonly #olderUntilMs: number;
  /** By posId: key id and nonce → the elapsed time of admission, in that order. */
  readonly #nonces = new Map<string, Map<string, number>>();

  private constructor(keys: PairedKeys, clock: MonotonicClock, older: ReadonlySet<string> | 'any') {
    this.#keys = keys;
    this.#clock = clock;
    this.#callClock = new CallClock(clock, memoryMs);
    this.#watch = new KeyWatch(keys, clock);
    this.#older = older;
    this.#olderS = this.#nowS() + aheadMaxS;
    this.#olderUntilMs = clock.elapsedMs() + memoryMs;
  }

  /** Called at the start, before any call is admitted. Rejects if the keys can't be read. */
  static async open(keys: PairedKeys, clock: MonotonicClock): Promise<RequestAuthenticator> {
    return new RequestAuthenticator(keys, clock, new Set((await keys.all()).map(({ keyId }) => keyId)));
  }

  /**
   * Called if the start continues although the keys can't be read. `authenticate` rejects until they can be read, and
   * each key may then have been used before the start.
   */
  static openUnread(keys: PairedKeys, clock: MonotonicClock): RequestAuthenticator {
    return new RequestAuthenticator(keys, clock, 'any');
  }

  async authenticate(call: SignedCall, { lifeSMax }: CallRules = {}): Promise<Caller | NotAdmitted | OverBudget> {
    const signature = readCallSignature(call);
    if (typeof signature === 'string') return no(signature);
    const { keyId } = signature;
    const all = await this.#keys.all();
    const known = presentKey(all, keyId) ?? followingKey(all, keyId);
    const key = Buffer.from(known?.key ?? unknownKey, 'hex');
    const right = isSigned(key, signature.base, signature.signature);
    // No await between here and the stored nonce, so that only one of two equal calls is admitted.
    if (!known) return no('keyid is not known: pair again');
    if (!right) return no('Signature is wrong');
    if (lifeSMax !== undefined && !(signature.expiresS - signature.createdS <= lifeSMax))
      return no(`expires is missing, or more than ${lifeSMax} s after created`);
    if (!hasOwnDigest(call, signature)) return no('Content-Digest is not the sha-256 of this body');
    const refused = this.#replay(known.posId, signature);
    if (refused !== undefined) return no(refused);
    const sign = (status: number, body: string) => this.#answerHeaders({ status, body }, signature, key);
    const most = callRoomOf(call.target) === 'recovery' ? callsMax + recoveryMax : callsMax;
    const pauseMs = this.#pauseMs(known.posId, most);
    if (pauseMs > 0) return { spent: `more than ${most} calls within ${memoryMs / 1_000} s`, pauseMs, sign };
    this.#remember(known.posId, signature);
    // Its first use proves that the till has it.
    if (known.isNext && !(await this.#keys.adopt(keyId))) return no('keyid is not known any more: pair again');
    const expiresAt = Number.isFinite(signature.expiresS) ? { expiresAt: new Date(signature.expiresS * 1_000) } : {};
    return { posId: known.posId, keyId, createdS: signature.createdS, ...expiresAt, sign };
  }

  /** The signature of the call has its nonce: it binds the answer to this one call (RFC 9421, 2.4). */
  #answerHeaders(answer: { status: number; body: string }, call: CallSignature, key: Uint8Array) {
    const digest = contentDigest(answer.body);
    const lines = [
      ['"@status"', String(answer.status)],
      ['"content-digest"', digest],
      [`"signature";req;key="${call.label}"`, `:${Buffer.from(call.signature).toString('base64')}:`],
    ] as const;
    const components = lines.map(([name]) => name).join(' ');
    const input = `(${components});created=${this.#nowS()};keyid="${call.keyId}";alg="hmac-sha256";tag="${signatureTag}"`;
    const signature = signBase(key, signatureBase(lines, input)).toString('base64');
    return { 'content-digest': digest, 'signature-input': `sig=${input}`, signature: `sig=:${signature}:` };
  }

  /** Calls `tell` once when this key is revoked or replaced. Returns a function that stops it. */
  whenRevoked(keyId: string, notify: () => void): () => void {
    return this.#watch.whenGone(keyId, notify);
  }

  #replay(posId: string, { keyId, nonce, createdS, expiresS }: CallSignature): string | undefined {
    const { nowMs, setBack } = this.#callClock.read();
    const nowS = secondsOf(nowMs);
    const differenceS = createdS - nowS;
    if (differenceS < -behindMaxS || differenceS > aheadMaxS) {
      const side = differenceS < 0 ? 'behind' : 'ahead of';
      return `created is ${Math.abs(differenceS)} s ${side} the terminal's clock, which is at ${nowS}`;
    }
    if (expiresS < nowS) return 'expires is over';
    if (setBack && createdS < secondsOf(setBack.noticedMs) - noticeS) {
      const unsetS = secondsOf(setBack.unsetMs);
      if (createdS < unsetS - behindMaxS || expiresS < unsetS)
        return 'this call may have been made before the clock was set back: sign it again in some seconds';
    }
    if (this.#nonces.get(posId)?.has(`${keyId} ${nonce}`))
      return 'this call was made before: a new one needs a new nonce';
    const isOlder = this.#older === 'any' || this.#older.has(keyId);
    if (this.#clock.elapsedMs() < this.#olderUntilMs && createdS <= this.#olderS && isOlder) {
      return 'this call may have been made before the terminal was started: sign it again in some seconds';
    }
    return undefined;
  }

  /** Time until this POS may make another call; 0 for now. A nonce is forgotten only if another one needs its place. */
  #pauseMs(posId: string, most: number): number {
    const nonces = this.#nonces.get(posId);
    if (!nonces || nonces.size < most) return 0;
    const [[oldest, atMs] = ['', 0]] = nonces;
    const leftMs = atMs + memoryMs - this.#clock.elapsedMs();
    if (leftMs >= 0) return leftMs + 1;
    nonces.delete(oldest);
    return 0;
  }

  #remember(posId: string, { keyId, nonce }: CallSignature): void {
    const nonces = this.#nonces.get(posId) ?? new Map<string, number>();
    this.#nonces.set(posId, nonces.set(`${keyId} ${nonce}`, this.#clock.elapsedMs()));
  }

  #nowS(): number {
    return secondsOf(this.#clock.now().getTime());
  }
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1_000);
}

function presentKey(all: readonly PairedKey[], keyId: string) {
  const found = all.find((each) => each.keyId === keyId);
  return found && { posId: found.posId, keyId, key: found.key, isNext: false };
}

/** The key of this name that a till has agreed on and not used yet. */
function followingKey(all: readonly PairedKey[], keyId: string) {
  for (const { posId, following = [] } of all) {
    const found = following.find((each) => each.keyId === keyId);
    if (found) return { posId, keyId, key: found.key, isNext: true };
  }
  return undefined;
}

/** Dummy key: unknown keys take equal time. */
const unknownKey = '00'.repeat(32);

function no(refused: string): NotAdmitted {
  return { refused };
}
