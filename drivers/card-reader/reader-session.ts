import type { CardCompletion, CollectOutcome, RetryReason } from '../../src/base/ports/card-reader.ts';
import type { Clock } from '../../src/base/ports/clock.ts';
import { DeviceError } from '../../src/base/ports/device.ts';
import type { DeviceLane } from './device-lane.ts';

export interface ReaderSessionOptions {
  readonly clock: Clock;
  /** A card that waits for its decision is released after this time. */
  readonly decisionTimeoutMs: number;
}

/** The reader that a session occupies. */
export interface OccupiedReader {
  readonly name: string;
  readonly lane: DeviceLane;
  /** Ends the reader's current work. Throws DeviceError if the reader does not confirm. Only inside `exclusively`. */
  disarm(): Promise<void>;
}

/** The current use of a reader: one collect or PIN entry, and the chip that waits in its slot for the decision. */
export class ReaderSession {
  readonly #reader: OccupiedReader;
  readonly #options: ReaderSessionOptions;
  /** How often a collect armed the reader. */
  turns = 0;
  /** Ends the current collect or PIN entry. */
  #stop: AbortController | undefined;
  /**
   * What waits for a decision, and how to release it: a card in the slot, or a display whose card has left the field.
   */
  #waiting: { readonly timer: unknown; readonly letGo: () => Promise<void>; readonly isCard: boolean } | undefined;

  constructor(reader: OccupiedReader, options: ReaderSessionOptions) {
    this.#reader = reader;
    this.#options = options;
    reader.lane.onState((state) => {
      // A reader that had vanished has ended its card's transaction, even if the card is still in its slot.
      if (state !== 'ready' && this.#take()) this.#rest();
    });
  }

  get cardWaits(): boolean {
    return this.#waiting?.isCard === true;
  }

  /**
   * Claims the reader for one collect or PIN entry. `waiting`: whether a card that still waits is released first, or
   * stays. Throws DeviceError 'absent' or 'vanished' without a reader, 'refused' while another caller uses it.
   */
  async operate<Outcome>(
    signal: AbortSignal,
    waiting: 'goes' | 'stays',
    work: (stop: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: 'cancelled' }> {
    const { name, lane } = this.#reader;
    if (lane.state !== 'ready') throw new DeviceError('absent', `${name} is ${lane.state}`);
    if (this.#stop) throw new DeviceError('refused', `${name} is busy`);
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#stop = stop;
    lane.hold();
    const waited = waiting === 'goes' ? this.#take() : undefined;
    try {
      return await lane.exclusively(async () => {
        await waited?.();
        // Both may have changed while another caller used the reader.
        if (stop.signal.aborted) return { kind: 'cancelled' };
        if (lane.state !== 'ready') throw new DeviceError('vanished', `${name} vanished before it was armed`);
        return work(stop.signal);
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#stop = undefined;
      this.#rest();
    }
  }

  /**
   * As `operate`, for a collect. With `onRetry` a `tryAgain` does not end it: `collectCard` is called again. `onRetry`
   * is called asynchronously, so it can't delay that.
   */
  collect(
    signal: AbortSignal,
    collectCard: (stop: AbortSignal) => Promise<CollectOutcome>,
    onRetry?: (reason: RetryReason) => void,
  ): Promise<CollectOutcome> {
    return this.operate(signal, 'goes', async (stop) => {
      for (;;) {
        this.turns++;
        const outcome = await collectCard(stop);
        const isOver = outcome.kind !== 'tryAgain' || stop.aborted || this.#reader.lane.state !== 'ready';
        if (isOver || !onRetry) return outcome;
        queueMicrotask(() => onRetry(outcome.reason));
      }
    });
  }

  /** From now on a card waits for `decide` or its release. Throws DeviceError 'vanished' if the reader vanished. */
  awaitDecision(): void {
    this.#await(() => this.#reader.disarm(), true);
  }

  /**
   * The same for a display that waits after its card has left the field. `letGo` releases it if no outcome comes. Only
   * inside `exclusively`.
   */
  awaitOutcome(letGo: () => Promise<void>): void {
    this.#await(letGo, false);
  }

  #await(letGo: () => Promise<void>, isCard: boolean): void {
    const { name, lane } = this.#reader;
    if (lane.state !== 'ready') throw new DeviceError('vanished', `${name} vanished with a card in it`);
    const { clock, decisionTimeoutMs } = this.#options;
    this.#waiting = { timer: clock.setTimeout(() => this.#letGo(), decisionTimeoutMs), letGo, isCard };
  }

  /** Sends the decision to the card that waits. 'lost' if none waits. */
  async sendDecision(send: () => Promise<CardCompletion>): Promise<CardCompletion> {
    if (!this.cardWaits || !this.#take()) return { kind: 'lost' };
    try {
      return await this.#reader.lane.exclusively(send);
    } finally {
      this.#rest();
    }
  }

  /** Sends the card's outcome to the display. Does nothing if the display no longer waits. */
  async sendOutcome(send: () => Promise<void>): Promise<void> {
    if (this.cardWaits || !this.#take()) return;
    try {
      await this.#reader.lane.exclusively(send);
    } finally {
      this.#rest();
    }
  }

  async close(): Promise<void> {
    this.#letGo();
    this.#stop?.abort();
    // An armed reader is disarmed first: otherwise it would continue to read cards.
    await this.#reader.lane.close();
  }

  /** Transfers the waiting card or display to the caller, which must send the decision or call the returned release. */
  #take(): (() => Promise<void>) | undefined {
    const waiting = this.#waiting;
    if (!waiting) return undefined;
    this.#options.clock.clearTimeout(waiting.timer);
    this.#waiting = undefined;
    return waiting.letGo;
  }

  #letGo(): void {
    const letGo = this.#take();
    if (!letGo) return;
    const gone = this.#reader.lane.exclusively(letGo);
    // If the release fails, `disarm` has already started over with the reader, and no caller waits for the error.
    void gone.catch(() => {}).finally(() => this.#rest());
  }

  /** Restarts the heartbeat if nothing is running and no card waits. */
  #rest(): void {
    if (!this.#stop && !this.#waiting) this.#reader.lane.release();
  }
}
