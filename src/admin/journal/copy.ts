import { constants, rmSync } from 'node:fs';
import { lstat, open, readdir, rm, statfs, symlink } from 'node:fs/promises';
import { constants as system, tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { recordedReason } from '../../main/composition/recorded-reasons.ts';
import { JournalReading } from '../../journal/journal-reading.ts';
import { openRegular } from '../../base/secrets/regular-file.ts';
import { CommissioningError } from '../commissioning-error.ts';
import { makeCopyDirectory } from './copy-directory.ts';

/** Maximum number of attempts: the copy is repeated if the journal's log was restarted meanwhile. */
const triesMax = 5;
/** Above this size a copy takes longer than a second, and is announced. */
const largeBytes = 256 * 1024 * 1024;

/**
 * Reads the journal of a terminal that runs or not, from a copy, because the daemon locks the file. It neither delays
 * the daemon's start nor writes to its files. Rejects with CommissioningError or JournalError.
 */
export async function withJournalCopy<Result>(
  stateDir: string,
  work: (reading: JournalReading) => Promise<Result>,
): Promise<Result> {
  const file = path.join(stateDir, 'journal.db');
  const size = await sizeOf(file);
  if (size === 0) throw new CommissioningError(`there is no journal in ${stateDir}`);
  const directory = await makeCopyDirectory();
  const stopListening = removeOnSignal(directory);
  try {
    const { bavail, bsize } = await statfs(directory);
    if (2 * size > bavail * bsize) throw new CommissioningError(`${tmpdir()} has no room for a copy: set TMPDIR`);
    if (size > largeBytes) process.stderr.write(`copying a journal of ${Math.round(size / 2 ** 20)} MiB\n`);
    const copy = path.join(directory, 'journal.db');
    await copyWhole(file, copy);
    await linkArchives(stateDir, directory);
    const reading = await JournalReading.openCopy(copy, recordedReason);
    if (!reading) throw new CommissioningError(`there is no journal in ${stateDir}`);
    try {
      return await work(reading);
    } finally {
      reading.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
    stopListening();
  }
}

/** Removes the copy if the command is interrupted. Returns a function that stops listening. */
function removeOnSignal(directory: string): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (signal: (typeof signals)[number]) => {
    rmSync(directory, { recursive: true, force: true });
    process.exit(128 + system.signals[signal]);
  };
  for (const each of signals) process.on(each, end);
  return () => {
    for (const each of signals) process.off(each, end);
  };
}

/**
 * The file first, then its log: a page that is moved from the log into the file meanwhile is still in the log, unless
 * the log was restarted. Its salts show that (sqlite.org/fileformat2.html, 4.1).
 */
async function copyWhole(file: string, copy: string): Promise<void> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const before = await saltsOf(`${file}-wal`);
    await copyIfThere(file, copy);
    await copyIfThere(`${file}-wal`, `${copy}-wal`);
    if (before === (await saltsOf(`${copy}-wal`))) return copyIfThere(stateOf(file), stateOf(copy));
  }
  throw new CommissioningError('the journal changes faster than it can be copied: try again');
}

function stateOf(file: string): string {
  return path.join(path.dirname(file), 'journal.state');
}

async function saltsOf(log: string): Promise<string> {
  const handle = await openRegular(log, constants.O_RDONLY).catch(absent);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(24), 0, 24, 0);
    return buffer.subarray(16, bytesRead).toString('hex');
  } finally {
    await handle.close();
  }
}

/** The file is opened once and judged by what was opened: its owner may replace it at any time. */
async function copyIfThere(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  const source = await openRegular(from, constants.O_RDONLY).catch((error: unknown) => {
    if (isOther(error)) throw notRegular(from);
    return absent(error);
  });
  if (!source) return;
  try {
    const { size } = await source.stat();
    const copy = await open(to, 'wx', 0o600);
    // Limits the copy of a file that grows faster than it is copied.
    if (size === 0) await copy.close();
    else await pipeline(source.createReadStream({ end: size - 1, autoClose: false }), copy.createWriteStream());
  } finally {
    await source.close();
  }
}

/** Whether the system's error says that this is a link, a FIFO, a socket, a device or a directory. */
function isOther(error: unknown): boolean {
  return ['EINVAL', 'EISDIR', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function notRegular(file: string): CommissioningError {
  return new CommissioningError(`${file} is not a regular file`);
}

/** Archived events are read where they are: an archive never changes. */
async function linkArchives(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (/^archive-.*\.gz$/.test(name)) await symlink(path.resolve(from, name), path.join(to, name));
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await lstat(file).catch(absent);
  if (found?.isFile() === false) throw notRegular(file);
  return found?.size ?? 0;
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
