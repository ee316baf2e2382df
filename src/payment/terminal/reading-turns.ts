import { CallerQueues } from '../../base/ports/caller-queues.ts';

/** At most so many requests of one caller may wait for their turn: each keeps a connection. */
const shareMax = 8;
/** At most so many of all callers. */
const waitingMax = 64;
/** If none of a caller's requests waits, one is accepted beyond that limit, up to so many of all callers. */
const callersMax = 128;

/**
 * Lists and reports are made one after the other, so a payment's commit waits for one piece of their reading at most,
 * however many POS read. Callers take turns: the requests of a caller with many do not delay the single request of
 * another.
 */
export class ReadingTurns {
  readonly #waiting = new CallerQueues<() => Promise<void>>();
  #isReading = false;

  /** `caller`: the paired POS, or another identity of the caller. Undefined, at once, if too many wait already. */
  run<T>(caller: string, work: () => Promise<T>): Promise<T> | undefined {
    const own = this.#waiting.countOf(caller);
    const most = own === 0 ? callersMax : waitingMax;
    if (own >= shareMax || this.#waiting.size >= most) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add(caller, () => Promise.resolve().then(work).then(resolve, reject));
    void this.#read();
    return promise;
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let begin = this.#waiting.next(); begin; begin = this.#waiting.next()) await begin();
    this.#isReading = false;
  }
}
