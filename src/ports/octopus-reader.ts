import type { DeclineReason } from '../domain/decline-reason.ts';
import type { Limits } from '../domain/limits.ts';
import type { Device } from './device.ts';

/** A card as the reader sees it. Balances are HKD cents, in steps of ten, and may be negative. */
export interface OctopusCard {
  /** Digits as printed on the card; receipts show the last four. */
  readonly cardId: string;
  readonly balanceMinor: bigint;
}

/** Why a card is refused. */
export type OctopusRefusal = Extract<DeclineReason, 'cardUnusable' | 'amountLimitExceeded'>;

/** cancelled: the signal was aborted, the reader looks for no card any more. `code`: the operator's, as it is told and logged. */
export type OctopusPoll =
  | { readonly kind: 'card'; readonly card: OctopusCard }
  | { readonly kind: 'tryAgain'; readonly code: number }
  | { readonly kind: 'refused'; readonly reason: OctopusRefusal; readonly code: number }
  | { readonly kind: 'cancelled' };

/** The operator's library counts HKD in steps of ten cents (fixtures/README.md). */
export const octopusLimits: Limits = { mostMinor: 999_999_999_990n, currencies: ['HKD'], stepMinor: 10n };

export interface OctopusDeduct {
  /** HKD cents, a multiple of ten. */
  readonly amountMinor: bigint;
  readonly cardId: string;
  /** Names this deduction for ever: the same reference is deducted once, however often it is asked for. */
  readonly reference: string;
}

/**
 * incomplete: the value may be deducted or not until the same card is back; ask again with the same reference. otherCard: another card is at the reader, nothing was done with it. tryAgain: the card is gone or could not be
 * read, which does not prove that nothing was deducted: `find` does. unknown: the reader went away meanwhile; `find` tells once it is
 * back.
 */
export type OctopusDeduction =
  | { readonly kind: 'deducted'; readonly card: OctopusCard; readonly receipt: string }
  | { readonly kind: 'insufficient'; readonly code: number; readonly balanceMinor: bigint }
  | { readonly kind: 'refused'; readonly reason: OctopusRefusal; readonly code: number }
  | { readonly kind: 'incomplete'; readonly code: number }
  | { readonly kind: 'otherCard' }
  | { readonly kind: 'tryAgain'; readonly code: number }
  | { readonly kind: 'unknown' };

/** none: nothing was deducted under this reference, and nothing will be. unanswered: ask again. */
export type OctopusFinding =
  | { readonly kind: 'deducted'; readonly card: OctopusCard; readonly receipt: string }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'none' }
  | { readonly kind: 'unanswered' };

/** Deductions of one day in the reader's own file for the operator. */
export type OctopusUpload =
  | { readonly kind: 'uploaded'; readonly count: number; readonly totalMinor: bigint }
  | { readonly kind: 'failed'; readonly code: number }
  | { readonly kind: 'unanswered' };

/**
 * The operator's reader. Value goes from card to reader at once: there is no host to ask and no reversal, so that what is
 * incomplete can only be completed. Nothing here but `poll` rejects, and that with DeviceError.
 */
export interface OctopusReader extends Device {
  /** Waits for a card, without touching its value. Settles only once the reader is idle again. */
  poll(signal: AbortSignal): Promise<OctopusPoll>;
  deduct(order: OctopusDeduct): Promise<OctopusDeduction>;
  /** What became of a deduction. One that was never made can't be made afterwards. */
  find(reference: string): Promise<OctopusFinding>;
  /** Closes the reader's file and hands it to the operator. */
  upload(): Promise<OctopusUpload>;
}
