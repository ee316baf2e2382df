import { readFileSync } from 'node:fs';

/** VmRSS of proc(5). */
export function residentMiB(pid: number | undefined): number {
  const kiB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kiB === undefined) throw new Error('the kernel does not tell the resident memory');
  return Number(kiB) / 1024;
}
