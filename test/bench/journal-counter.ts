import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/** Per frame of SQLite's log, beside the page (sqlite.org/fileformat2.html §4.1). */
const frameHeadBytes = 24;

/** What a journal has written: commits that wrote something, and pages that went to SQLite's log with them. */
export interface Written {
  readonly commits: number;
  readonly frames: number;
}

/** Calls `note` with the operation of each message that goes to a worker named `journal`, from now on. */
export function noteMessages(note: (operation: string) => void): () => void {
  const prototype: { postMessage: Worker['postMessage'] } = Worker.prototype;
  const { postMessage } = prototype;
  prototype.postMessage = function noted(this: Worker, message: unknown, ...rest: []) {
    if (this.threadName === 'journal') note((message as { operation?: string }).operation ?? 'another');
    return postMessage.call(this, message, ...rest);
  };
  return () => {
    prototype.postMessage = postMessage;
  };
}

/** Calls `note` with the frames of each commit of a database with a log, from now on in this thread. */
export function noteCommits(note: (frames: number) => void): () => void {
  const prototype: { exec: DatabaseSync['exec'] } = DatabaseSync.prototype;
  const { exec } = prototype;
  prototype.exec = function noted(this: DatabaseSync, sql: string) {
    // Its log is only added to, so that its growth is what a commit has written.
    if (sql === 'BEGIN IMMEDIATE') exec.call(this, 'PRAGMA wal_autocheckpoint = 0');
    if (sql !== 'COMMIT') return exec.call(this, sql);
    const before = countFrames(this);
    exec.call(this, sql);
    const frames = countFrames(this) - before;
    if (frames > 0) note(frames);
  };
  return () => {
    prototype.exec = exec;
  };
}

function countFrames(database: DatabaseSync): number {
  const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  const size = statSync(`${database.location()}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return Math.floor(size / (pageBytes + frameHeadBytes));
}
