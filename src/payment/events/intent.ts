import type { Account } from '../../base/domain/account.ts';
import type { AuthenticationMethod } from '../../base/domain/authentication-method.ts';
import type {
  CardEntryMode,
  EntryMode,
  WalletEntryMode,
  CardScheme,
  PaymentScheme,
  WalletScheme,
} from '../../base/domain/payment-scheme.ts';
import type { AdviceOperation, OnlineOperation } from '../../base/domain/transaction-kind.ts';
import type { AcquirerId, TraceNumbers } from '../../base/domain/identifiers.ts';

/** What may be kept of a card: the last four digits of its number and what a receipt prints. */
export interface CardSummary {
  readonly brand: CardScheme;
  readonly entryMode: CardEntryMode;
  readonly maskedPan: string;
  readonly aid: string;
  readonly appName: string;
  readonly panSequenceNumber?: string;
  readonly authenticationMethod: AuthenticationMethod;
  /** Hex of 9F36, 9F26, 9B, 95; empty when the card gave none. */
  readonly atc: string;
  readonly tc: string;
  readonly tsi: string;
  readonly tvr: string;
}

export type Operation = OnlineOperation | AdviceOperation;

/** An OriginalReference as it is journalled: the data of the earlier transaction that the message repeats. */
export interface JournalledOriginal {
  readonly trace: TraceNumbers;
  /** The total before the message that refers to it, minor units as decimal digits. */
  readonly amountMinor: string;
  readonly rrn: string;
  readonly approvalCode: string;
  readonly hostTime: string;
  readonly hostDate: string;
}

interface IntentCommon {
  readonly kind: 'intent';
  readonly acquirerId: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly trace: TraceNumbers;
}

export interface CardIntent extends IntentCommon {
  readonly operation: Operation;
  readonly card: CardSummary;
  /** The card number as the reader encrypted it, hex. No track data. */
  readonly ksn: string;
  readonly encryptedPan: string;
  /** Set for EPS only. */
  readonly account?: Account;
  /** EPS: minor units as decimal digits, part of the amount. */
  readonly cashbackMinor?: string;
  readonly original?: JournalledOriginal;
  /** Offline sale, for its advice: EMV data objects in the clear, hex by tag. */
  readonly emv?: Readonly<Record<string, string>>;
}

/** A sale, a refund, a void (a full refund) and the void of a refund. */
export type WalletOperation = 'sale' | 'refund' | 'void' | 'voidRefund';

export interface WalletIntent extends IntentCommon {
  readonly operation: WalletOperation;
  readonly wallet: { readonly scheme: WalletScheme; readonly entryMode: WalletEntryMode };
  /** This wallet can't refund: a payment is final, and an unknown one can only be resolved by enquiry. */
  readonly isFinal?: true;
  /** A refund or void: hosts end one only while it has not succeeded, so an unknown one can only be resolved by enquiry. */
  readonly isResolved?: true;
  /** The order number, if another transaction has assigned it. */
  readonly tradeNo?: string;
  /** When it was sent, ISO 8601: later requests must repeat it. */
  readonly sentAt: string;
  /** The host's own time then, if it was known: this machine's clock may be wrong. */
  readonly hostAt?: string;
  /** The order that it refers to, as the host knows it. */
  readonly original?: {
    readonly tradeNo: string;
    readonly hostNumber: string;
    readonly sentAt: string;
    /** Minor units as decimal digits. */
    readonly amountMinor: string;
  };
}

export interface OctopusIntent extends IntentCommon {
  readonly operation: 'sale';
  readonly octopus: { readonly maskedNumber: string };
}

export interface CashIntent extends IntentCommon {
  readonly operation: 'sale';
  /** The amount tendered, minor units as decimal digits. */
  readonly cash: { readonly tenderedMinor: string };
}

/**
 * How an unknown outcome is resolved. reversal: the host reverses it. enquiry: the host can only be asked. sameCard: no
 * host knows, and only the same card can tell when it is presented again.
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

/** The intent of a method without a form of its own above. */
export interface MethodIntent extends IntentCommon {
  readonly operation: Operation;
  readonly method: PaymentInstrument;
  /** Data that only the method reads. No card number, track or PIN. */
  readonly own: Readonly<Record<string, string>>;
  readonly original?: MethodOriginal;
}

export interface MethodOriginal {
  /** Its number at the host, as a receipt prints it. */
  readonly hostNumber: string;
  /** The total before the message that refers to it, minor units as decimal digits. */
  readonly amountMinor: string;
}

/**
 * Written to stable storage before the first byte of a message that can move money is sent (I1). A transaction may have
 * several intents, one after the other: all but the last came to nothing.
 */
export type Intent = CardIntent | WalletIntent | OctopusIntent | CashIntent | MethodIntent;

/**
 * An intent before the journal assigns its numbers. A void and a tip adjustment keep their original's invoice number;
 * other intents get the next one.
 */
export type IntentDraft = Drafted<Intent> & { readonly invoice?: number };
type Drafted<Each> = Each extends Intent ? Omit<Each, 'kind' | 'trace'> : never;
