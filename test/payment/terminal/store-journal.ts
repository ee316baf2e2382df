import type { CurrencyCode } from '../../../src/base/domain/currency.ts';
import type { AcquirerId, InitialNumbers, TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { isKnownAt } from '../../../src/payment/events/format.ts';
import { JournalStore } from '../../../src/journal/store.ts';
import type { Random } from '../../../src/base/ports/clock.ts';
import type { Accepted } from '../../../src/payment/events/accepted.ts';
import type { ClosedBatch, CurrencyResult, ReopenedCurrency } from '../../../src/payment/events/settling-batch.ts';
import type { IntentDraft } from '../../../src/payment/events/intent.ts';
import { type Journal, JournalError, type OpenedTransaction } from '../../../src/payment/contracts/journal.ts';
import type { ListQuery } from '../../../src/payment/contracts/listing.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import type { JournalledSettlement, SettledBatch } from '../../../src/payment/events/settlement.ts';
import { fromOne } from '../../journal/events.ts';
import type { Trace } from './trace.ts';
import { noteReason } from '../../support/reported-reasons.ts';

/** Decides for each call, counted from 1, whether it fails. A failed call writes nothing. */
export type JournalFault = (call: number, operation: keyof Journal) => boolean;

/** The journal without its worker: the real store on a real file, whose calls a test can fail or delay. */
export class StoreJournal implements Journal {
  readonly store: JournalStore;
  readonly #trace: Trace;
  /** Where its numbers begin, and go on when they move. */
  random: Random = fromOne;
  calls = 0;
  /** What was called, in order. */
  readonly operations: (keyof Journal)[] = [];
  fault: JournalFault = () => false;
  /** Calls that are carried out but reported as failed, as if a disk lost its answer. */
  misreport: JournalFault = () => false;
  /** If set, calls of that operation wait for it after they were carried out. */
  readonly broken = Promise.withResolvers<JournalError>().promise;
  readonly replies = new Map<keyof Journal, Promise<void>>();

  constructor(path: string, now: () => Date, trace: Trace, isOnTrial = false) {
    this.store = new JournalStore(path, now, { bytes: (length) => this.random.bytes(length) }, { isOnTrial });
    this.#trace = trace;
  }

  takes(kind: JournalEvent['kind']): boolean {
    return isKnownAt(kind, this.store.migrated.schema);
  }

  open(id: TerminalTransactionId, accepted: Accepted, events: readonly JournalEvent[] = []) {
    const commit = ['accepted', ...events.map(({ kind }) => kind)].join('+');
    const isOpened = ({ existing, settlement }: OpenedTransaction) => existing === undefined && !settlement;
    return this.#call(
      'open',
      (opened) => (isOpened(opened) ? commit : undefined),
      () => this.store.open(id, accepted, events),
    );
  }

  append(id: TerminalTransactionId, events: readonly JournalEvent[]) {
    for (const event of events) if (event.kind === 'ended') noteReason(event.reason);
    return this.#call('append', events.map(({ kind }) => kind).join('+'), () => this.store.append(id, events));
  }

  intend(id: TerminalTransactionId, draft: IntentDraft, events: readonly JournalEvent[] = []) {
    const commit = ['intent', ...events.map(({ kind }) => kind)].join('+');
    return this.#call('intend', commit, () => this.store.intend(id, draft, events));
  }

  intendIfClear(id: TerminalTransactionId, draft: IntentDraft) {
    return this.#call(
      'intend',
      (trace) => trace && 'intent',
      () => this.store.intendIfClear(id, draft),
    );
  }

  read(id: TerminalTransactionId) {
    return this.#call('read', undefined, () => this.store.read(id));
  }

  unfinished() {
    return this.#call('unfinished', undefined, () => this.store.unfinished());
  }

  later(originalId: TerminalTransactionId) {
    return this.#call('later', undefined, () => this.store.later(originalId));
  }

  findByTrace(acquirerId: AcquirerId, stan: number) {
    return this.#call('findByTrace', undefined, () => this.store.findByTrace(acquirerId, stan));
  }

  pending() {
    return this.#call('pending', undefined, () => this.store.pending());
  }

  batchPage(acquirerId: AcquirerId, batch: number, after: TerminalTransactionId | '', limit: number) {
    return this.#call('batchPage', undefined, () => this.store.batchPage(acquirerId, batch, after, limit));
  }

  allocateStans(acquirerId: AcquirerId, count: number) {
    return this.#call('allocateStans', undefined, () => this.store.allocateStans(acquirerId, count));
  }

  openSettlement(settlement: JournalledSettlement) {
    return this.#call('openSettlement', 'settlement', () => this.store.openSettlement(settlement));
  }

  endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean) {
    const commit = results.map(({ result }) => result).join('+');
    return this.#call('endSettlement', `settled ${commit}`, () => this.store.endSettlement(id, results, printsReport));
  }

  batchMark(acquirerId: AcquirerId, batch: number) {
    return this.#call('batchMark', undefined, () => this.store.batchMark(acquirerId, batch));
  }

  closeBatch(closed: ClosedBatch) {
    return this.#call('closeBatch', `closed ${closed.batch}`, () => this.store.closeBatch(closed));
  }

  settlingBatches(acquirerId: AcquirerId) {
    return this.#call('settlingBatches', undefined, () => this.store.settlingBatches(acquirerId));
  }

  deniedBatches(acquirerId: AcquirerId) {
    return this.#call('deniedBatches', undefined, () => this.store.deniedBatches(acquirerId));
  }

  unreadBatches(acquirerId: AcquirerId) {
    return this.#call('unreadBatches', undefined, () => this.store.unreadBatches(acquirerId));
  }

  askCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, trailer: boolean) {
    return this.#call('askCurrency', undefined, () => this.store.askCurrency(acquirerId, batch, currency, trailer));
  }

  changes(after: number) {
    return this.#call('changes', undefined, () => this.store.changes(after));
  }

  get stream() {
    return this.store.life.stream;
  }

  markUnsettled(acquirerId: AcquirerId, batch: number, currency: CurrencyCode) {
    return this.#call('markUnsettled', currency, () => this.store.markUnsettled(acquirerId, batch, currency));
  }

  recordResult(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult) {
    return this.#call('recordResult', `${currency} ${result}`, () =>
      this.store.recordResult(acquirerId, batch, currency, result),
    );
  }

  reopenBatch(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency) {
    return this.#call('reopenBatch', `reopened ${batch}`, () => this.store.reopenBatch(acquirerId, batch, only));
  }

  settledAt(acquirerId: AcquirerId) {
    return this.#call('settledAt', undefined, () => this.store.settledAt(acquirerId));
  }

  writtenAt() {
    return this.#call('writtenAt', undefined, () => this.store.writtenAt());
  }

  findIdentity(posId: string, messageId: string) {
    return this.#call('findIdentity', undefined, () => this.store.findIdentity(posId, messageId));
  }

  settlingLater(id: TerminalTransactionId, acquirerId: AcquirerId, batch: number) {
    return this.#call('settlingLater', undefined, () => this.store.settlingLater(id, acquirerId, batch));
  }

  settlementsAfter(id: TerminalTransactionId) {
    return this.#call('settlementsAfter', undefined, () => this.store.settlementsAfter(id));
  }

  unfinishedSettlements() {
    return this.#call('unfinishedSettlements', undefined, () => this.store.unfinishedSettlements());
  }

  readSettlement(id: TerminalTransactionId) {
    return this.#call('readSettlement', undefined, () => this.store.readSettlement(id));
  }

  markSettlementPrinted(id: TerminalTransactionId) {
    return this.#call('markSettlementPrinted', 'markSettlementPrinted', () => this.store.markSettlementPrinted(id));
  }

  closedOrders() {
    return this.#call('closedOrders', undefined, () => this.store.closedOrders());
  }

  matters() {
    return this.#call('matters', undefined, () => this.store.matters());
  }

  unmatched() {
    return this.#call('unmatched', undefined, () => this.store.unmatched());
  }

  discrepancies() {
    return this.#call('discrepancies', undefined, () => this.store.discrepancies());
  }

  settleDiscrepancy(number: number, session: string) {
    return this.#call('settleDiscrepancy', 'settleDiscrepancy', () => this.store.settleDiscrepancy(number, session));
  }

  presentBatch(id: TerminalTransactionId) {
    return this.#call('presentBatch', undefined, () => this.store.presentBatch(id));
  }

  isFromCopy(id: TerminalTransactionId) {
    return this.#call('isFromCopy', undefined, () => this.store.isFromCopy(id));
  }

  get restored() {
    return this.store.findCopy();
  }

  rejectedAdvices(acquirerId: AcquirerId) {
    return this.#call('rejectedAdvices', undefined, () => this.store.rejectedAdvices(acquirerId));
  }

  setAside(acquirerId: AcquirerId) {
    return this.#call('setAside', undefined, () => this.store.setAside(acquirerId));
  }

  waitingReceipts() {
    return this.#call('waitingReceipts', undefined, () => this.store.waitingReceipts());
  }

  listSlice(query: ListQuery, from?: number) {
    return this.#call('listSlice', undefined, () => this.store.listSlice(query, from));
  }

  latestSettlements(limit: number) {
    return this.#call('latestSettlements', undefined, () => this.store.latestSettlements(limit));
  }

  isSettled(id: TerminalTransactionId) {
    return this.#call('isSettled', undefined, () => this.store.isSettled(id));
  }

  acquirers() {
    return this.#call('acquirers', undefined, () => this.store.acquirers());
  }

  openBatch(acquirerId: AcquirerId) {
    return this.#call('openBatch', undefined, () => this.store.openBatch(acquirerId));
  }

  keyCounter(name: string) {
    return this.#call('keyCounter', undefined, () => this.store.keyCounter(name));
  }

  noteKeyCounter(name: string, reserved: number) {
    return this.#call('noteKeyCounter', undefined, () => this.store.noteKeyCounter(name, reserved));
  }

  beginNumbers(acquirerId: AcquirerId, numbers: InitialNumbers) {
    return this.#call('beginNumbers', undefined, () => this.store.beginNumbers(acquirerId, numbers));
  }

  health() {
    return this.#call('health', undefined, () => this.store.health());
  }

  async close(): Promise<void> {
    this.store.close();
  }

  async #call<T>(
    operation: keyof Journal,
    commit: string | undefined | ((result: T) => string | undefined),
    work: () => T,
  ): Promise<T> {
    this.calls += 1;
    this.operations.push(operation);
    if (this.fault(this.calls, operation)) {
      this.#trace.push(`journal failed: ${operation}`);
      throw new JournalError('storage', 'disk I/O error');
    }
    const result = work();
    const committed = typeof commit === 'function' ? commit(result) : commit;
    if (committed) this.#trace.push(`commit: ${committed}`);
    if (this.misreport(this.calls, operation)) throw new JournalError('storage', 'disk I/O error');
    await this.replies.get(operation);
    return result;
  }
}
