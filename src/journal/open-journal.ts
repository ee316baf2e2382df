import type { Journal } from '../payment/contracts/journal.ts';
import { DirectoryLock } from './directory-lock.ts';
import { type JournalOptions, WorkerJournal } from './journal.ts';

/**
 * Opens the journal at `path` in a worker of its own. Rejects with JournalError: 'in-use' if another process has it,
 * 'newer' if a newer version wrote it, 'read-only', 'corrupt' or 'storage' if the file can't be used.
 */
export async function openJournal(path: string, options: JournalOptions = {}): Promise<Journal> {
  const { opening } = await beginJournal(path, options);
  return opening;
}

/**
 * The same in two steps: once the first one has resolved, no other process may use that directory, and the journal is
 * being opened. `opening` may be awaited late: its rejection is never unhandled.
 */
export async function beginJournal(
  path: string,
  options: JournalOptions = {},
): Promise<{ readonly opening: Promise<Journal> }> {
  const lock = await DirectoryLock.take(path);
  const journal = new WorkerJournal(path, lock, options);
  const opening = journal.ready().then(
    () => journal,
    (error: unknown) => {
      lock.release();
      throw error;
    },
  );
  opening.catch(() => undefined);
  return { opening };
}
