import type { Account } from '../base/domain/account.ts';
import type { KnownEntryMode, KnownScheme } from '../base/domain/payment-scheme.ts';
import type { TransactionType } from '../base/domain/transaction-kind.ts';

export type ReceiptCopy = 'CUSTOMER' | 'MERCHANT';

/** UNKNOWN: the value may have been deducted, and the outcome is not known yet. A slip for the staff. */
export type ReceiptOutcome = 'APPROVED' | 'DECLINED' | 'ERROR' | 'UNKNOWN';

/** All words of a receipt in one language. Names of EMV data objects are the same in all languages. */
export interface Words extends LanguageWords {
  readonly kinds: Readonly<Record<TransactionType, string>>;
}

/** The words in the language's own file. The names of the kinds come from the table of kinds. */
export interface LanguageWords {
  readonly copies: Readonly<Record<ReceiptCopy, string>>;
  readonly outcomes: Readonly<Record<ReceiptOutcome, string>>;
  readonly methods: Readonly<Record<KnownScheme, string>>;
  /** Empty if the method's name already includes it. */
  readonly entryModes: Readonly<Record<KnownEntryMode, string>>;
  readonly accounts: Readonly<Record<Account, string>>;
  readonly heading: Readonly<
    Record<
      | 'duplicate'
      | 'cutOff'
      | 'voided'
      | 'mid'
      | 'tid'
      | 'batch'
      | 'invoice'
      | 'trace'
      | 'rrn'
      | 'cashier'
      | 'shift'
      | 'posReference',
      string
    >
  >;
  readonly original: Readonly<
    Record<'invoice' | 'rrn' | 'approvalCode' | 'hostNumber' | 'amount' | 'terminalTransactionId', string>
  >;
  readonly method: Readonly<
    Record<
      'card' | 'app' | 'account' | 'hostNumber' | 'walletNumber' | 'octopusNumber' | 'deviceId' | 'octopusReceipt',
      string
    >
  >;
  readonly amounts: Readonly<
    Record<
      | 'base'
      | 'purchase'
      | 'tip'
      | 'cashback'
      | 'total'
      | 'hold'
      | 'amount'
      | 'final'
      | 'refunded'
      | 'tendered'
      | 'change'
      | 'balance',
      string
    >
  >;
  readonly verdict: Readonly<
    Record<
      | 'approvalCode'
      | 'responseCode'
      | 'held'
      | 'released'
      | 'mayBeTaken'
      | 'sameCard'
      | 'takenBack'
      | 'nothingCharged'
      | 'confirmed'
      | 'notAgain'
      | 'notKnown'
      | 'askFirst',
      string
    >
  >;
  readonly verification: Readonly<
    Record<'pinVerified' | 'deviceVerified' | 'noSignature' | 'customerSignature' | 'signedOnScreen', string>
  >;
  readonly settlement: Readonly<
    Record<
      | 'title'
      | 'nothing'
      | 'noTransactions'
      | 'rejected'
      | 'takenLate'
      | 'unresolved'
      | 'openAuths'
      | 'stillOpen'
      | 'differed'
      | 'net'
      | 'BALANCED'
      | 'UPLOADED'
      | 'CONFIRMED'
      | 'byTelephone'
      | 'FAILED',
      string
    >
  >;
}
