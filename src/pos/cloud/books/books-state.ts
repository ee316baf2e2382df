import type { MonotonicClock } from '../../../base/ports/clock.ts';
import type { CloudLink } from '../../../payment/contracts/cloud-link.ts';
import { IdleWait } from '../../feeds/idle-wait.ts';

/** Pause after a payment: its answer comes first, and another payment often follows. */
const quietMs = 5_000;
/** Pause between two readings, as a multiple of the time of the last one: a long batch takes long to read. */
const restFactor = 100;
const restMaxMs = 600_000;

export interface BooksStateParts {
  readonly link: Pick<CloudLink, 'publish' | 'watch'>;
  /** Payments that are in no settled batch. */
  readonly read: () => Promise<readonly object[]>;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: MonotonicClock;
  readonly onFailure: (error: Error) => void;
}

/**
 * The retained topic `books/state`: the unsettled payments of this terminal, sent at each connect and some time after a
 * change. It is read while no payment runs, for at most a hundredth of the time.
 */
export class BooksState {
  readonly #parts: BooksStateParts;
  readonly #leave: () => void;
  /** Ends the work of another connection. */
  #turn: AbortController | undefined;
  #timer: unknown;
  #isPlanned = false;
  /** There may be a change since the last reading. */
  #isStale = true;
  #last: Buffer | undefined;
  #restUntilMs = 0;
  #publishing: Promise<void> = Promise.resolve();

  constructor(parts: BooksStateParts) {
    this.#parts = parts;
    this.#leave = parts.link.watch((isUp) => {
      this.#end();
      if (!isUp) return;
      this.#turn = new AbortController();
      if (this.#last) this.#publish(this.#last);
      if (this.#isStale) this.#plan();
    });
  }

  /** Notes a write. It costs the payment only this call. */
  notice(): void {
    this.#isStale = true;
    this.#plan();
  }

  async close(): Promise<void> {
    this.#leave();
    this.#end();
    await this.#publishing;
  }

  #end(): void {
    this.#turn?.abort();
    this.#turn = undefined;
    this.#parts.clock.clearTimeout(this.#timer);
    this.#isPlanned = false;
  }

  #plan(): void {
    const { clock } = this.#parts;
    const turn = this.#turn?.signal;
    if (!turn || this.#isPlanned) return;
    this.#isPlanned = true;
    const waitMs = Math.max(this.#last ? quietMs : 0, this.#restUntilMs - clock.elapsedMs());
    this.#timer = clock.setTimeout(() => {
      this.#publishing = this.#publishing.then(() => this.#report(turn));
    }, waitMs);
  }

  async #report(turn: AbortSignal): Promise<void> {
    const { read, isIdle, clock, onFailure } = this.#parts;
    await new IdleWait(isIdle, clock).begin(turn);
    if (turn.aborted) return;
    this.#isStale = false;
    const from = clock.elapsedMs();
    try {
      const unsettled = await read();
      this.#last = Buffer.from(JSON.stringify({ at: clock.now().toISOString(), unsettled }));
      if (!turn.aborted) this.#publish(this.#last);
    } catch (error) {
      onFailure(error as Error);
    }
    const now = clock.elapsedMs();
    this.#restUntilMs = now + Math.min((now - from) * restFactor, restMaxMs);
    if (turn.aborted) return;
    this.#isPlanned = false;
    if (this.#isStale) this.#plan();
  }

  /** Lost with the connection: the next one begins with it. */
  #publish(payload: Buffer): void {
    void this.#parts.link.publish('books/state', { payload, qos: 1, retain: true }).catch(() => undefined);
  }
}
