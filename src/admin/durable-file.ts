import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ownerOf } from '../base/secrets/state-owner.ts';
import { CommissioningError } from './commissioning-error.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

export interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Replaces the file as a whole. Once this resolves, it survives a power cut; a cut in between leaves the old one.
 * Rejects with the system's error.
 */
export async function replaceFile(file: string, text: string | Buffer, { uid, gid, mode }: Ownership): Promise<void> {
  const next = `${file}.new`;
  // Removes the remains of an interrupted write; an existing file is never written to.
  await rm(next, { force: true });
  const handle = await open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
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
  const handle = await open(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, mode);
  try {
    await handle.chown(uid, gid);
    await handle.writeFile(`${line}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncDirectory(path.dirname(file));
}

/**
 * Creates a directory for this user only, for files that its commands trust. Rejects with CommissioningError if another
 * user could have created it, or can change it.
 */
export async function ensureOwnDirectory(directory: string): Promise<void> {
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o700 };
  await ensureDirectory(directory, own);
  const { uid, mode } = await lstat(directory).then((found) => (found.isDirectory() ? found : { uid: -1, mode: 0 }));
  const isOthers = uid !== own.uid || (mode & 0o022) !== 0 || (own.uid === 0 && ownerOf(directory) !== undefined);
  if (isOthers)
    throw new CommissioningError(
      `${directory} must be a directory that ${own.uid === 0 ? 'root' : 'its user'} alone can change`,
    );
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
