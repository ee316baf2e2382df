import type { Account } from '../domain/account.ts';
import type { KnownEntryMode } from '../domain/entry-mode.ts';
import type { KnownScheme } from '../domain/payment-scheme.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { ReceiptDocument } from './document.ts';

/** All words of a receipt in one language. Names of EMV data objects are the same in all languages. */
export interface Words {
  readonly kinds: Readonly<Record<TransactionType, string>>;
  readonly copies: Readonly<Record<ReceiptDocument['copy'], string>>;
  readonly outcomes: Readonly<Record<ReceiptDocument['outcome'], string>>;
  readonly methods: Readonly<Record<KnownScheme, string>>;
  /** Empty if the method's name already says it. */
  readonly entryModes: Readonly<Record<KnownEntryMode, string>>;
  readonly accounts: Readonly<Record<Account, string>>;
  readonly heading: Readonly<Record<'duplicate' | 'mid' | 'tid' | 'batch' | 'invoice' | 'trace' | 'rrn', string>>;
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
      'base' | 'purchase' | 'tip' | 'cashback' | 'total' | 'hold' | 'amount' | 'tendered' | 'change' | 'balance',
      string
    >
  >;
  readonly verdict: Readonly<
    Record<'approvalCode' | 'responseCode' | 'held' | 'released' | 'mayBeTaken' | 'sameCard', string>
  >;
  readonly verification: Readonly<
    Record<'pinVerified' | 'deviceVerified' | 'noSignature' | 'customerSignature', string>
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
