import type { Clock, Random } from '../../../base/ports/clock.ts';
import type { FeedAnswer } from '../../feeds/feed-sink.ts';

/** Maximum silence of the sink before a repeat, at first and after many attempts: it may be away for a day. */
const silenceMs = 10_000;
const silenceMaxMs = 600_000;

/** Messages that the sink has not acknowledged: only their places, as they can be read again. */
export class Unacknowledged {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onSilence: () => void;
  #waiting: { readonly place: number; readonly accept: (answer: FeedAnswer) => void }[] = [];
  #silenceMs = silenceMs;
  #timer: unknown;
  #isSilent = true;

  constructor(clock: Clock, random: Random, onSilence: () => void) {
    this.#clock = clock;
    this.#random = random;
    this.#onSilence = onSilence;
  }

  get count(): number {
    return this.#waiting.length;
  }

  /** Whether the last message was not answered: then one message at a time suffices. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Resolves once the sink has all entries up to this place. */
  add(place: number): Promise<FeedAnswer> {
    const { promise, resolve: accept } = Promise.withResolvers<FeedAnswer>();
    this.#waiting.push({ place, accept });
    if (this.#waiting.length === 1) this.#listen();
    return promise;
  }

  /** The sink has all entries up to this place. */
  drop(until: number): void {
    const dropped = this.#waiting.filter(({ place }) => place <= until);
    const waiting = (this.#waiting = this.#waiting.filter(({ place }) => place > until));
    for (const { accept } of dropped) accept({ kind: 'accepted' });
    if (dropped.length === 0) return;
    this.#clock.clearTimeout(this.#timer);
    if (waiting.length > 0) this.#listen();
  }

  clear(): void {
    this.#waiting = [];
    this.#clock.clearTimeout(this.#timer);
  }

  /** Called at an acknowledgement of the sink. */
  noteWord(): void {
    this.#isSilent = false;
    this.calm();
  }

  /** Resets the maximum silence to the short one. */
  calm(): void {
    this.#silenceMs = silenceMs;
  }

  /** A random share, so that terminals of a fleet do not repeat at the same moment. */
  #listen(): void {
    const [chance = 0] = this.#random.bytes(1);
    const ms = this.#silenceMs * (1 + chance / 256);
    this.#timer = this.#clock.setTimeout(() => {
      this.#isSilent = true;
      this.#silenceMs = Math.min(this.#silenceMs * 2, silenceMaxMs);
      this.#onSilence();
    }, ms);
  }
}
