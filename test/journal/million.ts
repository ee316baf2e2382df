/** How long a journal of so many sales (1,000,000) takes to open, and to be read through: node test/journal/million.ts 200000 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { JournalStore } from '../../src/journal/store.ts';
import { filledJournal } from './large.ts';

const sales = Number(process.argv[2] ?? 1_000_000);
const dir = mkdtempSync(path.join(tmpdir(), 'poid-million-'));
const file = path.join(dir, 'journal.db');
const timed = <T>(what: string, work: () => T): T => {
  const began = performance.now();
  const result = work();
  console.log(`${what}: ${(performance.now() - began).toFixed(0)} ms`);
  return result;
};
try {
  timed(`${sales} sales built`, () => filledJournal(file, sales));
  console.log(`${(statSync(file).size / 2 ** 20).toFixed(0)} MiB`);
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
  timed('closed', () => store.close());
} finally {
  rmSync(dir, { recursive: true });
}
