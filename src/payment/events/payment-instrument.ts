import type { AcquirerId, TraceNumbers } from '../../base/domain/identifiers.ts';
import type { EntryMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { Check } from '../../base/domain/stored-shape.ts';

/** The fields of an intent, whatever the method. */
export interface IntentCommon {
  readonly kind: 'intent';
  readonly acquirerId: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly trace: TraceNumbers;
}

/**
 * How an unknown outcome is resolved. reversal: the host reverses it. enquiry: the host can only be asked. sameCard: no
 * host knows the outcome, and only the same card shows it when it is presented again.
 */
export type Undo = 'reversal' | 'enquiry' | 'sameCard';

/** The properties that every intent has, whatever the method. */
export interface PaymentInstrument {
  /** Name of the payment method: its folder is src/methods/<name>. */
  readonly name: string;
  readonly scheme: PaymentScheme;
  readonly entryMode: EntryMode;
  /** The last four digits, the others masked; empty if there is no number. */
  readonly maskedNumber: string;
  /** SPEC §2.4, paymentInstrumentType. */
  readonly instrumentType: string;
  readonly undo: Undo;
}

/** The form that a method gives its intents in the journal. */
export interface IntentForm<Own extends IntentCommon> {
  /** The field that only intents of this form have. */
  readonly field: Exclude<keyof Own, keyof IntentCommon> & string;
  /** Whether an intent has all that every version writes of the method. */
  readonly isWhole: Check;
  readonly instrumentOf: (intent: Own) => PaymentInstrument;
}
