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
import type { ReportTransport } from '../../transport/reports.ts';
import { ReaderSession, type ReaderSessionOptions } from '../reader-session.ts';
import { collectCard, type CollectLimits } from './collect.ts';
import { resume } from './commands.ts';
import { completeCard, type CompletionLimits } from './completion.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { Command } from './message.ts';
import { enterPin, type PinLimits } from './pin-pad.ts';
import { isTaken } from './status.ts';
import { transactionEnd, vanishedError } from './transaction-end.ts';

interface Limits extends ConnectionOptions, ReaderSessionOptions, CollectLimits, CompletionLimits, PinLimits {}

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
   * The second GENERATE AC of a chip. 'lost' if no card waits: it was released, or the reader vanished. Without a
   * decision the card is released by the next `collect`, by `close`, or after `decisionTimeoutMs`. Until then
   * `enterPin` is refused, because 1008 could end either of the two.
   */
  complete(decision: CardDecision): Promise<CardCompletion>;
  /**
   * Shows the outcome of a contactless card on the device. If the next `collect`, `enterPin`, `close` or
   * `decisionTimeoutMs` comes first, the device gets Z3, and a later call has no effect.
   */
  show(decision: CardDecision): Promise<void>;
  readonly pinPad: PinPad;
}

/** A MagTek reader of the MMS family on its reports, which it owns from now on. Unverified on hardware. */
export function mmsReader(reports: ReportTransport, options: MmsOptions): MmsReader {
  return new Reader(reports, options);
}

class Reader implements MmsReader {
  readonly interfaces = ['contactless', 'chip', 'magstripe'] as const;
  readonly pinPad: PinPad = {
    enterPin: async (request, signal) => {
      if (signal.aborted) return { kind: 'cancelled' };
      if (this.#session.cardWaits)
        throw new DeviceError('refused', `${this.name} has a card that waits for its decision`);
      return this.#session.operate(signal, 'goes', (stop) => enterPin(this.#connection, request, this.#limits, stop));
    },
  };
  readonly #limits: Limits;
  readonly #connection: Connection;
  readonly #session: ReaderSession;

  constructor(reports: ReportTransport, options: MmsOptions) {
    this.#limits = { ...defaults, ...options };
    this.#connection = new Connection(reports, this.#limits);
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

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#connection.lane.onState(listener);
  }

  async collect(
    request: CollectRequest,
    signal: AbortSignal,
    onRetry?: (reason: RetryReason) => void,
  ): Promise<CollectOutcome> {
    if (signal.aborted) return { kind: 'cancelled' };
    const collectOnce = async (stop: AbortSignal) => {
      const outcome = await collectCard(this.#connection, request, this.#limits, stop);
      if (outcome.kind === 'card' && outcome.card.awaitsDecision) this.#session.awaitDecision();
      if (outcome.kind === 'card' && outcome.card.awaitsOutcome) {
        const unheard = outcomeCommand({ kind: 'unreachable' }, this.#connection.serial);
        this.#session.awaitOutcome(() => this.#showOutcome(unheard));
      }
      return outcome;
    };
    return this.#session.collect(signal, collectOnce, onRetry);
  }

  async complete(decision: CardDecision): Promise<CardCompletion> {
    const command = resume(decision, this.#connection.serial);
    return this.#session.sendDecision(() => completeCard(this.#connection, command, decision, this.#limits));
  }

  async show(decision: CardDecision): Promise<void> {
    const command = outcomeCommand(decision, this.#connection.serial);
    return this.#session.sendOutcome(() => this.#showOutcome(command));
  }

  #showOutcome(command: Command): Promise<void> {
    return showOutcome(this.#connection, command, this.#limits.endTimeoutMs);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/**
 * 1004 for a contactless card. The card has left the field, and issuer data can't reach it: only 8A is sent, and the
 * device's answer decides nothing. But in the EMV flow the device shows the outcome (Programmer's Manual, p.94, step
 * 10). So it gets the host's answer, and Z3 only without one.
 */
function outcomeCommand(decision: CardDecision, serial: Uint8Array): Command {
  return resume(decision.kind === 'unreachable' ? decision : { ...decision, issuerData: new Map() }, serial);
}

/**
 * Sends the 1004 and waits for the end of the transaction. If the device has given up the transaction, it is over too.
 */
async function showOutcome(connection: Connection, command: Command, endTimeoutMs: number): Promise<void> {
  const reply = await connection.request(command);
  if (reply.kind === 'vanished') throw vanishedError(connection);
  if (reply.kind === 'response' && isTaken(reply.summary)) await transactionEnd(connection, endTimeoutMs);
  else await connection.disarm();
}
