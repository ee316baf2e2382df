import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

/** A piece of a process's address space, of proc(5) maps. */
interface Mapping {
  readonly from: number;
  readonly to: number;
}

export interface Searched {
  readonly bytes: number;
  /** The patterns that were found, by their names. */
  readonly found: readonly string[];
}

/**
 * Searches byte patterns in the writable memory of a process of the same user: heap, stacks, buffers, mapped files.
 * The process is stopped while its memory is copied, and continues during the search, because its deadlines are short.
 * Throws EACCES or EPERM if the kernel forbids it (ptrace(2), access mode checking).
 */
export async function searchProcess(pid: number, patterns: ReadonlyMap<string, Buffer>): Promise<Searched> {
  process.kill(pid, 'SIGSTOP');
  let runs: Buffer[];
  try {
    runs = copied(pid);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const found: string[] = [];
  for (const [name, pattern] of patterns) {
    if (runs.some((run) => run.includes(pattern))) found.push(name);
    // A connection that the process closes meanwhile has to be noticed before it is used again.
    await turn();
  }
  return { bytes: runs.reduce((sum, run) => sum + run.length, 0), found };
}

/** One piece for each run of pages without a gap. */
function copied(pid: number): Buffer[] {
  const [memory, pages] = [openSync(`/proc/${pid}/mem`, 'r'), openSync(`/proc/${pid}/pagemap`, 'r')];
  try {
    const mapped = mappings(readFileSync(`/proc/${pid}/maps`, 'latin1'));
    return mapped
      .flatMap((mapping) => touched(pages, mapping))
      .map(({ from, to }) => {
        const run = Buffer.allocUnsafeSlow(to - from);
        return run.subarray(0, readSync(memory, run, 0, run.length, from));
      });
  } finally {
    closeSync(memory);
    closeSync(pages);
  }
}

const pageBytes = 4096;
const entryBytes = 8;

/** The pages that were ever touched, in runs: V8 never touches most of the pages that it maps. */
function touched(pages: number, { from, to }: Mapping): Mapping[] {
  const entries = Buffer.alloc(((to - from) / pageBytes) * entryBytes);
  const length = readSync(pages, entries, 0, entries.length, (from / pageBytes) * entryBytes);
  const runs: { from: number; to: number }[] = [];
  for (let at = 0; at < length; at += entryBytes) {
    // Bits 63 and 62: present, or swapped out (proc(5), pagemap).
    if (((entries[at + 7] ?? 0) & 0xc0) === 0) continue;
    const page = from + (at / entryBytes) * pageBytes;
    const last = runs.at(-1);
    if (last?.to === page) last.to += pageBytes;
    else runs.push({ from: page, to: page + pageBytes });
  }
  return runs;
}

/** Readable memory that may have been written: not the program, its libraries, or the kernel's pages. */
function mappings(maps: string): Mapping[] {
  return [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) (....) \S+ \S+ (\d+) *(.*)$/gm)].flatMap(
    ([, from = '', to = '', rights = '', inode, name = '']) => {
      const fromFile = inode !== '0' && !rights.includes('w');
      if (!rights.startsWith('r') || fromFile || /^\[v(?:var|dso|syscall)/.test(name)) return [];
      return [{ from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) }];
    },
  );
}
