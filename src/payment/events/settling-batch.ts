import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { AcquirerId, TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { KindTotal } from './settlement.ts';

/** The result of one currency. CONFIRMED: the bank has confirmed it to the operator. */
export type CurrencyResult = 'BALANCED' | 'UPLOADED' | 'CONFIRMED';

/**
 * The question to the host for one currency of a batch. The same question is repeated until it is answered. Minor units
 * as decimal digits.
 */
export interface SettlingTotal {
  readonly currency: CurrencyCode;
  readonly sales: { readonly count: number; readonly totalMinor: string };
  readonly refunds: { readonly count: number; readonly totalMinor: string };
  readonly result?: CurrencyResult;
  /** The bank has not settled it: its host may be asked, and transactions that it rejects are left out. */
  readonly isUnsettled?: true;
  /** The last messages that asked for it: a late answer is matched by its trace number. */
  readonly asked?: readonly AskedCurrency[];
}

/** `trailer`: sent after a batch upload. */
export interface AskedCurrency {
  readonly stan: number;
  readonly trailer: boolean;
}

/** A batch that is closed to new entries and not settled yet. */
export interface SettlingBatch {
  readonly acquirerId: AcquirerId;
  readonly batch: number;
  /** When it was closed. */
  readonly at: string;
  readonly totals: readonly KindTotal[];
  readonly currencies: readonly SettlingTotal[];
  /** Number of failed settlements of this batch, and the reason of the last one. */
  readonly tries: number;
  readonly reason?: string;
  /** The host answered the last settlement without accepting it. */
  readonly refused: boolean;
  /** The host will never accept one of its transactions. */
  readonly rejectsOne?: true;
  /**
   * It is from an older copy of the journal that was restored: it may have been settled since, and its payments voided.
   */
  readonly isCopy?: true;
}

/** A currency of a closed batch that is moved into the open one. */
export interface ReopenedCurrency {
  readonly currency: CurrencyCode;
  readonly ids: readonly TerminalTransactionId[];
}

/** The open batch as it was read, ready to be closed. */
export interface ClosedBatch extends Pick<SettlingBatch, 'acquirerId' | 'batch' | 'at' | 'totals' | 'currencies'> {
  /** `batchMark` before the batch was read. */
  readonly mark: number;
  /** Transactions without a known outcome do not prevent closing: they enter a batch once they are known. */
  readonly mayStayUnknown: boolean;
}
