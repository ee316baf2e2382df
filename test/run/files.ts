import { globSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** quick: `npm test`. long: `npm run test:long`. browser: `npm run test:browser`. */
export type Kind = 'quick' | 'long' | 'browser';
export const kinds = ['quick', 'long', 'browser'] as const satisfies readonly Kind[];
const endings = { quick: 'test', long: 'long', browser: 'browser' } as const satisfies Record<Kind, string>;

/**
 * Folders whose files share a process. Starting a process costs the more the larger its parent is, so what opens
 * pseudo-terminals, workers and commands is apart from what only computes.
 */
const groups = {
  computing: [
    'base/domain',
    'base/secrets',
    'codecs',
    'config',
    'hosts',
    'operator',
    'options',
    'payment',
    'pos/api',
    'pos/pairing',
    'receipt',
    'screen',
  ],
  starting: ['base/tls', 'drivers', 'hw-sim', 'journal', 'observability'],
} as const satisfies Record<string, readonly string[]>;
export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as Group[];

/** Files of those folders that need a process of their own all the same. */
const apart: ReadonlySet<string> = new Set([
  // Adds a method to the registry.
  'test/payment/method/description.test.ts',
  // Looks at the threads of its process.
  'test/drivers/card-reader/thread/threaded-reader.test.ts',
]);

/** Folders whose files wait most of the time, for processes and timers: a few share a process, one after the other. */
const waiting = ['admin', 'cli', 'e2e'] as const;
const filesAtOnce = 4;

/**
 * Long tests that `npm run test:long -- --tier commit` leaves out. Other steps of CI test the same on a smaller scale,
 * or the tests wait for most of their time.
 */
export const fullTierOnly: ReadonlySet<string> = new Set([
  'test/admin/interrupted.long.ts',
  'test/bundle/snapshot-e2e.long.ts',
  'test/cli/npm-dev.long.ts',
  'test/crash/crash.long.ts',
  'test/e2e/planted-throws.long.ts',
  'test/e2e/wallet-silence.long.ts',
  'test/faults/schedules.long.ts',
  'test/hw-sim/bench/main.long.ts',
  'test/hw-sim/session.long.ts',
  'test/pos/cloud/presence.long.ts',
  'test/pos/cloud/reconciliation.long.ts',
  'test/soak/soak.long.ts',
]);

/** Reads `--tier` and the other arguments of a test command. Throws Error for another tier. */
export function parseTier(): { readonly isCommit: boolean; readonly rest: readonly string[] } {
  const { values, positionals } = parseArgs({ options: { tier: { type: 'string' } }, allowPositionals: true });
  const { tier = 'full' } = values;
  if (tier !== 'commit' && tier !== 'full') throw new Error('--tier is commit or full');
  return { isCommit: tier === 'commit', rest: positionals };
}

/** Folders under test/ that decide which files share a process. */
export const namedFolders: readonly string[] = [...Object.values(groups).flat(), ...waiting];

/** Files that share no group's process, as what each process of theirs runs: a few of the same folder, or one alone. */
export function partsOf(files: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (const file of files) {
    const [last] = parts.at(-1) ?? [];
    const isWaiting = waiting.some((folder) => isIn(folder, file));
    const together = last !== undefined && path.dirname(last) === path.dirname(file) && isWaiting;
    if (together && (parts.at(-1)?.length ?? 0) < filesAtOnce) parts.at(-1)?.push(file);
    else parts.push([file]);
  }
  return parts;
}

function isIn(folder: string, file: string): boolean {
  return file.startsWith(`test/${folder}/`);
}

/** Test files of this kind, relative to the project. Packages that test:outside has installed bring tests of their own. */
export function testFiles(kind: Kind): string[] {
  const exclude = (name: string) => path.basename(name) === 'node_modules';
  return globSync(`test/**/*.${endings[kind]}.ts`, { cwd: root, exclude }).toSorted();
}

/** The group with whose files this one shares a process; undefined if it has one of its own, as all have that are not quick. */
export function groupOf(file: string): Group | undefined {
  if (apart.has(file) || !file.endsWith(`.${endings.quick}.ts`)) return undefined;
  return groupNames.find((name) => groups[name].some((folder) => isIn(folder, file)));
}
