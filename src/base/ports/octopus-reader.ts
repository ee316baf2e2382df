import type { DeclineReason } from '../domain/decline-reason.ts';
import type { Limits } from '../domain/capability.ts';
import type { Device } from './device.ts';

/** A card as the reader reports it. Balances are HKD cents in steps of ten, and may be negative. */
export interface OctopusCard {
  /** Digits as printed on the card; receipts show the last four. */
  readonly cardId: string;
  readonly balanceMinor: bigint;
}

/** Why a card is refused. */
export type OctopusRefusal = Extract<DeclineReason, 'cardUnusable' | 'amountLimitExceeded'>;

/**
 * cancelled: the signal was aborted, and the reader does not look for a card any more. `code`: the Octopus company's
 * code, to be reported and logged.
 */
export type OctopusPoll =
  | { readonly kind: 'card'; readonly card: OctopusCard }
  | { readonly kind: 'tryAgain'; readonly code: number }
  | { readonly kind: 'refused'; readonly reason: OctopusRefusal; readonly code: number }
  | { readonly kind: 'cancelled' };

/** The Octopus library counts HKD in steps of ten cents (fixtures/README.md). */
export const octopusLimits: Limits = { mostMinor: 999_999_999_990n, currencies: ['HKD'], stepMinor: 10n };

export interface OctopusDeduct {
  /** HKD cents, a multiple of ten. */
  readonly amountMinor: bigint;
  readonly cardId: string;
  /** Identifies this deduction permanently: a reference is deducted once, however often it is repeated. */
  readonly reference: string;
  /** The reader that was first asked for it. Another one deducts nothing, and the outcome is unknown. */
  readonly deviceId?: string | undefined;
}

/**
 * incomplete: the value may or may not be deducted until the same card returns; repeat with the same reference.
 * otherCard: another card is at the reader, and nothing was done with it. tryAgain: the card was removed or could not
 * be read; this does not prove that nothing was deducted, but `find` does. unknown: the reader disappeared meanwhile;
 * `find` returns the outcome once it is back.
 */
export type OctopusDeduction =
  | { readonly kind: 'deducted'; readonly card: OctopusCard; readonly receipt: string }
  | { readonly kind: 'insufficient'; readonly code: number; readonly balanceMinor: bigint }
  | { readonly kind: 'refused'; readonly reason: OctopusRefusal; readonly code: number }
  | { readonly kind: 'incomplete'; readonly code: number }
  | { readonly kind: 'otherCard' }
  | { readonly kind: 'tryAgain'; readonly code: number }
  | { readonly kind: 'unknown' };

/**
 * none: nothing was deducted under this reference, and nothing will be. otherReader: the reader is not the one that was
 * asked to deduct, and its record proves nothing. unanswered: ask again.
 */
export type OctopusFinding =
  | { readonly kind: 'deducted'; readonly card: OctopusCard; readonly receipt: string }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'none' }
  | { readonly kind: 'otherReader' }
  | { readonly kind: 'unanswered' };

/** The sum of the deductions in the reader's file, which is handed to the Octopus company. */
export type OctopusUpload =
  | { readonly kind: 'uploaded'; readonly count: number; readonly totalMinor: bigint }
  | { readonly kind: 'failed'; readonly code: number }
  | { readonly kind: 'unanswered' };

/**
 * The Octopus company's reader. Value moves from card to reader at once: there is no host to ask and no reversal, so an
 * incomplete deduction can only be completed. Only `poll` rejects, with DeviceError.
 */
export interface OctopusReader extends Device {
  /** The identity of the reader that is connected, or was last; undefined before the first connection. */
  readonly deviceId: string | undefined;
  /** Waits for a card, without changing its value. Settles only once the reader is idle again. */
  poll(signal: AbortSignal): Promise<OctopusPoll>;
  deduct(order: OctopusDeduct): Promise<OctopusDeduction>;
  /**
   * The outcome of a deduction that this reader, or the one named by `deviceId`, was asked for. After 'none', it can't
   * be made any more.
   */
  find(reference: string, deviceId?: string): Promise<OctopusFinding>;
  /** Closes the reader's file and hands it to the Octopus company. */
  upload(): Promise<OctopusUpload>;
}
