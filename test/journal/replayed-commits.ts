import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { JournalStore } from '../../src/journal/store.ts';
import type { Chance } from '../e2e/chance.ts';
import type { Acknowledged } from './committed.ts';
import { numbered } from './events.ts';
import { undone } from './interruption.ts';
import type { LoggedDisk } from './logged-disk.ts';
import { type Replayed, replayed } from './replay.ts';

/** An acknowledgement, and how long the log of the disk was when it was heard: all that it needs is within. */
interface Heard extends Acknowledged {
  readonly position: number;
}

const journalName = 'journal.db';

/**
 * Crash states under a process that writes payments into a journal: all that it had acknowledged by then must be there, in whole
 * commits, and the journal must open and give out a trace number that nobody has. `committer`: the process's program.
 */
export async function replayedCommits(
  options: { committer: string; commits: number; count: number; chance: Chance },
  onState?: () => void,
): Promise<{ commits: number; result: Replayed }> {
  const { used, result } = await replayed(
    options,
    (disk) => committed(disk, options.committer, options.commits),
    missing,
    onState,
  );
  return { commits: used.length, result };
}

/** Until so many commits are acknowledged. */
async function committed(disk: LoggedDisk, committer: string, commits: number): Promise<readonly Heard[]> {
  const heard: Heard[] = [];
  const child = fork(committer, [path.join(disk.dir, journalName), '1'], { execArgv: [] });
  const killed = undone(() => child.kill('SIGKILL'));
  try {
    const exited = once(child, 'exit');
    const enough = new Promise<void>((resolve, reject) => {
      child.on('message', (message: Acknowledged | { failed: string }) => {
        if ('failed' in message) return reject(new Error(`the journal failed: ${message.failed}`));
        heard.push({ ...message, position: disk.position });
        if (heard.length >= commits) resolve();
      });
    });
    const early = exited.then(() => Promise.reject(new Error(`the committer ended after ${heard.length} commits`)));
    await Promise.race([enough, early]);
    early.catch(() => undefined);
    child.kill('SIGKILL');
    await exited;
    return heard;
  } finally {
    killed();
  }
}

function missing(heard: readonly Heard[], dir: string, position: number): string[] {
  const faults: string[] = [];
  const file = path.join(dir, journalName);
  const due = heard.filter((each) => each.position <= position);
  const store = new JournalStore(file);
  try {
    const acknowledged = new Map(due.map(({ ordinal, events }) => [ordinal, events]));
    for (const ordinal of new Set(heard.map((each) => each.ordinal))) {
      const found = store.read(numbered(ordinal)).length;
      const least = acknowledged.get(ordinal) ?? 0;
      if (found < least) faults.push(`${found} of ${least} acknowledged events of ${ordinal}`);
      else if (![0, 1, 2, 5].includes(found)) faults.push(`half a commit, ${found} events of ${ordinal}`);
    }
    const stan = store.allocateStans(acquirerId('EDC'), 1);
    if (due.some((each) => each.stan === stan)) faults.push(`trace number ${stan} is given twice`);
  } finally {
    store.close();
  }
  return [...faults, ...damage(file)];
}

/** What SQLite finds wrong with it. */
function damage(file: string): string[] {
  const database = new DatabaseSync(file);
  try {
    const integrity = String(database.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
    return integrity === 'ok' ? [] : [integrity];
  } finally {
    database.close();
  }
}
