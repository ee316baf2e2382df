import { readFileSync } from 'node:fs';

/** VmRSS of proc(5). */
export function residentMiB(pid: number | undefined): number {
  return bytesOf(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
}

/** Resident memory, and the part of it that no other process and no file shares. */
export interface Resident {
  readonly allMiB: number;
  readonly privateMiB: number;
}

/** proc(5), smaps_rollup. */
export function resident(pid: number | undefined): Resident {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return { allMiB: bytesOf(text, 'Rss'), privateMiB: bytesOf(text, 'Private_Clean') + bytesOf(text, 'Private_Dirty') };
}

function bytesOf(text: string, name: string): number {
  const kiB = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  if (kiB === undefined) throw new Error(`the kernel does not tell ${name}`);
  return Number(kiB) / 1024;
}
