/** How long a journal of so many sales (1,000,000) takes to migrate, to open, to be read through, and to be listed: node test/journal/million.ts 200000 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { JournalStore } from '../../src/journal/store.ts';
import { filledJournal } from './large.ts';
import { makeOlder, unlinked } from './older-journal.ts';

const sales = Number(process.argv[2] ?? 1_000_000);
const dir = mkdtempSync(path.join(tmpdir(), 'poid-million-'));
const file = path.join(dir, 'journal.db');
const timed = <T>(what: string, work: () => T): T => {
  const began = performance.now();
  const result = work();
  console.log(`${what}: ${(performance.now() - began).toFixed(0)} ms`);
  return result;
};
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
/** What this process has given to write(2) so far. */
const writtenBytes = () => Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
try {
  timed(`${sales} sales built`, () => filledJournal(file, sales));
  console.log(mebibytes(statSync(file).size));
  const older = new DatabaseSync(file);
  older.exec('PRAGMA synchronous = OFF');
  timed('made one of the schema before', () => makeOlder(older, unlinked));
  older.exec('VACUUM');
  older.close();
  const [before, size] = [writtenBytes(), statSync(file).size];
  timed('migrated', () => new JournalStore(file).close());
  console.log(
    `${mebibytes(writtenBytes() - before)} written, ${mebibytes(size)} became ${mebibytes(statSync(file).size)}`,
  );
  const store = timed('opened', () => new JournalStore(file));
  const check = store.check();
  const slices: number[] = [];
  timed('read through', () => {
    for (let isThrough = false; !isThrough; ) {
      const began = performance.now();
      isThrough = check.slice();
      slices.push(performance.now() - began);
    }
  });
  const longest = Math.max(...slices).toFixed(1);
  console.log(`${check.checked} rows in ${slices.length} slices, the longest ${longest} ms`);
  for (const [what, query] of [
    ['all', {}],
    ['of a POS that has none', { posId: 'POS-9' }],
    ['of a time that has none', { since: new Date() }],
  ] as const) {
    const waits: number[] = [];
    let listed = 0;
    timed(`listed in pages of 50, ${what}`, () => {
      for (let from: number | undefined; waits.length === 0 || from !== undefined; ) {
        const began = performance.now();
        const { found, next } = store.listSlice({ order: 'newest', limit: 50, ...query }, from);
        waits.push(performance.now() - began);
        listed += found.length;
        from = next;
      }
    });
    waits.sort((one, other) => one - other);
    const at = (share: number) => waits[Math.floor((waits.length - 1) * share)]?.toFixed(2);
    console.log(`${listed} in ${waits.length} slices: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, the longest ${at(1)} ms`);
  }
  timed('closed', () => store.close());
} finally {
  rmSync(dir, { recursive: true });
}
