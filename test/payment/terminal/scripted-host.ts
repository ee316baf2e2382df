import type { Limits } from '../../../src/base/domain/capability.ts';
import { type AcquirerId, acquirerId } from '../../../src/base/domain/identifiers.ts';
import type {
  AcquirerHost,
  AdviceOrder,
  AdviceOutcome,
  HostOutcome,
  LinkState,
  OnlineOrder,
  ReversalOrder,
  ReversalOutcome,
  SettlementOrder,
  SettlementOutcome,
  UploadOrder,
  UploadOutcome,
} from '../../../src/payment/contracts/acquirer-host.ts';
import { declineReason } from '../../../src/hosts/iso8583/dialect.ts';
import type { Trace } from './trace.ts';

/** The outcome of an online request at the host, and the answer to the terminal. */
export interface HostScript {
  readonly posted: boolean;
  readonly outcome: HostOutcome;
}

const hostFields = { rrn: '000000000001', hostTime: '120000', hostDate: '0101' };

export const approves: HostScript = {
  posted: true,
  outcome: { kind: 'approved', responseCode: '00', approvalCode: '123456', ...hostFields, issuerData: new Map() },
};
export const postsAndIsSilent: HostScript = { posted: true, outcome: { kind: 'unknown', reason: 'no-answer' } };
export const isSilent: HostScript = { posted: false, outcome: { kind: 'unknown', reason: 'no-answer' } };
export const isDown: HostScript = { posted: false, outcome: { kind: 'notSent', reason: 'host-down' } };

export function declines(responseCode: string): HostScript {
  return {
    posted: false,
    outcome: { kind: 'declined', reason: declineReason(responseCode), responseCode, rrn: '000000000001' },
  };
}

export const acknowledges: ReversalOutcome = { kind: 'acknowledged', responseCode: '00' };
export const takesAdvice: AdviceOutcome = {
  kind: 'acknowledged',
  responseCode: '00',
  ...hostFields,
  rrn: '000000000002',
};

type Answer<Outcome> = Outcome | Promise<Outcome>;

/** A host with books: POSTED means that money moved. Reversals change the books before their answer is chosen. */
export class ScriptedHost implements AcquirerHost {
  limits: Limits = { mostMinor: 999_999_999_999n };
  readonly id: AcquirerId;
  readonly mid = '000000000000001';
  readonly tid = '00000001';
  readonly link: LinkState = 'up';
  batchMax = { count: 999_999, minor: 999_999_999_999n };
  readonly books = new Map<number, 'POSTED' | 'REVERSED'>();
  readonly requests: OnlineOrder[] = [];
  readonly reversals: { readonly stan: number; readonly repeat: boolean }[] = [];
  readonly advices: { readonly order: AdviceOrder; readonly repeat: boolean }[] = [];
  readonly settlements: SettlementOrder[] = [];
  readonly uploads: (UploadOrder & { readonly repeat: boolean })[] = [];
  readonly #trace: Trace;
  reversalsInFlight = 0;

  /** Whether an unanswered settlement is repeated. */
  repeatsSettlements = false;
  /** Whether its messages have a field for the PIN. */
  hasPinField = true;

  onRequest: (order: OnlineOrder) => Answer<HostScript> = () => approves;
  onReversal: (order: ReversalOrder, repeat: boolean) => Answer<ReversalOutcome> = () => acknowledges;
  onAdvice: (order: AdviceOrder, repeat: boolean) => Answer<AdviceOutcome> = () => takesAdvice;
  onSettlement: (order: SettlementOrder) => Answer<SettlementOutcome> = () => ({ kind: 'balanced' });
  onUpload: (order: UploadOrder, repeat: boolean) => Answer<UploadOutcome> = () => ({ kind: 'accepted' });

  constructor(id: string, trace: Trace) {
    this.id = acquirerId(id);
    this.#trace = trace;
  }

  sendsPin(): boolean {
    return this.hasPinField;
  }

  async request(order: OnlineOrder): Promise<HostOutcome> {
    this.requests.push(order);
    this.#trace.push(`${this.id}: ${order.operation}`);
    const { posted, outcome } = await this.onRequest(order);
    if (posted) this.books.set(order.trace.stan, 'POSTED');
    return outcome;
  }

  async reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome> {
    const { stan } = order.trace;
    this.reversals.push({ stan, repeat });
    this.#trace.push(`${this.id}: reverse ${stan}${repeat ? ' again' : ''}`);
    this.reversalsInFlight += 1;
    try {
      const outcome = await this.onReversal(order, repeat);
      if (outcome.kind === 'acknowledged' && this.books.has(stan)) this.books.set(stan, 'REVERSED');
      return outcome;
    } finally {
      this.reversalsInFlight -= 1;
    }
  }

  async advise(order: AdviceOrder, repeat: boolean): Promise<AdviceOutcome> {
    this.advices.push({ order, repeat });
    this.#trace.push(`${this.id}: ${order.operation}${repeat ? ' again' : ''}`);
    const outcome = await this.onAdvice(order, repeat);
    if (outcome.kind === 'acknowledged') this.books.set(order.trace.stan, 'POSTED');
    return outcome;
  }

  async settle(order: SettlementOrder): Promise<SettlementOutcome> {
    this.settlements.push(order);
    this.#trace.push(`${this.id}: ${order.trailer ? 'trailer' : 'settle'}`);
    return this.onSettlement(order);
  }

  async upload(order: UploadOrder, repeat: boolean): Promise<UploadOutcome> {
    this.uploads.push({ ...order, repeat });
    this.#trace.push(`${this.id}: upload${repeat ? ' again' : ''}`);
    return this.onUpload(order, repeat);
  }

  get posted(): number {
    return [...this.books.values()].filter((status) => status === 'POSTED').length;
  }

  async close(): Promise<void> {}
}
