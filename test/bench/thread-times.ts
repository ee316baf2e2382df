import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Who in a process uses the processor. */
export const threadGroups = ['main', 'V8’s helpers', 'journal', 'reader', 'others'] as const;
export type ThreadGroup = (typeof threadGroups)[number];
export type ThreadTimes = Readonly<Record<ThreadGroup, number>>;

/** Milliseconds of the processor that each group has used so far: schedstat of proc(5), Documentation/scheduler. */
export function readThreadTimes(pid: number): ThreadTimes {
  const times: Record<ThreadGroup, number> = { main: 0, 'V8’s helpers': 0, journal: 0, reader: 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const found = readThread(`/proc/${pid}/task/${thread}`);
    if (found) times[Number(thread) === pid ? 'main' : groupOf(found.name)] += found.ms;
  }
  return times;
}

/** Node names a worker's thread as the worker is named, cut to 15 characters. */
export function groupOf(name: string): ThreadGroup {
  if (name === 'journal' || name === 'reader') return name;
  return name === 'V8Worker' || name.startsWith('DelayedTask') ? 'V8’s helpers' : 'others';
}

export function since(before: ThreadTimes, now: ThreadTimes): ThreadTimes {
  const entries = threadGroups.map((group) => [group, now[group] - before[group]]);
  return Object.fromEntries(entries) as Record<ThreadGroup, number>;
}

export function sumTimes(times: ThreadTimes): number {
  return threadGroups.reduce((sum, group) => sum + times[group], 0);
}

const lookMs = 20;
const quietMs = 1;

/** Waits until a process has next to nothing to do any more, at most `mostMs`: what it does after a sale is done. */
export async function awaitQuiet(pid: number, mostMs = 500): Promise<void> {
  const until = performance.now() + mostMs;
  for (let before = sumTimes(readThreadTimes(pid)); performance.now() < until; ) {
    await pause(lookMs);
    const now = sumTimes(readThreadTimes(pid));
    if (now - before < quietMs) return;
    before = now;
  }
}

/** A thread may end while it is looked at. */
function readThread(dir: string): { name: string; ms: number } | undefined {
  try {
    const [ns = ''] = readFileSync(`${dir}/schedstat`, 'utf8').split(' ');
    return { name: readFileSync(`${dir}/comm`, 'utf8').trim(), ms: Number(ns) / 1e6 };
  } catch {
    return undefined;
  }
}
