import type { JournalWatcher } from '../payment/contracts/journal.ts';

/** Watchers whose faults change nothing: what was written stays written, and each of the others is told. */
export function guardWatchers(watchers: readonly JournalWatcher[]): JournalWatcher {
  const tell = (news: (watcher: JournalWatcher) => void) => {
    for (const watcher of watchers) {
      try {
        news(watcher);
      } catch {
        // Nobody is left to tell it to: the log is such a watcher.
      }
    }
  };
  return {
    wrote: (id, events) => tell((watcher) => watcher.wrote(id, events)),
    settled: (id, results) => tell((watcher) => watcher.settled(id, results)),
  };
}
