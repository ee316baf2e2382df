import type { Order } from './order.ts';

/** What becomes of a request. */
export interface Verdict {
  readonly respcd: string;
  /** The order that it made or changed. */
  readonly order?: Order;
  /** What is wrong with it, where no sound client sends such a request at all. Never a value of it. */
  readonly finding?: string;
}
