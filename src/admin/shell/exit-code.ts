import { isPartlyRefunded, resultOf } from '../../pos/client/answer-result.ts';
import type { Answer, Outcome, ResponseResult } from '../../pos/client/client.ts';

/** The state of a payment, for a script: only `paid` means that the customer has paid and was not refunded. */
export const exitCodes = {
  paid: 0,
  refused: 1,
  unsettled: 3,
  declined: 4,
  cancelled: 5,
  failed: 6,
  unknown: 7,
  running: 8,
  undone: 9,
  partlyRefunded: 10,
} as const;

export type OutcomeStatus = keyof typeof exitCodes;

/** Any other state is unknown. */
export function statusOf({ is, answer }: Outcome): OutcomeStatus {
  if (is === 'done') return isPartlyRefunded(resultOf(answer)) ? 'partlyRefunded' : 'paid';
  if (is === 'undone') return 'undone';
  if (answer?.responseResult === 'PROCESSING') return 'running';
  if (is === 'unknown') return 'unknown';
  return endedStatus(answer);
}

/** Only these results mean that the terminal began nothing. */
const refusals: ReadonlySet<unknown> = new Set<ResponseResult>([
  'ERROR',
  'INVALID_PARAMETER',
  'TIMEOUT',
  'DATABASE_ERROR',
  'INVALID_TRANSACTION_STATUS',
  'INVALID_CURRENCY',
  'ALREADY_EXISTS',
  'TRANSACTION_ALREADY_CANCEL',
]);

function endedStatus({ responseResult, terminalTransactionId }: Answer): OutcomeStatus {
  if (responseResult === 'DECLINED') return 'declined';
  // A refusal has started nothing, and so has no number.
  if (terminalTransactionId === undefined && responseResult !== 'NOT_FOUND')
    return refusals.has(responseResult) ? 'refused' : 'unknown';
  if (responseResult === 'TIMEOUT' || responseResult === 'TRANSACTION_ALREADY_CANCEL') return 'cancelled';
  return 'failed';
}
