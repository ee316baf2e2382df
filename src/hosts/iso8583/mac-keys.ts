/** The keys of a request and of its answer. */
export interface KeyPair {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  /** The serial number of a DUKPT key, which is sent with the request. */
  readonly ksn?: Uint8Array | undefined;
}

/** The source of the keys of one host's message authentication codes. */
export interface MacKeys {
  /** The keys of the next request. Undefined: there are none, and no message that needs one may be sent. */
  next(): KeyPair | undefined | Promise<KeyPair | undefined>;
  /** The keys of messages that answer no request in flight, such as late answers. */
  readonly recent: readonly KeyPair[];
}

/** One fixed key for every message. */
export function fixedKeys(hex: string): MacKeys {
  const key = Buffer.from(hex, 'hex');
  const pair = { request: key, answer: key };
  return { next: () => pair, recent: [pair] };
}
