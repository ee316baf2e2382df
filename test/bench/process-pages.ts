import { readFileSync } from 'node:fs';

/** MiB of a process's pages that are in memory: its own, and those that it shares with others or could share (files). */
export interface ProcessPages {
  readonly resident: number;
  readonly own: number;
  readonly shared: number;
}

/** smaps_rollup of proc(5). A page of a file counts as shared, though nobody else has it mapped at the moment. */
export function readPages(pid: number): ProcessPages {
  return pagesOf(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
}

export function pagesOf(rollup: string): ProcessPages {
  const mib = (name: string) => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1];
    if (kib === undefined) throw new Error(`the kernel does not tell ${name}`);
    return Number(kib) / 1024;
  };
  const resident = mib('Rss');
  // Anonymous: what no file could give back.
  const own = mib('Anonymous');
  return { resident, own, shared: resident - own };
}
