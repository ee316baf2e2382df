import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AcquirerId, TerminalTransactionId, TraceNumbers } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import type { Accepted } from '../../src/payment/events/accepted.ts';
import type { IntentDraft } from '../../src/payment/events/intent.ts';
import { type Journal, JournalError, type OpenedTransaction } from '../../src/payment/contracts/journal.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { type TransactionRecord, transactionRecord } from '../../src/payment/records/record.ts';
import type { Dice } from './dice.ts';
import type { Generation } from './generation.ts';
import type { Log } from './log.ts';
import type { MachineClock } from './machine-clock.ts';
import type { VirtualTime } from './virtual-time.ts';

const reads = [
  'read',
  'later',
  'unfinished',
  'pending',
  'findByTrace',
  'rejectedAdvices',
  'discrepancies',
  'isFromCopy',
  'presentBatch',
  'closedOrders',
  'unmatched',
  'matters',
  'setAside',
  'waitingReceipts',
  'acquirers',
  'openBatch',
  'batchPage',
  'isSettled',
  'batchMark',
  'settlingBatches',
  'deniedBatches',
  'unreadBatches',
  'settledAt',
  'writtenAt',
  'findIdentity',
  'settlementsAfter',
  'settlingLater',
  'unfinishedSettlements',
  'latestSettlements',
  'readSettlement',
  'health',
  'changes',
  'listSlice',
] as const satisfies readonly (keyof Journal & keyof JournalStore)[];
const writes = [
  'open',
  'append',
  'intend',
  'intendIfClear',
  'allocateStans',
  'openSettlement',
  'closeBatch',
  'askCurrency',
  'recordResult',
  'settleDiscrepancy',
  'markUnsettled',
  'reopenBatch',
  'endSettlement',
  'markSettlementPrinted',
] as const satisfies readonly (keyof Journal & keyof JournalStore)[];
type Operation = (typeof reads | typeof writes)[number];

/** In memory if possible: in this simulation every commit survives, whether or not it reached a disk. */
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Faults of a disk, in percent of its commits. */
export interface DiskTrouble {
  /** The commit fails and nothing is written. */
  readonly fails: number;
  /** The commit is written, but reported as failed. */
  readonly misreports: number;
  /** The commit never ends, written or not, and neither does any later one. */
  readonly hangs: number;
}

type Failure = 'full' | 'fails' | 'misreports' | 'hangs';

/** Time limit of a call of the journal, as in src/journal/journal.ts. */
const deadlineMs = 30_000;

const archivedAtOnce = 20;

/** The file that survives every process, with the real store on it. */
export class Disk {
  readonly dir = mkdtempSync(path.join(parent, 'poid-faults-'));
  /** The transaction that an acquirer's trace number was assigned to, in a successful commit. */
  readonly intents = new Map<string, TerminalTransactionId>();
  readonly transactions: TerminalTransactionId[] = [];
  trouble: DiskTrouble = { fails: 0, misreports: 0, hangs: 0 };
  /** When it last failed or hung, in virtual time. */
  failedAtMs = -Infinity;
  full = false;
  /** When the last settlement began. */
  settledMs = -Infinity;
  /** Called when a transaction is accepted, with all unfinished ones. */
  onAccepted: (unfinished: readonly TerminalTransactionId[]) => void = () => undefined;
  readonly #time: VirtualTime;
  readonly #machine: MachineClock;
  readonly #dice: Dice;
  readonly #log: Log;
  #store: JournalStore | undefined;

  constructor(time: VirtualTime, machine: MachineClock, dice: Dice, log: Log) {
    this.#time = time;
    this.#machine = machine;
    this.#dice = dice;
    this.#log = log;
  }

  /** The current contents, for the oracle. */
  get store(): JournalStore {
    this.#store ??= new JournalStore(path.join(this.dir, 'journal.db'), () => this.#machine.now(), {
      bytes: (length) => Uint8Array.from({ length }, () => this.#dice.between(0, 255)),
    });
    return this.#store;
  }

  record(id: TerminalTransactionId): TransactionRecord {
    return transactionRecord(id, this.store.read(id));
  }

  /** The process that used it has ended, and its lock is released. */
  released(): void {
    this.#store?.close();
    this.#store = undefined;
  }

  /** Deletes everything on it. Only while no process uses it. */
  loses(): void {
    this.released();
    for (const name of readdirSync(this.dir)) rmSync(path.join(this.dir, name), { recursive: true });
    this.intents.clear();
    this.transactions.length = 0;
  }

  /** Removes the card numbers that nothing needs any more, while the journal is idle. */
  erases(): void {
    const { erasing } = this.store;
    for (let [after, isEnd] = [0, false]; !isEnd; ) {
      const found = erasing.find(after);
      erasing.erase(found.events, this.#machine.now());
      [after, isEnd] = [found.last, found.isEnd];
    }
    erasing.emptyLog();
    this.released();
  }

  /** Moves finished transactions into the archive, while the journal is idle. */
  archives(): void {
    for (let after: number | undefined = 0; after !== undefined; ) {
      ({ next: after } = this.store.archive(this.#machine.now(), after, archivedAtOnce));
    }
    this.released();
  }

  /**
   * Makes an image if nothing is unfinished in it: after a restore nobody could know how an unfinished one had ended. Returns
   * whether it did.
   */
  keeps(): boolean {
    const { store } = this;
    const isQuiet = store.pending().length === 0 && store.unfinished().length === 0;
    this.released();
    if (!isQuiet) return false;
    rmSync(this.#image, { recursive: true, force: true });
    cpSync(this.dir, this.#image, { recursive: true });
    return true;
  }

  get isKept(): boolean {
    return existsSync(this.#image);
  }

  /** Puts the image back, with or without the file that shows its age. Only while no process uses it. */
  rollsBack(withMarker: boolean): void {
    this.released();
    const kept = readdirSync(this.dir).filter((name) => !withMarker && name.endsWith('.state'));
    for (const name of readdirSync(this.dir))
      if (!kept.includes(name)) rmSync(path.join(this.dir, name), { recursive: true });
    for (const name of readdirSync(this.#image))
      if (!kept.includes(name)) cpSync(path.join(this.#image, name), path.join(this.dir, name), { recursive: true });
    this.transactions.length = 0;
  }

  get #image(): string {
    return `${this.dir}-image`;
  }

  remove(): void {
    this.released();
    rmSync(this.#image, { recursive: true, force: true });
    rmSync(this.dir, { recursive: true });
  }

  /** The journal for one life of the process: its calls are carried out in order, each after some delay. */
  journal(generation: Generation): Journal {
    const store = this.store;
    let freeAtMs = 0;
    let hangs = false;
    let restored = store.findCopy();
    let ended: JournalError | undefined;
    const breaking = Promise.withResolvers<JournalError>();
    const waiting = new Set<(error: JournalError) => void>();
    const breaks = () => {
      ended = new JournalError('broken', 'the disk of the journal does not answer');
      breaking.resolve(ended);
      for (const reject of waiting) reject(ended);
    };
    const call = (operation: Operation, parameters: readonly unknown[]): Promise<unknown> => {
      if (ended) return Promise.reject(ended);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.add(reject);
      const calledMs = this.#time.elapsedMs;
      freeAtMs = Math.max(freeAtMs, calledMs) + this.#tookMs();
      const failure = this.#failure(operation);
      generation.receives(freeAtMs - calledMs, () => {
        if (hangs) return;
        generation.does(operation, () => {
          if (failure === 'hangs') {
            hangs = true;
            this.failedAtMs = this.#time.elapsedMs;
            this.#log.counted('journal hangs', operation);
            if (this.#dice.odds(50)) this.#carriedOut(store, operation, parameters, undefined);
            generation.receives(calledMs + deadlineMs - this.#time.elapsedMs, breaks);
            return;
          }
          const settled = this.#carriedOut(store, operation, parameters, failure);
          if (operation === 'settleDiscrepancy') restored = store.findCopy();
          generation.receives(this.#dice.odds(80) ? 0 : this.#tookMs(), () => {
            waiting.delete(reject);
            if ('error' in settled) reject(settled.error);
            else resolve(settled.value);
          });
        });
      });
      return promise;
    };
    const operations = [...reads, ...writes].map((name) => [name, (...values: unknown[]) => call(name, values)]);
    const { stream } = store.life;
    const journal = Object.fromEntries(operations);
    Object.defineProperty(journal, 'restored', { get: () => restored });
    return Object.assign(journal, {
      stream,
      takes: () => true,
      broken: breaking.promise,
      close: async () => undefined,
    }) as Journal;
  }

  #tookMs(): number {
    return this.#dice.one([
      [60, 0],
      [36, this.#dice.between(1, 4)],
      [3, this.#dice.between(5, 100)],
      [1, this.#dice.between(100, 4_000)],
    ]);
  }

  #failure(operation: Operation): Failure | undefined {
    if (this.#dice.odds(this.trouble.hangs)) return 'hangs';
    if ((reads as readonly Operation[]).includes(operation)) {
      return this.#dice.odds(this.trouble.fails / 10) ? 'fails' : undefined;
    }
    if (this.full) return 'full';
    if (this.#dice.odds(this.trouble.fails)) return 'fails';
    return this.#dice.odds(this.trouble.misreports) ? 'misreports' : undefined;
  }

  #carriedOut(
    store: JournalStore,
    operation: Operation,
    parameters: readonly unknown[],
    failure: Failure | undefined,
  ): { readonly value: unknown } | { readonly error: unknown } {
    if (failure === 'full' || failure === 'fails') {
      this.failedAtMs = this.#time.elapsedMs;
      this.#log.counted(failure === 'full' ? 'disk full' : 'disk failed', operation);
      return { error: new JournalError(failure === 'full' ? 'full' : 'storage', 'the disk of the journal is ill') };
    }
    try {
      const value = (store[operation] as (...values: readonly unknown[]) => unknown).apply(store, [...parameters]);
      this.#noted(store, operation, parameters, value);
      if (failure === undefined) return { value };
      this.#log.counted('commit misreported', operation);
      return { error: new JournalError('storage', 'the disk of the journal is ill') };
    } catch (error) {
      return { error };
    }
  }

  #noted(store: JournalStore, operation: Operation, parameters: readonly unknown[], value: unknown): void {
    const [id, what] = parameters as [TerminalTransactionId, unknown];
    if (operation === 'open' && isOpened(value as OpenedTransaction)) {
      this.transactions.push(id);
      this.onAccepted(store.unfinished());
      this.#log.push(`commit accepted ${(what as Accepted).messageId} ${(what as Accepted).type} ${short(id)}`);
    } else if (operation === 'intend' || (operation === 'intendIfClear' && value !== undefined)) {
      const { acquirerId, operation: message } = what as IntentDraft;
      const { stan } = value as TraceNumbers;
      const key = intentKey(acquirerId, stan);
      // A journal from an older copy uses its numbers again: the last intent is the last entry all the same.
      this.intents.delete(key);
      this.intents.set(key, id);
      this.#log.push(`commit intent ${message} ${acquirerId} ${stan} ${short(id)}${kinds(parameters[2])}`);
    } else if (operation === 'append') {
      this.#log.push(`commit${kinds(what)} ${short(id)}`);
    } else if (operation === 'openSettlement') {
      this.settledMs = this.#time.elapsedMs;
    } else if (operation === 'endSettlement') {
      const results = what as readonly { acquirerId: string; batch: number; result: string }[];
      this.#log.push(
        `commit settled ${results.map((each) => `${each.acquirerId} ${each.batch} ${each.result}`).join()}`,
      );
    }
  }
}

function isOpened({ existing, settlement }: OpenedTransaction): boolean {
  return existing === undefined && settlement === undefined;
}

export function intentKey(acquirerId: AcquirerId, stan: number): string {
  return `${acquirerId} ${stan}`;
}

export function short(id: TerminalTransactionId): string {
  return id.slice(10, 18);
}

function kinds(events: unknown): string {
  return ((events ?? []) as readonly JournalEvent[])
    .map((event) => {
      if (event.kind === 'answered') return ` answered:${event.outcome.kind}`;
      return event.kind === 'ended' ? ` ended:${event.result}` : ` ${event.kind}`;
    })
    .join('');
}
