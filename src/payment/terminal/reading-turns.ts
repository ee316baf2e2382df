/** At most so many requests of one caller may wait for their turn: each keeps a connection. */
const shareMax = 8;
/** At most so many of all callers. */
const waitingMax = 64;
/** If none of a caller's requests waits, one is accepted beyond that limit, up to so many of all callers. */
const callersMax = 128;

interface Turn {
  readonly begin: () => Promise<void>;
}

/**
 * Lists and reports are made one after the other, so a payment's commit waits for one piece of their reading at most,
 * however many POS read. Callers take turns: the requests of a caller with many do not delay the single request of
 * another.
 */
export class ReadingTurns {
  /** The waiting requests by caller: the caller whose turn is next comes first. */
  readonly #waiting = new Map<string, Turn[]>();
  #count = 0;
  #isReading = false;

  /** `caller`: the paired POS, or another identity of the caller. Undefined, at once, if too many wait already. */
  run<T>(caller: string, work: () => Promise<T>): Promise<T> | undefined {
    const own = this.#waiting.get(caller) ?? [];
    const most = own.length === 0 ? callersMax : waitingMax;
    if (own.length >= shareMax || this.#count >= most) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    own.push({ begin: () => Promise.resolve().then(work).then(resolve, reject) });
    this.#waiting.set(caller, own);
    this.#count += 1;
    void this.#read();
    return promise;
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let turn = this.#next(); turn; turn = this.#next()) await turn.begin();
    this.#isReading = false;
  }

  #next(): Turn | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [caller, [turn, ...others]] = first;
    this.#waiting.delete(caller);
    // It goes to the end of the queue.
    if (others.length > 0) this.#waiting.set(caller, others);
    this.#count -= 1;
    return turn;
  }
}
