import type { EntryMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import { ownInstrumentOf } from '../../methods/contracts.ts';
import type { CardIntent, Intent } from '../events/intent.ts';
import type { PaymentInstrument } from '../events/payment-instrument.ts';

/** The means of payment of an intent, whatever its form in the journal. */
export function instrumentOf(intent: Intent): PaymentInstrument {
  if ('method' in intent) return intent.method;
  if ('card' in intent) {
    const { brand: scheme, entryMode, maskedPan: maskedNumber } = intent.card;
    const name = scheme === 'EPS' ? 'eps' : 'card';
    return { name, scheme, entryMode, maskedNumber, instrumentType: 'CARD', undo: 'reversal' };
  }
  return ownInstrumentOf(intent);
}

export function paymentSchemeOf(intent: Intent): PaymentScheme {
  return instrumentOf(intent).scheme;
}

export function entryModeOf(intent: Intent): EntryMode {
  return instrumentOf(intent).entryMode;
}

export function maskedNumberOf(intent: Intent): string {
  return instrumentOf(intent).maskedNumber;
}

/** Whether an unknown outcome is reversed. Otherwise it can only be resolved by enquiry. */
export function canBeReversed(intent: Intent): boolean {
  return instrumentOf(intent).undo === 'reversal';
}

export function cardIntentOf(intent: Intent | undefined): CardIntent | undefined {
  return intent && 'card' in intent ? intent : undefined;
}
