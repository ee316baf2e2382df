import type { WalletClosing, WalletFinding } from '../../ports/wallet-host.ts';
import { isOver } from './enquiries.ts';

/**
 * The host did not show the order, and was asked to end it. A second empty answer is proof only if the host also says
 * that it has no such order, or no order that can be ended any more; for an order that it never had, it has a code of
 * its own. Any other answer, above all "already paid", means that there may be one: it is enquired again.
 */
export function neverCame(closing: WalletClosing, { kind }: WalletFinding): boolean {
  if (kind === 'notFound') return closing.kind === 'noSuchOrder';
  if (kind === 'noSuchOrder') return ['closed', 'noSuchOrder', 'notOperational'].includes(closing.kind);
  return isOver(kind);
}
