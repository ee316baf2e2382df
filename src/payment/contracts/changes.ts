import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';

/**
 * A place in the journal at which a transaction that has ended, or a settlement that has, changed for the last time so
 * far. `seq` grows from change to change, and is never given twice in the life of a journal.
 */
export interface Change {
  readonly seq: number;
  readonly kind: 'transaction' | 'settlement';
  readonly id: TerminalTransactionId;
  /** ISO 8601; absent if no event has the time. */
  readonly at?: string;
  /** The batch in which the transaction counts now. Its events do not show it, because a batch may be opened again. */
  readonly batch?: number;
}

export interface ChangeSlice {
  readonly changes: readonly Change[];
  /** The place up to which it reaches: the next slice begins there. */
  readonly until: number;
  /** There may be more behind it. */
  readonly hasMore: boolean;
}
