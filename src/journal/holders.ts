import { readFileSync, statSync } from 'node:fs';

/** The files that SQLite locks: the database, its log, and the index of the log, which other programs create. */
const suffixes = ['', '-wal', '-shm'];

/**
 * The other processes that hold a lock on the files of a database, as 'sqlite3 (process 1234)' (proc(5), locks). Empty
 * where the kernel does not show them, as to a service with ProcSubset=pid.
 */
export function holdersOf(file: string): readonly string[] {
  const files = new Set(suffixes.flatMap((suffix) => nameInLocks(file + suffix) ?? []));
  const pids = read('/proc/locks')
    .split('\n')
    // 1: POSIX  ADVISORY  READ 1234 fe:00:2204233 1073741826 1073742335. A line with '->' waits for a lock.
    .map((line) => line.trim().split(/\s+/))
    .filter(([, arrow, , , , name = '']) => arrow !== '->' && files.has(name))
    .map(([, , , , pid]) => Number(pid))
    .filter((pid) => pid > 0 && pid !== process.pid);
  return [...new Set(pids)].map((pid) => {
    const name = read(`/proc/${pid}/comm`).trim();
    return name === '' ? `process ${pid}` : `${name} (process ${pid})`;
  });
}

/** 'fe:00:2204233': the device's numbers in hexadecimal (makedev(3)), and the inode. */
function nameInLocks(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (!found) return undefined;
  const { dev, ino } = found;
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  const hex = (number: bigint) => number.toString(16).padStart(2, '0');
  return `${hex(major)}:${hex(minor)}:${ino}`;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
