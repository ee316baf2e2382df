import type { CardCompletion } from '../../src/ports/card-reader.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { DeviceError } from '../../src/ports/device.ts';
import type { DeviceLane } from './device-lane.ts';

export interface ReaderSessionOptions {
  readonly clock: Clock;
  /** A card that waits for a decision which nobody brings is let go after this. */
  readonly decisionTimeoutMs: number;
}

/** What is occupied: its lane, and what ends whatever it is at. */
export interface OccupiedReader {
  readonly name: string;
  readonly lane: DeviceLane;
  /** Throws DeviceError where the reader does not confirm it. Only inside the lane's `exclusively`. */
  disarm(): Promise<void>;
}

/** Who has a reader: one collect or PIN entry, and the chip that waits in its slot for what becomes of it. */
export class ReaderSession {
  readonly #reader: OccupiedReader;
  readonly #options: ReaderSessionOptions;
  /** Ends the collect or the PIN entry that is at work. */
  #stop: AbortController | undefined;
  /** What waits for a decision, and how it is let go in the end: a card in the slot, or a display whose card is gone. */
  #waiting: { readonly timer: unknown; readonly letGo: () => Promise<void>; readonly isCard: boolean } | undefined;

  constructor(reader: OccupiedReader, options: ReaderSessionOptions) {
    this.#reader = reader;
    this.#options = options;
    reader.lane.onState((state) => {
      // A reader that was gone has no card any more, whatever is in its slot.
      if (state !== 'ready' && this.#take()) this.#rest();
    });
  }

  get cardWaits(): boolean {
    return this.#waiting?.isCard === true;
  }

  /**
   * Claims the reader for one collect or PIN entry. `waiting`: a card that still waits is let go first, or stays. Throws DeviceError
   * 'absent' or 'vanished' without a reader, 'refused' where another has it.
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
        // Both may have changed while something else had the reader.
        if (stop.signal.aborted) return { kind: 'cancelled' };
        if (lane.state !== 'ready') throw new DeviceError('vanished', `${name} went before it was armed`);
        return work(stop.signal);
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#stop = undefined;
      this.#rest();
    }
  }

  /** From now on a card waits: it is decided on, or let go. Throws DeviceError 'vanished' where the reader went meanwhile. */
  awaitDecision(): void {
    this.#await(() => this.#reader.disarm(), true);
  }

  /** The same of a card that is gone, and a display that waits. `letGo`: nobody says what came of it. Only inside `exclusively`. */
  awaitOutcome(letGo: () => Promise<void>): void {
    this.#await(letGo, false);
  }

  #await(letGo: () => Promise<void>, isCard: boolean): void {
    const { name, lane } = this.#reader;
    if (lane.state !== 'ready') throw new DeviceError('vanished', `${name} went with a card in it`);
    const { clock, decisionTimeoutMs } = this.#options;
    this.#waiting = { timer: clock.setTimeout(() => this.#letGo(), decisionTimeoutMs), letGo, isCard };
  }

  /** Tells the card that waits what became of it. 'lost' where none waits. */
  async tellDecision(tell: () => Promise<CardCompletion>): Promise<CardCompletion> {
    if (!this.cardWaits || !this.#take()) return { kind: 'lost' };
    try {
      return await this.#reader.lane.exclusively(tell);
    } finally {
      this.#rest();
    }
  }

  /** Tells the display what became of the card. Nothing where it waits no more. */
  async tellOutcome(tell: () => Promise<void>): Promise<void> {
    if (this.cardWaits || !this.#take()) return;
    try {
      await this.#reader.lane.exclusively(tell);
    } finally {
      this.#rest();
    }
  }

  async close(): Promise<void> {
    this.#letGo();
    this.#stop?.abort();
    // An armed reader is disarmed first: it would go on reading cards for nobody.
    await this.#reader.lane.close();
  }

  /** How what waits is let go, where something does. It is the caller's from then on, to be told or let go. */
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
    // A reader that does not let go is being started over with; there is nobody to tell.
    void gone.catch(() => {}).finally(() => this.#rest());
  }

  /** The heartbeat goes on once nothing is at work and no card waits. */
  #rest(): void {
    if (!this.#stop && !this.#waiting) this.#reader.lane.release();
  }
}
