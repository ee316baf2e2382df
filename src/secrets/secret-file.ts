import { existsSync } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
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

/**
 * Replaces the file as a whole, readable by its owner only (0600). Once this resolves, the file survives a power cut; a
 * cut in between leaves the old file. Rejects with the system's error.
 */
export async function writeSecret(file: string, text: string): Promise<void> {
  const next = `${file}.new`;
  const handle = await open(next, 'w', 0o600);
  try {
    // A file that an earlier, interrupted write left behind has its own mode.
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
  await rename(next, file);
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
