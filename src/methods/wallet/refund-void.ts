import { bareApproval, type JournalledOutcome } from '../../payment/events/answer.ts';
import type { WalletHost, WalletOrder } from '../../payment/contracts/wallet-host.ts';
import { isOver } from './enquiries.ts';

type Known = Extract<JournalledOutcome, { kind: 'approved' | 'declined' }>;

/**
 * Takes a refund back. Approved if the host says so; declined if the host refuses and shows that the refund stands;
 * undefined if it is not known yet.
 */
export async function takeBackRefund(
  refund: WalletOrder,
  host: Pick<WalletHost, 'enquire' | 'reverseRefund'>,
): Promise<Known | undefined> {
  const closing = await host.reverseRefund(refund);
  if (closing.kind === 'closed') return bareApproval;
  const { kind } = await host.enquire(refund);
  if (isOver(kind)) return bareApproval;
  if (!('responseCode' in closing) || kind !== 'approved') return undefined;
  return { kind: 'declined', reason: 'declined', responseCode: closing.responseCode, rrn: '' };
}
