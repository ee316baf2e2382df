import { chmod, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** What a start keeps in the state directory beside the journal. */
const secretNames = ['tls.pem', 'pairings.json', 'operator.json'] as const;
const ownNames: readonly string[] = [...secretNames, 'journal.db'];

/** Tells that something was open to others, and is no more. */
export type OnClosed = (file: string, mode: string) => void;

/**
 * Leaves the state directory and the secrets in it to their owner alone. Rejects with an Error that says in a sentence what others can
 * read, where that belongs to somebody else or is no directory of this program's own: closing it could shut others out.
 */
export async function closeState(stateDir: string, onClosed: OnClosed): Promise<void> {
  const { mode, uid } = await stat(stateDir);
  if ((mode & 0o077) !== 0) {
    if (!isOwn(uid) || (mode & 0o1000) !== 0 || !(await isState(stateDir))) {
      throw new Error(
        `${stateDir} is open to others (mode ${octal(mode)}): chmod 700 it, or name a directory of its own`,
      );
    }
    await close(stateDir, mode & ~0o077, mode, onClosed);
  }
  for (const name of secretNames) await closeFile(path.join(stateDir, name), 0o077, onClosed);
}

/** Takes from a file what `open` grants. Nothing where there is no such file. Rejects as `closeState` does. */
export async function closeFile(file: string, open: number, onClosed: OnClosed): Promise<void> {
  const known = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!known || (known.mode & open) === 0) return;
  if (!isOwn(known.uid)) {
    throw new Error(
      `${file} holds a secret, is open to others (mode ${octal(known.mode)}) and of another user: close it`,
    );
  }
  await close(file, known.mode & ~open, known.mode, onClosed);
}

/** Whether anybody of this machine reaches what is in this folder. */
export async function isReachable(folder: string): Promise<boolean> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

async function close(file: string, mode: number, before: number, onClosed: OnClosed): Promise<void> {
  await chmod(file, mode & 0o7777);
  onClosed(file, octal(before));
}

function isOwn(uid: number): boolean {
  return uid === process.getuid?.();
}

/** Whether it holds what this program keeps, or nothing yet: of no other folder may the mode be changed. */
async function isState(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return names.length === 0 || names.some((name) => ownNames.includes(name));
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
