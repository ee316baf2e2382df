import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesOf, readPages } from './process-pages.ts';

test('what no file could give back is the process’s own', () => {
  // proc(5), smaps_rollup.
  const rollup = `00400000-7ffdcc7a8000 ---p 00000000 00:00 0    [rollup]
Rss:              102400 kB
Pss:               51200 kB
Shared_Clean:      40960 kB
Private_Clean:     20480 kB
Private_Dirty:     40960 kB
Anonymous:         38912 kB
`;
  assert.deepEqual(pagesOf(rollup), { resident: 100, own: 38, shared: 62 });
});

test('a process that takes memory has more of its own', () => {
  const before = readPages(process.pid);
  const taken = Buffer.alloc(32 * 2 ** 20, 1);
  const { own, resident, shared } = readPages(process.pid);
  assert.ok(own - before.own > 28, `${own - before.own} MiB more`);
  assert.equal(taken.at(-1), 1);
  assert.ok(Math.abs(own + shared - resident) < 0.01);
});

test('a kernel that does not tell is an error', () => {
  assert.throws(() => pagesOf('Rss: 1 kB\n'), /does not tell/);
});
