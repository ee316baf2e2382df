import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openJournal } from '../../src/journal/open-journal.ts';
import { type Journal, JournalError, type JournalErrorCode } from '../../src/payment/contracts/journal.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import { accepted, draft, numbered } from './events.ts';

const opener = fileURLToPath(new URL('./opener.ts', import.meta.url));
/** Plain Node strips the types: without a loader a process starts in a fraction of the time. */
const plain = { execArgv: [] };

let dir: string;
let file: string;
const children = new Set<ChildProcess>();
const journals = new Set<Journal>();

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-journal-'));
  file = path.join(dir, 'journal.db');
});
afterEach(async () => {
  for (const journal of journals) await journal.close();
  journals.clear();
  for (const child of children) await kill(child);
  children.clear();
  rmSync(dir, { recursive: true });
});

/** Closed at the end of the test, also of one that fails: its worker would keep the process. */
async function opened(): Promise<Journal> {
  const journal = await openJournal(file);
  journals.add(journal);
  return journal;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function started(script: string, ...parameters: string[]): ChildProcess {
  const child = fork(script, [file, ...parameters], plain);
  children.add(child);
  return child;
}

/** What another process is told when it opens the journal. */
async function openedElsewhere(): Promise<{ child: ChildProcess; reported: string }> {
  const child = started(opener);
  const [reported] = (await once(child, 'message')) as [string];
  return { child, reported };
}

function rejectsWith(code: JournalErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof JournalError && error.code === code;
}

test('each watcher is told what was written, in order; a fault of one changes nothing', async () => {
  const reported: string[] = [];
  const watcher = (name: string) => ({
    wrote(_id: unknown, events: readonly JournalEvent[]) {
      reported.push(...events.map(({ kind }) => `${name} ${kind}`));
      throw new Error('a log on a full disk');
    },
    settled: () => undefined,
  });
  const journal = await openJournal(file, { watchers: [watcher('a'), watcher('b')] });
  journals.add(journal);
  await journal.open(numbered(1), accepted('M-1'));
  assert.deepEqual(await journal.open(numbered(2), accepted('M-1')), { existing: numbered(1) });
  await journal.intend(numbered(1), draft(), [{ kind: 'withdrawn' }]);
  await journal.append(numbered(1), [{ kind: 'receiptQueued' }]);
  const kinds = [['accepted'], ['intent', 'withdrawn'], ['receiptQueued']];
  assert.deepEqual(
    reported,
    kinds.flatMap((commit) => ['a', 'b'].flatMap((name) => commit.map((kind) => `${name} ${kind}`))),
  );
});

test('calls are answered as the store answers them', async () => {
  const journal = await opened();
  const id = numbered(1);
  assert.deepEqual(await journal.open(id, accepted('M-1')), {});
  assert.deepEqual(await journal.open(numbered(2), accepted('M-1')), { existing: id });
  const batch = await journal.openBatch(draft().acquirerId);
  assert.equal((await journal.intend(id, draft())).batch, batch);
  assert.deepEqual(await journal.unfinished(), [id]);
  await journal.append(id, [{ kind: 'reversalQueued', reason: 'no-answer' }, { kind: 'receiptQueued' }]);
  assert.deepEqual(await journal.pending(), [{ id, acquirerId: 'EDC', message: 'reversal' }]);
  assert.deepEqual(await journal.waitingReceipts(), [{ id, paper: 'receipt' }]);
  assert.deepEqual(await journal.findIdentity('POS-1', 'M-1'), { transaction: id });
  assert.deepEqual(await journal.findIdentity('POS-1', 'M-9'), {});
  assert.equal(await journal.openBatch(draft().acquirerId), batch);
  const kinds = (await journal.read(id)).map(({ event }) => event.kind);
  assert.deepEqual(kinds, ['accepted', 'intent', 'reversalQueued', 'receiptQueued']);
  await journal.close();
});

test('50 openings of one identity at once: one is new, 49 are told which', async () => {
  const journal = await opened();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, ordinal) => journal.open(numbered(ordinal), accepted('M-1'))),
  );
  assert.equal(answers.filter(({ existing }) => existing === undefined).length, 1);
  assert.equal(new Set(answers.map(({ existing }) => existing)).size, 2);
  await journal.close();
});

test('what can not be written is refused whole, and the journal works on', async () => {
  const journal = await opened();
  const id = numbered(1);
  await journal.open(id, accepted('M-1'));
  const bigint = { kind: 'reversalQueued', reason: 1n } as unknown as JournalEvent;
  const callback = { kind: 'reversalQueued', reason: () => 1 } as unknown as JournalEvent;
  await assert.rejects(journal.append(id, [{ kind: 'receiptQueued' }, bigint]), rejectsWith('storage'));
  await assert.rejects(async () => journal.append(id, [{ kind: 'receiptQueued' }, callback]));
  await assert.rejects(journal.append(numbered(9), [{ kind: 'receiptQueued' }]), rejectsWith('storage'));
  assert.equal((await journal.read(id)).length, 1);
  assert.deepEqual(await journal.waitingReceipts(), []);
  await journal.append(id, [{ kind: 'receiptQueued' }]);
  assert.equal((await journal.read(id)).length, 2);
  await journal.close();
});

test('close lets what was called before it be answered; what comes after it is refused', async () => {
  const journal = await opened();
  const before = journal.open(numbered(1), accepted('M-1'));
  const closing = journal.close();
  const after = journal.open(numbered(2), accepted('M-2'));
  assert.deepEqual(await before, {});
  await assert.rejects(after, rejectsWith('storage'));
  await closing;
  await assert.rejects(journal.read(numbered(1)), rejectsWith('storage'));
});

test('close twice, at once and later', async () => {
  const journal = await opened();
  await Promise.all([journal.close(), journal.close()]);
  await journal.close();
});

test('a journal in use is refused to another process, written or not, until its owner is killed', async () => {
  const { child, reported } = await openedElsewhere();
  assert.equal(reported, 'open');
  await assert.rejects(openJournal(file), rejectsWith('in-use'));
  await kill(child);

  const journal = await opened();
  assert.equal((await openedElsewhere()).reported, 'in-use', 'opened and never written');
  await journal.open(numbered(1), accepted('M-1'));
  assert.equal((await openedElsewhere()).reported, 'in-use');
  await journal.close();
  assert.equal((await openedElsewhere()).reported, 'open');
});

test('a journal of a newer version', async () => {
  await (await openJournal(file)).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 99');
  database.close();
  await assert.rejects(openJournal(file), rejectsWith('newer'));
});

test('what is no usable file is named, and said in words', async () => {
  writeFileSync(file, 'this is no database, however often it is read');
  const missing = path.join(dir, 'missing', 'journal.db');
  for (const [each, code] of [
    [file, 'corrupt'],
    [missing, 'storage'],
    [dir, 'storage'],
    // The process file system takes no new files, of root neither.
    ['/proc/journal.db', 'storage'],
  ] as const) {
    await assert.rejects(openJournal(each), (error) => rejectsWith(code)(error) && (error as Error).message !== '');
  }
});
