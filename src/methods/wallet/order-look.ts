import type { WalletIntent } from './contract.ts';
import type { WalletFinding, WalletHost, WalletOrder } from '../../payment/contracts/wallet-host.ts';
import { isEnded, isPayable, isUnshown, staysOpen } from './enquiries.ts';
import { neverCame } from './never-came.ts';

/**
 * over: nobody can pay it any more. paid: it was paid, or can be. payable: a payment by it was declined, and its host
 * refuses to close it. silent: its host does not tell.
 */
export type Verdict = 'over' | 'paid' | 'payable' | 'silent';

type LookingHost = Pick<WalletHost, 'enquire' | 'close'>;

/**
 * Enquires an order that was recorded as over. If it can still be paid, it is closed and enquired again. `isOpen`: its
 * host has never confirmed that it is over. Only proof then ends the doubt: an order that the host does not show may
 * still arrive, and an order that the host does not close is enquired again.
 */
export async function lookAtOrder(
  order: WalletOrder,
  intent: WalletIntent,
  isOpen: boolean,
  host: LookingHost,
): Promise<Verdict> {
  const first = await host.enquire(order);
  if (intent.operation !== 'sale') return verdictOnRefund(first);
  const isDoubtful = first.kind === 'waiting' || (isOpen && (isUnshown(first) || isPayable(first, intent)));
  if (!isDoubtful) return verdictOn(first);
  const closing = await host.close({ ...order, scheme: intent.wallet.scheme });
  const last = await host.enquire(order);
  const ended = isUnshown(first) ? neverCame(closing, last) : isEnded(closing, last, intent);
  if (ended) return isOpen && staysOpen(closing, last, intent).isOpen ? 'payable' : 'over';
  // For an order that its host has called over before, the queue goes on.
  return last.kind === 'approved' || (last.kind === 'waiting' && !isOpen) ? 'paid' : 'silent';
}

/** Of a refund that the operator has called unposted: whether the host has carried it out after all. */
function verdictOnRefund({ kind }: WalletFinding): Verdict {
  if (kind === 'approved') return 'paid';
  return kind === 'waiting' || kind === 'unknown' ? 'silent' : 'over';
}

function verdictOn({ kind }: WalletFinding): Verdict {
  switch (kind) {
    case 'closed':
    case 'declined':
    case 'refunded':
    // The host had closed it, and no longer shows it.
    case 'noSuchOrder':
    case 'notFound':
      return 'over';
    case 'approved':
    case 'waiting':
      return 'paid';
    case 'unknown':
      return 'silent';
    default:
      return kind satisfies never;
  }
}
