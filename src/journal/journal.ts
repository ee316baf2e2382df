import { Worker } from 'node:worker_threads';
import type { CurrencyCode } from '../domain/currency.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { Accepted } from '../events/accepted.ts';
import type { ClosedBatch, CurrencyResult, ReopenedCurrency } from '../events/settling-batch.ts';
import type { IntentDraft } from '../events/intent.ts';
import { type Journal, type JournalCheckReport, JournalError, type JournalErrorCode } from '../ports/journal.ts';
import type { JournalEvent, JournalledTransaction, StoredEvent } from '../events/event.ts';
import type { JournalledSettlement, SettledBatch } from '../events/settlement.ts';
import { DirectoryLock } from './directory-lock.ts';
import { type ReasonOf, upgradeEvent } from '../events/upgrade.ts';
import type { JournalStore } from './store.ts';
import { Underway } from './underway.ts';
import type {
  ArchiveNews,
  JournalCall,
  JournalNews,
  JournalOperation,
  JournalReply,
  JournalWorkerData,
  Opened,
} from './worker.ts';

export interface JournalOptions {
  readonly clock?: Clock;
  /** A call that takes longer: the disk hangs, and the journal is given up. Longer than any commit that comes to an end. */
  readonly deadlineMs?: number;
  /** What is over longer than that moves into the archive beside the journal. Without it nothing does. */
  readonly retentionDays?: number;
  /** How often it is seen to that the files are where they were, while nobody writes to them. */
  readonly watchMs?: number;
  /** So long nobody has asked it for anything when it reads itself through. */
  readonly idleMs?: number;
  /** Up to this size it is checked before it is used. */
  readonly smallBytes?: number;
  /** The reason behind a code that an older version wrote without it. */
  readonly reasonOf?: ReasonOf;
  /** It was read through. */
  readonly onChecked?: (report: JournalCheckReport) => void;
  /** It could not be moved, again and again until somebody sees to it. Nothing is lost: it stays in the journal. */
  readonly onArchiveFailure?: (error: JournalError) => void;
}

interface Waiting {
  readonly timer: unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: JournalError) => void;
}

/** Nothing can be relied on any more after one of these. */
const ending: readonly JournalErrorCode[] = ['broken', 'gone', 'corrupt'];

/** A file of the same kind as this one: a source, or a bundle. */
const workerUrl = new URL(`./worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

/** The journal's face on the main thread: every call is a message to the worker that owns the database. */
class WorkerJournal implements Journal {
  readonly #worker: Worker;
  readonly #lock: DirectoryLock;
  readonly #waiting = new Map<number, Waiting>();
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #reasonOf: ReasonOf;
  readonly #onArchiveFailure: (error: JournalError) => void;
  readonly #onChecked: (report: JournalCheckReport) => void;
  readonly #breaking = Promise.withResolvers<JournalError>();
  #calls = 0;
  #ended: JournalError | undefined;
  #closing: Promise<void> | undefined;
  #archiveFault: string | undefined;
  #check: JournalCheckReport = { state: 'never' };
  #putBack: string | undefined;
  #since: string | undefined;
  readonly #underway = new Underway();
  /** Somebody asked for what is in it. It stays so until the next start. */
  #unreadable: string | undefined;

  constructor(path: string, lock: DirectoryLock, options: JournalOptions) {
    this.#lock = lock;
    const { clock = systemClock, deadlineMs = 30_000, retentionDays, watchMs = 5_000 } = options;
    const { onArchiveFailure = () => undefined, onChecked = () => undefined, idleMs = 200, smallBytes } = options;
    this.#clock = clock;
    this.#onArchiveFailure = onArchiveFailure;
    this.#onChecked = onChecked;
    this.#deadlineMs = deadlineMs;
    this.#reasonOf = options.reasonOf ?? (() => 'declined');
    const workerData: JournalWorkerData = {
      path,
      watchMs,
      idleMs,
      ...(smallBytes === undefined ? {} : { smallBytes }),
      ...(retentionDays === undefined ? {} : { retentionDays }),
    };
    this.#worker = new Worker(workerUrl, { workerData, name: 'journal' });
    this.#worker.on('message', (message: JournalReply | JournalNews) => {
      if ('call' in message) this.#settle(message);
      else this.#hear(message);
    });
    this.#worker.on('error', (error) => this.#break(new JournalError('broken', error.message)));
    this.#worker.on('exit', () => {
      if (this.#closing) this.#end(new JournalError('storage', 'the journal is closed'));
      else this.#break(new JournalError('broken', 'the journal has stopped'));
    });
  }

  get broken(): Promise<JournalError> {
    return this.#breaking.promise;
  }

  get archiveFault(): string | undefined {
    return this.#archiveFault ?? this.#unreadable;
  }

  get check(): JournalCheckReport {
    return this.#check;
  }

  get putBack(): string | undefined {
    return this.#putBack;
  }

  /** Settles when the database is open, locked and at the current schema. */
  async ready(): Promise<void> {
    const { check, putBack, since } = (await this.#expect(0)) as Opened;
    this.#putBack = putBack;
    this.#since = since;
    if (this.#check.state === 'never') this.#check = check;
  }

  get since(): string | undefined {
    return this.#since;
  }

  get underway(): readonly JournalledTransaction[] {
    return this.#underway.transactions;
  }

  async open(id: TerminalTransactionId, accepted: Accepted, events: readonly JournalEvent[] = []) {
    const opened = await this.#call('open', id, accepted, events);
    if (opened.existing === undefined) this.#underway.wrote(id, [accepted, ...events]);
    return opened;
  }

  async append(id: TerminalTransactionId, events: readonly JournalEvent[]) {
    await this.#call('append', id, events);
    this.#underway.wrote(id, events);
  }

  async intend(id: TerminalTransactionId, draft: IntentDraft, events: readonly JournalEvent[] = []) {
    const trace = await this.#call('intend', id, draft, events);
    this.#underway.wrote(id, [{ kind: 'intent', ...draft, trace }, ...events]);
    return trace;
  }

  async read(id: TerminalTransactionId) {
    return this.#upgraded(await this.#call('read', id));
  }

  findIdentity(posId: string, messageId: string) {
    return this.#call('findIdentity', posId, messageId);
  }

  async later(originalId: TerminalTransactionId) {
    return this.#upgradedAll(await this.#call('later', originalId));
  }

  unfinished() {
    return this.#call('unfinished');
  }

  findByTrace(acquirerId: AcquirerId, stan: number) {
    return this.#call('findByTrace', acquirerId, stan);
  }

  pending() {
    return this.#call('pending');
  }

  closedOrders() {
    return this.#call('closedOrders');
  }

  rejectedAdvices(acquirerId: AcquirerId) {
    return this.#call('rejectedAdvices', acquirerId);
  }

  setAside(acquirerId: AcquirerId) {
    return this.#call('setAside', acquirerId);
  }

  waitingReceipts() {
    return this.#call('waitingReceipts');
  }

  acquirers() {
    return this.#call('acquirers');
  }

  openBatch(acquirerId: AcquirerId) {
    return this.#call('openBatch', acquirerId);
  }

  async batchPage(acquirerId: AcquirerId, batch: number, after: TerminalTransactionId | '', limit: number) {
    return this.#upgradedAll(await this.#call('batchPage', acquirerId, batch, after, limit));
  }

  isSettled(id: TerminalTransactionId) {
    return this.#call('isSettled', id);
  }

  allocateStans(acquirerId: AcquirerId, count: number) {
    return this.#call('allocateStans', acquirerId, count);
  }

  openSettlement(settlement: JournalledSettlement) {
    return this.#call('openSettlement', settlement);
  }

  endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean) {
    return this.#call('endSettlement', id, results, printsReport);
  }

  batchMark(acquirerId: AcquirerId, batch: number) {
    return this.#call('batchMark', acquirerId, batch);
  }

  closeBatch(closed: ClosedBatch) {
    return this.#call('closeBatch', closed);
  }

  settlingBatches(acquirerId: AcquirerId) {
    return this.#call('settlingBatches', acquirerId);
  }

  deniedBatches(acquirerId: AcquirerId) {
    return this.#call('deniedBatches', acquirerId);
  }

  unreadBatches(acquirerId: AcquirerId) {
    return this.#call('unreadBatches', acquirerId);
  }

  askCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, trailer: boolean) {
    return this.#call('askCurrency', acquirerId, batch, currency, trailer);
  }

  markUnsettled(acquirerId: AcquirerId, batch: number, currency: CurrencyCode) {
    return this.#call('markUnsettled', acquirerId, batch, currency);
  }

  recordResult(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult) {
    return this.#call('recordResult', acquirerId, batch, currency, result);
  }

  reopenBatch(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency) {
    return this.#call('reopenBatch', acquirerId, batch, only);
  }

  settledAt(acquirerId: AcquirerId) {
    return this.#call('settledAt', acquirerId);
  }

  writtenAt() {
    return this.#call('writtenAt');
  }

  settlementsAfter(id: TerminalTransactionId) {
    return this.#call('settlementsAfter', id);
  }

  unfinishedSettlements() {
    return this.#call('unfinishedSettlements');
  }

  readSettlement(id: TerminalTransactionId) {
    return this.#call('readSettlement', id);
  }

  markSettlementPrinted(id: TerminalTransactionId) {
    return this.#call('markSettlementPrinted', id);
  }

  health() {
    return this.#call('health');
  }

  close(): Promise<void> {
    this.#closing ??= this.#closed();
    return this.#closing;
  }

  async #closed(): Promise<void> {
    if (!this.#ended) await this.#call('close');
    this.#lock.release();
    // Not waited for: one that hangs at a disk does not end.
    void this.#worker.terminate();
  }

  #upgraded(events: readonly StoredEvent[]): readonly StoredEvent[] {
    return events.map((stored) => upgradeEvent(stored, this.#reasonOf));
  }

  #upgradedAll(transactions: readonly JournalledTransaction[]): readonly JournalledTransaction[] {
    return transactions.map(({ id, events }) => ({ id, events: this.#upgraded(events) }));
  }

  #call<Operation extends JournalOperation>(
    operation: Operation,
    ...parameters: Parameters<JournalStore[Operation]>
  ): Promise<ReturnType<JournalStore[Operation]>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const call = ++this.#calls;
    this.#worker.postMessage({ call, operation, parameters } satisfies JournalCall);
    return this.#expect(call) as Promise<ReturnType<JournalStore[Operation]>>;
  }

  #expect(call: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const hangs = new JournalError('broken', 'the disk of the journal does not answer');
      const timer = this.#clock.setTimeout(() => this.#break(hangs), this.#deadlineMs);
      this.#waiting.set(call, { resolve, reject, timer });
    });
  }

  #hear(news: JournalNews): void {
    if ('archive' in news) return this.#looked(news);
    if ('gone' in news) return this.#break(new JournalError(news.gone.code, news.gone.message));
    if ('opening' in news) return this.#clock.clearTimeout(this.#waiting.get(0)?.timer);
    this.#check = news.check;
    if (news.check.state !== 'running') this.#onChecked(news.check);
  }

  #looked({ archive }: ArchiveNews): void {
    this.#archiveFault = archive === 'ok' ? undefined : archive.message;
    if (archive !== 'ok') this.#onArchiveFailure(new JournalError(archive.code, archive.message));
  }

  #missed(error: JournalError): void {
    if (this.#unreadable === undefined) this.#onArchiveFailure(error);
    this.#unreadable = error.message;
  }

  #settle(reply: JournalReply): void {
    const waiting = this.#waiting.get(reply.call);
    if (!waiting) return;
    this.#waiting.delete(reply.call);
    this.#clock.clearTimeout(waiting.timer);
    if (!('failure' in reply)) return waiting.resolve(reply.value);
    const error = new JournalError(reply.failure.code, reply.failure.message);
    waiting.reject(error);
    if (error.code === 'archive') this.#missed(error);
    // Before it is open there is nothing to break.
    if (reply.call !== 0 && ending.includes(error.code)) this.#break(error);
  }

  #break(error: JournalError): void {
    if (this.#ended) return;
    this.#breaking.resolve(error);
    this.#end(error);
  }

  #end(error: JournalError): void {
    this.#ended ??= error;
    for (const { reject, timer } of this.#waiting.values()) {
      this.#clock.clearTimeout(timer);
      reject(this.#ended);
    }
    this.#waiting.clear();
  }
}

/**
 * Opens the journal at `path` in a worker of its own. Rejects with JournalError: 'in-use' when another process has it,
 * 'newer' when a newer version wrote it, 'read-only', 'corrupt' or 'storage' when the file can't be used.
 */
export async function openJournal(path: string, options: JournalOptions = {}): Promise<Journal> {
  const lock = await DirectoryLock.take(path);
  const journal = new WorkerJournal(path, lock, options);
  await journal.ready().catch((error: unknown) => {
    lock.release();
    throw error;
  });
  return journal;
}
