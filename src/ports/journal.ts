import type { Account } from '../domain/account.ts';
import type { AuthenticationMethod } from '../domain/authentication-method.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import type { TransactionKind } from '../domain/capability.ts';
import type { CardEntryMode, WalletEntryMode } from '../domain/entry-mode.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { CardMethod, WalletScheme } from '../domain/payment-method.ts';
import type { ResponseResult } from '../domain/response-code.ts';
import type { AdviceOrder, OnlineOperation, TraceNumbers } from './acquirer-host.ts';

/** How the answer is shaped: A = transactionResult (SPEC §2.3), B = transactionPrintData (SPEC §2.4). */
export type AnswerShape = 'A' | 'B';

/** What the POS asked for, in the order of its identity: written before the reader is armed. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly posId: string;
  readonly messageId: string;
  /** SHA-256 of the canonical request: tells a repeat from another request under the same id. */
  readonly digest: string;
  /** VOID is resolved to the void that fits. */
  readonly type: TransactionKind;
  /** The total, minor units as decimal digits: JSON has no bigint. */
  readonly amountMinor: string;
  readonly currency: CurrencyCode;
  readonly shape: AnswerShape;
  /** The tip within the total. */
  readonly tipMinor?: string;
  /** The earlier transaction that this one refers to. */
  readonly originalId?: TerminalTransactionId;
  /** Of an offline sale: what the issuer said on the phone. */
  readonly approvalCode?: string;
  /** EPS: the cash within the total. */
  readonly cashbackMinor?: string;
  /** The terminal's own: a try of `originalId` that its host declined, and approved afterwards. It is taken back. */
  readonly isStray?: true;
}

/** What may be kept of a card: the last four digits of its number and what a receipt prints. */
export interface CardSummary {
  readonly brand: CardMethod;
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

export type Operation = OnlineOperation | AdviceOrder['operation'];

/** OriginalReference as it is kept: what the message repeats of the transaction that it refers to. */
export interface JournalledOriginal {
  readonly trace: TraceNumbers;
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
    readonly amountMinor: string;
  };
}

export interface OctopusIntent extends IntentCommon {
  readonly operation: 'sale';
  readonly octopus: { readonly maskedNumber: string };
}

export interface CashIntent extends IntentCommon {
  readonly operation: 'sale';
  readonly cash: { readonly tenderedMinor: string };
}

/**
 * The promise to send a message that can move money: on stable storage before its first byte leaves. A transaction may have
 * several, one after the other: each but the last came to nothing.
 */
export type Intent = CardIntent | WalletIntent | OctopusIntent | CashIntent;

/** `offline`: approved here, the host hears of it by advice. */
export type JournalledOutcome =
  | {
      readonly kind: 'approved';
      readonly responseCode: string;
      readonly approvalCode: string;
      /** The host's own number of it: field 37, a wallet host's order, the Octopus receipt. */
      readonly rrn: string;
      readonly hostTime: string;
      readonly hostDate: string;
      /** What the customer's phone calls it. */
      readonly walletNumber?: string;
      /** On the Octopus card afterwards; may be negative. */
      readonly balanceMinor?: string;
    }
  | { readonly kind: 'offline'; readonly approvalCode: string }
  | {
      readonly kind: 'declined';
      readonly responseCode: string;
      readonly rrn: string;
      /** On the Octopus card that has too little. */
      readonly balanceMinor?: string;
    }
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

/** The host's last word on an advice. */
export interface AdviceAnswered {
  readonly kind: 'adviceAnswered';
  /** rejected: the host will not post it, someone has to look at it. */
  readonly answer: 'acknowledged' | 'rejected';
  readonly responseCode: string;
  readonly rrn: string;
  readonly hostTime: string;
  readonly hostDate: string;
  /**
   * A tip that its host took when its sale had been settled without it: kept as rejected, because it is in no total and only the bank knows
   * whether it is charged.
   */
  readonly afterSettlement?: true;
}

/**
 * What the bank said by telephone of something that can't be brought to it: it has the transaction in its books, or not. Nothing more
 * is sent for it.
 */
export interface SetAside {
  readonly kind: 'setAside';
  readonly outcome: 'POSTED' | 'NOT_POSTED';
}

export interface LateApproval {
  readonly kind: 'approvedLate';
  readonly responseCode: string;
  readonly rrn: string;
}

/** A wallet's order by the trace number that it is named by. */
export interface ClosedOrder {
  readonly acquirerId: AcquirerId;
  readonly stan: number;
}

export type JournalEvent =
  | Accepted
  | Intent
  | Answered
  | { readonly kind: 'reversalQueued'; readonly reason: string }
  | { readonly kind: 'reversalSent'; readonly attempt: number }
  | { readonly kind: 'reversalAcknowledged'; readonly responseCode: string }
  /** The host answered a reversal or an advice, and did not take it. Written where the code is another than before. */
  | { readonly kind: 'hostRefused'; readonly responseCode: string }
  | SetAside
  /** The host's approval came when nobody waited for it any more, and what it approves had been called undone. */
  | LateApproval
  /**
   * The host says that it has the number of this intent, which it may have from a journal that was lost: nothing is sent under it any
   * more, and the numbers that follow begin elsewhere.
   */
  | { readonly kind: 'numberTaken' }
  /** The wallet's host says that this order is over. It may have been paid by then: it is looked at once more. */
  | ({ readonly kind: 'orderClosed' } & ClosedOrder)
  /** It was looked at once more: what it came to is known, or is another event. */
  | ({ readonly kind: 'orderLookedAt' } & ClosedOrder)
  /** What the intent named came to nothing, and never will: another may follow. */
  | { readonly kind: 'withdrawn' }
  /** What was unknown is known, as the 'answered' and 'ended' before this say: nothing is to be reversed. */
  | { readonly kind: 'resolved' }
  /** The chip's last data objects, hex by tag, after the host's answer. */
  | { readonly kind: 'cardCompleted'; readonly agreed: boolean; readonly emv: Readonly<Record<string, string>> }
  | { readonly kind: 'adviceQueued' }
  | { readonly kind: 'adviceSent'; readonly attempt: number }
  | AdviceAnswered
  | ({ readonly kind: 'ended' } & Conclusion)
  | { readonly kind: 'receiptQueued' }
  | { readonly kind: 'receiptPrinted' };

export interface StoredEvent {
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly event: JournalEvent;
}

/** A void and a tip adjust carry their original's invoice number; the others get the next one. */
export type IntentDraft = Drafted<Intent> & { readonly invoice?: number };
type Drafted<Each> = Each extends Intent ? Omit<Each, 'kind' | 'trace'> : never;

/** What waits for its acquirer, in the order in which it must be sent. */
export interface Pending {
  readonly id: TerminalTransactionId;
  readonly acquirerId: AcquirerId;
  readonly message: 'reversal' | 'advice';
}

/** One transaction as the journal has it. */
export interface JournalledTransaction {
  readonly id: TerminalTransactionId;
  readonly events: readonly StoredEvent[];
}

/** A settlement as the POS asked for it, and how it ended. */
export interface JournalledSettlement {
  readonly id: TerminalTransactionId;
  readonly posId: string;
  readonly messageId: string;
  readonly digest: string;
  /** The one that was asked for; all when there is none. */
  readonly acquirerId?: AcquirerId;
  readonly at: string;
  /** Nothing while it runs, or when a restart cut it off. */
  readonly results?: readonly SettledBatch[];
}

/** Count and total of one kind in one currency, the total in minor units as decimal digits. */
export interface KindTotal {
  readonly kind: TransactionKind;
  readonly currency: CurrencyCode;
  readonly count: number;
  readonly totalMinor: string;
}

/** What was approved here, and its host will not post. */
export interface RejectedAdvice {
  readonly id: TerminalTransactionId;
  readonly kind: TransactionKind;
  readonly currency: CurrencyCode;
  readonly amountMinor: string;
  /** Field 39. */
  readonly responseCode: string;
  /** The host took it too late: after its sale was settled without it. */
  readonly afterSettlement?: true;
}

export interface SettledBatch {
  readonly acquirerId: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly batch: number;
  readonly result: 'BALANCED' | 'UPLOADED' | 'FAILED';
  /** Why it failed, in a sentence; or what else is to be said of it. */
  readonly reason?: string;
  readonly totals: readonly KindTotal[];
  /** All that the operator has not decided on, of whatever batch: they are in no total. */
  readonly rejected?: readonly RejectedAdvice[];
  /** Of what was sent it is not known whether it was paid: in no total, until it is. */
  readonly unresolved?: readonly KindTotal[];
  /** Auths of this batch that were neither completed nor voided: the customers' money is held. */
  readonly openAuths?: readonly KindTotal[];
  /** There was nothing in it. */
  readonly empty?: true;
  /** FAILED: the host answered, and did not take it. */
  readonly refused?: true;
  /** FAILED: the host took the question, and will never take a transaction of its upload. */
  readonly rejectsOne?: true;
  /** It is settled by the bank's word, which the operator has by telephone. */
  readonly confirmed?: true;
}

/** How one currency of a batch was answered. CONFIRMED: by the bank, to the operator. */
export type CurrencyResult = 'BALANCED' | 'UPLOADED' | 'CONFIRMED';

/** What is asked of the host for one currency of a batch, again and again the same until it answers. Minor units as decimal digits. */
export interface SettlingTotal {
  readonly currency: CurrencyCode;
  readonly sales: { readonly count: number; readonly totalMinor: string };
  readonly refunds: { readonly count: number; readonly totalMinor: string };
  readonly result?: CurrencyResult;
  /** The bank has not settled it: its host may be asked, and what it rejects is left out. */
  readonly isUnsettled?: true;
  /** The messages that asked for it, the last ones: an answer that comes late is known by its number. */
  readonly asked?: readonly AskedCurrency[];
}

/** `trailer`: behind a batch upload. */
export interface AskedCurrency {
  readonly stan: number;
  readonly trailer: boolean;
}

/** A batch that is closed to new entries and not settled yet. */
export interface SettlingBatch {
  readonly acquirerId: AcquirerId;
  readonly batch: number;
  /** When it was closed. */
  readonly at: string;
  readonly totals: readonly KindTotal[];
  readonly currencies: readonly SettlingTotal[];
  /** Settlements that asked for it in vain, and what came of the last one. */
  readonly tries: number;
  readonly reason?: string;
  /** The host answered the last one, and did not take it. */
  readonly refused: boolean;
  /** The host will never take a transaction in it. */
  readonly rejectsOne?: true;
  /** It stood in an older copy of the journal that was put back: it may have been settled since, and what is in it voided. */
  readonly isCopy?: true;
}

/** What of a closed batch is settled with the open one. */
export interface ReopenedCurrency {
  readonly currency: CurrencyCode;
  readonly ids: readonly TerminalTransactionId[];
}

/** The open batch as it was read, to be closed. */
export interface ClosedBatch extends Pick<SettlingBatch, 'acquirerId' | 'batch' | 'at' | 'totals' | 'currencies'> {
  /** Of `batchMark`, before it was read. */
  readonly mark: number;
  /** What waits for an answer there is in no batch before it has it. */
  readonly mayWait: boolean;
}

/**
 * The durable log of transactions: events are only ever appended. A promise that resolves means: it survives a power cut.
 * One that rejects (JournalError) means: nothing of that call was written.
 */
export interface Journal {
  /** Opens a transaction with its 'accepted' event, and `events`, or names the one that already has this (posId, messageId): one commit. */
  open(
    id: TerminalTransactionId,
    accepted: Accepted,
    events?: readonly JournalEvent[],
  ): Promise<{ existing?: TerminalTransactionId }>;
  /** Appends all of `events` or none. */
  append(id: TerminalTransactionId, events: readonly JournalEvent[]): Promise<void>;
  /** Gives out the acquirer's next trace numbers and writes the intent with them, and `events`, in one commit. */
  intend(id: TerminalTransactionId, draft: IntentDraft, events?: readonly JournalEvent[]): Promise<TraceNumbers>;
  /** Empty where there is no such transaction. */
  read(id: TerminalTransactionId): Promise<readonly StoredEvent[]>;
  find(posId: string, messageId: string): Promise<TerminalTransactionId | undefined>;
  /** Transactions that name this one as their original, as they came. */
  later(originalId: TerminalTransactionId): Promise<readonly JournalledTransaction[]>;
  /** Transactions without 'ended', as they came: what a restart has to look at. */
  unfinished(): Promise<readonly TerminalTransactionId[]>;
  /** The last transaction with this trace number at that acquirer; nothing where it is in the archive. */
  traced(acquirerId: AcquirerId, stan: number): Promise<TerminalTransactionId | undefined>;
  /** Reversals and advices that their host has not answered, in the order in which they were queued. */
  pending(): Promise<readonly Pending[]>;
  /** Transactions whose advice the host will not post, until the operator has decided on them: of whatever batch. */
  rejectedAdvices(acquirerId: AcquirerId): Promise<readonly TerminalTransactionId[]>;
  /** Orders of wallets that their host has called over, and that nobody has looked at since. */
  closedOrders(): Promise<readonly (ClosedOrder & { readonly id: TerminalTransactionId })[]>;
  /** Transactions of the open batch that the operator has settled with the bank by telephone. */
  setAside(acquirerId: AcquirerId): Promise<readonly TerminalTransactionId[]>;
  /** Transactions and settlements whose paper waits for the printer, oldest first. */
  waitingReceipts(): Promise<readonly { id: TerminalTransactionId; paper: 'receipt' | 'settlement' }[]>;
  /** All that ever had a transaction here, configured still or not. */
  acquirers(): Promise<readonly AcquirerId[]>;
  /** The open batch of an acquirer. A new journal begins at any number. */
  openBatch(acquirerId: AcquirerId): Promise<number>;
  /**
   * A page of the last batch of that number, in the order in which its transactions came, after a given one. Their ids follow a clock
   * that may be set back.
   */
  batchPage(
    acquirerId: AcquirerId,
    batch: number,
    after: TerminalTransactionId | '',
    limit: number,
  ): Promise<readonly JournalledTransaction[]>;
  /** Whether it counts in a batch that is open no more. */
  isSettled(id: TerminalTransactionId): Promise<boolean>;
  /** `count` trace audit numbers in a row; the first one. They wrap after 999999. */
  allocateStans(acquirerId: AcquirerId, count: number): Promise<number>;
  openSettlement(settlement: JournalledSettlement): Promise<{ existing?: JournalledSettlement }>;
  /** Another number after anything was added to the batch, or written of what is in it. */
  batchMark(acquirerId: AcquirerId, batch: number): Promise<number>;
  /**
   * Opens the next batch, where this is the open one, and keeps what was read of it, to be settled: one commit. changed: not as it was read any more.
   * occupied: something of it is unfinished, or waits for the host.
   */
  closeBatch(closed: ClosedBatch): Promise<'closed' | 'changed' | 'occupied'>;
  /** Closed and not settled, oldest first. */
  settlingBatches(acquirerId: AcquirerId): Promise<readonly SettlingBatch[]>;
  /**
   * Batches that were open when the journal was found to be an older copy: closed to new entries, and to be read and closed like the open
   * one. Oldest first.
   */
  unreadBatches(acquirerId: AcquirerId): Promise<readonly number[]>;
  /** The trace number with which one currency of a closed batch is asked for now, or its trailer: one commit. */
  askCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, trailer: boolean): Promise<number>;
  /** One that is answered keeps its answer. */
  settledCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult): Promise<void>;
  /** The bank's word on one currency of a closed batch: it is not settled, and its host is asked again. */
  unsettledCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode): Promise<void>;
  /** A closed batch was not settled and will not be: what is in it counts in the batch that is open now. Or these, and the rest waits on. */
  reopenBatch(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency): Promise<void>;
  /** When an acquirer was last settled with; nothing where it never was. */
  settledAt(acquirerId: AcquirerId): Promise<string | undefined>;
  /** When something was written last. A clock that is behind that was set back. */
  writtenAt(): Promise<string | undefined>;
  /** Writes how a settlement ended, and queues the report when it is to be printed: one commit. */
  endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean): Promise<void>;
  findSettlement(posId: string, messageId: string): Promise<JournalledSettlement | undefined>;
  /** Settlements that a restart cut off: the host may have agreed already. */
  unfinishedSettlements(): Promise<readonly JournalledSettlement[]>;
  readSettlement(id: TerminalTransactionId): Promise<JournalledSettlement | undefined>;
  settlementPrinted(id: TerminalTransactionId): Promise<void>;
  /** 'full' where too little room is left to bring another payment to its end: `open` is refused then. */
  health(): Promise<JournalHealth>;
  /** Why what is old could not be moved into the archive, in a sentence; nothing where it could, or nobody has looked. */
  readonly archiveFault?: string | undefined;
  /** How it was found when it was last read through, while idle. */
  readonly check?: JournalCheckReport | undefined;
  /** Why it is not the journal that was here before, in a sentence; nothing where it is. */
  readonly putBack?: string | undefined;
  /** When it began, or was put back: what was paid before may not be in it. ISO 8601; nothing where nobody knows. */
  readonly since?: string | undefined;
  /** What this process has written of transactions that are not over or not reversed yet, for when the journal itself is gone. */
  readonly underway?: readonly JournalledTransaction[];
  /** Settles when the journal is broken or corrupt: from then on every call rejects. */
  readonly broken: Promise<JournalError>;
  close(): Promise<void>;
}

/**
 * in-use: another process holds the journal; newer: written by a newer version; full, read-only: the disk takes no more; corrupt: what
 * is on it can't be relied on; broken: nothing can be read or written until the process starts anew; gone: as broken, because the files are
 * not what was written any more, and the next start finds something else; archive: what is asked for is in a file that is missing or
 * damaged; storage: anything else.
 */
export type JournalErrorCode =
  | 'in-use'
  | 'newer'
  | 'full'
  | 'read-only'
  | 'corrupt'
  | 'broken'
  | 'gone'
  | 'archive'
  | 'storage';

/** `ok`, `damaged`: at that time. `checked`: rows until now. `reason`: what was found. */
export interface JournalCheckReport {
  readonly state: 'never' | 'running' | 'ok' | 'damaged';
  readonly at?: string;
  readonly checked?: number;
  readonly reason?: string;
}

export type JournalHealth = 'ok' | 'full';

export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: JournalErrorCode;

  constructor(code: JournalErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
