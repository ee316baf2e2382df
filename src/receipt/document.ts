import type { Account } from '../domain/account.ts';
import type { Amount } from '../domain/amount.ts';
import type { AuthenticationMethod } from '../domain/authentication-method.ts';
import type { EntryMode } from '../domain/entry-mode.ts';
import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type { TransactionType } from '../domain/transaction-type.ts';

/** What labels and outcomes are written in. Texts of the shop, the card and the host stay as they are. */
export const receiptLanguages = ['en', 'zh-Hant'] as const;
export type ReceiptLanguage = (typeof receiptLanguages)[number];

/** Who the shop is. Free text of its configuration; an empty line is left out. */
export interface ReceiptShop {
  readonly name: string;
  readonly address: string;
  readonly phone: string;
  readonly email: string;
}

/** What the card itself said. Values are upper-case hex, as EMV gives them; what the card did not give is left out. */
export interface ReceiptCard {
  /** Last four digits only: '************0119'. Anything else is printed as asterisks. */
  readonly maskedPan: string;
  /** Application identifier, tag 4F or 84. */
  readonly aid?: string;
  /** Application preferred name or label, tag 9F12 or 50. */
  readonly appName?: string;
  /** Application cryptogram, tag 9F26. TC: the card agreed to the end; ARQC: it asked the issuer (contactless). */
  readonly cryptogram?: { readonly kind: 'TC' | 'ARQC' | 'AAC'; readonly value: string };
  /** Application transaction counter, tag 9F36. */
  readonly atc?: string;
  /** Terminal verification results, tag 95. */
  readonly tvr?: string;
  /** Transaction status information, tag 9B. */
  readonly tsi?: string;
  readonly authenticationMethod: AuthenticationMethod;
}

/** The order that a QR wallet paid, or gave back. An empty number is left out. */
export interface ReceiptWallet {
  /** The acquirer's own number of it: a refund is asked for by this one. */
  readonly hostNumber: string;
  /** The wallet's number of it, as the customer's phone shows it. */
  readonly walletNumber: string;
}

/** What the Octopus reader said. */
export interface ReceiptOctopus {
  /** '5678': printed as '****5678'. Anything else is printed as asterisks. */
  readonly cardLastFour: string;
  /** On the card afterwards, and where it had too little; may be negative. */
  readonly balance?: Amount;
  /** The reader's own number of the deduction; empty where there was none. */
  readonly receipt: string;
  readonly deviceId?: string;
}

export interface ReceiptCash {
  readonly tendered: Amount;
  readonly change: Amount;
}

/** What an EPS customer chose. The card and its PIN are told as of every card. */
export interface ReceiptEps {
  readonly account: Account;
  /** Cash that the customer gets: part of the total, in the same currency. */
  readonly cashback?: Amount;
}

/** What a method says that this document has no part for, in the receipt's language. */
export interface ReceiptMethod {
  /** The names of the payment scheme and of the entry mode; empty where the scheme's name has said it already. */
  readonly scheme: string;
  readonly entryMode: string;
  /** An empty value is left out. */
  readonly lines: readonly (readonly [label: string, value: string])[];
  /** On the stored-value card afterwards, and where it had too little. */
  readonly balance?: Amount;
}

/** What the host's books know the transaction by. */
export interface ReceiptHost {
  /** Merchant identifier, field 42; empty where the host has none. */
  readonly mid: string;
  /** Terminal identifier, field 41; empty where the host has none. */
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
  /** Field 39: told when the host declined. */
  readonly responseCode?: string;
}

/** The transaction that a void, refund, tip adjust or completion refers to, as its own receipt named it. */
export interface ReceiptOriginal {
  /** Invoice number, field 62. */
  readonly invoice?: number;
  /** Retrieval reference number, field 37. */
  readonly rrn?: string;
  readonly approvalCode?: string;
  /** The acquirer's own number of a wallet's order. */
  readonly hostNumber?: string;
  /** Its total, told where it differs from this one's: the amount that was authorised, the total before the tip. */
  readonly amount?: Amount;
  readonly terminalTransactionId?: TerminalTransactionId;
}

/** Everything that one receipt says, and nothing about how it looks. */
export interface ReceiptDocument {
  /** English where there is none. */
  readonly language?: ReceiptLanguage;
  readonly copy: 'CUSTOMER' | 'MERCHANT';
  /** Printed before: marked DUPLICATE. */
  readonly duplicate?: boolean;
  readonly shop: ReceiptShop;
  readonly transactionType: TransactionType;
  /** UNKNOWN: the value may have been taken, and nobody can say now. For the staff. */
  readonly outcome: 'APPROVED' | 'DECLINED' | 'ERROR' | 'UNKNOWN';
  /** The total, tip included; never negative: the kind says which way the money goes. */
  readonly amount: Amount;
  /** The part of the total that is a tip, in the same currency. */
  readonly tip?: Amount;
  readonly original?: ReceiptOriginal;
  readonly paymentMethod: PaymentScheme;
  readonly entryMode: EntryMode;
  /** When it happened, and the IANA time zone of the terminal: 'Asia/Hong_Kong'. */
  readonly at: Date;
  readonly timeZone: string;
  readonly terminalTransactionId: TerminalTransactionId;
  /** None for cash. */
  readonly host?: ReceiptHost;
  /** None where no card was read. */
  readonly card?: ReceiptCard;
  readonly wallet?: ReceiptWallet;
  readonly octopus?: ReceiptOctopus;
  readonly cash?: ReceiptCash;
  readonly eps?: ReceiptEps;
  /** Of a method whose words this folder does not have. */
  readonly method?: ReceiptMethod;
}
