import { globSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** quick: `npm test`. long: `npm run test:long`. */
export type Length = 'quick' | 'long';
const endings = { quick: 'test', long: 'long' } as const satisfies Record<Length, string>;

/** Their tests start no process and count nothing of their own, so they need no process of their own. */
const sharing = [
  'acquirers',
  'api',
  'config',
  'domain',
  'drivers',
  'emv',
  'events',
  'hw-sim',
  'iso8583',
  'journal',
  'method',
  'operator',
  'pairing',
  'qr',
  'receipt',
  'records',
  'screen',
  'secrets',
  'supervision',
  'terminal',
  'tls',
  'transaction',
];

/** Files of those folders that need a process of their own all the same. */
const apart: ReadonlySet<string> = new Set([
  // Adds a method to the registry.
  'test/method/description.test.ts',
]);

/** Test files of this length, relative to the project. */
export function testFiles(length: Length): string[] {
  return globSync(`test/**/*.${endings[length]}.ts`, { cwd: root }).toSorted();
}

/** Whether this file's tests run in one process with those of other files. Long ones run side by side instead. */
export function sharesProcess(file: string): boolean {
  const [, folder = ''] = file.split(path.sep);
  return sharing.includes(folder) && !apart.has(file) && file.endsWith(`.${endings.quick}.ts`);
}
