import type { Clock } from '../../../src/base/ports/clock.ts';
import { type AbsenceListener, DeviceError, type DeviceState } from '../../../src/base/ports/device.ts';
import type {
  OctopusDeduct,
  OctopusDeduction,
  OctopusFinding,
  OctopusPoll,
  OctopusReader,
  OctopusUpload,
} from '../../../src/base/ports/octopus-reader.ts';
import { meaningOf } from './codes.ts';
import { AgentLink, type Reply } from './link.ts';
import * as wire from './wire.ts';

export interface OctopusAgentOptions {
  /** The agent's Unix socket. */
  readonly path: string;
  readonly clock: Clock;
  readonly answerTimeoutMs?: number;
  readonly reconnectMs?: number;
  /** How long one poll lasts. An aborted poll ends at the latest with the current one. */
  readonly pollMs?: number;
  readonly onFault?: AbsenceListener;
  /** Pause between two polls: keeps an agent that answers at once from using a whole CPU. */
  readonly pollPauseMs?: number;
}

const defaults = { answerTimeoutMs: 1_000, reconnectMs: 1_000, pollMs: 500, pollPauseMs: 20 } as const;

/**
 * The operator's reader, behind the agent that has the operator's library (fixtures/README.md, Octopus). Invalid
 * arguments reject with RangeError: a fault of the caller. Unverified on hardware.
 */
export function octopusAgentReader(options: OctopusAgentOptions): OctopusReader {
  return new AgentReader(options);
}

class AgentReader implements OctopusReader {
  readonly #options: OctopusAgentOptions & Required<Omit<OctopusAgentOptions, 'onFault'>>;
  readonly #link: AgentLink;
  readonly #closing = new AbortController();
  #polling = false;

  constructor(options: OctopusAgentOptions) {
    this.#options = { ...defaults, ...options };
    this.#link = new AgentLink(this.#options);
  }

  get name(): string {
    const { deviceId } = this.#link;
    return `octopus ${deviceId === undefined ? 'agent' : `device ${deviceId}`} at ${this.#options.path}`;
  }

  get deviceId(): string | undefined {
    return this.#link.deviceId;
  }

  get state(): DeviceState {
    return this.#link.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#link.onState(listener);
  }

  async poll(signal: AbortSignal): Promise<OctopusPoll> {
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    if (ended.aborted) return { kind: 'cancelled' };
    if (this.#polling) throw new DeviceError('refused', `${this.name} already polls`);
    const { clock, pollMs, pollPauseMs } = this.#options;
    this.#polling = true;
    try {
      for (;;) {
        const reply = await this.#link.request({ call: 'poll', timeoutMs: pollMs }, pollMs);
        // A card that was found after the abort does not belong to this payment.
        if (ended.aborted) return { kind: 'cancelled' };
        const outcome = this.#pollOutcome(reply);
        if (outcome) return outcome;
        await pause(clock, pollPauseMs, ended);
        if (ended.aborted) return { kind: 'cancelled' };
      }
    } finally {
      this.#polling = false;
    }
  }

  /** Sends the request once, whatever the outcome: only the caller knows whether to repeat it. */
  async deduct({ amountMinor, cardId, reference, deviceId }: OctopusDeduct): Promise<OctopusDeduction> {
    if (this.#isOther(deviceId)) return { kind: 'unknown' };
    const reply = await this.#link.request({
      call: 'deduct',
      cardId: wire.checkCardId(cardId),
      amount: wire.unitsOf(amountMinor),
      reference: wire.checkReference(reference),
    });
    const unknown = { kind: 'unknown' } as const;
    if (typeof reply === 'string') return unknown;
    const { code } = reply;
    if (code === 0) {
      const deducted = wire.deductionOf(reply);
      return deducted?.card.cardId === cardId ? { kind: 'deducted', ...deducted } : unknown;
    }
    const meaning = meaningOf(code);
    switch (meaning) {
      case 'insufficient': {
        const balanceMinor = wire.balanceMinorOf(reply);
        return balanceMinor === undefined ? unknown : { kind: 'insufficient', code, balanceMinor };
      }
      case 'incomplete':
        return { kind: 'incomplete', code };
      case 'other-card':
        return { kind: 'otherCard' };
      case 'read-error':
      case 'no-card':
        return { kind: 'tryAgain', code };
      case 'card-unusable':
        return { kind: 'refused', reason: 'cardUnusable', code };
      case 'over-limit':
        return { kind: 'refused', reason: 'amountLimitExceeded', code };
      case 'reader-absent':
        this.#link.reopen();
        return unknown;
      case 'wrong-controller':
      case undefined:
        return unknown;
      default:
        return meaning satisfies never;
    }
  }

  async find(reference: string, deviceId?: string): Promise<OctopusFinding> {
    const reply = await this.#link.request({ call: 'find', reference: wire.checkReference(reference) });
    const found = typeof reply === 'object' && reply.code === 0 ? wire.findingOf(reply) : undefined;
    switch (found?.state) {
      case 'deducted':
        return { kind: 'deducted', card: found.card, receipt: found.receipt };
      case 'incomplete':
        return { kind: 'incomplete' };
      case 'none':
        return { kind: this.#isOther(deviceId) ? 'otherReader' : 'none' };
      case undefined:
        this.#reopenIfReaderAbsent(reply);
        return { kind: 'unanswered' };
      default:
        return found satisfies never;
    }
  }

  async upload(): Promise<OctopusUpload> {
    const reply = await this.#link.request({ call: 'upload' });
    if (typeof reply === 'string') return { kind: 'unanswered' };
    this.#reopenIfReaderAbsent(reply);
    if (reply.code !== 0) return { kind: 'failed', code: reply.code };
    const totals = wire.fileTotalsOf(reply);
    return totals ? { kind: 'uploaded', ...totals } : { kind: 'unanswered' };
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#link.close();
  }

  /** Undefined: poll again. */
  #pollOutcome(reply: Reply): OctopusPoll | undefined {
    if (typeof reply === 'string') throw this.#fault(reply);
    const { code } = reply;
    if (code === 0) {
      const card = wire.cardOf(reply);
      if (!card) throw this.#fault('garbled');
      return { kind: 'card', card };
    }
    const meaning = meaningOf(code);
    switch (meaning) {
      case 'no-card':
        return undefined;
      case 'read-error':
        return { kind: 'tryAgain', code };
      case 'card-unusable':
        return { kind: 'refused', reason: 'cardUnusable', code };
      case 'over-limit':
        return { kind: 'refused', reason: 'amountLimitExceeded', code };
      case 'reader-absent':
        this.#link.reopen();
        throw new DeviceError('absent', `${this.name} has no reader: ${code}`);
      case 'wrong-controller':
        throw new DeviceError('refused', `${this.name} has the wrong controller: ${code}`);
      // A poll deducts nothing, so the codes for incomplete and insufficient are impossible here.
      case 'incomplete':
      case 'insufficient':
      case 'other-card':
      case undefined:
        throw new DeviceError('protocol', `${this.name} answered a poll with ${code}`);
      default:
        return meaning satisfies never;
    }
  }

  #isOther(deviceId: string | undefined): boolean {
    return deviceId !== undefined && deviceId !== this.#link.deviceId;
  }

  #reopenIfReaderAbsent(reply: Reply): void {
    if (typeof reply === 'object' && meaningOf(reply.code) === 'reader-absent') this.#link.reopen();
  }

  #fault(reply: Extract<Reply, string>): DeviceError {
    switch (reply) {
      case 'not-sent':
        return new DeviceError('absent', `${this.name} is ${this.state}`);
      case 'vanished':
        return new DeviceError('vanished', `${this.name} vanished during a poll`);
      case 'silent':
        return new DeviceError('timeout', `${this.name} did not answer a poll`);
      case 'garbled':
        return new DeviceError('protocol', `${this.name} gave no valid answer to a poll`);
      default:
        return reply satisfies never;
    }
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
