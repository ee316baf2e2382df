import type { AcquirerOffer } from '../domain/capability.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import type { Limits } from '../domain/limits.ts';
import type { WalletScheme } from '../domain/payment-scheme.ts';

/** What an acquirer accepts, by configuration. */
export interface AcquirerProfile extends AcquirerOffer {
  readonly id: AcquirerId;
  /** Leading digits of the card numbers that it accepts; absent for all. */
  readonly bins?: readonly string[] | undefined;
  /** What its messages can express; absent if they have no limits. */
  readonly limits?: Limits;
  /** Wallets that are scanned from the customer's phone, and wallets whose code is shown. */
  readonly scanned?: readonly WalletScheme[];
  readonly presented?: readonly WalletScheme[];
  /** Floor limits; absent for none. */
  readonly offline?: OfflineLimits;
}

/**
 * Limits of payments that are approved without their host, which may still reject them. Minor units, the same in every
 * currency.
 */
export interface OfflineLimits {
  readonly amountMinorMax: bigint;
  /** Maximum number of offline sales that the host has not received, and their maximum sum in one currency. */
  readonly countMax: number;
  readonly sumMinorMax: bigint;
}
