import { type Amount, majorText } from './amount.ts';
import type { CurrencyCode } from './currency.ts';

/** Limits of an acquirer's messages, known before a payment starts. */
export interface Limits {
  /** The largest amount of one message, minor units. */
  readonly mostMinor: bigint;
  /** All currencies if absent. */
  readonly currencies?: readonly CurrencyCode[];
  /** An amount is a multiple of this, minor units. */
  readonly stepMinor?: bigint;
}

/** The merchant's own limits of one payment, minor units, by currency. */
export type Bounds = Readonly<Partial<Record<CurrencyCode, Bound>>>;

export interface Bound {
  readonly leastMinor?: bigint | undefined;
  readonly mostMinor?: bigint | undefined;
}

/** The narrowest of several limits in one currency. */
export function boundOf(currency: CurrencyCode, all: readonly (Bounds | undefined)[]): Bound {
  return all.reduce<Bound>((narrowest, bounds) => {
    const { leastMinor = 0n, mostMinor } = bounds?.[currency] ?? {};
    const { leastMinor: least = 0n, mostMinor: most } = narrowest;
    return {
      leastMinor: leastMinor > least ? leastMinor : narrowest.leastMinor,
      mostMinor: most === undefined || (mostMinor !== undefined && mostMinor < most) ? mostMinor : most,
    };
  }, {});
}

/** The merchant's limit that an amount is outside of, for a message; undefined if there is none. */
export function outside({ minor, currency }: Amount, bounds: Bounds = {}): string | undefined {
  const { leastMinor = 0n, mostMinor = minor } = bounds[currency] ?? {};
  if (minor < leastMinor) return `at least ${majorText({ minor: leastMinor, currency })} ${currency}`;
  if (mostMinor < minor) return `at most ${majorText({ minor: mostMinor, currency })} ${currency}`;
  return undefined;
}

/** The limit that an amount exceeds, for a message; undefined if it exceeds none. */
export function beyond(amount: Amount, limits: Limits | undefined): string | undefined {
  if (!limits) return undefined;
  const { mostMinor, currencies, stepMinor = 1n } = limits;
  const { minor, currency } = amount;
  if (currencies && !currencies.includes(currency)) return `the currencies are ${currencies.join(', ')}`;
  if (minor > mostMinor) return `at most ${majorText({ minor: mostMinor, currency })} ${currency}`;
  if (minor % stepMinor === 0n) return undefined;
  return `in steps of ${majorText({ minor: stepMinor, currency })} ${currency}`;
}
