import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { JournalError, type JournalErrorCode } from '../payment/contracts/journal.ts';
import { holdersOf } from './holders.ts';

/** SQLite's primary result codes (sqlite.org/rescode.html). An extended code has more in its upper bits. */
const meanings: Readonly<Record<number, readonly [JournalErrorCode, string]>> = {
  // Not another poid: DirectoryLock keeps that off before SQLite is asked.
  5: ['held', 'another program holds the file of the journal'],
  6: ['held', 'another program holds the file of the journal'],
  8: ['read-only', 'the disk of the journal is read-only'],
  11: ['corrupt', 'the journal is damaged'],
  13: ['full', 'the disk of the journal is full'],
  26: ['corrupt', 'this file is not a journal'],
};

/**
 * SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. After a failed fsync, the data may be lost from the kernel's cache,
 * and the next fsync still succeeds: only a new read of the file shows the content of the disk.
 */
const failedSyncs = new Set([1034, 1290]);

/**
 * Translates an error of SQLite or of the store into a JournalError. `file`: the journal, to name the programs that
 * hold it.
 */
export function journalError(thrown: unknown, file?: string): JournalError {
  if (thrown instanceof JournalError) return thrown;
  const result = Number((thrown as { errcode?: unknown }).errcode);
  if (failedSyncs.has(result)) return new JournalError('broken', 'the disk of the journal failed to store data');
  const [code, message] = meanings[result & 0xff] ?? [
    'storage',
    thrown instanceof Error ? thrown.message : 'the journal failed',
  ];
  const holders = code === 'held' && file !== undefined ? holdersOf(file) : [];
  return new JournalError(code, holders.length === 0 ? message : `${message}: ${holders.join(', ')}`);
}

/** Why the journal `file` can't be opened. On a read-only disk, SQLite reports only that it can't open a file. */
export function openingError(thrown: unknown, file: string): JournalError {
  const error = journalError(thrown, file);
  return error.code === 'storage' && isReadOnly(path.dirname(file)) ? journalError({ errcode: 8 }) : error;
}

function isReadOnly(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}
