import type { Reason } from '../../base/domain/reason.ts';
import type { CollectOutcome, RetryReason } from '../../base/ports/card-reader.ts';
import type { ScreenHint } from '../../payment/contracts/screen.ts';
import type { Collecting } from '../../payment/transaction/machine.ts';
import { endCollecting } from '../../payment/method/collecting.ts';

export const retryHints = {
  collision: 'oneCardOnly',
  'card-lost': 'holdCard',
  'read-error': 'presentAgain',
  'use-chip': 'insertCard',
  'use-magstripe': 'swipeCard',
} as const satisfies Record<RetryReason, ScreenHint>;

const refusals = {
  unsupported: 'cardNotSupported',
  expired: 'expiredCard',
  blocked: 'cardBlocked',
  'over-limit': 'contactlessLimitExceeded',
  declined: 'declinedByCard',
} as const satisfies Record<Extract<CollectOutcome, { kind: 'refused' }>['reason'], Reason>;

/**
 * Maps the reader's outcome when it read no card. `cancelled` without a cancel of the terminal is the reader's cancel
 * key.
 */
export function collectingWithout(outcome: Exclude<CollectOutcome, { kind: 'card' }>): Collecting {
  switch (outcome.kind) {
    case 'tryAgain':
      return { kind: 'again', hint: retryHints[outcome.reason] };
    case 'timeout':
      return endCollecting({ kind: 'timeout' });
    case 'cancelled':
      return endCollecting({ kind: 'cancelled', by: 'customer' });
    case 'refused':
      return endCollecting({ kind: 'refused', reason: refusals[outcome.reason], why: outcome.reason });
    default:
      return outcome satisfies never;
  }
}
