import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** The text of a secret file; undefined if there is none. Rejects with the system's error. */
export async function readSecret(file: string): Promise<string | undefined> {
  // Most terminals have no such file. An exception for each look would cost more than the look.
  if (!existsSync(file)) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

let written = 0;

/**
 * Replaces the file as a whole, readable by its owner only (0600). Once this resolves, the file survives a power cut; a
 * cut in between leaves the old file. Rejects with the system's error.
 */
export async function writeSecret(file: string, text: string): Promise<void> {
  written += 1;
  // Two that write at a time, in one process or in two, do not write into each other's.
  const next = `${file}.${process.pid}-${written}.new`;
  try {
    await writeThrough(next, 'w', text);
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await syncFolder(file);
}

/** Adds to the end of the file, or begins it. Otherwise as `writeSecret`. */
export async function appendSecret(file: string, text: string): Promise<void> {
  await writeThrough(file, 'a', text);
  await syncFolder(file);
}

async function writeThrough(file: string, flags: 'w' | 'a', text: string): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    // A file that was there before has its own mode.
    await handle.chmod(0o600);
    // A file that root writes from the command line must be readable by the daemon's user.
    if (process.getuid?.() === 0) {
      const { uid, gid } = await stat(path.dirname(file));
      await handle.chown(uid, gid);
    }
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(file: string): Promise<void> {
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
