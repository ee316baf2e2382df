import type { OutOfStepManner } from './manners.ts';

/** A working key as the host sends it. */
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
  /** The keys that may authenticate this request, which is given without its code. Throws MalformedMessage. */
  pairsFor(request: Buffer): readonly KeyPair[];
  /** The next working key; absent for a host that sends none. */
  issue?(): IssuedKey;
  fallOutOfStep?(manner: OutOfStepManner): void;
  /**
   * Whether the key of an authentic request was not used before. Marks it as used. Absent: a key may be used for any
   * number of requests.
   */
  isFresh?(request: Buffer): boolean;
  /** If none of its keys authenticates a request: the keys of the answer that reports this. */
  refusing?(isUnder: (pair: KeyPair) => boolean): KeyPair | undefined;
}

/** One fixed key for all messages, in both directions. */
export function fixedKey(key: Buffer): HostKeys {
  return { pairsFor: () => [{ request: key, answer: key }] };
}
