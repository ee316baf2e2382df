import type { Account } from '../domain/account.ts';
import type { AuthenticationMethod } from '../domain/authentication-method.ts';
import type { CardEntryMode, EntryMode, WalletEntryMode } from '../domain/entry-mode.ts';
import type { AdviceOperation, OnlineOperation } from '../domain/host-operation.ts';
import type { AcquirerId } from '../domain/identifiers.ts';
import type { CardScheme, PaymentScheme, WalletScheme } from '../domain/payment-scheme.ts';
import type { TraceNumbers } from '../domain/trace-numbers.ts';

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

/** OriginalReference as it is kept: what the message repeats of the transaction that it refers to. */
export interface JournalledOriginal {
  readonly trace: TraceNumbers;
  /** Minor units as decimal digits, before the message that refers to it. */
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
  /** EPS. */
  readonly account?: Account;
  /** EPS: minor units as decimal digits, part of the amount. */
  readonly cashbackMinor?: string;
  readonly original?: JournalledOriginal;
  /** Of an offline sale, for its advice: EMV data objects in the clear, hex by tag. */
  readonly emv?: Readonly<Record<string, string>>;
}

/** A sale, a refund, a void (which gives everything back) and the void of a refund. */
export type WalletOperation = 'sale' | 'refund' | 'void' | 'voidRefund';

export interface WalletIntent extends IntentCommon {
  readonly operation: WalletOperation;
  readonly wallet: { readonly scheme: WalletScheme; readonly entryMode: WalletEntryMode };
  /** This wallet gives nothing back: what was paid stands, and what is unknown can only be found out. */
  readonly isFinal?: true;
  /** Its name at the host, where another transaction has given it. */
  readonly tradeNo?: string;
  /** When it is sent, ISO 8601: the host wants it repeated. */
  readonly sentAt: string;
  /** The host's own time then, where it had told it: this machine's clock may be wrong. */
  readonly hostAt?: string;
  /** The order that it is about, as the host knows it. */
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
  /** What the customer handed over, minor units as decimal digits. */
  readonly cash: { readonly tenderedMinor: string };
}

/**
 * What ends the doubt where it is unknown whether it was paid. reversal: its host takes it back. enquiry: its host can only be asked.
 * sameCard: no host knows, the value may be gone until the same card is presented again.
 */
export type Undo = 'reversal' | 'enquiry' | 'sameCard';

/** What everybody may ask of an intent, whatever it is paid with. */
export interface PaymentMeans {
  /** Of the payment method: its room is src/method/<name>. */
  readonly name: string;
  readonly scheme: PaymentScheme;
  readonly entryMode: EntryMode;
  /** All but the last four digits hidden; empty where there is no number. */
  readonly maskedNumber: string;
  /** SPEC §2.4, paymentInstrumentType. */
  readonly instrumentType: string;
  readonly undo: Undo;
}

/** Of any method that has no form of its own above. */
export interface MethodIntent extends IntentCommon {
  readonly operation: Operation;
  readonly method: PaymentMeans;
  /** What the method alone reads. No card number, no track, no PIN. */
  readonly own: Readonly<Record<string, string>>;
  /** What it refers to. */
  readonly original?: MethodOriginal;
}

export interface MethodOriginal {
  /** Its number at the host, as a receipt tells it. */
  readonly hostNumber: string;
  /** Minor units as decimal digits, before the message that refers to it. */
  readonly amountMinor: string;
}

/**
 * The promise to send a message that can move money: on stable storage before its first byte leaves. A transaction may have
 * several, one after the other: each but the last came to nothing.
 */
export type Intent = CardIntent | WalletIntent | OctopusIntent | CashIntent | MethodIntent;

/** What the journal makes an intent of. A void and a tip adjust carry their original's invoice number; the others get the next one. */
export type IntentDraft = Drafted<Intent> & { readonly invoice?: number };
type Drafted<Each> = Each extends Intent ? Omit<Each, 'kind' | 'trace'> : never;
