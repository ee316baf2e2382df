import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { JournalStore } from '../../src/journal/store.ts';
import type { Acknowledged } from './committed.ts';
import { numbered } from './events.ts';

const committer = fileURLToPath(new URL('./committer.ts', import.meta.url));

let dir: string;
let file: string;
const children = new Set<ChildProcess>();

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-journal-'));
  file = path.join(dir, 'journal.db');
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  rmSync(dir, { recursive: true });
});

/** Seeded: a failing run prints its seed, and POID_SEED repeats it. */
const seed = Number(process.env['POID_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

function random(state: number): () => number {
  // A multiplicative congruential generator modulo 2^31 - 1 (Park and Miller, 1988).
  let current = (state % 2_147_483_646) + 1;
  return () => (current = (current * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const kills = 8;

test(`killed ${kills} times in the middle of commits, every acknowledged event is there (seed ${seed})`, async () => {
  const next = random(seed);
  const acknowledged = new Map<number, number>();
  const stans = new Set<number>();
  for (let round = 0; round < kills; round++) {
    // Far from the round before: it may have committed many that it was killed before it could tell.
    const ordinal = 1 + round * 1_000_000;
    const acks = 1 + Math.floor(next() * 40);
    const child = fork(committer, [file, String(ordinal)], { execArgv: [] });
    children.add(child);
    const exited = once(child, 'exit');
    let heard = 0;
    child.on('message', (message: Acknowledged) => {
      acknowledged.set(message.ordinal, message.events);
      if (message.stan !== undefined) {
        assert.ok(!stans.has(message.stan), `trace number ${message.stan} was given twice`);
        stans.add(message.stan);
      }
      heard += 1;
      if (heard === acks) child.kill('SIGKILL');
    });
    await exited;
    assert.ok(heard >= acks, `seed ${seed}, round ${round}: ended after ${heard} of ${acks} acknowledgements`);
    await checked(acknowledged, `seed ${seed}, round ${round}`);
  }
});

/** Reopens the journal and compares. A commit is whole: 1, 2 or 5 events, at least as many as were acknowledged. */
async function checked(acknowledged: ReadonlyMap<number, number>, at: string): Promise<void> {
  const store = new JournalStore(file);
  for (const [ordinal, events] of acknowledged) {
    const found = store.read(numbered(ordinal));
    assert.ok(found.length >= events, `${at}: ${found.length} of ${events} acknowledged events of ${ordinal}`);
    assert.ok([1, 2, 5].includes(found.length), `${at}: half a commit, ${found.length} events of ${ordinal}`);
    assert.equal(store.find('POS-1', `M-${ordinal}`), numbered(ordinal), at);
    assert.equal(store.unfinished().includes(numbered(ordinal)), found.length < 5, at);
  }
  store.close();
  const database = new DatabaseSync(file);
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok', at);
  database.close();
}

test('the disk is full: commits are refused as storage faults, what was acknowledged stays', async () => {
  // A limit on the size of files stands in for the full disk: 2048 blocks of 1 KiB.
  const command = 'ulimit -f 2048 && exec "$0" "$@"';
  const child = spawn('bash', ['-c', command, process.execPath, committer, file, '1'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.add(child);
  const acknowledged = new Map<number, number>();
  const failed = new Promise<string>((resolve) => {
    child.on('message', (message: Acknowledged | { failed: string }) => {
      if ('failed' in message) resolve(message.failed);
      else acknowledged.set(message.ordinal, message.events);
    });
  });
  const exited = once(child, 'exit');
  assert.equal(await failed, 'storage');
  child.kill('SIGKILL');
  await exited;
  assert.ok(acknowledged.size > 10);
  await checked(acknowledged, 'after the full disk');
});
