import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import path from 'node:path';
import { JournalError } from '../payment/contracts/journal.ts';

/** flock(1): the lock is held by another open file. */
const heldCode = 1;
/** Where flock(1) finds the directory's descriptor. */
const descriptor = 3;
const lockMs = 30_000;

/**
 * Keeps a second process from a journal whose file was removed or replaced: SQLite's lock is on the file only. This is
 * a lock on the directory (flock(2)), which only a user who may read the directory can take. It belongs to the open
 * file that flock(1) inherits and this process keeps. The kernel releases it when this process ends, however it ends.
 */
export class DirectoryLock {
  /** Locks that were taken before this process gave root's rights up, or why one could not be. */
  static readonly #prepared = new Map<string, DirectoryLock | Error>();
  readonly #directory: number;

  private constructor(directory: number) {
    this.#directory = directory;
  }

  /** Locks the directory of this file. Rejects with JournalError: 'in-use', or 'storage' if it can't be locked. */
  static async take(file: string): Promise<DirectoryLock> {
    const name = nameOf(file);
    const ready = DirectoryLock.#prepared.get(name);
    if (ready instanceof Error) throw ready;
    return ready ?? DirectoryLock.#lock(name);
  }

  /**
   * Takes the lock that `take` returns later, before root becomes the directory's owner: what that owner runs could
   * write to the memory of a program that is started afterwards, and use its terminal. The lock is kept until
   * `dismiss`, or until this process ends. Never rejects.
   */
  static async prepare(file: string): Promise<void> {
    const name = nameOf(file);
    const taken = await DirectoryLock.#lock(name).catch((error: unknown) => error as Error);
    DirectoryLock.#prepared.set(name, taken);
  }

  /** Releases what `prepare` has taken, because it is not needed. */
  static dismiss(file: string): void {
    const ready = DirectoryLock.#prepared.get(nameOf(file));
    if (ready instanceof DirectoryLock) closeSync(ready.#directory);
    DirectoryLock.#prepared.delete(nameOf(file));
  }

  static async #lock(name: string): Promise<DirectoryLock> {
    const directory = openDirectory(name);
    try {
      await lock(directory);
      return new DirectoryLock(directory);
    } catch (error) {
      closeSync(directory);
      throw error;
    }
  }

  release(): void {
    const isPrepared = [...DirectoryLock.#prepared.values()].includes(this);
    if (!isPrepared) closeSync(this.#directory);
  }
}

function nameOf(file: string): string {
  return path.resolve(path.dirname(file));
}

function openDirectory(directory: string): number {
  try {
    return openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new JournalError('storage', 'the directory of the journal does not exist');
    throw new JournalError('storage', `the directory of the journal can't be opened (${code})`);
  }
}

async function lock(directory: number): Promise<void> {
  const flock = spawn('flock', ['--nonblock', '--exclusive', String(descriptor)], {
    stdio: ['ignore', 'ignore', 'ignore', directory],
    // It never waits. For root it runs as the service's user, who could stop it.
    timeout: lockMs,
    killSignal: 'SIGKILL',
  });
  const [code, signal] = (await once(flock, 'exit').catch((error: NodeJS.ErrnoException) => {
    throw new JournalError(
      'storage',
      `the directory of the journal can't be locked: flock can't be run (${error.code})`,
    );
  })) as [number | null, string | null];
  if (code === 0) return;
  if (code === heldCode) throw new JournalError('in-use', 'another process uses this journal');
  throw new JournalError(
    'storage',
    `the directory of the journal can't be locked (flock ended with ${code ?? signal})`,
  );
}
