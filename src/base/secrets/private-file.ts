import { chmod, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Files in the state directory besides the journal. */
const secretNames = ['tls.pem', 'pairings.json', 'operator.json'] as const;
const ownNames: readonly string[] = [...secretNames, 'journal.db'];

/** Called when permissions were too open and have been restricted. */
export type OnClosed = (file: string, mode: string) => void;

/**
 * Restricts the state directory and its secrets to their owner. Rejects with an Error that names what others can read,
 * if it belongs to another user or is not this program's own directory: restricting it could lock others out.
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

/**
 * Removes the permissions `open` from a file. Does nothing if there is no regular file: a device or a FIFO is shared
 * with other programs. Rejects as `closeState` does.
 */
export async function closeFile(file: string, open: number, onClosed: OnClosed): Promise<void> {
  const known = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!known?.isFile() || (known.mode & open) === 0) return;
  if (!isOwn(known.uid)) {
    throw new Error(
      `${file} holds a secret, is open to others (mode ${octal(known.mode)}) and of another user: close it`,
    );
  }
  await close(file, known.mode & ~open, known.mode, onClosed);
}

/** Whether every user of this machine can reach the content of this folder. */
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

/**
 * Whether the folder contains only this program's files, or is empty. The mode of other folders must not be changed.
 */
async function isState(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return names.length === 0 || names.some((name) => ownNames.includes(name));
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
