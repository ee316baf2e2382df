import type { CurrencyCode } from '../domain/currency.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import type { TraceNumbers } from '../domain/trace-numbers.ts';
import type { Accepted } from '../events/accepted.ts';
import type { JournalEvent, JournalledTransaction, KeptOrder, StoredEvent } from '../events/event.ts';
import type { IntentDraft } from '../events/intent.ts';
import type { JournalledSettlement, SettledBatch } from '../events/settlement.ts';
import type { ClosedBatch, CurrencyResult, ReopenedCurrency, SettlingBatch } from '../events/settling-batch.ts';

/** What waits for its acquirer, in the order in which it must be sent. */
export interface Pending {
  readonly id: TerminalTransactionId;
  readonly acquirerId: AcquirerId;
  readonly message: 'reversal' | 'advice';
}

/** What has one (posId, messageId): a payment, a settlement, or nothing. */
export interface Identified {
  readonly transaction?: TerminalTransactionId;
  readonly settlement?: JournalledSettlement;
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
  findIdentity(posId: string, messageId: string): Promise<Identified>;
  /** Transactions that name this one as their original, as they came. */
  later(originalId: TerminalTransactionId): Promise<readonly JournalledTransaction[]>;
  /** Transactions without 'ended', as they came: what a restart has to look at. */
  unfinished(): Promise<readonly TerminalTransactionId[]>;
  /** The last transaction with this trace number at that acquirer; nothing where it is in the archive. */
  findByTrace(acquirerId: AcquirerId, stan: number): Promise<TerminalTransactionId | undefined>;
  /** Reversals and advices that their host has not answered, in the order in which they were queued. */
  pending(): Promise<readonly Pending[]>;
  /** Transactions whose advice the host will not post, until the operator has decided on them: of whatever batch. */
  rejectedAdvices(acquirerId: AcquirerId): Promise<readonly TerminalTransactionId[]>;
  /** Orders of wallets that their host has called over, and that are looked at again. */
  closedOrders(): Promise<readonly KeptOrder[]>;
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
   * What was reopened by the bank's word, for a day: one currency each, as it was asked for. One with a result its host has settled all
   * the same; the operator's next word on it, as `recordResult` or `markUnsettled`, ends that.
   */
  deniedBatches(acquirerId: AcquirerId): Promise<readonly SettlingBatch[]>;
  /**
   * Batches that were open when the journal was found to be an older copy: closed to new entries, and to be read and closed like the open
   * one. Oldest first.
   */
  unreadBatches(acquirerId: AcquirerId): Promise<readonly number[]>;
  /** The trace number with which one currency of a closed batch is asked for now, or its trailer: one commit. */
  askCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, trailer: boolean): Promise<number>;
  /** One that is answered keeps its answer. */
  recordResult(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult): Promise<void>;
  /** The bank's word on one currency of a closed batch: it is not settled, and its host is asked again. */
  markUnsettled(acquirerId: AcquirerId, batch: number, currency: CurrencyCode): Promise<void>;
  /** A closed batch was not settled and will not be: what is in it counts in the batch that is open now. Or these, and the rest waits on. */
  reopenBatch(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency): Promise<void>;
  /** When an acquirer was last settled with; nothing where it never was. */
  settledAt(acquirerId: AcquirerId): Promise<string | undefined>;
  /** When something was written last. A clock that is behind that was set back. */
  writtenAt(): Promise<string | undefined>;
  /** Writes how a settlement ended, and queues the report when it is to be printed: one commit. */
  endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean): Promise<void>;
  /** The next ones after it, as many as a batch may be tried in. */
  settlementsAfter(id: TerminalTransactionId): Promise<readonly JournalledSettlement[]>;
  /** Settlements that a restart cut off: the host may have agreed already. */
  unfinishedSettlements(): Promise<readonly JournalledSettlement[]>;
  readSettlement(id: TerminalTransactionId): Promise<JournalledSettlement | undefined>;
  markSettlementPrinted(id: TerminalTransactionId): Promise<void>;
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
