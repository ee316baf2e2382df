import type {
  CardCompletion,
  CardDecision,
  CardInterface,
  CardReader,
  CollectOutcome,
  CollectRequest,
} from '../../../src/ports/card-reader.ts';
import { DeviceError, type DeviceState } from '../../../src/ports/device.ts';
import type { PinPad } from '../../../src/ports/pin-pad.ts';
import type { ReportTransport } from '../../transport/reports.ts';
import { collectCard, type CollectLimits } from './collect.ts';
import { resume } from './commands.ts';
import { completeCard, type CompletionLimits } from './completion.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { enterPin, type PinLimits } from './pin-pad.ts';

interface Limits extends ConnectionOptions, CollectLimits, CompletionLimits, PinLimits {
  /** A card that waits for a decision which nobody brings is let go after this. */
  readonly decisionTimeoutMs: number;
}

export type MmsOptions = Pick<Limits, 'clock'> & Partial<Limits>;

/** Chosen, not published: no document gives a reader's slowest answer. Unverified on hardware. */
const defaults = {
  replyTimeoutMs: 2_000,
  cancelTimeoutMs: 3_000,
  cancelAgainMs: 500,
  answerMarginMs: 3_000,
  endTimeoutMs: 2_000,
  completionTimeoutMs: 10_000,
  decisionTimeoutMs: 300_000,
  messageGapMs: 500,
  heartbeatMs: 30_000,
  retryMs: 2_000,
} as const;

export interface MmsReader extends CardReader {
  readonly interfaces: readonly CardInterface[];
  /**
   * The second stage of a chip. 'lost' where no card waits: it was let go, or the reader went meanwhile. A card that
   * nobody decides on is let go by the next `collect`, by `close`, and by itself after `decisionTimeoutMs`; until then
   * `enterPin` is refused: 1008 could end either of the two.
   */
  complete(decision: CardDecision): Promise<CardCompletion>;
  readonly pinPad: PinPad;
}

/** A MagTek reader of the MMS family on its reports, which it owns from now on. Unverified on hardware. */
export function mmsReader(reports: ReportTransport, options: MmsOptions): MmsReader {
  return new Reader(reports, options);
}

class Reader implements MmsReader {
  readonly interfaces = ['contactless', 'chip', 'stripe'] as const;
  readonly pinPad: PinPad = {
    enterPin: async (request, signal) => {
      if (signal.aborted) return { kind: 'cancelled' };
      if (this.#chip) throw new DeviceError('refused', `${this.name} has a card that waits for its decision`);
      return this.#operate(signal, (stop) => enterPin(this.#connection, request, this.#limits, stop));
    },
  };
  readonly #limits: Limits;
  readonly #connection: Connection;
  /** Ends the collect or the PIN entry that is at work. */
  #stop: AbortController | undefined;
  /** The card that waits for a decision, and what lets it go in the end. */
  #chip: { readonly timer: unknown } | undefined;

  constructor(reports: ReportTransport, options: MmsOptions) {
    this.#limits = { ...defaults, ...options };
    this.#connection = new Connection(reports, this.#limits);
    this.#connection.onState((state) => {
      // A reader that was gone has no card any more, whatever is in its slot.
      if (state !== 'ready' && this.#takeChip()) this.#rest();
    });
  }

  get name(): string {
    return this.#connection.name;
  }

  get state(): DeviceState {
    return this.#connection.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#connection.onState(listener);
  }

  async collect(request: CollectRequest, signal: AbortSignal): Promise<CollectOutcome> {
    if (signal.aborted) return { kind: 'cancelled' };
    return this.#operate(signal, async (stop) => {
      const outcome = await collectCard(this.#connection, request, this.#limits, stop);
      if (outcome.kind === 'card' && outcome.card.awaitsDecision) this.#awaitDecision();
      return outcome;
    });
  }

  async complete(decision: CardDecision): Promise<CardCompletion> {
    const command = resume(decision, this.#connection.serial);
    if (!this.#takeChip()) return { kind: 'lost' };
    try {
      return await this.#connection.exclusively(() => completeCard(this.#connection, command, decision, this.#limits));
    } finally {
      this.#rest();
    }
  }

  async close(): Promise<void> {
    this.#letGo();
    this.#stop?.abort();
    // An armed reader is disarmed first: it would go on reading cards for nobody.
    await this.#connection.close();
  }

  /** Claims the reader for one collect or PIN entry. A card that still waits is let go first. */
  async #operate<Outcome>(
    signal: AbortSignal,
    work: (stop: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: 'cancelled' }> {
    if (this.state !== 'ready') throw new DeviceError('absent', `${this.name} is ${this.state}`);
    if (this.#stop) throw new DeviceError('refused', `${this.name} is busy`);
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#stop = stop;
    this.#connection.hold();
    const waited = this.#takeChip();
    try {
      return await this.#connection.exclusively(async () => {
        if (waited) await this.#connection.disarm();
        // Both may have changed while something else had the reader.
        if (stop.signal.aborted) return { kind: 'cancelled' };
        if (this.state !== 'ready') throw new DeviceError('vanished', `${this.name} went before it was armed`);
        return work(stop.signal);
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#stop = undefined;
      this.#rest();
    }
  }

  #awaitDecision(): void {
    if (this.state !== 'ready') throw new DeviceError('vanished', `${this.name} went with a card in it`);
    const { clock, decisionTimeoutMs } = this.#limits;
    this.#chip = { timer: clock.setTimeout(() => this.#letGo(), decisionTimeoutMs) };
  }

  /** Whether a card waits. It is the caller's from then on, to be completed or let go. */
  #takeChip(): boolean {
    if (!this.#chip) return false;
    this.#limits.clock.clearTimeout(this.#chip.timer);
    this.#chip = undefined;
    return true;
  }

  #letGo(): void {
    if (!this.#takeChip()) return;
    const gone = this.#connection.exclusively(() => this.#connection.disarm());
    // A reader that does not let go is being started over with; there is nobody to tell.
    void gone.catch(() => {}).finally(() => this.#rest());
  }

  /** The heartbeat goes on once nothing is at work and no card waits. */
  #rest(): void {
    if (!this.#stop && !this.#chip) this.#connection.release();
  }
}
