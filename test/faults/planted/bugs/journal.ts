import type { Bug } from '../bug.ts';

/** Bugs of the state directory: lost, replaced, an older copy put back. */
export const journalBugs: readonly Bug[] = [
  {
    name: 'a new journal begins its numbers at 1, where the one that was lost began too',
    file: 'src/journal/numbers.ts',
    from: '(bytes.readUIntBE(at, 6) % numberMax) + 1',
    to: 'bytes.readUIntBE(at, 6) * 0 + 1',
  },
  {
    name: 'a journal that was unlinked or replaced while it was in use is written on: intents leave, and the next start knows none',
    file: 'src/journal/files.ts',
    from: 'if (inode(this.#file) === this.#opened && log === this.#log) return;',
    to: 'if (log !== undefined || log === undefined) return;',
  },
];
