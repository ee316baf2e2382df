import type { SettledManner } from './mode.ts';

/** How the acquirer shall decide where it has a choice. */
export interface Inclination {
  /** Response code of a sale, auth or refund that would otherwise be approved. */
  readonly decline?: string;
  /** A chip's issuer sends a script in this template. */
  readonly script?: '71' | '72';
  /** Response code of a void that would otherwise be approved. */
  readonly declineVoids?: string;
  /** Response code of every reversal; nothing is undone. */
  readonly refuseReversals?: string;
  /** The next comparison of totals fails. */
  readonly mismatch?: boolean;
  /** A trace number that was ever used is a duplicate. */
  readonly duplicates?: '94';
  /** Response code of an advice that is posted. */
  readonly approveAdvices?: string;
  /** Response code of an advice that would otherwise be posted. */
  readonly rejectAdvices?: string;
  /** What becomes of what was settled when it is settled again, and the response code where it is refused. */
  readonly settled?: SettledManner;
  readonly settledCode?: string;
  /** That is so for the same batch, currency and totals once more as well. */
  readonly settledRepeats?: boolean;
}
