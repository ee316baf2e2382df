import type { AcquirerId } from '../../domain/identifiers.ts';
import type { Batch } from '../../transaction/batch.ts';

/** Whoever a batch is settled with, and how that ended. Nothing is cleared before the other side agrees. */
export interface Settling {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  settle(batch: Batch, number: number): Promise<Settlement>;
}

export type Settlement =
  | { readonly result: 'BALANCED' }
  /** The other side took ours, and its books said otherwise: `reason` says what, where it is known. */
  | { readonly result: 'UPLOADED'; readonly reason?: string }
  | { readonly result: 'FAILED'; readonly reason: string };
