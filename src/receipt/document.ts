import type { Account } from '../base/domain/account.ts';
import type { Amount } from '../base/domain/amount.ts';
import type { AuthenticationMethod } from '../base/domain/authentication-method.ts';
import type { EntryMode, PaymentScheme } from '../base/domain/payment-scheme.ts';
import type { TerminalTransactionId, PosDetails } from '../base/domain/identifiers.ts';
import type { Signature } from '../base/domain/signature.ts';
import type { TransactionType } from '../base/domain/transaction-kind.ts';
import type { ReceiptLanguage } from '../base/domain/receipt-language.ts';
import type { ReceiptCopy, ReceiptOutcome } from './words.ts';

/** The shop's own texts, from the configuration. An empty one is left out. */
export interface ReceiptShop {
  readonly name: string;
  readonly address: string;
  readonly phone: string;
  readonly email: string;
}

/** Data from the card. Values are upper-case hex, as in EMV; missing ones are left out. */
export interface ReceiptCard {
  /** Last four digits only: '************0119'. Anything else is printed as asterisks. */
  readonly maskedPan: string;
  /** Application identifier, tag 4F or 84. */
  readonly aid?: string;
  /** Application preferred name or label, tag 9F12 or 50. */
  readonly appName?: string;
  /**
   * Application cryptogram, tag 9F26. TC: the card approved; ARQC: it requested the issuer's authorization
   * (contactless).
   */
  readonly cryptogram?: { readonly kind: 'TC' | 'ARQC' | 'AAC'; readonly value: string };
  /** Application transaction counter, tag 9F36. */
  readonly atc?: string;
  /** Terminal verification results, tag 95. */
  readonly tvr?: string;
  /** Transaction status information, tag 9B. */
  readonly tsi?: string;
  readonly authenticationMethod: AuthenticationMethod;
  /** The customer has signed on the screen: the merchant's copy has this in the place of a line to sign on. */
  readonly signature?: Signature;
}

/** The order that a QR wallet paid or refunded. An empty number is left out. */
export interface ReceiptWallet {
  /** The acquirer's own number: a refund refers to it. */
  readonly hostNumber: string;
  /** The wallet's own number, as the customer's phone shows it. */
  readonly walletNumber: string;
}

/** Data from the Octopus reader. */
export interface ReceiptOctopus {
  /** '5678': printed as '****5678'. Anything else is printed as asterisks. */
  readonly cardLastFour: string;
  /** Balance afterwards, or when it was insufficient; may be negative. */
  readonly balance?: Amount;
  /** The reader's own number of the deduction; empty if there was none. */
  readonly receipt: string;
  readonly deviceId?: string;
}

export interface ReceiptCash {
  readonly tendered: Amount;
  readonly change: Amount;
}

/** The choices of an EPS customer. Card and PIN are printed as for any card. */
export interface ReceiptEps {
  readonly account: Account;
  /** Cash that the customer gets: part of the total, in the same currency. */
  readonly cashback?: Amount;
}

/** Data of a method for which this document has no part, in the receipt's language. */
export interface ReceiptMethod {
  /**
   * Names of the payment scheme and of the entry mode; the latter is empty if the scheme's name already includes it.
   */
  readonly scheme: string;
  readonly entryMode: string;
  /** An empty value is left out. */
  readonly lines: readonly (readonly [label: string, value: string])[];
  /** Balance of the stored-value card afterwards, or when it was insufficient. */
  readonly balance?: Amount;
}

/** The transaction's identifiers in the host's books. */
export interface ReceiptHost {
  /** Merchant identifier, field 42; empty if the host has none. */
  readonly mid: string;
  /** Terminal identifier, field 41; empty if the host has none. */
  readonly tid: string;
  /** Systems trace audit number, field 11. */
  readonly stan?: number;
  /** Invoice number, field 62. */
  readonly invoice?: number;
  readonly batch?: number;
  /** Retrieval reference number, field 37. */
  readonly rrn?: string;
  /** Field 38. */
  readonly approvalCode?: string;
  /** Field 39: printed if the host declined. */
  readonly responseCode?: string;
}

/**
 * The transaction that a void, refund, tip adjustment or completion refers to, by the identifiers on its own receipt.
 */
export interface ReceiptOriginal {
  /** Invoice number, field 62. */
  readonly invoice?: number;
  /** Retrieval reference number, field 37. */
  readonly rrn?: string;
  readonly approvalCode?: string;
  /** The acquirer's own number of a wallet's order. */
  readonly hostNumber?: string;
  /** Its total, if it differs from this one's: the authorized amount, or the total before the tip. */
  readonly amount?: Amount;
  readonly terminalTransactionId?: TerminalTransactionId;
}

/** The amount that a sale option has added. */
export interface ReceiptAddition {
  /** In the receipt's language. */
  readonly label: string;
  readonly amount: Amount;
}

/** The content of one receipt, without its layout. */
export interface ReceiptDocument {
  /** Default: English. */
  readonly language?: ReceiptLanguage;
  readonly copy: ReceiptCopy;
  /** A reprint: marked DUPLICATE. */
  readonly duplicate?: boolean;
  /** It was voided since: a reprint shows that. */
  readonly voided?: boolean;
  /**
   * ERROR: the payment is being reversed or was, the bank has confirmed it, or its outcome is unknown. Absent if
   * nothing was charged.
   */
  readonly money?: 'takenBack' | 'confirmed' | 'unknown';
  /** An earlier print of it was cut off, and may be half on paper. */
  readonly cutOff?: boolean;
  readonly shop: ReceiptShop;
  readonly transactionType: TransactionType;
  readonly outcome: ReceiptOutcome;
  /** The total including the tip; never negative: the kind gives the direction. */
  readonly amount: Amount;
  /** The final amount, if a tip was adjusted or a hold completed: on a reprint. */
  readonly final?: Amount;
  /** The sum of its later refunds. */
  readonly refunded?: Amount;
  /** The part of the total that is a tip, in the same currency. */
  readonly tip?: Amount;
  /** Further parts of the total, in the same currency: the amounts of sale options. */
  readonly additions?: readonly ReceiptAddition[];
  readonly original?: ReceiptOriginal;
  readonly paymentMethod: PaymentScheme;
  readonly entryMode: EntryMode;
  /** The time of the transaction, and the terminal's IANA time zone: 'Asia/Hong_Kong'. */
  readonly at: Date;
  readonly timeZone: string;
  readonly terminalTransactionId: TerminalTransactionId;
  /** As the POS gave them. */
  readonly pos?: PosDetails;
  /** Absent for cash. */
  readonly host?: ReceiptHost;
  /** Absent if no card was read. */
  readonly card?: ReceiptCard;
  readonly wallet?: ReceiptWallet;
  readonly octopus?: ReceiptOctopus;
  readonly cash?: ReceiptCash;
  readonly eps?: ReceiptEps;
  /** Set for a method whose words this folder does not have. */
  readonly method?: ReceiptMethod;
}
