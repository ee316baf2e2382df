import type { EntryMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { CardIntent, Intent, PaymentInstrument } from '../events/intent.ts';

/** The means of payment of an intent, whatever its form in the journal. */
export function instrumentOf(intent: Intent): PaymentInstrument {
  if ('method' in intent) return intent.method;
  if ('card' in intent) {
    const { brand: scheme, entryMode, maskedPan: maskedNumber } = intent.card;
    const name = scheme === 'EPS' ? 'eps' : 'card';
    return { name, scheme, entryMode, maskedNumber, instrumentType: 'CARD', undo: 'reversal' };
  }
  if ('wallet' in intent) {
    // A payment that can't be refunded, a refund or its void can only be resolved by enquiry.
    const isResolved = intent.operation === 'voidRefund' || intent.isResolved === true || intent.isFinal === true;
    const { scheme, entryMode } = intent.wallet;
    const undo = isResolved ? 'enquiry' : 'reversal';
    return { name: 'wallet', scheme, entryMode, maskedNumber: '', instrumentType: 'QR', undo };
  }
  return 'octopus' in intent ? { ...octopus, maskedNumber: intent.octopus.maskedNumber } : cash;
}

const octopus = {
  name: 'octopus',
  scheme: 'OCTOPUS',
  entryMode: 'OCTOPUS',
  instrumentType: 'OCTOPUS',
  undo: 'sameCard',
} as const;

const cash: PaymentInstrument = {
  name: 'cash',
  scheme: 'CASH',
  entryMode: 'CASH',
  maskedNumber: '',
  instrumentType: 'CASH',
  undo: 'reversal',
};

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
