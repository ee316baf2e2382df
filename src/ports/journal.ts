import type { CurrencyCode } from '../domain/currency.ts';
import type { CardEntryMode } from '../domain/entry-mode.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { CardBrand } from '../domain/payment-method.ts';
import type { ResponseResult } from '../domain/response-code.ts';
import type { TransactionType } from '../domain/transaction-type.ts';
import type { TraceNumbers } from './acquirer-host.ts';

/** How the answer is shaped: A = transactionResult (SPEC §2.3), B = transactionPrintData (SPEC §2.4). */
export type AnswerShape = 'A' | 'B';

/** What the POS asked for, in the order of its identity: written before the reader is armed. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly posId: string;
  readonly messageId: string;
  /** SHA-256 of the canonical request: tells a repeat from another request under the same id. */
  readonly digest: string;
  readonly type: TransactionType;
  /** Minor units as decimal digits: JSON has no bigint. */
  readonly amountMinor: string;
  readonly currency: CurrencyCode;
  readonly shape: AnswerShape;
}

/** What may be kept of a card: the last four digits of its number and what a receipt prints. */
export interface CardSummary {
  readonly brand: CardBrand;
  readonly entryMode: CardEntryMode;
  readonly maskedPan: string;
  readonly aid: string;
  readonly appName: string;
  readonly panSequenceNumber?: string;
  readonly authenticationMethod: string;
  /** Hex of 9F36, 9F26, 9B, 95; empty when the card gave none. */
  readonly atc: string;
  readonly tc: string;
  readonly tsi: string;
  readonly tvr: string;
}

/** The promise to send a message that can move money: on stable storage before its first byte leaves. */
export interface Intent {
  readonly kind: 'intent';
  readonly acquirerId: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly trace: TraceNumbers;
  readonly card: CardSummary;
  /** What a reversal needs beside the trace: the card number as the reader encrypted it, hex. No track data. */
  readonly ksn: string;
  readonly encryptedPan: string;
}

export type JournalledOutcome =
  | { readonly kind: 'approved'; readonly responseCode: string; readonly approvalCode: string; readonly rrn: string }
  | { readonly kind: 'declined'; readonly responseCode: string; readonly rrn: string }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'notSent'; readonly reason: string };

export interface Answered {
  readonly kind: 'answered';
  readonly outcome: JournalledOutcome;
}

/** How the transaction ended for the POS and the customer. */
export interface Conclusion {
  readonly outcome: 'approved' | 'declined' | 'error';
  readonly result: ResponseResult;
  readonly code: number;
  /** One sentence for the POS; empty for SUCCESS. */
  readonly message: string;
}

export type JournalEvent =
  | Accepted
  | Intent
  | Answered
  | { readonly kind: 'reversalQueued'; readonly reason: string }
  | { readonly kind: 'reversalSent'; readonly attempt: number }
  | { readonly kind: 'reversalAcknowledged'; readonly responseCode: string }
  | ({ readonly kind: 'ended' } & Conclusion)
  | { readonly kind: 'receiptQueued' }
  | { readonly kind: 'receiptPrinted' };

export interface StoredEvent {
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly event: JournalEvent;
}

export type IntentDraft = Omit<Intent, 'kind' | 'trace'>;

/**
 * The durable log of transactions: events are only ever appended. A promise that resolves means: it survives a power cut.
 * One that rejects (JournalError) means: nothing of that call was written.
 */
export interface Journal {
  /** Opens a transaction with its 'accepted' event, or names the one that already has this (posId, messageId). */
  open(id: TerminalTransactionId, accepted: Accepted): Promise<{ existing?: TerminalTransactionId }>;
  /** Appends all of `events` or none. */
  append(id: TerminalTransactionId, events: readonly JournalEvent[]): Promise<void>;
  /** Gives out the acquirer's next trace numbers and writes the intent with them, in one commit. */
  intend(id: TerminalTransactionId, draft: IntentDraft): Promise<TraceNumbers>;
  read(id: TerminalTransactionId): Promise<readonly StoredEvent[]>;
  find(posId: string, messageId: string): Promise<TerminalTransactionId | undefined>;
  /** Transactions without 'ended', oldest first: what a restart has to look at. */
  unfinished(): Promise<readonly TerminalTransactionId[]>;
  /** Transactions whose reversal is queued and not acknowledged, oldest first. */
  pendingReversals(): Promise<readonly { id: TerminalTransactionId; acquirerId: AcquirerId }[]>;
  /** Transactions whose receipt waits for the printer, oldest first. */
  waitingReceipts(): Promise<readonly TerminalTransactionId[]>;
  /** The open batch of an acquirer: 1 before the first transaction. */
  openBatch(acquirerId: AcquirerId): Promise<number>;
  close(): Promise<void>;
}

/** in-use: another process holds the journal; newer: written by a newer version; storage: the disk failed or is full. */
export type JournalErrorCode = 'in-use' | 'newer' | 'storage';

export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: JournalErrorCode;

  constructor(code: JournalErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
