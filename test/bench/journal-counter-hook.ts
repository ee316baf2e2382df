import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { noteCommits, noteMessages, type Written } from './journal-counter.ts';

/**
 * Loaded into a daemon before anything else (NODE_OPTIONS=--import), in all of its threads: counts its messages to the
 * journal and what the journal writes. Tells its parent when it is asked ({ askCounts: true }).
 */
export interface JournalCounts extends Written {
  /** Messages to the journal's thread, by operation. */
  readonly messages: Readonly<Record<string, number>>;
}

const nameOfData = 'what the journal has written';
const written = isMainThread
  ? new Int32Array(new SharedArrayBuffer(8))
  : (getEnvironmentData(nameOfData) as unknown as Int32Array);

if (isMainThread) {
  setEnvironmentData(nameOfData, written);
  const messages: Record<string, number> = {};
  noteMessages((operation) => (messages[operation] = (messages[operation] ?? 0) + 1));
  process.on('message', ({ askCounts }: { askCounts?: true }) => {
    if (!askCounts) return;
    const [commits = 0, frames = 0] = written;
    process.send?.({ messages, commits, frames } satisfies JournalCounts);
  });
  process.channel?.unref();
} else {
  noteCommits((frames) => {
    Atomics.add(written, 0, 1);
    Atomics.add(written, 1, frames);
  });
}
