import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { escapePlainly } from '../../base/domain/identifiers.ts';
import type { Clock, Random } from '../../base/ports/clock.ts';
import type { PairingView } from '../../payment/contracts/operator-menu.ts';
import type { PairedKeys } from './paired-keys.ts';
import { commitment, comparisonCode, pairedProof, rawPublicKey, sharedKey, type Transcript } from './transcript.ts';

/** How long pairing stays open after the operator has opened it. */
const openMs = 180_000;
/** Maximum number of codes shown while pairing is open. */
const triesMax = 3;
/**
 * Time limit for the second half of a POS. A POS sends it as soon as it has the terminal's half. A caller that does not
 * send it, or sends one that does not match its commitment, still blocks the place for this long: it already knows its
 * code, and would otherwise retry for a better one as often as possible.
 */
const revealMs = 10_000;
/**
 * Limit of abandoned pairings from the cloud, over all addresses: there a caller chooses its own address, and could
 * otherwise block the place as long as pairing is open.
 */
const cloudLeftOffMax = 3;
/** Above this, the count on the screen does not grow. */
const othersMax = 99;

/** The second message of the POS. Hex as in Transcript. */
export interface Reveal {
  readonly pairingId: string;
  readonly posPublicKey: string;
  readonly posNonce: string;
}

export interface Begun {
  readonly pairingId: string;
  readonly terminalPublicKey: string;
  readonly terminalNonce: string;
}

export interface Paired {
  readonly keyId: string;
  readonly proof: string;
}

/**
 * `closed`: the operator has not opened pairing, or the time is over. `again`: this address has not completed an
 * earlier pairing since it was opened, or too many from the cloud were not.
 */
export type NotPaired = 'closed' | 'busy' | 'again' | 'unknown' | 'changed' | 'refused' | 'full';

/** The terminal's half of a key that follows another. */
export interface Rotated extends Paired {
  readonly terminalPublicKey: string;
  readonly terminalNonce: string;
}

/** The signature of a call that agrees on a key. */
export interface SignedBy {
  readonly posId: string;
  readonly keyId: string;
  /** In seconds since 1970. */
  readonly createdS: number;
}

interface Talk extends Begun {
  readonly posId: string;
  readonly commitment: string;
  readonly privateKey: KeyObject;
  readonly address: string;
  readonly isFromCloud: boolean;
  readonly timer: unknown;
  isOver?: true;
  decide?: (yes: boolean) => void;
  code?: string;
}

export interface PairingParts {
  readonly keys: PairedKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly onChange: () => void;
}

/** One pairing at a time, while the operator has opened it: docs/pairing.md. */
export class Pairing {
  readonly #parts: PairingParts;
  #isOpen = false;
  #tries = 0;
  /** Attempts that came meanwhile or were not completed: another caller may be trying. */
  #others = 0;
  /** Addresses whose pairing was not completed. */
  readonly #leftOff = new Set<string>();
  #cloudLeftOff = 0;
  #talk: Talk | undefined;
  #timer: unknown;

  constructor(parts: PairingParts) {
    this.#parts = parts;
  }

  get view(): PairingView | undefined {
    if (!this.#isOpen) return undefined;
    const { posId, code } = this.#talk ?? {};
    const others = this.#others === 0 ? {} : { others: this.#others };
    return posId === undefined || code === undefined
      ? { stage: 'open', ...others }
      : { stage: 'compare', posId: escapePlainly(posId), code, ...others };
  }

  /** Opens pairing for a limited time. */
  open(): void {
    this.close();
    this.#isOpen = true;
    this.#tries = 0;
    this.#others = 0;
    this.#leftOff.clear();
    this.#cloudLeftOff = 0;
    this.#timer = this.#parts.clock.setTimeout(() => this.close(), openMs);
    this.#parts.onChange();
  }

  /** Closes pairing; a waiting call is answered. */
  close(): void {
    this.#parts.clock.clearTimeout(this.#timer);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#endTalk();
    this.#parts.onChange();
  }

  begin(posId: string, committed: string, address: string, isFromCloud = false): Begun | NotPaired {
    if (!this.#isOpen) return 'closed';
    const isOut = this.#leftOff.has(address) || (isFromCloud && this.#cloudLeftOff >= cloudLeftOffMax);
    if (this.#talk || isOut) {
      this.#other();
      return this.#talk ? 'busy' : 'again';
    }
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    const { random, clock } = this.#parts;
    const begun = {
      pairingId: hex(random.bytes(16)),
      terminalPublicKey: rawPublicKey(publicKey),
      terminalNonce: hex(random.bytes(32)),
    };
    const timer = clock.setTimeout(() => this.#leaveOff(), revealMs);
    this.#talk = { ...begun, posId, commitment: committed, privateKey, address, isFromCloud, timer };
    return begun;
  }

  /** Ends a pairing that was not completed, so that another can begin. */
  #leaveOff(): void {
    const { address, isFromCloud } = this.#talk ?? {};
    this.#talk = undefined;
    if (address !== undefined) this.#leftOff.add(address);
    if (isFromCloud) this.#cloudLeftOff += 1;
    this.#other();
  }

  #other(): void {
    if (this.#others === othersMax) return;
    this.#others++;
    this.#parts.onChange();
  }

  /** Shows the code. Resolves once the operator has decided, or pairing is closed. */
  async reveal({ pairingId, posPublicKey, posNonce }: Reveal): Promise<Paired | NotPaired> {
    const talk = this.#talk;
    if (!talk || talk.pairingId !== pairingId || talk.code !== undefined || talk.isOver) return 'unknown';
    const { posId, terminalPublicKey, terminalNonce } = talk;
    const said: Transcript = { posId, posPublicKey, posNonce, terminalPublicKey, terminalNonce };
    const key = commitment(said) === talk.commitment ? keyOf(talk, said) : undefined;
    if (!key) {
      talk.isOver = true;
      return 'changed';
    }
    this.#parts.clock.clearTimeout(talk.timer);
    this.#tries += 1;
    talk.code = comparisonCode(said);
    const decided = new Promise<boolean>((resolve) => (talk.decide = resolve));
    this.#parts.onChange();
    if (!(await decided)) return 'refused';
    const { random, clock, keys } = this.#parts;
    const keyId = hex(random.bytes(8));
    const full = await keys.put({ posId, keyId, key: key.toString('hex'), pairedAt: clock.now().toISOString() });
    return full ?? { keyId, proof: pairedProof(key, keyId) };
  }

  /**
   * Agrees on the key that follows the one that has signed this call. It replaces that one at its first use, so that a
   * lost answer locks no till out. The operator is not asked, because the owner of the present key is paired already.
   * `noKey`: the till's half is invalid. `unknown`: the key of the call was revoked meanwhile, or newer calls have
   * agreed on others.
   */
  async rotate(
    { posId, keyId: presentId, createdS }: SignedBy,
    { posPublicKey, posNonce }: Omit<Reveal, 'pairingId'>,
  ): Promise<Rotated | 'unknown' | 'noKey'> {
    const { random, keys } = this.#parts;
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    const half = { terminalPublicKey: rawPublicKey(publicKey), terminalNonce: hex(random.bytes(32)) };
    const key = keyOf({ privateKey }, { posId, posPublicKey, posNonce, ...half });
    if (!key) return 'noKey';
    const keyId = hex(random.bytes(8));
    const isKept = await keys.prepare(presentId, { keyId, key: key.toString('hex'), createdS });
    return isKept ? { ...half, keyId, proof: pairedProof(key, keyId) } : 'unknown';
  }

  /** The operator's decision on the code. `code` is the one that the operator has seen. */
  decide(yes: boolean, code: string): boolean {
    const talk = this.#talk;
    if (!talk?.decide || talk.code !== code) return false;
    if (!yes) {
      this.#endTalk();
      this.#parts.onChange();
      return true;
    }
    this.#talk = undefined;
    talk.decide(true);
    this.close();
    return true;
  }

  /** After too many codes, pairing is closed as well. */
  #endTalk(): void {
    const talk = this.#talk;
    this.#talk = undefined;
    this.#parts.clock.clearTimeout(talk?.timer);
    talk?.decide?.(false);
    if (this.#tries >= triesMax) this.close();
  }
}

function keyOf({ privateKey }: Pick<Talk, 'privateKey'>, said: Transcript): Buffer | undefined {
  try {
    return sharedKey(privateKey, said.posPublicKey, said);
  } catch {
    return undefined;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
