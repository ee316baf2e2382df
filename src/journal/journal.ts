import { Worker } from 'node:worker_threads';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import {
  type Accepted,
  type IntentDraft,
  type Journal,
  JournalError,
  type JournalEvent,
  type JournalledSettlement,
  type SettledBatch,
} from '../ports/journal.ts';
import type { JournalStore } from './store.ts';
import type { JournalCall, JournalOperation, JournalReply } from './worker.ts';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: JournalError) => void;
}

/** The journal's face on the main thread: every call is a message to the worker that owns the database. */
class WorkerJournal implements Journal {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #broken: JournalError | undefined;
  #closing: Promise<void> | undefined;

  constructor(path: string) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { path }, name: 'journal' });
    this.#worker.on('message', (reply: JournalReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#break(error.message));
    this.#worker.on('exit', () => this.#break('the journal has stopped'));
  }

  /** Settles when the database is open, locked and at the current schema. */
  ready(): Promise<void> {
    return this.#expect(0) as Promise<void>;
  }

  open(id: TerminalTransactionId, accepted: Accepted) {
    return this.#call('open', id, accepted);
  }

  append(id: TerminalTransactionId, events: readonly JournalEvent[]) {
    return this.#call('append', id, events);
  }

  intend(id: TerminalTransactionId, draft: IntentDraft, events: readonly JournalEvent[] = []) {
    return this.#call('intend', id, draft, events);
  }

  read(id: TerminalTransactionId) {
    return this.#call('read', id);
  }

  find(posId: string, messageId: string) {
    return this.#call('find', posId, messageId);
  }

  later(originalId: TerminalTransactionId) {
    return this.#call('later', originalId);
  }

  unfinished() {
    return this.#call('unfinished');
  }

  pending() {
    return this.#call('pending');
  }

  waitingReceipts() {
    return this.#call('waitingReceipts');
  }

  openBatch(acquirerId: AcquirerId) {
    return this.#call('openBatch', acquirerId);
  }

  batchPage(acquirerId: AcquirerId, batch: number, after: TerminalTransactionId | '', limit: number) {
    return this.#call('batchPage', acquirerId, batch, after, limit);
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

  findSettlement(posId: string, messageId: string) {
    return this.#call('findSettlement', posId, messageId);
  }

  unfinishedSettlements() {
    return this.#call('unfinishedSettlements');
  }

  readSettlement(id: TerminalTransactionId) {
    return this.#call('readSettlement', id);
  }

  settlementPrinted(id: TerminalTransactionId) {
    return this.#call('settlementPrinted', id);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closed();
    return this.#closing;
  }

  async #closed(): Promise<void> {
    if (this.#broken) return;
    await this.#call('close');
    await this.#worker.terminate();
  }

  #call<Operation extends JournalOperation>(
    operation: Operation,
    ...parameters: Parameters<JournalStore[Operation]>
  ): Promise<ReturnType<JournalStore[Operation]>> {
    if (this.#broken) return Promise.reject(this.#broken);
    const call = ++this.#calls;
    this.#worker.postMessage({ call, operation, parameters } satisfies JournalCall);
    return this.#expect(call) as Promise<ReturnType<JournalStore[Operation]>>;
  }

  #expect(call: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
    });
  }

  #settle(reply: JournalReply): void {
    const waiting = this.#waiting.get(reply.call);
    this.#waiting.delete(reply.call);
    if ('failure' in reply) waiting?.reject(new JournalError(reply.failure.code, reply.failure.message));
    else waiting?.resolve(reply.value);
  }

  #break(message: string): void {
    this.#broken ??= new JournalError('storage', message);
    for (const { reject } of this.#waiting.values()) reject(this.#broken);
    this.#waiting.clear();
  }
}

/**
 * Opens the journal at `path` in a worker of its own. Rejects with JournalError: 'in-use' when another process has it,
 * 'newer' when a newer version wrote it, 'storage' when the file can't be used.
 */
export async function openJournal(path: string): Promise<Journal> {
  const journal = new WorkerJournal(path);
  await journal.ready();
  return journal;
}
