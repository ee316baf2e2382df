import type { SettledManner } from './mode.ts';

/** Decisions of the acquirer that a test can set. */
export interface Inclination {
  /** Response code of a sale, auth or refund that would otherwise be approved. */
  readonly decline?: string;
  /** A sale above this amount is approved for this amount only. */
  readonly coversMinor?: number;
  /** The cents of an amount may decline it: amount-endings.ts. */
  readonly declineByAmount?: boolean;
  /** A chip's issuer sends a script in this template. */
  readonly script?: '71' | '72';
  /** Response code of a void that would otherwise be approved. */
  readonly declineVoids?: string;
  /** Response code of every reversal; nothing is undone. */
  readonly refuseReversals?: string;
  /** The terminals and merchants that are known, by fields 41 and 42; all of them by default. */
  readonly terminals?: readonly string[];
  readonly merchants?: readonly string[];
  /** The next comparison of totals fails. */
  readonly mismatch?: boolean;
  /** Every trace number that was used before is a duplicate. */
  readonly duplicates?: '94';
  /** Response code of an advice that is posted. */
  readonly approveAdvices?: string;
  /** Response code of an advice that would otherwise be posted. */
  readonly rejectAdvices?: string;
  /** What happens when a settled batch is settled again, and the response code of a refusal. */
  readonly settled?: SettledManner;
  readonly settledCode?: string;
  /** Also for a repeat of the same batch, currency and totals. */
  readonly settledRepeats?: boolean;
}
