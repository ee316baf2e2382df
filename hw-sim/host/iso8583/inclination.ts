import type { SettledManner } from './mode.ts';

/** Decisions of the acquirer that a test can set. */
export interface Inclination {
  /** Response code of a sale, auth or refund that would otherwise be approved. */
  readonly decline?: string;
  /** The cents of an amount may decline it: see `declineOfAmount`. */
  readonly declineByAmount?: boolean;
  /** A chip's issuer sends a script in this template. */
  readonly script?: '71' | '72';
  /** Response code of a void that would otherwise be approved. */
  readonly declineVoids?: string;
  /** Response code of every reversal; nothing is undone. */
  readonly refuseReversals?: string;
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

/** Reasons to decline that a till meets: bank, card, PIN, limits. The codes that a terminal reverses are not among them. */
const declining: ReadonlySet<string> = new Set([
  '01',
  '05',
  '14',
  '41',
  '43',
  '51',
  '54',
  '55',
  '57',
  '61',
  '62',
  '65',
  '75',
]);

/** Field 39 by the last two digits of an amount: 10.51 is declined with 51; undefined for any that is no such code. */
export function declineOfAmount(amountMinor: bigint): string | undefined {
  const cents = String(amountMinor % 100n).padStart(2, '0');
  return declining.has(cents) ? cents : undefined;
}
