import type { TakesBatch } from '../../records/batch-load.ts';

/** The terminal's functions for a settlement. */
export interface Counter {
  /** Runs `work` while no payment runs; none begins before it is over. Undefined if a payment takes too long. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  /** Whether a closed batch fits into the open one, which may have new payments since. Only in an exclusive window. */
  readonly takesBatch: TakesBatch;
  /** True once no further message may be sent. */
  readonly isStopping: () => boolean;
}
