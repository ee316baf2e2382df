import type { AcquirerId } from '../../base/domain/identifiers.ts';
import { pack } from '../../codecs/iso8583/message.ts';
import { tpdu } from '../../codecs/iso8583/tpdu.ts';
import {
  type AcquirerHost,
  type AdviceOrder,
  type AdviceOutcome,
  type HostOutcome,
  type LinkState,
  type OnlineOrder,
  type ReversalOrder,
  type ReversalOutcome,
  type SettlementOrder,
  type SettlementOutcome,
  type UploadOrder,
  UnsendableOrder,
  type UploadOutcome,
} from '../../payment/contracts/acquirer-host.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import {
  answerSpec,
  adviceOutcome,
  hostOutcome,
  reversalOutcome,
  settlementOutcome,
  recognitionIn,
  uploadOutcome,
} from './answer.ts';
import type { RecognitionListener } from '../../payment/contracts/terminal-recognition.ts';
import type { Dial, HostAddress } from './dial.ts';
import { type Dialect, type DialectName, dialects, type HostMessage, operation } from './dialect.ts';
import { lateAnswer } from './late.ts';
import { HostLink } from './link.ts';
import { Requests } from './request.ts';
import { totalsMax } from './totals.ts';
import { checkIdentity, type TerminalIdentity } from './terminal-identity.ts';
import type { Limits } from '../../base/domain/capability.ts';

/** Field 4: n12. Field 49 can express every currency. */
export const iso8583Limits: Limits = { mostMinor: 999_999_999_999n };

export interface Iso8583Config extends HostAddress, TerminalIdentity {
  readonly id: AcquirerId;
  /** Ten hexadecimal digits: '6000030000'. */
  readonly tpdu: string;
  readonly replyTimeoutMs: number;
  /** Default: EDC. */
  readonly dialect?: DialectName;
  /** Codes of field 39 for "could not decide", if they differ from the dialect's. */
  readonly undecidedCodes?: readonly string[] | undefined;
  /** Codes of field 39 for "this terminal is not known", if they differ from the usual ones. */
  readonly unknownTerminalCodes?: readonly string[] | undefined;
}

interface Iso8583HostOptions {
  readonly clock: MonotonicClock;
  /** Default: TCP. */
  readonly dial?: Dial;
  /** Receives late, repeated and unexpected answers, in order of arrival. Their requests already have an outcome. */
  readonly onLate?: (answer: LateAnswer) => void;
  /** Hears of each answer that tells whether the host knows this terminal. */
  readonly onRecognition?: RecognitionListener;
}

/** An acquirer reached by ISO 8583:1987 over TCP. The connection opens with the first request. Throws RangeError. */
export function iso8583Acquirer(config: Iso8583Config, options: Iso8583HostOptions): AcquirerHost {
  return new Iso8583Acquirer(config, options);
}

/**
 * An order that can't be encoded rejects with UnsendableOrder; a settlement or upload order rejects with RangeError or
 * Iso8583Error.
 */
class Iso8583Acquirer implements AcquirerHost {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly batchMax: AcquirerHost['batchMax'];
  readonly limits = iso8583Limits;
  readonly #dialect: Dialect;
  readonly #requests: Requests;
  readonly #link: HostLink;
  readonly #onRecognition: RecognitionListener | undefined;

  constructor(config: Iso8583Config, { clock, dial, onLate, onRecognition }: Iso8583HostOptions) {
    checkIdentity(config);
    this.id = config.id;
    this.mid = config.mid;
    this.tid = config.tid;
    const dialect = dialects[config.dialect ?? 'EDC'];
    const { undecidedCodes: undecided = dialect.codes.undecided } = config;
    const { unknownTerminalCodes: terminalUnknown = dialect.codes.terminalUnknown } = config;
    this.#dialect = { ...dialect, codes: { ...dialect.codes, undecided, terminalUnknown } };
    this.#onRecognition = onRecognition;
    this.batchMax = totalsMax(this.#dialect.totals);
    this.#requests = new Requests(this.#dialect, config);
    this.#link = new HostLink({
      ...config,
      tpdu: tpdu(config.tpdu),
      spec: this.#dialect.spec,
      answerSpec: answerSpec(this.#dialect.spec),
      clock,
      dial,
      onUnmatched: (message) => onLate?.(this.#late(message)),
    });
  }

  get link(): LinkState {
    return this.#link.state;
  }

  async request(order: OnlineOrder): Promise<HostOutcome> {
    const request = this.#sendable(() => this.#requests.online(order));
    const exchange = await this.#exchange(request, operation(this.#dialect, order.operation).answerMti);
    switch (exchange.kind) {
      case 'answer':
        return hostOutcome(this.#dialect, order.operation, { request, answer: exchange.answer });
      case 'notSent':
        return { kind: 'notSent', reason: 'host-down' };
      case 'unknown':
        return exchange;
      default:
        return exchange satisfies never;
    }
  }

  async reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome> {
    const request = this.#sendable(() => this.#requests.reversal(order, repeat));
    // A repeat has the numbers of the reversal before it. "No record" may be the late answer to that one, from before
    // the original reached the host. On a connection of its own, an answer can only be to this question.
    const asksAfresh = !repeat || this.#link.state !== 'up';
    const outcome = await this.#askReversal(request);
    if (asksAfresh || outcome.kind !== 'noRecord') return outcome;
    if (!this.#link.renew()) return { kind: 'unanswered' };
    const decided = await this.#askReversal(request);
    // A host may serve one connection alone. Then the next repeat opens the only one.
    if (decided.kind === 'unanswered') this.#link.drop();
    return decided;
  }

  async #askReversal(request: HostMessage): Promise<ReversalOutcome> {
    const exchange = await this.#exchange(request, this.#dialect.reversal.answerMti);
    if (exchange.kind !== 'answer') return { kind: 'unanswered' };
    return reversalOutcome(this.#dialect, { request, answer: exchange.answer });
  }

  async advise(order: AdviceOrder, repeat: boolean): Promise<AdviceOutcome> {
    const request = this.#sendable(() => this.#requests.advice(order, repeat));
    const exchange = await this.#exchange(request, operation(this.#dialect, order.operation).answerMti);
    if (exchange.kind === 'notSent') return exchange;
    if (exchange.kind === 'unknown') return { kind: 'unanswered' };
    return adviceOutcome(this.#dialect, { request, answer: exchange.answer }, repeat);
  }

  async settle(order: SettlementOrder): Promise<SettlementOutcome> {
    const request = this.#requests.settlement(order);
    const { answerMti } = order.trailer ? this.#dialect.trailer : this.#dialect.settlement;
    const exchange = await this.#exchange(request, answerMti);
    switch (exchange.kind) {
      case 'answer':
        return settlementOutcome(this.#dialect, { request, answer: exchange.answer });
      case 'notSent':
        return exchange;
      case 'unknown':
        return { kind: 'unanswered' };
      default:
        return exchange satisfies never;
    }
  }

  async upload(order: UploadOrder, repeat: boolean): Promise<UploadOutcome> {
    const request = this.#requests.upload(order, repeat);
    const exchange = await this.#exchange(request, this.#dialect.upload.answerMti);
    if (exchange.kind === 'notSent') return exchange;
    if (exchange.kind === 'unknown') return { kind: 'unanswered' };
    return uploadOutcome(this.#dialect, { request, answer: exchange.answer });
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #exchange(request: HostMessage, answerMti: string): ReturnType<HostLink['exchange']> {
    const exchange = await this.#link.exchange(request, answerMti);
    const recognition =
      exchange.kind === 'answer' && recognitionIn(this.#dialect, { request, answer: exchange.answer });
    if (recognition) this.#onRecognition?.({ acquirerId: this.id, ...recognition });
    return exchange;
  }

  #late(message: HostMessage): LateAnswer {
    const reversing = this.#link.awaits(this.#dialect.reversal.answerMti, message);
    const { id: acquirerId, tid } = this;
    return lateAnswer(message, reversing, { acquirerId, tid, dialect: this.#dialect, requests: this.#requests });
  }

  /** If no message can be built, nothing is sent: the caller, above all the queue, must know. */
  #sendable(made: () => HostMessage): HostMessage {
    try {
      const request = made();
      pack(this.#dialect.spec, request);
      return request;
    } catch (error) {
      throw new UnsendableOrder((error as Error).message);
    }
  }
}
