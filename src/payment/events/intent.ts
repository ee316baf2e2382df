import type { Account } from '../../base/domain/account.ts';
import type { AuthenticationMethod } from '../../base/domain/authentication-method.ts';
import type { CardEntryMode, CardScheme } from '../../base/domain/payment-scheme.ts';
import type { AdviceOperation, OnlineOperation } from '../../base/domain/transaction-kind.ts';
import type { TraceNumbers } from '../../base/domain/identifiers.ts';
import type { OwnIntent } from '../../methods/contracts.ts';
import type { IntentCommon, PaymentInstrument } from './payment-instrument.ts';

/** The data of a card that may be stored: the last four digits of its number, and the data that a receipt prints. */
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

export interface CardIntent extends IntentCommon {
  readonly operation: Operation;
  /**
   * The site of its host ('host:port'); absent if the host has only one. An intent without a site belongs to the first.
   */
  readonly site?: string;
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

/** The intent of a method without a form of its own. */
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
 * several intents, one after the other: all but the last have no effect.
 */
export type Intent = CardIntent | OwnIntent | MethodIntent;

/**
 * An intent before the journal assigns its numbers. A void and a tip adjustment keep their original's invoice number;
 * other intents get the next one.
 */
export type IntentDraft = Drafted<Intent> & { readonly invoice?: number };
type Drafted<Each> = Each extends Intent ? Omit<Each, 'kind' | 'trace'> : never;
