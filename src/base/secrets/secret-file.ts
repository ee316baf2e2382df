import { constants, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { openRegular, readRegular } from './regular-file.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;

/** The text of a secret file; undefined if there is none. Rejects with an Error that names the file, and what to do. */
export async function readSecret(file: string): Promise<string | undefined> {
  // Most terminals have no such file. An exception for each check would cost more than the check.
  if (!existsSync(file)) return undefined;
  try {
    return await readRegular(file);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const remedy = remedies[code ?? ''] ?? '';
    // Keeps code, syscall and path, so that a caller can name a more exact remedy.
    throw Object.assign(new Error(`${file} can't be read (${code})${remedy}`), { code, syscall, path: file });
  }
}

const remedies: Readonly<Record<string, string>> = {
  EACCES: ': it must belong to the user of its directory, chown it',
  ELOOP: ': it must be a regular file, not a link',
  EINVAL: ': it must be a regular file',
  EFBIG: ': it is too large to be a file of the terminal’s',
};

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
    // A file that an earlier write or another user has left under this name is removed first: an existing file is never
    // written to.
    await rm(next, { force: true });
    await writeThrough(next, O_WRONLY | O_CREAT | O_EXCL, text);
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await syncFolder(file);
}

/** Adds to the end of the file, or begins it. Otherwise as `writeSecret`. */
export async function appendSecret(file: string, text: string): Promise<void> {
  await writeThrough(file, O_WRONLY | O_CREAT | O_APPEND, text);
  await syncFolder(file);
}

async function writeThrough(file: string, flags: number, text: string): Promise<void> {
  const handle = await openRegular(file, flags, 0o600);
  try {
    // A file that was there before has its own mode.
    await handle.chmod(0o600);
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
