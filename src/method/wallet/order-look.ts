import type { WalletIntent } from '../../events/intent.ts';
import type { WalletFinding, WalletHost, WalletOrder } from '../../ports/wallet-host.ts';
import { isEnded, isPayable, isUnshown } from './enquiries.ts';
import { neverCame } from './never-came.ts';

/**
 * over: nobody can pay the order any more. paid: it was paid, or can still be paid. silent: its host does not report
 * its state.
 */
export type Verdict = 'over' | 'paid' | 'silent';

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
  const isDoubtful = first.kind === 'waiting' || (isOpen && (isUnshown(first) || isPayable(first, intent)));
  if (!isDoubtful) return verdictOn(first);
  const closing = await host.close({ ...order, scheme: intent.wallet.scheme });
  const last = await host.enquire(order);
  const ended = isUnshown(first) ? neverCame(closing, last) : isEnded(closing, last, intent);
  if (ended) return 'over';
  // If the host said before that the order was over, the queue continues with it.
  return last.kind === 'approved' || (last.kind === 'waiting' && !isOpen) ? 'paid' : 'silent';
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
