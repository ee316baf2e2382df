import type { Amount } from '../domain/amount.ts';
import type { EntryMode } from '../domain/entry-mode.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { ScreenView } from '../ports/screen.ts';
import type { ReceiptDocument, ReceiptLanguage } from '../receipt/document.ts';
import type { TransactionRecord } from '../records/record.ts';

/**
 * How a payment method is told of on receipts, in answers, on the screen and to the operator. It reads records alone: the method may
 * not be configured any more.
 */
export interface MethodDescription {
  /** As its intents name it (PaymentMeans). */
  readonly name: string;
  /** The codes that its answers have in `paymentMethod` and `entryMode`. */
  readonly schemes: readonly PaymentScheme[];
  readonly entryModes: readonly EntryMode[];
  /** Whether the operator may void it at the screen. */
  readonly isVoidable: boolean;
  /** Words for its codes and for the lines of its receipt, where the receipt and the page have none of their own. */
  readonly labels?: MethodLabels;
  /** What only this method has to say of one of its records. */
  readonly describe: (record: TransactionRecord) => MethodDetails;
}

/** Words by their code. */
export type MethodLabels = Readonly<Record<string, MethodLabel>>;

export type MethodLabel = Readonly<Record<ReceiptLanguage, string>>;

export interface MethodDetails {
  readonly receipt: ReceiptPart;
  readonly own?: OwnLines;
  /** The outcome on the screen. */
  readonly screen?: Readonly<Partial<Record<Conclusion['outcome'], ScreenPart>>>;
  /** Nothing where it was paid without a card. */
  readonly cardData?: CardData;
  /** Fields that only this method has beside those of SPEC §2.3 and §2.4. */
  readonly answer?: Readonly<Record<string, unknown>>;
}

export type ReceiptPart = Pick<ReceiptDocument, 'host' | 'original' | 'card' | 'eps' | 'wallet' | 'octopus' | 'cash'>;

/** On the receipt of a method that it has no part for. */
export interface OwnLines {
  /** By the code of their label. An empty value is left out. */
  readonly lines: readonly (readonly [code: string, value: string])[];
  /** On the stored-value card afterwards, or where it had too little. */
  readonly balance?: Amount;
}

export type ScreenPart = Pick<
  ScreenView,
  'hint' | 'wallet' | 'tendered' | 'change' | 'cashback' | 'balance' | 'cardInside'
>;

/** SPEC §2.4, cardData. An empty string where the card gave nothing. */
export interface CardData {
  readonly aid: string;
  readonly appName: string;
  readonly atc: string;
  readonly tc: string;
  readonly tsi: string;
  readonly tvr: string;
  readonly authenticationMethod: string;
}

/** Of a record that is none of the method's own: it never came to an intent. */
export const noDetails: MethodDetails = { receipt: {} };
