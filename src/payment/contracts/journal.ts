import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { AcquirerId, InitialNumbers, TerminalTransactionId, TraceNumbers } from '../../base/domain/identifiers.ts';
import type { Accepted } from '../events/accepted.ts';
import type { Discrepancy, JournalRestored } from '../events/discrepancy.ts';
import type { JournalEvent, JournalledTransaction, KeptOrder, StoredEvent } from '../events/event.ts';
import type { IntentDraft } from '../events/intent.ts';
import type { JournalledSettlement, SettledBatch } from '../events/settlement.ts';
import type { ClosedBatch, CurrencyResult, ReopenedCurrency, SettlingBatch } from '../events/settling-batch.ts';
import type { ChangeSlice } from './changes.ts';
import type { ListQuery, ListSlice } from './listing.ts';

/** A message that waits for its acquirer, in sending order. */
export interface Pending {
  readonly id: TerminalTransactionId;
  readonly acquirerId: AcquirerId;
  readonly message: 'reversal' | 'advice';
}

/** The transaction that one (posId, messageId) names: a payment, a settlement, or none. */
export interface Identified {
  readonly transaction?: TerminalTransactionId;
  readonly settlement?: JournalledSettlement;
}

/** Empty if it was opened; otherwise the transaction or the settlement that has the identity already. */
export interface OpenedTransaction {
  readonly existing?: TerminalTransactionId;
  readonly settlement?: JournalledSettlement;
}

/**
 * The durable log of transactions; events are only appended. If a promise resolves, its data survives a power cut. If
 * it rejects (JournalError), nothing of that call was written.
 */
/** Notified of each event once it is durable, in the order of the log. */
export interface JournalWatcher {
  /** Must not wait. Its errors have no effect. */
  wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void;
  settled(id: TerminalTransactionId, results: readonly SettledBatch[]): void;
}

export interface Journal {
  /**
   * Opens a transaction with its 'accepted' event and `events`; or returns the one, or the settlement, that already has
   * this (posId, messageId). One commit.
   */
  open(id: TerminalTransactionId, accepted: Accepted, events?: readonly JournalEvent[]): Promise<OpenedTransaction>;
  /** Appends all of `events` or none. Returns all events of the transaction, as they are on disk now. */
  append(id: TerminalTransactionId, events: readonly JournalEvent[]): Promise<readonly StoredEvent[]>;
  /** Assigns the acquirer's next trace numbers, and writes the intent with them and `events`, in one commit. */
  intend(id: TerminalTransactionId, draft: IntentDraft, events?: readonly JournalEvent[]): Promise<TraceNumbers>;
  /**
   * As `intend`, unless a reversal or an advice waits for this acquirer: then nothing is written, and it returns
   * undefined.
   */
  intendIfClear(id: TerminalTransactionId, draft: IntentDraft): Promise<TraceNumbers | undefined>;
  /** Empty where there is no such transaction. */
  read(id: TerminalTransactionId): Promise<readonly StoredEvent[]>;
  findIdentity(posId: string, messageId: string): Promise<Identified>;
  /**
   * Transactions that refer to this one, in any number of steps, in order of acceptance; without those that ended before
   * they had an intent.
   */
  later(originalId: TerminalTransactionId): Promise<readonly JournalledTransaction[]>;
  /** Transactions without 'ended', in order of acceptance: a restart must conclude them. */
  unfinished(): Promise<readonly TerminalTransactionId[]>;
  /** The last transaction with this trace number at that acquirer; undefined if it is in the archive. */
  findByTrace(acquirerId: AcquirerId, stan: number): Promise<TerminalTransactionId | undefined>;
  /** Reversals and advices that their host has not answered, in the order of queueing. */
  pending(): Promise<readonly Pending[]>;
  /** Transactions whose advice the host rejected, until the operator has decided; from any batch. */
  rejectedAdvices(acquirerId: AcquirerId): Promise<readonly TerminalTransactionId[]>;
  /** Wallet orders that their host has closed, and that are enquired again. */
  closedOrders(): Promise<readonly KeptOrder[]>;
  /** Transactions of the terminal itself that are not archived, in the order of acceptance. */
  unmatched(): Promise<readonly TerminalTransactionId[]>;
  /**
   * Transactions that are not archived and may have something to be settled with the customer, in the order of
   * acceptance; their records decide (records/customer-matters.ts). Empty on a schema that can't list them.
   */
  matters(): Promise<readonly TerminalTransactionId[]>;
  /** Differences from the books of the banks that the operator has not settled with them, the oldest first. */
  discrepancies(): Promise<readonly Discrepancy[]>;
  /**
   * The operator of this session has settled it with the bank. Resolves to false if it is not open, or if the schema
   * does not keep it.
   */
  settleDiscrepancy(number: number, session: string): Promise<boolean>;
  /**
   * Whether the transaction was in a copy that was put back and is not compared with the banks' books yet: refunds and
   * voids of it may be missing.
   */
  isFromCopy(id: TerminalTransactionId): Promise<boolean>;
  /** The batch in which the transaction counts now; undefined before it has an acquirer. */
  presentBatch(id: TerminalTransactionId): Promise<number | undefined>;
  /** Transactions of the open batch that the operator has concluded with the bank by telephone. */
  setAside(acquirerId: AcquirerId): Promise<readonly TerminalTransactionId[]>;
  /** Transactions and settlements with a queued receipt or report, oldest first. */
  waitingReceipts(): Promise<readonly { id: TerminalTransactionId; paper: 'receipt' | 'settlement' }[]>;
  /** All acquirers that ever had a transaction here, configured or not. */
  acquirers(): Promise<readonly AcquirerId[]>;
  /** The open batch of an acquirer. A new journal begins at any number. */
  openBatch(acquirerId: AcquirerId): Promise<number>;
  /**
   * Sets the first numbers of an acquirer, as its bank assigned them. If the journal has numbers of this acquirer, or
   * is a restored copy that may lack some, returns false and changes nothing. Repeat after each start until the first
   * intent.
   */
  beginNumbers(acquirerId: AcquirerId, numbers: InitialNumbers): Promise<boolean>;
  /**
   * A page of the last batch with this number, in order of acceptance, after the given transaction. Ids do not order,
   * because their clock may be set back.
   */
  batchPage(
    acquirerId: AcquirerId,
    batch: number,
    after: TerminalTransactionId | '',
    limit: number,
  ): Promise<readonly JournalledTransaction[]>;
  /** A slice of the list of transactions: a bounded piece of work, from the given place on. */
  listSlice(query: ListQuery, from?: number): Promise<ListSlice>;
  /** The changes since a place in the journal, in their order: a bounded piece of work. */
  changes(after: number): Promise<ChangeSlice>;
  /**
   * Identifies the incarnation of the journal, within which places of changes are unique: a restored copy has another
   * one.
   */
  readonly stream: string;
  /** Whether it belongs to a batch that is not open any more. */
  isSettled(id: TerminalTransactionId): Promise<boolean>;
  /** Allocates `count` consecutive trace audit numbers; returns the first. They wrap after 999999. */
  allocateStans(acquirerId: AcquirerId, count: number): Promise<number>;
  openSettlement(settlement: JournalledSettlement): Promise<{ existing?: JournalledSettlement }>;
  /** A number that changes with each new transaction of the batch, and with each event of its transactions. */
  batchMark(acquirerId: AcquirerId, batch: number): Promise<number>;
  /**
   * Closes the batch as it was read, and opens the next one if it is the open one: one commit. changed: the batch is
   * not as it was read any more. occupied: a transaction of it is unfinished, or waits for the host.
   */
  closeBatch(closed: ClosedBatch): Promise<'closed' | 'changed' | 'occupied'>;
  /** Batches that are closed and not settled, oldest first. */
  settlingBatches(acquirerId: AcquirerId): Promise<readonly SettlingBatch[]>;
  /**
   * Currencies that were reopened by the bank's answer, kept for a day, one per entry, as they were asked for. An entry
   * with a result was settled by its host all the same; it is kept until the operator decides again, by `recordResult`
   * or `markUnsettled`.
   */
  deniedBatches(acquirerId: AcquirerId): Promise<readonly SettlingBatch[]>;
  /**
   * Batches that were open when the journal was found to be an older copy. They are closed to new entries, and must be
   * read and closed like the open one. Oldest first.
   */
  unreadBatches(acquirerId: AcquirerId): Promise<readonly number[]>;
  /**
   * Assigns and notes the trace number of the next question for one currency of a closed batch, or of its trailer: one
   * commit.
   */
  askCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, trailer: boolean): Promise<number>;
  /** Stores the result of one currency, unless it has one. */
  recordResult(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult): Promise<void>;
  /** According to the bank, this currency of a closed batch is not settled: its host is asked again. */
  markUnsettled(acquirerId: AcquirerId, batch: number, currency: CurrencyCode): Promise<void>;
  /**
   * Moves the transactions of a closed batch that will not be settled into the open batch; with `only`, those of one
   * currency, and the rest stays.
   */
  reopenBatch(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency): Promise<void>;
  /** When an acquirer was last settled; undefined if never. */
  settledAt(acquirerId: AcquirerId): Promise<string | undefined>;
  /** When the last event was written. A clock that is behind this was set back. */
  writtenAt(): Promise<string | undefined>;
  /** Writes the results of a settlement, and queues its report if it is to be printed: one commit. */
  endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean): Promise<void>;
  /** The settlement requested after this one that settled this batch; undefined if none did. */
  settlingLater(
    id: TerminalTransactionId,
    acquirerId: AcquirerId,
    batch: number,
  ): Promise<JournalledSettlement | undefined>;
  /** The next settlements by their ids: a page of them. */
  settlementsAfter(id: TerminalTransactionId): Promise<readonly JournalledSettlement[]>;
  /** The settlements that were requested last, the latest first. */
  latestSettlements(limit: number): Promise<readonly JournalledSettlement[]>;
  /** Settlements that a restart interrupted: the host may already have agreed. */
  unfinishedSettlements(): Promise<readonly JournalledSettlement[]>;
  readSettlement(id: TerminalTransactionId): Promise<JournalledSettlement | undefined>;
  markSettlementPrinted(id: TerminalTransactionId): Promise<void>;
  /** The last reserved counter of this initial key. Undefined if the journal has none. */
  keyCounter(name: string): Promise<number | undefined>;
  /** Stores the last reserved counter of this initial key. The stored counter never decreases. */
  noteKeyCounter(name: string, reserved: number): Promise<void>;
  /** 'full' if the space left is not enough to complete another payment: then `open` is refused. */
  health(): Promise<JournalHealth>;
  /** Why old transactions could not be archived, in a sentence; undefined if they could, or if it was not tried yet. */
  readonly archiveFault?: string | undefined;
  /** The result of the last read-through while idle. */
  readonly check?: JournalCheckReport | undefined;
  /** Why this is not the journal that was used here before, in a sentence; undefined if it is. */
  readonly putBack?: string | undefined;
  /** The schema of the file; undefined without a file. */
  readonly schema?: JournalSchema | undefined;
  /**
   * Whether the versions that read this schema know events of this kind. One that they do not know must not be written:
   * they could not read its transaction.
   */
  takes(kind: JournalEvent['kind']): boolean;
  /** Set while the journal was put back and is not compared with the banks' books yet: later payments are missing. */
  readonly restored?: (JournalRestored & { readonly at: string }) | undefined;
  /** When the journal began or was restored: earlier payments may be missing. ISO 8601; undefined if not known. */
  readonly since?: string | undefined;
  /**
   * This process's own copy of transactions that are unfinished or not reversed yet, in case the journal itself is
   * lost.
   */
  readonly underway?: readonly JournalledTransaction[];
  /** Resolves once the journal is broken or corrupt: from then on every call rejects. */
  readonly broken: Promise<JournalError>;
  close(): Promise<void>;
}

/**
 * in-use: another poid has the journal. held: a program other than poid holds its file. newer, older: written by a
 * version whose schema this one can't use. full, read-only: the disk accepts no writes. corrupt: the content can't be
 * relied on. broken: nothing can be read or written until the process restarts. gone: as broken; the files were
 * replaced, and the next start will find others. archive: the transaction is in an archive file that is missing or
 * damaged. storage: any other fault.
 */
export type JournalErrorCode =
  | 'in-use'
  | 'held'
  | 'newer'
  | 'older'
  | 'full'
  | 'read-only'
  | 'corrupt'
  | 'broken'
  | 'gone'
  | 'archive'
  | 'storage';

/**
 * onTrial: the machine may still return to the previous version, which must be able to read the journal. failed: it was
 * tried at this start; the journal is used as it is, and the next start tries again.
 */
export type MigrationDelay = 'onTrial' | 'failed';

/** `migration`: why it is not the newest; absent if it is. `fault`: why the migration has failed, in a sentence. */
export interface JournalSchema {
  readonly version: number;
  readonly migration?: MigrationDelay;
  readonly fault?: string;
}

/** `at`: the time of `ok` or `damaged`. `checked`: rows read so far. `reason`: the fault that was found. */
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
