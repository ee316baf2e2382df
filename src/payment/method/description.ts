import type { Amount } from '../../base/domain/amount.ts';
import type { EntryMode, PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { ScreenView } from '../contracts/screen.ts';
import type { NextStep } from '../contracts/reported-outcome.ts';
import type { ReceiptDocument } from '../../receipt/document.ts';
import type { ReceiptLanguage } from '../../base/domain/receipt-language.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * How a payment method is presented on receipts, in answers, on the screen and to the operator. It reads records only,
 * because the method may not be configured any more.
 */
export interface MethodDescription {
  /** The name that its intents carry (PaymentInstrument). */
  readonly name: string;
  /** The codes of `paymentMethod` and `entryMode` in its answers. */
  readonly schemes: readonly PaymentScheme[];
  readonly entryModes: readonly EntryMode[];
  /** Words for its codes and receipt lines, where the receipt and the page have none. */
  readonly labels?: MethodLabels;
  /** Files with a picture for its codes, which the screen shows beside the label. */
  readonly logos?: Readonly<Record<string, string>>;
  /** The details of one record that only this method knows. */
  readonly describe: (record: TransactionRecord) => MethodDetails;
}

/** Words by code. */
export type MethodLabels = Readonly<Record<string, MethodLabel>>;

export type MethodLabel = Readonly<Record<ReceiptLanguage, string>>;

export interface MethodDetails {
  readonly receipt: ReceiptPart;
  readonly own?: OwnLines;
  /** Additions to the outcome screen. */
  readonly screen?: Readonly<Partial<Record<Conclusion['outcome'], ScreenPart>>>;
  /** Absent for a payment without a card. */
  readonly cardData?: CardData;
  /** Additional answer fields of this method, besides those of SPEC §2.3 and §2.4. */
  readonly answer?: Readonly<Record<string, unknown>>;
}

export type ReceiptPart = Pick<ReceiptDocument, 'host' | 'original' | 'card' | 'eps' | 'wallet' | 'octopus' | 'cash'>;

/** Receipt lines of a method for which the receipt document has no part. */
export interface OwnLines {
  /** Label code and value. A line with an empty value is left out. */
  readonly lines: readonly (readonly [code: string, value: string])[];
  /** Balance of the stored-value card after the payment, or when it was insufficient. */
  readonly balance?: Amount;
}

export type ScreenPart = Pick<
  ScreenView,
  'hint' | 'wallet' | 'tendered' | 'change' | 'cashback' | 'balance' | 'cardInside'
> & {
  /** The next step, if the method knows a better one. */
  readonly next?: NextStep;
};

/** SPEC §2.4, cardData. A field is an empty string if the card did not provide it. */
export interface CardData {
  readonly aid: string;
  readonly appName: string;
  readonly atc: string;
  readonly tc: string;
  readonly tsi: string;
  readonly tvr: string;
  readonly authenticationMethod: string;
}

/** For a record without an intent of the method. */
export const noDetails: MethodDetails = { receipt: {} };
