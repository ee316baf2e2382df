import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownerOf } from '../../base/secrets/state-owner.ts';

const prefix = 'poid-journal-';

/**
 * A directory for a copy of the journal. Its name has the number of this process: a later one removes it if this one is
 * killed.
 */
export async function makeCopyDirectory(): Promise<string> {
  for (const directory of directoriesIn(tmpdir(), [process.geteuid?.() ?? 0])) {
    const [, pid] = /^poid-journal-(\d+)-/.exec(path.basename(directory)) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(directory, { recursive: true, force: true });
  }
  // Only its owner may read it, as in the state directory.
  return mkdtemp(path.join(tmpdir(), `${prefix}${process.pid}-`));
}

/**
 * Every copy of the journal in this file system's /tmp and in TMPDIR that is root's, the state directory's owner's or
 * this user's.
 */
export function listCopyDirectories(root: string, stateDir: string): string[] {
  const owners = [0, process.geteuid?.() ?? 0, ownerOf(stateDir)?.uid ?? 0];
  const places = new Set([path.join(root, 'tmp'), ...(root === '/' ? [path.resolve(tmpdir())] : [])]);
  return [...places].flatMap((place) => directoriesIn(place, owners));
}

/** Others may have made a directory, a file or a link of such a name. */
function directoriesIn(place: string, owners: readonly number[]): string[] {
  if (!lstatSync(place, { throwIfNoEntry: false })) return [];
  const named = readdirSync(place).filter((name) => name.startsWith(prefix));
  return named
    .map((name) => path.join(place, name))
    .filter((each) => {
      const found = lstatSync(each, { throwIfNoEntry: false });
      return found?.isDirectory() === true && owners.includes(found.uid);
    })
    .toSorted();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
