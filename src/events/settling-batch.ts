import type { CurrencyCode } from '../domain/currency.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { KindTotal } from './settlement.ts';

/** How one currency of a batch was answered. CONFIRMED: by the bank, to the operator. */
export type CurrencyResult = 'BALANCED' | 'UPLOADED' | 'CONFIRMED';

/** What is asked of the host for one currency of a batch, again and again the same until it answers. Minor units as decimal digits. */
export interface SettlingTotal {
  readonly currency: CurrencyCode;
  readonly sales: { readonly count: number; readonly totalMinor: string };
  readonly refunds: { readonly count: number; readonly totalMinor: string };
  readonly result?: CurrencyResult;
  /** The bank has not settled it: its host may be asked, and what it rejects is left out. */
  readonly isUnsettled?: true;
  /** The messages that asked for it, the last ones: an answer that comes late is known by its number. */
  readonly asked?: readonly AskedCurrency[];
}

/** `trailer`: behind a batch upload. */
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
  /** Settlements that asked for it in vain, and what came of the last one. */
  readonly tries: number;
  readonly reason?: string;
  /** The host answered the last one, and did not take it. */
  readonly refused: boolean;
  /** The host will never take a transaction in it. */
  readonly rejectsOne?: true;
  /** It stood in an older copy of the journal that was put back: it may have been settled since, and what is in it voided. */
  readonly isCopy?: true;
}

/** What of a closed batch is settled with the open one. */
export interface ReopenedCurrency {
  readonly currency: CurrencyCode;
  readonly ids: readonly TerminalTransactionId[];
}

/** The open batch as it was read, to be closed. */
export interface ClosedBatch extends Pick<SettlingBatch, 'acquirerId' | 'batch' | 'at' | 'totals' | 'currencies'> {
  /** Of `batchMark`, before it was read. */
  readonly mark: number;
  /** What waits for an answer there is in no batch before it has it. */
  readonly mayWait: boolean;
}
