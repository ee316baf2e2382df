import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { unsettledLines } from '../../src/admin/idle-journal.ts';
import { withJournalCopy } from '../../src/admin/journal/copy.ts';
import { approved, ShopJournal } from './shop-journal.ts';

let dir: string;
const at = (name: string) => path.join(dir, name);
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-hostile-'));
  const shop = new ShopJournal(dir);
  shop.sell(approved);
  shop.store.close();
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Whoever has taken over the service may change the journal as well. */
function change(sql: string): void {
  const sqlite = new DatabaseSync(at('journal.db'));
  sqlite.exec(sql);
  sqlite.close();
}

const endless = 'WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';
const view = `DROP VIEW every_event; CREATE VIEW every_event AS ${endless} SELECT i AS seq, '' AS txn_id, '' AS at, '' AS body FROM n`;

for (const [what, sql] of [
  ['a view that computes for ever', view],
  ['a further view', `CREATE VIEW more AS ${endless} SELECT i FROM n`],
  ['a trigger', 'CREATE TRIGGER more AFTER INSERT ON event BEGIN DELETE FROM event; END'],
  ['a virtual table', 'CREATE VIRTUAL TABLE more USING fts5(a)'],
] as const) {
  test(`a journal with ${what} is not read`, async () => {
    assert.equal((await unsettledLines(dir)).length, 1);
    change(sql);
    await assert.rejects(unsettledLines(dir), /it has views or triggers that no version of the terminal has made/);
    await assert.rejects(
      withJournalCopy(dir, async () => undefined),
      /it has views or triggers/,
    );
  });
}

for (const name of ['journal.db', 'journal.db-wal', 'journal.db-shm']) {
  test(`no command waits for a FIFO in the place of ${name}`, async () => {
    rmSync(at(name), { force: true });
    execFileSync('mkfifo', [at(name)]);
    await assert.rejects(unsettledLines(dir), /is not a regular file/);
    if (name.endsWith('shm')) return;
    await assert.rejects(
      withJournalCopy(dir, async () => undefined),
      /is not a regular file|EINVAL/,
    );
  });
}

test('a FIFO in the place of the journal’s marker counts as none', async () => {
  rmSync(at('journal.state'));
  execFileSync('mkfifo', [at('journal.state')]);
  assert.match((await unsettledLines(dir)).join('\n'), /older copy/);
});

for (const [what, replace] of [
  ['a FIFO', renameSync],
  ['a link to a FIFO', symlinkSync],
] as const) {
  test(`a journal that is replaced by ${what} after it was measured is not waited for`, {
    timeout: 20_000,
  }, async (t) => {
    execFileSync('mkfifo', [at('fifo')]);
    // So large that its size is told, which is after it was measured and before it is copied.
    truncateSync(at('journal.db'), 257 * 2 ** 20);
    const reported = t.mock.method(process.stderr, 'write', () => {
      rmSync(at('journal.db'));
      replace(at('fifo'), at('journal.db'));
      return true;
    });
    await assert.rejects(
      withJournalCopy(dir, async () => undefined),
      /journal\.db is not a regular file/,
    );
    assert.equal(reported.mock.callCount(), 1);
  });
}
