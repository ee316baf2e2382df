import { open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';

/** The text of a secret's file; nothing where there is none. Rejects with the system's error. */
export async function readSecret(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces it whole, for its owner only (0600). When this resolves it survives a power cut; one in the middle leaves the old
 * one. Rejects with the system's error.
 */
export async function writeSecret(file: string, text: string): Promise<void> {
  const next = `${file}.new`;
  const handle = await open(next, 'w', 0o600);
  try {
    // One that an earlier write left behind keeps its own mode.
    await handle.chmod(0o600);
    // What root writes from the command line is read by the daemon's own user.
    if (process.getuid?.() === 0) {
      const { uid, gid } = await stat(path.dirname(file));
      await handle.chown(uid, gid);
    }
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
