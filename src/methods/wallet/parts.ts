import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';
import type { SessionParts } from '../../payment/method/order.ts';

/** Milliseconds. */
export interface WalletWaits {
  /** The interval between enquiries for an order that waits for its customer, or is unknown. */
  readonly walletPollMs: number;
  /** How long an unknown order is enquired, or a code is being closed, before the queue takes it over. */
  readonly walletResolveMs: number;
}

export interface WalletParts extends SessionParts {
  readonly wallets: ReadonlyMap<AcquirerId, WalletHost>;
  readonly waits: WalletWaits;
}
