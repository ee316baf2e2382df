import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';

/** Which transactions a list has. `order`: of acceptance, because a clock may be set back. */
export interface ListQuery {
  readonly order: 'newest' | 'oldest';
  /**
   * From this time on, and before that one, by the acceptance. Archived transactions of a day before and after may be
   * found as well.
   */
  readonly since?: Date;
  readonly until?: Date;
  readonly acquirerId?: AcquirerId;
  /** The last batch of that acquirer with this number: the batch in which it counts now. */
  readonly batch?: number;
  readonly posId?: string;
  /** The most transactions of one slice. */
  readonly limit: number;
}

export interface ListedTransaction {
  readonly id: TerminalTransactionId;
  readonly posId: string;
  readonly messageId: string;
  /** The batch in which it counts now, which its events do not show; absent before it has an acquirer. */
  readonly batch?: number;
  /** Its place in the order of acceptance, which never changes. */
  readonly place: number;
}

export interface ListSlice {
  readonly found: readonly ListedTransaction[];
  /** The place from which the next slice continues; undefined at the end of the list. */
  readonly next?: number;
}
