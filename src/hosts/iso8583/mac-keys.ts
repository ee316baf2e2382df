/** The keys of a request and of its answer. */
export interface KeyPair {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  /** The serial number of a DUKPT key, which is sent with the request. */
  readonly ksn?: Uint8Array | undefined;
}

/** Where the keys of the messages of one host come from. */
export interface MacKeys {
  /** Those of the next request; undefined: there are none, and nothing may be sent that needs one. */
  next(): KeyPair | undefined | Promise<KeyPair | undefined>;
  /** Under which a message may be that answers no request in flight: one that comes late. */
  readonly recent: readonly KeyPair[];
}

/** The same key for every message. */
export function fixedKeys(hex: string): MacKeys {
  const key = Buffer.from(hex, 'hex');
  const pair = { request: key, answer: key };
  return { next: () => pair, recent: [pair] };
}
