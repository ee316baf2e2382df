import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { terminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { systemRandom } from '../../src/base/ports/clock.ts';
import { accepted, draft, numbered } from '../journal/events.ts';
import { seededMessage, seedJournal } from '../journal/seeded-journal.ts';
import { type Counted, gates, measureBundle, perSale } from './counts.ts';
import { noteCommits, noteMessages } from './journal-counter.ts';

let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-counts-'));
});
after(() => rmSync(dir, { recursive: true }));

const today: Counted = { messagesPerSale: 3, framesPerCommit: 4.6, growing: [], bundleKiB: 3_022 };
const missed = (counted: Partial<Counted>) =>
  gates({ ...today, ...counted })
    .filter(({ verdict }) => verdict === 'missed')
    .map(({ what }) => what);

test('each gate fails for one more of what it counts, and no other does', () => {
  assert.deepEqual(missed({}), []);
  assert.match(missed({ messagesPerSale: 4 }).join(), /^messages to the journal per sale$/);
  // One page more in one of three commits.
  assert.match(missed({ framesPerCommit: 4.6 + 1 / 3 }).join(), /^frames of SQLite’s log per commit$/);
  assert.match(missed({ growing: ['SCAN event'] }).join(), /^statements of the journal/);
  assert.match(missed({ bundleKiB: 3_022 + 290 }).join(), /^JavaScript of the bundle$/);
});

test('messages to the journal’s thread are noted, and to no other', () => {
  const noted: string[] = [];
  const stop = noteMessages((operation) => noted.push(operation));
  const [journal, reader] = ['journal', 'reader'].map((name) => new Worker('', { eval: true, name }));
  for (const worker of [journal, reader]) {
    worker?.postMessage({ call: 1, operation: 'open', parameters: [] });
    worker?.postMessage({ stop: true });
  }
  stop();
  journal?.postMessage({ operation: 'late' });
  assert.deepEqual(noted, ['open', 'another']);
});

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

const outcome = { kind: 'approved', responseCode: '00', approvalCode: '123456', rrn: '000000000001' } as const;
const approvedEvents: readonly JournalEvent[] = [
  { kind: 'answered', outcome: { ...outcome, hostTime: '100000', hostDate: '0105' } },
  { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' },
];

/** Frames of each commit of one sale, after a few others. */
function framesOfSale(name: string, planted: string): number[] {
  const file = path.join(dir, `${name}.db`);
  new JournalStore(file).close();
  const database = new DatabaseSync(file);
  database.exec(planted);
  database.close();
  const store = new JournalStore(file);
  const frames: number[] = [];
  const stop = noteCommits((each) => frames.push(each));
  for (const ordinal of [1, 2, 3]) {
    store.open(numbered(ordinal), accepted(`M-${ordinal}`));
    store.intend(numbered(ordinal), draft());
    store.append(numbered(ordinal), [{ kind: 'receiptQueued' }]);
  }
  stop();
  // What writes nothing is no commit.
  store.archive(new Date(0), 0, 1);
  store.close();
  return frames.slice(-3);
}

test('an index more is a page more in the commits that write to it', () => {
  const now = framesOfSale('now', '');
  const more = framesOfSale('more', 'CREATE INDEX planted ON event (at)');
  assert.equal(now.length, 3);
  assert.ok(now.every((each) => each >= 3 && each < 12));
  assert.deepEqual(
    more.map((each, index) => each - (now[index] ?? 0)),
    [1, 1, 1],
  );
});

test('a sale in a journal of 600 writes 16.5 pages at most', (t) => {
  const file = path.join(dir, 'later.db');
  const [before, sales] = [600, 60];
  seedJournal(file, { settled: 500, salesPerBatch: 100, open: before - 500 });
  const store = new JournalStore(file);
  const frames: number[] = [];
  const stop = noteCommits((each) => frames.push(each));
  for (let each = 1; each <= sales; each++) {
    const messageId = seededMessage(before + each);
    const id = terminalTransactionId(new Date(Date.now() + each), systemRandom.bytes(10));
    store.open(id, { ...accepted(messageId), digest: messageId.repeat(2) });
    store.intend(id, draft());
    store.append(id, approvedEvents);
  }
  stop();
  store.close();
  const perSale = [0, 1, 2].map((commit) => sumOf(frames.filter((_, index) => index % 3 === commit)) / sales);
  t.diagnostic(`accepted · intent · answer: ${perSale.map((each) => each.toFixed(1)).join(' · ')}`);
  assert.equal(frames.length, 3 * sales);
  assert.ok(sumOf(perSale) <= 16.5, `${sumOf(perSale).toFixed(1)} pages`);
});

test('what is counted as nothing is an error: a counter that no longer sees must not pass', () => {
  assert.throws(() => perSale({ messages: {}, commits: 60, frames: 400 }), /can’t be counted/);
  assert.throws(() => perSale({ messages: { open: 20 }, commits: 0, frames: 0 }), /can’t be counted/);
  assert.deepEqual(perSale({ messages: { open: 20, append: 40 }, commits: 60, frames: 300 }), {
    messagesPerSale: 3,
    framesPerCommit: 5,
  });
});

test('the bundle is its scripts, without maps, pages and the client', () => {
  const dist = mkdtempSync(path.join(dir, 'dist-'));
  for (const name of ['cli.js', 'chunk-A.js', 'cli.js.map', 'client.js', 'sd-notify.node']) {
    writeFileSync(path.join(dist, name), 'x'.repeat(1024));
  }
  assert.equal(measureBundle(dist), 2);
});
