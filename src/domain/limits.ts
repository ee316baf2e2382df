import { type Amount, majorText } from './amount.ts';
import type { CurrencyCode } from './currency.ts';

/** What the messages of one acquirer can express, told before anything is asked of it. */
export interface Limits {
  /** The greatest amount of one message, minor units. */
  readonly mostMinor: bigint;
  /** All where none are named. */
  readonly currencies?: readonly CurrencyCode[];
  /** An amount is a multiple of this, minor units. */
  readonly stepMinor?: bigint;
}

/** Which limit an amount is beyond, for a sentence; nothing where it can be expressed. */
export function beyond(amount: Amount, limits: Limits | undefined): string | undefined {
  if (!limits) return undefined;
  const { mostMinor, currencies, stepMinor = 1n } = limits;
  const { minor, currency } = amount;
  if (currencies && !currencies.includes(currency)) return `it has ${currencies.join(', ')}`;
  if (minor > mostMinor) return `at most ${majorText({ minor: mostMinor, currency })} ${currency}`;
  if (minor % stepMinor === 0n) return undefined;
  return `in steps of ${majorText({ minor: stepMinor, currency })} ${currency}`;
}
