/** The keys of a request and of its answer. */
export interface KeyPair {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  /** The serial number of a DUKPT key, which is sent with the request. Absent for keys that are used repeatedly. */
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

/** More requests than a terminal sends before the last answer to the oldest can arrive. */
const sentMax = 64;

/** The answer keys of recent requests, if each request has a key of its own. */
export class SentPairs {
  readonly #pairs: (readonly [answer: string, pair: KeyPair])[] = [];

  /** `answer`: the numbers that the answer has. The answer to a repeat has the same. */
  note(answer: string, pair: KeyPair): void {
    if (!pair.ksn) return;
    this.#pairs.push([answer, pair]);
    if (this.#pairs.length > sentMax) this.#pairs.shift()?.[1].answer.fill(0);
  }

  /** Undefined: no recent request with a key of its own expects an answer with these numbers. */
  of(answer: string): readonly KeyPair[] | undefined {
    const found = this.#pairs.filter(([each]) => each === answer).map(([, pair]) => pair);
    return found.length > 0 ? found : undefined;
  }
}
