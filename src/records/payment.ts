import type { EntryMode } from '../domain/entry-mode.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type { CardIntent, Intent } from '../events/intent.ts';

/** What an intent says of how it is paid, whatever it is paid with. */
export function paymentSchemeOf(intent: Intent): PaymentScheme {
  if ('card' in intent) return intent.card.brand;
  if ('wallet' in intent) return intent.wallet.scheme;
  return 'octopus' in intent ? 'OCTOPUS' : 'CASH';
}

export function entryModeOf(intent: Intent): EntryMode {
  if ('card' in intent) return intent.card.entryMode;
  if ('wallet' in intent) return intent.wallet.entryMode;
  return 'octopus' in intent ? 'OCTOPUS' : 'CASH';
}

/** All but the last four digits hidden; empty where there is no number. */
export function maskedNumberOf(intent: Intent): string {
  if ('card' in intent) return intent.card.maskedPan;
  return 'octopus' in intent ? intent.octopus.maskedNumber : '';
}

export function cardIntentOf(intent: Intent | undefined): CardIntent | undefined {
  return intent && 'card' in intent ? intent : undefined;
}
