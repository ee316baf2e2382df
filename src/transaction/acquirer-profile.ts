import type { AcquirerOffer } from '../domain/capability.ts';
import type { Amount } from '../domain/amount.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import { beyond, type Limits } from '../domain/limits.ts';
import type { PaymentScheme, WalletScheme } from '../domain/payment-scheme.ts';

/** What an acquirer accepts, by configuration. */
export interface AcquirerProfile extends AcquirerOffer {
  readonly id: AcquirerId;
  /** Leading digits of the card numbers that it accepts; absent for all. */
  readonly bins?: readonly string[] | undefined;
  /** What its messages can express; absent if they have no limits. */
  readonly limits?: Limits;
  /** The currencies of schemes that do not take all of the acquirer's. */
  readonly schemeCurrencies?: Readonly<Partial<Record<PaymentScheme, readonly CurrencyCode[]>>>;
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

/** The currencies that an acquirer takes for a scheme; undefined for all. */
export function currenciesFor(
  scheme: PaymentScheme,
  { limits, schemeCurrencies }: AcquirerProfile,
): readonly CurrencyCode[] | undefined {
  return schemeCurrencies?.[scheme] ?? limits?.currencies;
}

/** The acquirers within whose limits an amount is, with the schemes that take its currency. */
export function takersOf(amount: Amount, profiles: readonly AcquirerProfile[]): readonly AcquirerProfile[] {
  return profiles.flatMap((profile) => {
    if (beyond(amount, profile.limits)) return [];
    const takes = (scheme: PaymentScheme) => currenciesFor(scheme, profile)?.includes(amount.currency) !== false;
    if (profile.brands.every(takes)) return [profile];
    const { brands, scanned, presented } = profile;
    return {
      ...profile,
      brands: brands.filter(takes),
      ...(scanned ? { scanned: scanned.filter(takes) } : {}),
      ...(presented ? { presented: presented.filter(takes) } : {}),
    };
  });
}
