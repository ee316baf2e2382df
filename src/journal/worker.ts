import { parentPort, workerData } from 'node:worker_threads';
import type { JournalError, JournalErrorCode } from '../ports/journal.ts';
import { journalError } from './failure.ts';
import { Keeper } from './keeper.ts';
import { JournalStore } from './store.ts';

/** A call of the store by name. Calls are answered in the order they came in. */
export interface JournalCall {
  readonly call: number;
  readonly operation: JournalOperation;
  readonly parameters: readonly unknown[];
}

export type JournalOperation = Exclude<keyof JournalStore, 'constructor'>;

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

/** Asked by nobody: the journal is not where it was. */
export interface FilesGone {
  readonly gone: Failure;
}

export interface JournalWorkerData {
  readonly path: string;
  /** So often it looks whether the files are there still, so that no customer has to find it out. */
  readonly watchMs: number;
  /** Without it everything stays in the journal. */
  readonly retentionDays?: number;
}

/** `call` 0 answers the opening of the journal itself. */
const port = parentPort;
if (port) {
  try {
    const { path, watchMs, retentionDays } = workerData as JournalWorkerData;
    const store = new JournalStore(path);
    const onLooked = (fault: JournalError | undefined) =>
      port.postMessage({ archive: fault ? failureOf(fault) : 'ok' } satisfies ArchiveNews);
    const keeper = retentionDays === undefined ? undefined : new Keeper(store, retentionDays, onLooked);
    const watch = setInterval(() => {
      const gone = failureIn(() => store.present());
      if (!gone) return;
      clearInterval(watch);
      port.postMessage({ gone } satisfies FilesGone);
    }, watchMs).unref();
    port.on('message', (message: JournalCall) => {
      keeper?.called();
      if (message.operation === 'close') {
        keeper?.stop();
        clearInterval(watch);
      }
      port.postMessage(answered(store, message));
      if (message.operation === 'close') port.close();
    });
    port.postMessage({ call: 0, value: undefined } satisfies JournalReply);
  } catch (error) {
    port.postMessage({ call: 0, failure: failureOf(error) } satisfies JournalReply);
  }
}

function answered(store: JournalStore, { call, operation, parameters }: JournalCall): JournalReply {
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
