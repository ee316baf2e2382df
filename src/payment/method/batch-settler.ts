import type { BatchDifference } from '../events/discrepancy.ts';
import type { SettlingBatch } from '../events/settling-batch.ts';
import type { Batch } from '../records/batch.ts';

/** How a batch is settled with an acquirer. Nothing is cleared before the acquirer agrees. */
export interface BatchSettler {
  /** Empty batches are settled too: the host may have transactions that this terminal does not have. */
  readonly settlesEmpty: boolean;
  /**
   * The outcome of a transaction may never become known. It enters a batch only once it is known, and does not block
   * the settlement.
   */
  readonly mayStayUnknown: boolean;
  /** The batch is closed although messages of the queue could not be sent. */
  readonly closesUnsent?: true;
  /**
   * The acquirer settles all that it holds at that moment and knows no batch numbers, so no payment may run meanwhile.
   */
  readonly pausesPayments: boolean;
  /**
   * The maximum sum of the sales, and of the refunds, of a batch in one currency: the settlement message has room for
   * no more.
   */
  readonly batchMax?: { readonly count: number; readonly minor: bigint };
  /**
   * Called before the open batch is closed, to look up what may still enter it. Resolves to the reason if it can't be
   * closed now, otherwise to undefined. Rejects with JournalError.
   */
  readonly beforeClosing?: () => Promise<string | undefined>;
  /** Why this batch can't be settled with the acquirer at all; undefined if it can. */
  readonly fault?: (batch: Batch) => string | undefined;
  /**
   * Settles a batch that is closed to new entries. The same question is repeated until the host answers it. Once
   * `isStopping` returns true, no further message is sent. `rest`: waits until no payment runs and everything that is
   * queued for the acquirer has been sent. It resolves to the reason if that is not possible now.
   */
  settle(
    closed: SettlingBatch,
    read: () => Promise<Batch>,
    isStopping: () => boolean,
    rest: () => Promise<string | undefined>,
  ): Promise<SettlementResult>;
}

/** For an acquirer that numbers its batches and is not asked about empty ones. */
export const numberedBatches = { settlesEmpty: false, mayStayUnknown: false, pausesPayments: false } as const;

export type SettlementResult =
  | { readonly result: 'BALANCED'; readonly reason?: string }
  /**
   * The acquirer accepted our transactions although its books had differed. `reason`: the difference, if it is known.
   * `differences`: those that only the bank can explain.
   */
  | {
      readonly result: 'UPLOADED';
      readonly reason?: string;
      readonly differences?: readonly BatchDifference[];
    }
  /**
   * `refused`: the acquirer answered and did not accept the batch. `rejectsOne`: it will never accept one of its
   * transactions. `unsent`: no message about this batch has ever reached it.
   */
  | {
      readonly result: 'FAILED';
      readonly reason: string;
      readonly refused?: true;
      readonly rejectsOne?: true;
      readonly unsent?: boolean;
    };
