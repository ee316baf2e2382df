import type { AcquirerId } from '../../domain/identifiers.ts';
import { tpdu } from '../../iso8583/tpdu.ts';
import type {
  AcquirerHost,
  HostOutcome,
  LinkState,
  ReversalOrder,
  ReversalOutcome,
  SaleOrder,
} from '../../ports/acquirer-host.ts';
import type { Clock } from '../../ports/clock.ts';
import { reversalOutcome, saleOutcome } from './answer.ts';
import type { HostAddress } from './dial.ts';
import { type Dialect, type DialectName, dialects, type HostMessage } from './dialect.ts';
import { HostLink } from './link.ts';
import { reversalRequest, saleRequest, type TerminalIdentity } from './request.ts';

export interface Iso8583Config extends HostAddress, TerminalIdentity {
  readonly id: AcquirerId;
  /** Ten hexadecimal digits: '6000030000'. */
  readonly tpdu: string;
  readonly replyTimeoutMs: number;
  /** EDC unless told otherwise. */
  readonly dialect?: DialectName;
}

/** An answer that no request waits for. Nothing in it comes from a card. */
export interface LateAnswer {
  readonly acquirerId: AcquirerId;
  readonly mti: string;
  /** Fields 11, 37 and 39, where the message has them. */
  readonly stan?: string | undefined;
  readonly rrn?: string | undefined;
  readonly responseCode?: string | undefined;
}

interface Iso8583Surroundings {
  readonly clock: Clock;
  /** Late, repeated and unexpected answers. Their requests have had their outcome: this is for the log. */
  readonly onLate?: (answer: LateAnswer) => void;
}

/** An acquirer reached by ISO 8583:1987 over TCP. Nothing is dialled before the first request. Throws RangeError. */
export function iso8583Acquirer(config: Iso8583Config, surroundings: Iso8583Surroundings): AcquirerHost {
  return new Iso8583Acquirer(config, surroundings);
}

class Iso8583Acquirer implements AcquirerHost {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly #terminal: TerminalIdentity;
  readonly #dialect: Dialect;
  readonly #link: HostLink;

  constructor(config: Iso8583Config, { clock, onLate }: Iso8583Surroundings) {
    checkIdentity(config);
    this.id = config.id;
    this.mid = config.mid;
    this.tid = config.tid;
    this.#terminal = config;
    this.#dialect = dialects[config.dialect ?? 'EDC'];
    this.#link = new HostLink({
      ...config,
      tpdu: tpdu(config.tpdu),
      spec: this.#dialect.spec,
      clock,
      onUnmatched: (message) => onLate?.(lateAnswer(config.id, message)),
    });
  }

  get link(): LinkState {
    return this.#link.state;
  }

  async sale(order: SaleOrder): Promise<HostOutcome> {
    const request = saleRequest(this.#dialect, this.#terminal, order);
    const exchange = await this.#link.exchange(request, this.#dialect.sale.answerMti);
    switch (exchange.kind) {
      case 'answer':
        return saleOutcome(this.#dialect, request, exchange.answer);
      case 'notSent':
        return { kind: 'notSent', reason: 'host-down' };
      case 'unknown':
        return exchange;
      default:
        return exchange satisfies never;
    }
  }

  async reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome> {
    const request = reversalRequest(this.#dialect, this.#terminal, order, repeat);
    const exchange = await this.#link.exchange(request, this.#dialect.reversal.answerMti);
    if (exchange.kind !== 'answer') return { kind: 'unanswered' };
    return reversalOutcome(this.#dialect, request, exchange.answer);
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

/** A wrong identity would show at the first payment only, so it is refused when the terminal starts. */
function checkIdentity({ tid, mid, nii, countryNumeric = '000' }: TerminalIdentity): void {
  if (!/^[\x20-\x7e]{8}$/.test(tid)) throw new RangeError('tid is 8 printable characters');
  if (!/^[\x20-\x7e]{15}$/.test(mid)) throw new RangeError('mid is 15 printable characters');
  if (!/^\d{3}$/.test(nii)) throw new RangeError('nii is 3 digits');
  if (!/^\d{3}$/.test(countryNumeric)) throw new RangeError('countryNumeric is 3 digits');
}

function lateAnswer(acquirerId: AcquirerId, { mti, fields }: HostMessage): LateAnswer {
  return { acquirerId, mti, stan: fields[11], rrn: fields[37], responseCode: fields[39] };
}
