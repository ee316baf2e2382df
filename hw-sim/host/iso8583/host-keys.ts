import type { OutOfStepManner } from './manners.ts';

/** A working key as it is sent. */
export interface IssuedKey {
  readonly wrapped: Buffer;
  readonly checkValue: Buffer;
}

/** The keys of a request and of its answer. */
export interface KeyPair {
  readonly request: Buffer;
  readonly answer: Buffer;
}

/** The keys that a host and its terminals share. */
export interface HostKeys {
  /** Those that this request, without its code, may be under. Throws MalformedMessage. */
  pairsFor(request: Buffer): readonly KeyPair[];
  /** The next working key; absent for a host that sends none. */
  issue?(): IssuedKey;
  fallOutOfStep?(manner: OutOfStepManner): void;
  /** For a request that none of its keys fits: those of the answer that says so. */
  refusing?(isUnder: (pair: KeyPair) => boolean): KeyPair | undefined;
}

/** The same key for every message, in both directions. */
export function fixedKey(key: Buffer): HostKeys {
  return { pairsFor: () => [{ request: key, answer: key }] };
}
