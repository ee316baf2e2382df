import { type MessagePort, parentPort } from 'node:worker_threads';
import type {
  JournalCheckReport,
  JournalError,
  JournalErrorCode,
  JournalSchema,
} from '../payment/contracts/journal.ts';
import { Eraser } from './eraser.ts';
import { IntegrityScan } from './integrity-scan.ts';
import { journalError } from './failure.ts';
import { Archiver } from './archiver.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { Migrated } from './migration.ts';
import { schemaVersion } from './schema.ts';
import { JournalStore } from './store.ts';

/** A call of the store by name. Calls are answered in the order of arrival. */
export interface JournalCall {
  readonly call: number;
  readonly operation: JournalOperation;
  readonly parameters: readonly unknown[];
}

export type JournalOperation = Exclude<keyof JournalStore, 'life' | 'migrated' | 'erasing'>;

interface Failure {
  readonly code: JournalErrorCode;
  readonly message: string;
}

export type JournalReply =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly failure: Failure };

/** Unasked: whether old transactions could be archived. */
export interface ArchiveNews {
  readonly archive: 'ok' | Failure;
}

/** Unasked: the progress and result of the read-through. */
export interface CheckNews {
  readonly check: JournalCheckReport;
}

/** Unasked, before the journal is open: opening will take as long as the journal is large, so it has no deadline. */
export interface LongOpening {
  readonly opening: 'long';
}

/** The state of a journal that was just opened. */
export interface Opened {
  readonly check: JournalCheckReport;
  readonly putBack?: string | undefined;
  readonly since?: string | undefined;
  readonly restored?: Journal['restored'];
  readonly stream: string;
  readonly schema: JournalSchema;
}

export type JournalNews = ArchiveNews | CheckNews | FilesGone | LongOpening;

/** Unasked: the files were removed or replaced, or can't be relied on. */
export interface FilesGone {
  readonly gone: Failure;
}

export interface JournalWorkerData {
  readonly path: string;
  /** How often the files are checked, so that a fault is found before the next payment. */
  readonly watchMs: number;
  /** How long the journal must be idle before it reads itself through. */
  readonly idleMs: number;
  /** Up to this file size, the journal is checked before it is used. */
  readonly smallBytes?: number;
  /** The schema stays as the version before has it. */
  readonly isOnTrial: boolean;
  /** Without it, nothing is archived. */
  readonly retentionDays?: number;
}

// The first message names the journal. No file is opened before it: the thread may start before the configuration is
// read.
parentPort?.once('message', (data: JournalWorkerData) => parentPort && serve(parentPort, data));

/** Call 0 is the opening of the journal itself. */
function serve(port: MessagePort, data: JournalWorkerData): void {
  const { path, watchMs, idleMs, smallBytes, isOnTrial, retentionDays } = data;
  try {
    const post = (news: JournalNews) => port.postMessage(news);
    const store = new JournalStore(path, undefined, undefined, {
      ...(smallBytes === undefined ? {} : { smallBytes }),
      isOnTrial,
      onLong: () => post({ opening: 'long' }),
    });
    const onLooked = (fault: JournalError | undefined) => post({ archive: fault ? failureOf(fault) : 'ok' });
    const archiver = retentionDays === undefined ? undefined : new Archiver(store, retentionDays, onLooked);
    const eraser = store.erasing.isAllowed ? new Eraser({ erasing: store.erasing, onFailure: onLooked }) : undefined;
    const integrityScan = new IntegrityScan(store, {
      idleMs,
      onNews: (check) => post({ check }),
      onDamage: (error) => post({ gone: failureOf(error) }),
    });
    const watch = setInterval(() => {
      const gone = failureIn(() => store.present());
      if (!gone) return;
      clearInterval(watch);
      post({ gone });
    }, watchMs).unref();
    port.on('message', (message: JournalCall) => {
      archiver?.noteCall();
      eraser?.noteCall();
      integrityScan.noteCall();
      if (message.operation === 'close') {
        archiver?.stop();
        eraser?.stop();
        integrityScan.stop();
        clearInterval(watch);
      }
      port.postMessage(answerCall(store, message, path));
      if (message.operation === 'close') port.close();
    });
    const { checkReport: check, putBack, since, stream } = store.life;
    const restored = store.findCopy();
    const value: Opened = { check, putBack, since, restored, stream, schema: describeSchema(store.migrated) };
    port.postMessage({ call: 0, value } satisfies JournalReply);
  } catch (error) {
    port.postMessage({ call: 0, failure: failureOf(error, path) } satisfies JournalReply);
  }
}

function describeSchema({ schema: version, fault }: Migrated): JournalSchema {
  if (fault) return { version, migration: 'failed', fault: fault.message };
  return version === schemaVersion ? { version } : { version, migration: 'onTrial' };
}

function answerCall(store: JournalStore, { call, operation, parameters }: JournalCall, path: string): JournalReply {
  try {
    const method = store[operation] as (...values: readonly unknown[]) => unknown;
    return { call, value: method.apply(store, [...parameters]) };
  } catch (error) {
    return { call, failure: failureOf(error, path) };
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

function failureOf(error: unknown, path?: string): Failure {
  const { code, message } = journalError(error, path);
  return { code, message };
}
