import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { DrawerBook, type DrawerEntry } from '../../src/operator/drawer-book.ts';
import { countOpenings } from '../../src/payment/records/drawer-openings.ts';

const clock = { now: () => new Date('2026-11-24T09:00:00Z') };
const call = { posId: 'POS-1', messageId: 'M-1', acquirer: 'CASH', batch: 7 };

async function stateDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'drawer-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

async function bookOf(t: TestContext, entries: readonly Partial<DrawerEntry>[]): Promise<DrawerBook> {
  const book = new DrawerBook(await stateDir(t), clock);
  for (const entry of entries) await book.write({ ...call, state: 'asked', ...entry });
  return book;
}

test('an opening counts once, with who asked, when and in which batch', async (t) => {
  const book = await bookOf(t, [{ cashierId: 'Ann' }, { cashierId: 'Ann', state: 'opened' }]);
  assert.deepEqual(await book.openings(), [
    { at: '2026-11-24T09:00:00.000Z', posId: 'POS-1', cashierId: 'Ann', acquirer: 'CASH', batch: 7 },
  ]);
});

test('a drawer that the printer did not open is no opening; the same call again is one', async (t) => {
  const book = await bookOf(t, [{}, { state: 'absent' }]);
  assert.deepEqual(await book.openings(), []);
  for (const state of ['asked', 'opened']) await book.write({ ...call, state });
  assert.equal((await book.openings()).length, 1);
});

test('one that a power cut left without its end counts, and a torn line takes no other away', async (t) => {
  const dir = await stateDir(t);
  await new DrawerBook(dir, clock).write({ ...call, state: 'asked' });
  const file = path.join(dir, 'drawer.jsonl');
  await appendFile(file, '{"at":"2026-11-24T09:0\n');
  const book = new DrawerBook(dir, clock);
  await book.write({ ...call, posId: 'OPERATOR', state: 'asked' });
  assert.deepEqual(
    (await book.openings()).map(({ posId }) => posId),
    ['POS-1', 'OPERATOR'],
  );
});

test('the file is bounded, and the newest openings are kept', async (t) => {
  const dir = await stateDir(t);
  await new DrawerBook(dir, clock).write({ ...call, state: 'asked' });
  const file = path.join(dir, 'drawer.jsonl');
  const line = (await readFile(file, 'utf8')).replace('M-1', 'M-0');
  await appendFile(file, line.repeat(Math.ceil((256 * 1024) / line.length)));
  const book = new DrawerBook(dir, clock);
  await book.write({ ...call, messageId: 'last', posId: 'POS-9', state: 'asked' });
  assert.equal((await readFile(file, 'utf8')).split('\n').length, 2);
  assert.equal((await book.openings()).at(-1)?.posId, 'POS-9');
});

test('counted by POS and cashier', () => {
  const opening = { at: '', acquirer: 'CASH', batch: 7 };
  const ann = { ...opening, posId: 'POS-1', cashierId: 'Ann' };
  assert.deepEqual(countOpenings([ann, { ...opening, posId: 'POS-1' }, ann, { ...opening, posId: 'OPERATOR' }]), [
    { posId: 'OPERATOR', count: 1 },
    { posId: 'POS-1', count: 1 },
    { posId: 'POS-1', cashierId: 'Ann', count: 2 },
  ]);
});
