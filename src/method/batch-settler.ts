import type { SettlingBatch } from '../events/settling-batch.ts';
import type { Batch } from '../records/batch.ts';

/** How a batch is settled with an acquirer. Nothing is cleared before the other side agrees. */
export interface BatchSettler {
  /** It is asked for an empty batch too: its books may have what this terminal has not. */
  readonly hearsEmpty: boolean;
  /** What is unknown there may never be known: it is in no batch before, and holds up nobody. */
  readonly mayWait: boolean;
  /** It settles what it has at that moment, and not by a batch's number: no payment may run meanwhile. */
  readonly bySight: boolean;
  /** What the sales, or the refunds, of a batch may come to in one currency: its settlement carries no more. */
  readonly batchMax?: { readonly count: number; readonly minor: bigint };
  /** Why it can't be asked for this batch at all. */
  readonly fault?: (batch: Batch) => string | undefined;
  /**
   * Of a batch that is closed to new entries: the same is asked again until it is answered. `isStopping`: no further message is begun.
   */
  settle(closed: SettlingBatch, read: () => Promise<Batch>, isStopping: () => boolean): Promise<SettlementResult>;
}

/** Of an acquirer that numbers batches, and hears of those that hold something. */
export const settlesByNumber = { hearsEmpty: false, mayWait: false, bySight: false } as const;

export type SettlementResult =
  | { readonly result: 'BALANCED'; readonly reason?: string }
  /** The other side took ours, and its books said otherwise: `reason` says what, where it is known. */
  | { readonly result: 'UPLOADED'; readonly reason?: string }
  /** `refused`: the other side has answered, and did not take it. `unsent`: it has heard nothing of this batch, ever. */
  | {
      readonly result: 'FAILED';
      readonly reason: string;
      readonly refused?: true;
      readonly rejectsOne?: true;
      readonly unsent?: boolean;
    };
