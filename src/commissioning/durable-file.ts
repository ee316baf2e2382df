import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';

export interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Replaces the file as a whole. Once this resolves, it survives a power cut; a cut in between leaves the old one. Rejects
 * with the system's error.
 */
export async function replaceFile(file: string, text: string | Buffer, { uid, gid, mode }: Ownership): Promise<void> {
  const next = `${file}.new`;
  const handle = await open(next, 'w', 0o600);
  try {
    // A file that an earlier, interrupted write left behind has its own mode.
    await handle.chmod(0o600);
    await handle.chown(uid, gid);
    await handle.writeFile(text);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
  await syncDirectory(path.dirname(file));
}

/** Appends a line that survives a power cut once this resolves. */
export async function appendLine(file: string, line: string, { uid, gid, mode }: Ownership): Promise<void> {
  const handle = await open(file, 'a', mode);
  try {
    await handle.chown(uid, gid);
    await handle.writeFile(`${line}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(path.dirname(file));
}

/** Creates it if needed, and its parents; an existing one stays as it is. */
export async function ensureDirectory(directory: string, { uid, gid, mode }: Ownership): Promise<void> {
  const made = await mkdir(directory, { recursive: true });
  if (made === undefined) return;
  const handle = await open(directory, 'r');
  try {
    await handle.chown(uid, gid);
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
  await syncDirectory(path.dirname(directory));
}

export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
