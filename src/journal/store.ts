import { statSync, statfsSync } from 'node:fs';
import path from 'node:path';
import type { CurrencyCode } from '../base/domain/currency.ts';
import type { AcquirerId, InitialNumbers, TerminalTransactionId, TraceNumbers } from '../base/domain/identifiers.ts';
import type { Accepted } from '../payment/events/accepted.ts';
import type { JournalEvent, StoredEvent } from '../payment/events/event.ts';
import type { IntentDraft } from '../payment/events/intent.ts';
import type { JournalledSettlement, SettledBatch } from '../payment/events/settlement.ts';
import type { ClosedBatch, CurrencyResult, ReopenedCurrency } from '../payment/events/settling-batch.ts';
import { type Random, systemRandom } from '../base/ports/clock.ts';
import {
  type Identified,
  JournalError,
  type JournalHealth,
  type OpenedTransaction,
} from '../payment/contracts/journal.ts';
import type { ListQuery } from '../payment/contracts/listing.ts';
import { JournalCheck } from './check.ts';
import { Commits, Database, JournalFiles } from './database.ts';
import { Erasing } from './erasing.ts';
import { journalError, openingError } from './failure.ts';
import { JournalIdentity } from './journal-identity.ts';
import type { Looked } from './retention.ts';
import type { Migrated, MigrationOptions } from './migration.ts';
import { buildTables, moveAway, type Tables, writeIntent } from './tables.ts';

/**
 * Below this free space no payment begins. A payment takes about ten commits of a few pages each. Concurrent work adds
 * to that (a reversal, a settlement's result, SQLite's own log up to its limit).
 */
const reservedBytes = 16 * 1024 * 1024;

/** `dir`: the directory of the journal. */
function healthOf(dir: string): JournalHealth {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize < reservedBytes ? 'full' : 'ok';
}

export interface OpeningOptions extends MigrationOptions {
  /**
   * A journal up to this size is checked page by page before use. For a larger one, the start does not depend on its
   * size.
   */
  readonly smallBytes?: number;
}

/**
 * The journal on SQLite, synchronous. It runs in a worker, so that no fsync runs on the event loop that serves the
 * reader. Each writing call is one commit. The SQL is in the files of the tables.
 */
export class JournalStore {
  readonly #now: () => Date;
  readonly #dir: string;
  readonly #database: Database;
  readonly #tables: Tables;
  readonly #life: JournalIdentity;
  readonly #commits: Commits;
  readonly migrated: Migrated;
  readonly erasing: Erasing;

  constructor(
    file: string,
    now: () => Date = () => new Date(),
    random: Random = systemRandom,
    { smallBytes = 512 * 1024, isOnTrial = false, onLong = () => undefined }: OpeningOptions = {},
  ) {
    this.#now = now;
    this.#dir = path.dirname(file);
    const hadLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    const database = new Database(file, { isOnTrial, onLong });
    this.#database = database;
    this.migrated = database.migrated;
    this.#tables = buildTables(database, this.#dir, now, random);
    try {
      this.#life = new JournalIdentity(file, hadLog, database, now());
      if (statSync(file).size <= smallBytes) database.checkPages();
      if (this.#life.isDamaged) this.#checkAll(onLong);
      // Created after the first reads, which have created SQLite's log.
      const files = new JournalFiles(file);
      const onRollBack = () => this.#tables.numbers.rollBack();
      this.#commits = new Commits({ database, files, life: this.#life, onRollBack });
      this.erasing = new Erasing(this.#tables, this.#commits, database.schema);
      this.#begin();
    } catch (error) {
      database.close();
      throw openingError(error, file);
    }
  }

  /** How this opening compares with the one before, and the marker file. */
  get life(): JournalIdentity {
    return this.#life;
  }

  readonly putBack = () => this.#life.putBack;
  readonly check = () => new JournalCheck(this.#database);
  /** Throws JournalError 'gone' if others have replaced or written the files of this journal. */
  readonly present = () => this.#commits.checkFiles();

  /** Throws JournalError 'full' for a new transaction if little space is left. */
  open(id: TerminalTransactionId, accepted: Accepted, events: readonly JournalEvent[] = []): OpenedTransaction {
    return this.#commits.commit(() => {
      const { transaction: existing, settlement } = this.findIdentity(accepted.posId, accepted.messageId);
      if (existing !== undefined) return { existing };
      if (settlement) return { settlement };
      if (this.health() === 'full') throw new JournalError('full', 'the disk of the journal is full');
      this.#tables.transactions.add(id, accepted);
      for (const event of [accepted, ...events]) this.#tables.log.append(id, event);
      return {};
    });
  }

  append(id: TerminalTransactionId, events: readonly JournalEvent[]): StoredEvent[] {
    return this.#commits.commit(() => {
      for (const event of events) this.#tables.log.append(id, event);
      return this.#tables.log.read(id);
    });
  }

  intend(id: TerminalTransactionId, draft: IntentDraft, events: readonly JournalEvent[] = []): TraceNumbers {
    return this.#commits.commit(() => writeIntent(this.#tables, id, draft, events));
  }

  intendIfClear(id: TerminalTransactionId, draft: IntentDraft): TraceNumbers | undefined {
    return this.#commits.commit(() => {
      if (this.#tables.queues.isQueued(draft.acquirerId)) return undefined;
      return writeIntent(this.#tables, id, draft);
    });
  }

  archive(before: Date, after: number, limit: number): Looked {
    return this.#commits.commit(() => this.#tables.retention.archive(before, after, limit));
  }

  allocateStans(acquirerId: AcquirerId, count: number): number {
    return this.#commits.commit(() => this.#tables.numbers.nextStans(acquirerId, count));
  }

  openSettlement(settlement: JournalledSettlement): { existing?: JournalledSettlement } {
    return this.#commits.commit(() => {
      const existing = this.findSettlement(settlement.posId, settlement.messageId);
      if (existing) return { existing };
      this.#tables.settlements.add(settlement);
      return {};
    });
  }

  endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean): void {
    this.#commits.commit(() => {
      this.#tables.settlements.end(id, results, printsReport);
      const at = this.#now().toISOString();
      for (const each of results) {
        this.#tables.settling.noteResult(each, at);
        this.#tables.discrepancies.noteDifferences(each, at);
      }
    });
  }

  settleDiscrepancy(number: number, session: string): boolean {
    const at = this.#now().toISOString();
    return this.#commits.commit(() => this.#tables.discrepancies.settle(number, session, at));
  }

  noteKeyCounter(name: string, reserved: number): void {
    this.#commits.commit(() => this.#tables.numbers.noteKeys(name, reserved));
  }

  markSettlementPrinted(id: TerminalTransactionId): void {
    this.#commits.commit(() => this.#tables.settlements.markPrinted(id));
  }

  closeBatch(closed: ClosedBatch): 'closed' | 'changed' | 'occupied' {
    return this.#commits.commit(() => {
      const acquirerId = this.#tables.numbers.ensureRow(closed.acquirerId);
      return this.#tables.settling.close({ ...closed, acquirerId });
    });
  }

  askCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, trailer: boolean): number {
    return this.#commits.commit(() => {
      const stan = this.#tables.numbers.nextStans(acquirerId, 1);
      this.#tables.settling.noteQuestion(acquirerId, batch, currency, { stan, trailer });
      return stan;
    });
  }

  markUnsettled(acquirerId: AcquirerId, batch: number, currency: CurrencyCode): void {
    this.#commits.commit(() => this.#tables.settling.markUnsettled(acquirerId, batch, currency));
  }

  recordResult(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult): void {
    this.#commits.commit(() => this.#tables.settling.noteAnswer(acquirerId, batch, currency, result));
  }

  reopenBatch(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency): void {
    this.#commits.commit(() => this.#tables.settling.reopen(acquirerId, batch, only));
  }

  readonly read = (id: TerminalTransactionId) => this.#tables.transactions.read(id);
  readonly find = (posId: string, messageId: string) => this.#tables.transactions.find(posId, messageId);
  readonly later = (originalId: TerminalTransactionId) => this.#tables.transactions.later(originalId);
  readonly findByTrace = (acquirerId: AcquirerId, stan: number) =>
    this.#tables.transactions.findByTrace(acquirerId, stan);
  readonly isSettled = (id: TerminalTransactionId) => this.#tables.transactions.isSettled(id);
  readonly batchPage = (acquirerId: AcquirerId, batch: number, after: string, limit: number) =>
    this.#tables.transactions.batchPage(acquirerId, batch, after, limit);

  readonly listSlice = (query: ListQuery, from?: number) => this.#tables.listing.slice(query, from);

  readonly changes = (after: number) => this.#tables.changes.slice(after);
  readonly unfinished = () => this.#tables.queues.unfinished();
  readonly pending = () => this.#tables.queues.pending();
  readonly closedOrders = () => this.#tables.queues.closedOrders();
  readonly unmatched = () => this.#tables.queues.unmatched();
  readonly matters = () => this.#tables.queues.matters();
  readonly discrepancies = () => this.#tables.discrepancies.open();
  readonly findCopy = () => this.#tables.discrepancies.findCopy();
  readonly isFromCopy = (id: TerminalTransactionId) => this.#tables.discrepancies.isFromCopy(id);
  readonly presentBatch = (id: TerminalTransactionId) => this.#tables.transactions.presentBatch(id);
  readonly rejectedAdvices = (acquirerId: AcquirerId) => this.#tables.queues.rejectedAdvices(acquirerId);
  readonly setAside = (acquirerId: AcquirerId) => this.#tables.queues.setAside(acquirerId);
  readonly waitingReceipts = () => this.#tables.queues.waitingReceipts();

  /** The payment or settlement of this identity, if there is one. */
  findIdentity(posId: string, messageId: string): Identified {
    const [transaction, settlement] = [this.find(posId, messageId), this.findSettlement(posId, messageId)];
    return { ...(transaction ? { transaction } : {}), ...(settlement ? { settlement } : {}) };
  }

  readonly findSettlement = (posId: string, messageId: string) => this.#tables.settlements.find(posId, messageId);
  readonly readSettlement = (id: TerminalTransactionId) => this.#tables.settlements.read(id);
  readonly settlingLater = (id: TerminalTransactionId, acquirerId: AcquirerId, batch: number) =>
    this.#tables.settlements.settlingLater(id, acquirerId, batch);
  readonly settlementsAfter = (id: TerminalTransactionId) => this.#tables.settlements.after(id);
  readonly latestSettlements = (limit: number) => this.#tables.settlements.latest(limit);
  readonly unfinishedSettlements = () => this.#tables.settlements.unfinished();

  readonly batchMark = (acquirerId: AcquirerId, batch: number) => this.#tables.settling.mark(acquirerId, batch);
  readonly settlingBatches = (acquirerId: AcquirerId) => this.#tables.settling.batches(acquirerId);
  readonly deniedBatches = (acquirerId: AcquirerId) => this.#tables.settling.deniedBatches(acquirerId);
  readonly unreadBatches = (acquirerId: AcquirerId) => this.#tables.settling.unreadBatches(acquirerId);
  readonly settledAt = (acquirerId: AcquirerId) => this.#tables.settling.settledAt(acquirerId);

  readonly keyCounter = (name: string) => this.#tables.numbers.reservedKeys(name);
  readonly acquirers = () => this.#tables.numbers.acquirers();
  readonly openBatch = (acquirerId: AcquirerId) => this.#tables.numbers.openBatch(acquirerId);
  /** A restored copy may lack payments of this acquirer, and their numbers. */
  readonly beginNumbers = (acquirerId: AcquirerId, numbers: InitialNumbers): boolean =>
    this.#life.succession === 'same' && !this.findCopy() && this.#tables.numbers.begin(acquirerId, numbers);
  readonly writtenAt = () => this.#tables.log.writtenAt();
  readonly archivesPresent = () => this.#tables.retention.checkArchives();

  readonly health = (): JournalHealth => healthOf(this.#dir);

  close(): void {
    const last = this.#life.last();
    this.#database.close();
    this.#life.end(last);
  }

  #checkAll(onLong: () => void): void {
    onLong();
    this.#database.checkPages();
    const check = this.check();
    while (!check.slice());
    this.#life.markChecked(this.#now());
  }

  /**
   * Counts this opening. A journal that is not the one that was used before continues with numbers that the other one
   * can't have used.
   */
  #begin(): void {
    const isOther = this.#life.succession !== 'same';
    try {
      this.#commits.commit(() => {
        this.#life.begin();
        if (isOther) moveAway(this.#tables, this.#life.last(), this.#now().toISOString());
      });
    } catch (error) {
      // Nothing can be paid on a full disk, but earlier payments can be looked up.
      if (isOther || journalError(error).code !== 'full') throw error;
      return;
    }
    this.#life.noteBegin();
  }
}
