import { parentPort, workerData } from 'node:worker_threads';
import type { JournalCheckReport, JournalError, JournalErrorCode } from '../ports/journal.ts';
import { Examiner } from './examiner.ts';
import { journalError } from './failure.ts';
import { Keeper } from './keeper.ts';
import { JournalStore } from './store.ts';

/** A call of the store by name. Calls are answered in the order they came in. */
export interface JournalCall {
  readonly call: number;
  readonly operation: JournalOperation;
  readonly parameters: readonly unknown[];
}

export type JournalOperation = Exclude<keyof JournalStore, 'life'>;

interface Failure {
  readonly code: JournalErrorCode;
  readonly message: string;
}

export type JournalReply =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly failure: Failure };

/** Asked by nobody: whether what is old could be moved into the archive. */
export interface ArchiveNews {
  readonly archive: 'ok' | Failure;
}

/** Asked by nobody: how far the journal is read through, and what was found. */
export interface CheckNews {
  readonly check: JournalCheckReport;
}

/** Before the journal is open: that takes as long as it is large, and has no deadline. */
export interface LongOpening {
  readonly opening: 'long';
}

/** What is known of a journal that was just opened. */
export interface Opened {
  readonly check: JournalCheckReport;
  readonly putBack?: string | undefined;
  readonly since?: string | undefined;
}

export type JournalNews = ArchiveNews | CheckNews | FilesGone | LongOpening;

/** Asked by nobody: the journal is not where it was, or can't be relied on. */
export interface FilesGone {
  readonly gone: Failure;
}

export interface JournalWorkerData {
  readonly path: string;
  /** So often it looks whether the files are there still, so that no customer has to find it out. */
  readonly watchMs: number;
  /** So long nobody has asked it for anything when it reads itself through. */
  readonly idleMs: number;
  /** Up to this size it is checked before it is used. */
  readonly smallBytes?: number;
  /** Without it everything stays in the journal. */
  readonly retentionDays?: number;
}

/** `call` 0 answers the opening of the journal itself. */
const port = parentPort;
if (port) {
  try {
    const { path, watchMs, idleMs, smallBytes, retentionDays } = workerData as JournalWorkerData;
    const tell = (news: JournalNews) => port.postMessage(news);
    const store = new JournalStore(path, undefined, undefined, {
      ...(smallBytes === undefined ? {} : { smallBytes }),
      onLong: () => tell({ opening: 'long' }),
    });
    const onLooked = (fault: JournalError | undefined) => tell({ archive: fault ? failureOf(fault) : 'ok' });
    const keeper = retentionDays === undefined ? undefined : new Keeper(store, retentionDays, onLooked);
    const examiner = new Examiner(store, {
      idleMs,
      onNews: (check) => tell({ check }),
      onDamage: (error) => tell({ gone: failureOf(error) }),
    });
    const watch = setInterval(() => {
      const gone = failureIn(() => store.present());
      if (!gone) return;
      clearInterval(watch);
      tell({ gone });
    }, watchMs).unref();
    port.on('message', (message: JournalCall) => {
      keeper?.noteCall();
      examiner.noteCall();
      if (message.operation === 'close') {
        keeper?.stop();
        examiner.stop();
        clearInterval(watch);
      }
      port.postMessage(answerCall(store, message));
      if (message.operation === 'close') port.close();
    });
    const value: Opened = { check: store.life.checkReport, putBack: store.life.putBack, since: store.life.since };
    port.postMessage({ call: 0, value } satisfies JournalReply);
  } catch (error) {
    port.postMessage({ call: 0, failure: failureOf(error) } satisfies JournalReply);
  }
}

function answerCall(store: JournalStore, { call, operation, parameters }: JournalCall): JournalReply {
  try {
    const method = store[operation] as (...values: readonly unknown[]) => unknown;
    return { call, value: method.apply(store, [...parameters]) };
  } catch (error) {
    return { call, failure: failureOf(error) };
  }
}

function failureIn(work: () => void): Failure | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Failure {
  const { code, message } = journalError(error);
  return { code, message };
}
