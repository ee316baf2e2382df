import { type AcquirerId, acquirerId } from '../../src/domain/identifiers.ts';
import type {
  AcquirerHost,
  HostOutcome,
  LinkState,
  ReversalOrder,
  ReversalOutcome,
  SaleOrder,
} from '../../src/ports/acquirer-host.ts';
import type { Trace } from './trace.ts';

/** What becomes of a sale at the host, and what the terminal learns of it. */
export interface SaleScript {
  readonly posted: boolean;
  readonly outcome: HostOutcome;
}

export const approves: SaleScript = {
  posted: true,
  outcome: { kind: 'approved', responseCode: '00', approvalCode: '123456', rrn: '000000000001', issuerData: new Map() },
};
export const postsAndIsSilent: SaleScript = { posted: true, outcome: { kind: 'unknown', reason: 'no-answer' } };
export const isSilent: SaleScript = { posted: false, outcome: { kind: 'unknown', reason: 'no-answer' } };
export const isDown: SaleScript = { posted: false, outcome: { kind: 'notSent', reason: 'host-down' } };

export function declines(responseCode: string): SaleScript {
  return { posted: false, outcome: { kind: 'declined', responseCode, rrn: '000000000001' } };
}

export const acknowledges: ReversalOutcome = { kind: 'acknowledged', responseCode: '00' };

/** A host with books: what is POSTED there was paid. Reversals act on the books before their answer is decided. */
export class ScriptedHost implements AcquirerHost {
  readonly id: AcquirerId;
  readonly mid = '000000000000001';
  readonly tid = '00000001';
  readonly link: LinkState = 'up';
  readonly books = new Map<number, 'POSTED' | 'REVERSED'>();
  readonly reversals: { readonly stan: number; readonly repeat: boolean }[] = [];
  readonly #trace: Trace;
  reversalsInFlight = 0;

  onSale: (order: SaleOrder) => SaleScript | Promise<SaleScript> = () => approves;
  onReversal: (order: ReversalOrder, repeat: boolean) => ReversalOutcome | Promise<ReversalOutcome> = () =>
    acknowledges;

  constructor(id: string, trace: Trace) {
    this.id = acquirerId(id);
    this.#trace = trace;
  }

  async sale(order: SaleOrder): Promise<HostOutcome> {
    this.#trace.push(`${this.id}: sale`);
    const { posted, outcome } = await this.onSale(order);
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

  get posted(): number {
    return [...this.books.values()].filter((status) => status === 'POSTED').length;
  }

  async close(): Promise<void> {}
}
