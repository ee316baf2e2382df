import type { Order } from './order.ts';

/** The result of a request. */
export interface Verdict {
  readonly respcd: string;
  /** The order that it created or changed. */
  readonly order?: Order;
  /** What is wrong with a request that no correct client sends. Contains no value of it. */
  readonly finding?: string;
}
