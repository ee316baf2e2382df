import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { majorText } from '../../src/base/domain/amount.ts';
import { unsettledLines } from '../../src/admin/idle-journal.ts';
import { DirectoryLock } from '../../src/journal/directory-lock.ts';
import { oldestUsable } from '../../src/journal/schema.ts';
import { poid } from '../cli/poid.ts';
import { approved, declined, EDC, ShopJournal, unknown } from './shop-journal.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'poid-unsettled-'))));
afterEach(() => rmSync(dir, { recursive: true }));

/** What a journal says in which this happened. */
async function lines(write: (shop: ShopJournal) => void): Promise<string[]> {
  const shop = new ShopJournal(dir);
  write(shop);
  shop.store.close();
  return unsettledLines(dir);
}

test('nothing: no journal, a declined sale, a request that sent nothing, a settled batch', async () => {
  assert.deepEqual(await unsettledLines(dir), []);
  const found = await lines((shop) => {
    shop.sell(declined);
    shop.acceptOnly();
    shop.sell(approved);
    shop.settle(shop.closeBatch());
  });
  assert.deepEqual(found, []);
});

const advice = [...approved, { kind: 'adviceQueued' } as const];
const rejected = {
  kind: 'adviceAnswered',
  answer: 'rejected',
  responseCode: '05',
  rrn: '',
  hostTime: '',
  hostDate: '',
};

for (const [what, write, expected] of [
  ['a sale that is not settled', (shop) => shop.sell(approved), [/^EDC: 1 not settled: settle \(1 SALE 30\.00 HKD\)$/]],
  ['a refund', (shop) => shop.sell(approved, { type: 'REFUND' }), [/\(1 REFUND 30\.00 HKD\)$/]],
  ['an authorization', (shop) => shop.sell(approved, { type: 'AUTH' }), [/^EDC: 1 authorized, and neither/]],
  [
    'an authorization of a settled batch, which is completed after the settlement too',
    (shop) => {
      shop.sell(approved, { type: 'AUTH' });
      shop.sell(approved, { type: 'AUTH' });
      const released = shop.sell(approved, { type: 'AUTH' });
      shop.sell(approved, { type: 'VOID_AUTH', originalId: released });
      shop.settle(shop.closeBatch());
    },
    [/^EDC: 2 authorized before a settlement, and neither .*\(2 AUTH 60\.00 HKD\)$/],
  ],
  ['a payment cut off at its host', (shop) => shop.sell([]), [/^EDC: 1 without an end/]],
  [
    'two reversals',
    (shop) => [unknown, unknown].forEach((each) => shop.sell(each)),
    [/^EDC: 2 to be reversed, and the host has not/],
  ],
  ['an advice, which is in the batch too', (shop) => shop.sell(advice), [/^EDC: 1 to be sent/, /1 not settled/]],
  ['a rejected advice', (shop) => shop.sell([...advice, rejected as never]), [/^EDC: 1 rejected by the host/]],
  [
    'a wallet order that is asked for once more',
    (shop) => shop.sell([...declined, { kind: 'orderClosed', acquirerId: EDC, stan: 1 }]),
    [/^EDC: 1 closed at the wallet/],
  ],
  [
    'a closed batch that its host has not settled',
    (shop) => {
      shop.sell(approved);
      shop.closeBatch();
    },
    [/^EDC: 1 in a closed batch .*\(1 SALE 30\.00 HKD\)$/],
  ],
  [
    'a batch that the bank denied and its host settled',
    (shop) => {
      const id = shop.sell(approved);
      const batch = shop.closeBatch();
      shop.store.askCurrency(EDC, batch, 'HKD', false);
      shop.store.reopenBatch(EDC, batch, { currency: 'HKD', ids: [id] });
      shop.store.recordResult(EDC, batch, 'HKD', 'BALANCED');
    },
    [/^EDC: 1 in the open batch, but settled by the host too/, /not settled/],
  ],
] satisfies readonly [string, (shop: ShopJournal) => unknown, readonly RegExp[]][]) {
  test(what, async () => {
    const found = await lines(write);
    assert.equal(found.length, expected.length, found.join('\n'));
    for (const [at, pattern] of expected.entries()) assert.match(found[at] ?? '', pattern);
  });
}

test('what is owed to customers after the settlement: to be returned, and to be settled with them', async () => {
  const late = { ...rejected, answer: 'acknowledged', responseCode: '00' };
  const denied = { kind: 'setAside', outcome: 'NOT_POSTED' };
  const found = await lines((shop) => {
    shop.addPayment(shop.sell(approved));
    shop.sell([...advice, rejected as never, denied as never, late as never], { type: 'OFFLINE_SALE' });
    shop.settle(shop.closeBatch());
  });
  assert.equal(found.length, 2, found.join('\n'));
  assert.match(found[0] ?? '', /^EDC: 1 paid in addition to another payment: .*\(1 SALE 30\.00 HKD\)$/);
  assert.match(found[1] ?? '', /^EDC: 1 to be settled with the customer: .*\(1 OFFLINE_SALE 30\.00 HKD\)$/);
});

test('a sum has its thousands apart for a person, and not for a machine', async () => {
  const shop = new ShopJournal(dir);
  for (let sold = 0; sold < 34; sold++) shop.sell(approved);
  shop.store.close();
  assert.deepEqual(await unsettledLines(dir), ['EDC: 34 not settled: settle (34 SALE 1,020.00 HKD)']);
  assert.deepEqual(await unsettledLines(dir, majorText), ['EDC: 34 not settled: settle (34 SALE 1020.00 HKD)']);
});

test('a transaction that can’t be read is told, and hides no other', async () => {
  const shop = new ShopJournal(dir);
  const id = shop.sell(approved);
  shop.sell(approved);
  shop.store.close();
  const database = new DatabaseSync(shop.file);
  database.prepare(`UPDATE event SET body = '{}' WHERE txn_id = ?`).run(id);
  database.close();
  const found = await unsettledLines(dir);
  assert.equal(found.length, 2, found.join('\n'));
  assert.match(found[0] ?? '', /1 not settled/);
  assert.match(found[1] ?? '', /1 unreadable/);
});

test('a killed daemon’s log is read, and nothing is left behind or changed', async () => {
  const shop = new ShopJournal(dir);
  shop.sell(approved);
  const cut = mkdtempSync(path.join(dir, 'cut-'));
  for (const name of ['journal.db', 'journal.db-wal', 'journal.state']) {
    copyFileSync(path.join(dir, name), path.join(cut, name));
  }
  shop.store.close();
  const snapshot = () =>
    readdirSync(cut).map((name) => [name, statSync(path.join(cut, name)).mtimeMs, readFileSync(path.join(cut, name))]);
  const before = snapshot();
  assert.ok(statSync(path.join(cut, 'journal.db-wal')).size > 0);
  const found = await unsettledLines(cut);
  assert.match(found.join('\n'), /^EDC: 1 not settled/);
  assert.deepEqual(snapshot(), before);
});

test('an older copy says that it may lack payments', async () => {
  const shop = new ShopJournal(dir);
  shop.store.close();
  copyFileSync(shop.file, path.join(dir, 'copy.db'));
  const later = new ShopJournal(dir);
  later.sell(declined);
  later.store.close();
  copyFileSync(path.join(dir, 'copy.db'), shop.file);
  assert.match((await unsettledLines(dir)).join('\n'), /^an older copy of the journal was restored/);
});

test('what can’t be told is an error: a running daemon, a lost, damaged, older or newer journal', async () => {
  const shop = new ShopJournal(dir);
  shop.sell(approved);
  shop.store.close();
  const lock = await DirectoryLock.take(shop.file);
  await assert.rejects(unsettledLines(dir), /the terminal runs.*systemctl stop poid/);
  lock.release();
  const database = new DatabaseSync(shop.file);
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  for (const [other, sentence] of [
    [version + 1, /a newer version/],
    [oldestUsable - 1, /an older version: start this version once/],
  ] as const) {
    database.exec(`PRAGMA user_version = ${other}`);
    await assert.rejects(unsettledLines(dir), sentence);
  }
  database.close();
  const damaged = readFileSync(shop.file).fill(0, 0, 100);
  rmSync(shop.file);
  await assert.rejects(unsettledLines(dir), /journal\.db is missing, but there was a journal/);
  writeFileSync(shop.file, damaged);
  await assert.rejects(unsettledLines(dir), /not a journal/);
});

test('poid unsettled: exit code 0, 3 with a line each, 1 where it can’t be told', async (t) => {
  const run = (...flags: string[]) => poid(t, 'unsettled', '--state-dir', dir, ...flags);
  assert.deepEqual(await run(), { code: 0, signal: null, out: 'nothing is unsettled\n', err: '' });
  const shop = new ShopJournal(dir);
  shop.sell(approved);
  shop.store.close();
  const line = 'EDC: 1 not settled: settle (1 SALE 30.00 HKD)';
  assert.deepEqual(await run(), { code: 3, signal: null, out: `${line}\n`, err: '' });
  assert.deepEqual(JSON.parse((await run('--json')).out), { unsettled: [line] });
  rmSync(shop.file);
  const { code, out, err } = await run();
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^poid: [^\n]*is missing[^\n]*\n$/);
  assert.equal((await poid(t, 'unsettled', 'now')).code, 2);
});

test('what the service has written can’t steer the screen of the person who asks', async (t) => {
  const shop = new ShopJournal(dir);
  shop.sell(approved);
  shop.store.close();
  const database = new DatabaseSync(shop.file);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
  for (const { name } of tables) {
    const columns = database.prepare(`PRAGMA table_info(${name})`).all() as { name: string }[];
    if (columns.some((each) => each.name === 'acquirer_id'))
      database.exec(
        `UPDATE ${name} SET acquirer_id = char(27) || ']0;x' || char(7) || char(13) || 'nothing is unsettled' || char(27) || '[8m'`,
      );
  }
  database.close();
  const { out, code } = await poid(t, 'unsettled', '--state-dir', dir);
  assert.equal(code, 3, out);
  assert.match(out, /nothing is unsettled/);
  assert.doesNotMatch(out.replaceAll('\n', ''), /\p{Cc}/u);
});
