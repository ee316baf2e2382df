import type { StoredEvent } from '../../payment/events/event.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';

/** A host that has approved and reversed one request this often is faulty: further approvals change nothing. */
const approvalsMax = 16;

/**
 * Whether a late approval repeats one that the journal has. While the reversal waits, it takes back whatever the host
 * has approved. Afterwards the approval is the one that the host has reversed, unless the host had no record of it or
 * gives it another number (field 37).
 */
export function isRepeatedApproval(
  { lateApproval, reversal }: TransactionRecord,
  events: readonly StoredEvent[],
  { isApproval, responseCode = '', rrn = '' }: Pick<LateAnswer, 'isApproval' | 'responseCode' | 'rrn'>,
): boolean {
  if (!isApproval || !lateApproval) return false;
  if (reversal === 'queued') return true;
  const answered = events.findLast(({ event }) => event.kind === 'reversalAcknowledged')?.event;
  // The code of an approval is never that of "no record".
  const isReversed = answered?.kind === 'reversalAcknowledged' && answered.responseCode === responseCode;
  if (reversal !== 'acknowledged' || !isReversed) return false;
  const isSame = rrn !== '' && rrn === lateApproval.rrn;
  return isSame || events.filter(({ event }) => event.kind === 'approvedLate').length >= approvalsMax;
}
