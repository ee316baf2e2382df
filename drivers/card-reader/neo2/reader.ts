import type {
  CardCompletion,
  CardDecision,
  CardInterface,
  CardReader,
  CollectOutcome,
  CollectRequest,
  RetryReason,
} from '../../../src/base/ports/card-reader.ts';
import { DeviceError, type DeviceState } from '../../../src/base/ports/device.ts';
import type { PinPad } from '../../../src/base/ports/pin-pad.ts';
import type { Transport } from '../../transport/transport.ts';
import { ReaderSession, type ReaderSessionOptions } from '../reader-session.ts';
import { armedInterfaces, waitSeconds } from '../transaction-request.ts';
import * as commands from './commands.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { completeCard, type CompletionLimits } from './contact.ts';
import type { Reply } from './exchange.ts';
import { enterPin, type PinLimits } from './pin-pad.ts';
import { collectOutcome } from './frame.ts';
import { status } from './status.ts';

interface Limits extends ConnectionOptions, ReaderSessionOptions, CompletionLimits, PinLimits {
  /**
   * The reader is set up to complete a chip itself, with 8A = Z3, before the host has answered. No card waits, and its
   * second cryptogram is independent of the outcome. Unverified on hardware.
   */
  readonly quickChip: boolean;
}

export type Neo2Options = Pick<Limits, 'clock'> & Partial<Limits>;

/** Chosen, not published: no document gives a reader's slowest answer. Unverified on hardware. */
const defaults = {
  replyTimeoutMs: 2_000,
  cancelTimeoutMs: 3_000,
  answerMarginMs: 3_000,
  completionTimeoutMs: 10_000,
  decisionTimeoutMs: 300_000,
  frameGapMs: 500,
  heartbeatMs: 30_000,
  retryMs: 2_000,
  quickChip: false,
} as const;

export interface Neo2Reader extends CardReader {
  /** Firmware version; undefined until the reader has reported it. */
  readonly firmware: string | undefined;
  readonly interfaces: readonly CardInterface[];
  /**
   * The second GENERATE AC of a chip. 'lost' if no card waits: it was released, or the reader vanished. Without a
   * decision the card is released by the next `collect`, by `close`, or after `decisionTimeoutMs`; until then its PIN
   * may be requested.
   */
  complete(decision: CardDecision): Promise<CardCompletion>;
  readonly pinPad: PinPad;
}

/** An ID TECH NEO2 reader on a transport, which it owns from now on. Unverified on hardware. */
export function neo2Reader(transport: Transport, options: Neo2Options): Neo2Reader {
  return new Reader(transport, options);
}

class Reader implements Neo2Reader {
  readonly interfaces = ['contactless', 'chip', 'magstripe'] as const;
  readonly pinPad: PinPad = {
    enterPin: async (request, signal) => {
      if (signal.aborted) return { kind: 'cancelled' };
      return this.#session.operate(signal, 'stays', (stop) =>
        enterPin(this.#connection, request, this.#limits, stop, this.#session.cardWaits),
      );
    },
  };
  readonly #limits: Limits;
  readonly #connection: Connection;
  readonly #session: ReaderSession;

  constructor(transport: Transport, options: Neo2Options) {
    this.#limits = { ...defaults, ...options };
    this.#connection = new Connection(transport, this.#limits);
    this.#session = new ReaderSession(this.#connection, this.#limits);
  }

  get name(): string {
    return this.#connection.name;
  }

  get turns(): number {
    return this.#session.turns;
  }

  get state(): DeviceState {
    return this.#connection.lane.state;
  }

  get firmware(): string | undefined {
    return this.#connection.firmware;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#connection.lane.onState(listener);
  }

  async collect(
    request: CollectRequest,
    signal: AbortSignal,
    onRetry?: (reason: RetryReason) => void,
  ): Promise<CollectOutcome> {
    if (signal.aborted) return { kind: 'cancelled' };
    const frame = commands.activate(request);
    return this.#session.collect(signal, (stop) => this.#collectCard(frame, request, stop), onRetry);
  }

  async complete(decision: CardDecision): Promise<CardCompletion> {
    const frame = commands.applyHostResponse(decision);
    return this.#session.sendDecision(() => completeCard(this.#connection, frame, decision, this.#limits));
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #collectCard(frame: Uint8Array, request: CollectRequest, signal: AbortSignal): Promise<CollectOutcome> {
    const { name } = this;
    const reply = await this.#connection.run(frame, commands.command.activate, {
      timeoutMs: waitSeconds(request.timeoutMs) * 1_000 + this.#limits.answerMarginMs,
      signal,
    });
    switch (reply.kind) {
      case 'answer':
        return this.#handleCardAnswer(reply, request, signal);
      case 'aborted':
        await this.#connection.disarm();
        return { kind: 'cancelled' };
      case 'garbled':
        await this.#connection.disarm();
        return signal.aborted ? { kind: 'cancelled' } : { kind: 'tryAgain', reason: 'read-error' };
      case 'silent':
        await this.#connection.disarm();
        throw new DeviceError('timeout', `${name} gave no answer to 02-40`);
      case 'vanished':
        throw new DeviceError('vanished', `${name} vanished while it was armed`);
      default:
        return reply satisfies never;
    }
  }

  async #handleCardAnswer(
    reply: Extract<Reply, { kind: 'answer' }>,
    request: CollectRequest,
    signal: AbortSignal,
  ): Promise<CollectOutcome> {
    let outcome: CollectOutcome | undefined;
    try {
      // The abort came after the answer: even so, no card is returned.
      outcome = signal.aborted ? { kind: 'cancelled' } : collectOutcome(reply.status, reply.data, request);
      if (outcome.kind !== 'card' || !outcome.card.awaitsDecision) return outcome;
      if (this.#limits.quickChip) return { kind: 'card', card: { ...outcome.card, awaitsDecision: undefined } };
      this.#session.awaitDecision();
      return outcome;
    } finally {
      reply.data.fill(0);
      // The reader may have lost power, and its poll mode with it, while its path stayed: it is prepared again.
      if (reply.status === status.notAllowed) this.#connection.lane.startOver();
      const mayWait = armedInterfaces(request).has('chip') && leavesCard(reply.status);
      // A chip that is not returned would wait for its decision without end.
      if (mayWait && outcome?.kind !== 'card') await this.#connection.disarm();
    }
  }
}

/** Statuses of an answer to 02-40 after which a chip may still wait in its slot. */
function leavesCard(code: number): boolean {
  return code === status.ok || code === status.requestOnline;
}
