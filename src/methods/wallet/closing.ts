import type { Clock } from '../../base/ports/clock.ts';
import { pause, TimeLimit } from '../../base/ports/pause.ts';
import type { WalletApproved, WalletHost } from '../../payment/contracts/wallet-host.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import { isEnded, staysOpen } from './enquiries.ts';
import { walletOrder } from './order.ts';
import type { WalletWaits } from './parts.ts';

/**
 * How closing an order has ended. over: nobody can pay it any more; with `isOpen`, its payment was declined, and the host
 * refused to close it, so that it may still be payable. open: not known; `said`: the host's last code.
 */
export type ClosingEnd =
  | WalletApproved
  | { readonly kind: 'over'; readonly isOpen?: true }
  | { readonly kind: 'open'; readonly said: { readonly responseCode?: string } };

/**
 * Closes the order of this transaction, and repeats it until an enquiry decides, until `walletResolveMs` has passed, or
 * until the signal aborts. `host`: undefined if it is no longer configured.
 */
export async function closeOrder(
  record: TransactionRecord,
  host: Pick<WalletHost, 'close' | 'enquire'> | undefined,
  { clock, waits }: { readonly clock: Clock; readonly waits: WalletWaits },
  signal?: AbortSignal,
): Promise<ClosingEnd> {
  const { intent, ...order } = walletOrder(record);
  const { scheme } = intent.wallet;
  const limit = new TimeLimit(waits.walletResolveMs - waits.walletPollMs, clock);
  let said: { readonly responseCode?: string } = {};
  try {
    for (;;) {
      if (!host) break;
      const closing = await host.close({ ...order, scheme });
      if ('responseCode' in closing) said = { responseCode: closing.responseCode };
      // A reversal does not guarantee that the customer was not charged (the host's documents). Only the enquiry tells.
      const finding = await host.enquire(order);
      if (isEnded(closing, finding, intent)) return { kind: 'over', ...staysOpen(closing, finding, intent) };
      if (finding.kind === 'approved') return finding;
      if (limit.isOver || signal?.aborted) break;
      await pause(waits.walletPollMs, clock, signal);
      if (signal?.aborted) break;
    }
  } finally {
    limit.end();
  }
  return { kind: 'open', said };
}
