import type { WalletClosing, WalletFinding } from '../../payment/contracts/wallet-host.ts';
import { isOver } from './enquiries.ts';

/**
 * Whether an order that its host did not show, and that the host was asked to close, never reached it. A second empty
 * answer is proof only if the host also says that it has no such order, or no order that can still be closed; it has a
 * code of its own for an order that it never had. Any other answer, above all "already paid", means that the order may
 * exist, so it is enquired again.
 */
export function neverCame(closing: WalletClosing, { kind }: WalletFinding): boolean {
  if (kind === 'notFound') return closing.kind === 'noSuchOrder';
  if (kind === 'noSuchOrder') return ['closed', 'noSuchOrder', 'notOperational'].includes(closing.kind);
  return isOver(kind);
}
