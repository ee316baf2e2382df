/** The keys of a request and of its answer. */
export interface KeyPair {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  /** The serial number of keys that are used for this request only (DUKPT). It is sent with the request. */
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

/** More than a terminal sends until the last answer to them can arrive. */
const sentMax = 64;

/** The keys of the answers to recent requests, if each request has its own. */
export class SentPairs {
  readonly #pairs: (readonly [answer: string, pair: KeyPair])[] = [];

  /** `answer`: the numbers of its answer. A repeat has those of the request before it. */
  note(answer: string, pair: KeyPair): void {
    if (!pair.ksn) return;
    this.#pairs.push([answer, pair]);
    if (this.#pairs.length > sentMax) this.#pairs.shift()?.[1].answer.fill(0);
  }

  /** Undefined: no request with a key of its own has an answer with these numbers. */
  of(answer: string): readonly KeyPair[] | undefined {
    const found = this.#pairs.filter(([each]) => each === answer).map(([, pair]) => pair);
    return found.length > 0 ? found : undefined;
  }
}
