import type { AcquirerId, TerminalTransactionId } from '../base/domain/identifiers.ts';
import { type Clock, systemClock } from '../base/ports/clock.ts';
import type { Accepted } from '../payment/events/accepted.ts';
import type { IntentDraft } from '../payment/events/intent.ts';
import type { SettledBatch } from '../payment/events/settlement.ts';
import {
  type Journal,
  type JournalCheckReport,
  JournalError,
  type JournalWatcher,
} from '../payment/contracts/journal.ts';
import type { JournalEvent, JournalledTransaction, StoredEvent } from '../payment/events/event.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { type ReasonOf, upgradeEvent, isKnownAt } from '../payment/events/format.ts';
import type { JournalStore } from './store.ts';
import type { ArchiveNews, CheckNews, JournalOperation, JournalWorkerData, Opened } from './worker.ts';
import { WorkerLink } from './worker-link.ts';
import { readableRecord } from '../payment/records/record.ts';

/**
 * A copy of the events of transactions that are unfinished or still to be reversed. All of them are in the journal. If
 * its files are removed, this is the only record of the requests to hosts.
 */
class Underway {
  readonly #events = new Map<TerminalTransactionId, StoredEvent[]>();

  /** Notes events that are now in the journal. */
  wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    const known = this.#events.get(id) ?? [];
    // A transaction that began in an earlier process is not known completely.
    if (known.length === 0 && events[0]?.kind !== 'accepted') return;
    const at = new Date().toISOString();
    const all = [...known, ...events.map((event) => ({ at, event }))];
    if (isOver(id, all)) this.#events.delete(id);
    else this.#events.set(id, all);
  }

  get transactions(): readonly JournalledTransaction[] {
    return [...this.#events].map(([id, events]) => ({ id, events }));
  }
}

function isOver(id: TerminalTransactionId, events: readonly StoredEvent[]): boolean {
  const record = readableRecord(id, events);
  return record?.conclusion !== undefined && record.reversal !== 'queued';
}

export interface JournalOptions {
  readonly clock?: Clock;
  /** If a call takes longer, the disk hangs and the journal is given up. Longer than any commit that ends. */
  readonly deadlineMs?: number;
  /** Transactions that ended longer ago than this move into the archive beside the journal. Without it, none does. */
  readonly retentionDays?: number;
  /** Interval of the checks of the files between writes. */
  readonly watchMs?: number;
  /** How long the journal must be idle before it reads itself through. */
  readonly idleMs?: number;
  /** Up to this file size, the journal is checked before it is used. */
  readonly smallBytes?: number;
  /** The journal is not migrated, because the version before may still have to read it. */
  readonly isOnTrial?: boolean;
  /** Notified of what was written. */
  readonly watchers?: readonly JournalWatcher[];
  /** The reason for a code that an older version wrote without a reason. */
  readonly reasonOf?: ReasonOf;
  /** Called if opening the journal may take a time that grows with its size. */
  readonly onLongOpening?: () => void;
  /** Called after a read-through. */
  readonly onChecked?: (report: JournalCheckReport) => void;
  /**
   * Called each time archiving fails, until the cause is repaired. Nothing is lost: the transactions stay in the
   * journal.
   */
  readonly onArchiveFailure?: (error: JournalError) => void;
}

/** The journal on the main thread: every call is a message to the worker that owns the database. */
export class WorkerJournal implements Journal {
  readonly #link: WorkerLink;
  readonly #lock: DirectoryLock;
  readonly #reasonOf: ReasonOf;
  readonly #watchers: JournalWatcher;
  readonly #onArchiveFailure: (error: JournalError) => void;
  readonly #onChecked: (report: JournalCheckReport) => void;
  readonly #underway = new Underway();
  #closing: Promise<void> | undefined;
  #archiveFault: string | undefined;
  #check: JournalCheckReport = { state: 'never' };
  #opened: Opened | undefined;
  #restored: Journal['restored'];
  /** A call needed an archive that is missing. Kept until the next start. */
  #unreadable: string | undefined;

  constructor(path: string, lock: DirectoryLock, options: JournalOptions) {
    this.#lock = lock;
    const { clock = systemClock, deadlineMs = 30_000, retentionDays, watchMs = 5_000 } = options;
    const { onArchiveFailure = () => undefined, onChecked = () => undefined, idleMs = 200, smallBytes } = options;
    this.#onArchiveFailure = onArchiveFailure;
    this.#onChecked = onChecked;
    this.#watchers = guardWatchers(options.watchers ?? []);
    this.#reasonOf = options.reasonOf ?? (() => 'declined');
    const data: JournalWorkerData = {
      path,
      watchMs,
      idleMs,
      isOnTrial: options.isOnTrial ?? false,
      ...(smallBytes === undefined ? {} : { smallBytes }),
      ...(retentionDays === undefined ? {} : { retentionDays }),
    };
    this.#link = new WorkerLink(data, {
      clock,
      deadlineMs,
      onLongOpening: options.onLongOpening ?? (() => undefined),
      onNews: (news) => this.#hear(news),
      onRefused: (error) => this.#noteRefusal(error),
    });
  }

  get broken(): Promise<JournalError> {
    return this.#link.broken;
  }

  get archiveFault(): string | undefined {
    return this.#archiveFault ?? this.#unreadable;
  }

  get check(): JournalCheckReport {
    return this.#check;
  }

  get putBack(): string | undefined {
    return this.#opened?.putBack;
  }

  get schema() {
    return this.#opened?.schema;
  }

  takes(kind: JournalEvent['kind']): boolean {
    return this.#opened !== undefined && isKnownAt(kind, this.#opened.schema.version);
  }

  /** Resolves once the database is open and locked. */
  async ready(): Promise<void> {
    this.#opened = await this.#link.opened();
    this.#restored = this.#opened.restored;
    if (this.#check.state === 'never') this.#check = this.#opened.check;
  }

  get since(): string | undefined {
    return this.#opened?.since;
  }

  get restored(): Journal['restored'] {
    return this.#restored;
  }

  async settleDiscrepancy(number: number, session: string) {
    const isSettled = await this.#link.call('settleDiscrepancy', number, session);
    if (isSettled) this.#restored = await this.#link.call('findCopy');
    return isSettled;
  }

  get stream(): string {
    return this.#opened?.stream ?? '';
  }

  get underway(): readonly JournalledTransaction[] {
    return this.#underway.transactions;
  }

  async open(id: TerminalTransactionId, accepted: Accepted, events: readonly JournalEvent[] = []) {
    const opened = await this.#link.call('open', id, accepted, events);
    if (!opened.existing && !opened.settlement) this.#wrote(id, [accepted, ...events]);
    return opened;
  }

  async append(id: TerminalTransactionId, events: readonly JournalEvent[]) {
    const stored = await this.#link.call('append', id, events);
    this.#wrote(id, events);
    return this.#upgrade(stored);
  }

  async intend(id: TerminalTransactionId, draft: IntentDraft, events: readonly JournalEvent[] = []) {
    const trace = await this.#link.call('intend', id, draft, events);
    this.#wrote(id, [{ kind: 'intent', ...draft, trace }, ...events]);
    return trace;
  }

  async intendIfClear(id: TerminalTransactionId, draft: IntentDraft) {
    const trace = await this.#link.call('intendIfClear', id, draft);
    if (trace) this.#wrote(id, [{ kind: 'intent', ...draft, trace }]);
    return trace;
  }

  async read(id: TerminalTransactionId) {
    return this.#upgrade(await this.#link.call('read', id));
  }

  async later(originalId: TerminalTransactionId) {
    return this.#upgradeAll(await this.#link.call('later', originalId));
  }

  async batchPage(acquirerId: AcquirerId, batch: number, after: TerminalTransactionId | '', limit: number) {
    return this.#upgradeAll(await this.#link.call('batchPage', acquirerId, batch, after, limit));
  }

  async endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean) {
    await this.#link.call('endSettlement', id, results, printsReport);
    this.#watchers.settled(id, results);
  }

  readonly findIdentity = this.#forward('findIdentity');
  readonly listSlice = this.#forward('listSlice');
  readonly changes = this.#forward('changes');
  readonly unfinished = this.#forward('unfinished');
  readonly findByTrace = this.#forward('findByTrace');
  readonly pending = this.#forward('pending');
  readonly closedOrders = this.#forward('closedOrders');
  readonly unmatched = this.#forward('unmatched');
  readonly matters = this.#forward('matters');
  readonly discrepancies = this.#forward('discrepancies');
  readonly isFromCopy = this.#forward('isFromCopy');
  readonly presentBatch = this.#forward('presentBatch');
  readonly rejectedAdvices = this.#forward('rejectedAdvices');
  readonly setAside = this.#forward('setAside');
  readonly waitingReceipts = this.#forward('waitingReceipts');
  readonly acquirers = this.#forward('acquirers');
  readonly openBatch = this.#forward('openBatch');
  readonly beginNumbers = this.#forward('beginNumbers');
  readonly isSettled = this.#forward('isSettled');
  readonly allocateStans = this.#forward('allocateStans');
  readonly openSettlement = this.#forward('openSettlement');
  readonly batchMark = this.#forward('batchMark');
  readonly closeBatch = this.#forward('closeBatch');
  readonly settlingBatches = this.#forward('settlingBatches');
  readonly unreadBatches = this.#forward('unreadBatches');
  readonly askCurrency = this.#forward('askCurrency');
  readonly markUnsettled = this.#forward('markUnsettled');
  readonly recordResult = this.#forward('recordResult');
  readonly reopenBatch = this.#forward('reopenBatch');
  readonly settledAt = this.#forward('settledAt');
  readonly deniedBatches = this.#forward('deniedBatches');
  readonly settlingLater = this.#forward('settlingLater');
  readonly settlementsAfter = this.#forward('settlementsAfter');
  readonly latestSettlements = this.#forward('latestSettlements');
  readonly writtenAt = this.#forward('writtenAt');
  readonly unfinishedSettlements = this.#forward('unfinishedSettlements');
  readonly readSettlement = this.#forward('readSettlement');
  readonly markSettlementPrinted = this.#forward('markSettlementPrinted');
  readonly keyCounter = this.#forward('keyCounter');
  readonly noteKeyCounter = this.#forward('noteKeyCounter');
  readonly health = this.#forward('health');

  #wrote(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    this.#underway.wrote(id, events);
    this.#watchers.wrote(id, events);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#link.close();
    this.#lock.release();
    this.#link.terminate();
  }

  /** Forwards a call to the store unchanged. */
  #forward<Operation extends JournalOperation>(operation: Operation) {
    return (...parameters: Parameters<JournalStore[Operation]>) => this.#link.call(operation, ...parameters);
  }

  #upgrade(events: readonly StoredEvent[]): readonly StoredEvent[] {
    return events.map((stored) => upgradeEvent(stored, this.#reasonOf));
  }

  #upgradeAll(transactions: readonly JournalledTransaction[]): readonly JournalledTransaction[] {
    return transactions.map(({ id, events }) => ({ id, events: this.#upgrade(events) }));
  }

  #hear(news: ArchiveNews | CheckNews): void {
    if ('archive' in news) return this.#noteArchive(news);
    this.#check = news.check;
    if (news.check.state !== 'running') this.#onChecked(news.check);
  }

  #noteArchive({ archive }: ArchiveNews): void {
    this.#archiveFault = archive === 'ok' ? undefined : archive.message;
    if (archive !== 'ok') this.#onArchiveFailure(new JournalError(archive.code, archive.message));
  }

  /** Reports an archive that is missing or damaged, once. */
  #noteRefusal(error: JournalError): void {
    if (error.code !== 'archive') return;
    if (this.#unreadable === undefined) this.#onArchiveFailure(error);
    this.#unreadable = error.message;
  }
}

/** Isolates errors of watchers: the commit stays, and every other watcher is notified. */
function guardWatchers(watchers: readonly JournalWatcher[]): JournalWatcher {
  const notify = (news: (watcher: JournalWatcher) => void) => {
    for (const watcher of watchers) {
      try {
        news(watcher);
      } catch {
        // It can't be reported: the log is such a watcher.
      }
    }
  };
  return {
    wrote: (id, events) => notify((watcher) => watcher.wrote(id, events)),
    settled: (id, results) => notify((watcher) => watcher.settled(id, results)),
  };
}
