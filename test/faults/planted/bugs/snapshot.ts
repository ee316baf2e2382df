import type { Bug } from '../bug.ts';

const test = 'test/bundle/snapshot.long.ts';

/** Bugs of what one start keeps for the next. */
export const snapshotBugs: readonly Bug[] = [
  {
    name: 'the snapshot of the start-up holds Node’s store of random bytes',
    test,
    file: 'build/snapshot-program.ts',
    from: "'assert buffer diagnostics_channel",
    to: "'assert buffer crypto diagnostics_channel",
  },
  {
    name: 'the environment of whoever installs the terminal stays in its snapshot',
    test,
    file: 'src/main/snapshot.ts',
    from: 'poidHeld: { run: runHeld, prove }',
    to: 'poidHeld: { run: runHeld, prove, kept: { ...process.env } }',
    also: {
      file: 'src/admin/snapshot-command.ts',
      from: 'env: {}',
      to: 'env: process.env',
    },
  },
];
