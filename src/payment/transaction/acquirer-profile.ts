import { type AcquirerOffer, beyond, type Bounds, type Limits, outside } from '../../base/domain/capability.ts';
import type { Amount } from '../../base/domain/amount.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { PaymentScheme, WalletScheme } from '../../base/domain/payment-scheme.ts';
import type { TransactionType } from '../../base/domain/transaction-kind.ts';

/** The payments that an acquirer accepts, by configuration. */
export interface AcquirerProfile extends AcquirerOffer {
  readonly id: AcquirerId;
  /** Leading digits of the card numbers that it accepts; absent for all. */
  readonly bins?: readonly string[] | undefined;
  /** The limits of its messages; absent if they have none. */
  readonly limits?: Limits;
  /**
   * The merchant's own limits of a payment. They do not apply to refunds, nor to requests that refer to an earlier
   * payment.
   */
  readonly bounds?: Bounds;
  /** The currencies of schemes that do not take all of the acquirer's. */
  readonly schemeCurrencies?: Readonly<Partial<Record<PaymentScheme, readonly CurrencyCode[]>>>;
  /** The merchant's limits of one scheme, in addition to those of the acquirer. */
  readonly schemeBounds?: Readonly<Partial<Record<PaymentScheme, Bounds>>>;
  /** Wallets that are scanned from the customer's phone, and wallets whose code is shown. */
  readonly scanned?: readonly WalletScheme[];
  readonly presented?: readonly WalletScheme[];
  /** Whether its host may approve a part of a sale. */
  readonly approvesParts?: true;
  /** Floor limits; absent for none. */
  readonly offline?: OfflineLimits;
  /** Why it takes no new payments now, in a sentence. Requests that refer to an earlier payment are still processed. */
  readonly held?: string | undefined;
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

/** The fields of a request that an acquirer's limits apply to. */
interface Limited {
  readonly type: TransactionType;
  readonly amount: Amount;
}

/** The limit of an acquirer that forbids this payment, for a message; undefined if there is none. */
export function limitOf({ type, amount }: Limited, { limits, bounds }: AcquirerProfile): string | undefined {
  return beyond(amount, limits) ?? (type === 'REFUND' ? undefined : outside(amount, bounds));
}

/** The same of one scheme. */
export function schemeLimitOf(
  { type, amount }: Limited,
  scheme: PaymentScheme,
  { schemeBounds }: AcquirerProfile,
): string | undefined {
  return type === 'REFUND' ? undefined : outside(amount, schemeBounds?.[scheme]);
}

/** The acquirers within whose limits a payment is, with the schemes that take its currency and amount. */
export function takersOf(terms: Limited, profiles: readonly AcquirerProfile[]): readonly AcquirerProfile[] {
  const { amount } = terms;
  return profiles.flatMap((profile) => {
    if (limitOf(terms, profile) !== undefined) return [];
    const takes = (scheme: PaymentScheme) =>
      currenciesFor(scheme, profile)?.includes(amount.currency) !== false &&
      schemeLimitOf(terms, scheme, profile) === undefined;
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
