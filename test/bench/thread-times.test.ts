import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { groupOf, readThreadTimes, since, sumTimes } from './thread-times.ts';

test('work in a thread is told as that thread’s', async () => {
  const busy = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', () => {
      const until = process.threadCpuUsage().user + 60_000;
      while (process.threadCpuUsage().user < until);
      parentPort.postMessage('done');
    });`;
  const worker = new Worker(busy, { eval: true, name: 'journal' });
  await once(worker, 'online');
  const before = readThreadTimes(process.pid);
  const done = once(worker, 'message');
  worker.postMessage('go');
  await done;
  const used = since(before, readThreadTimes(process.pid));
  await worker.terminate();
  assert.ok(used.journal > 50, `the journal's thread has used ${used.journal} ms`);
  assert.ok(used.main < used.journal);
  assert.ok(sumTimes(used) >= used.journal + used.main);
});

test('a thread belongs to a group by its name', () => {
  assert.deepEqual(['V8Worker', 'DelayedTaskSche', 'reader', 'libuv-worker'].map(groupOf), [
    'V8’s helpers',
    'V8’s helpers',
    'reader',
    'others',
  ]);
});
