import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { refuseCode } from '../../src/journal/own-schema.ts';
import { migrations, schemaVersion } from '../../src/journal/schema.ts';
import { openJournal } from '../../src/journal/open-journal.ts';
import { JournalError } from '../../src/payment/contracts/journal.ts';
import { writeEmptyJournal } from './empty-journal.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-own-schema-'));
  file = path.join(dir, 'journal.db');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** `hidden`: a text that is written into the schema table itself, as an entry of another type. */
function change(sql: string, hidden?: readonly [type: string, name: string, text: string]): void {
  const sqlite = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false });
  sqlite.exec(sql);
  if (hidden) {
    const [type, name, text] = hidden;
    sqlite.exec('PRAGMA writable_schema = ON');
    sqlite.prepare("INSERT INTO sqlite_schema VALUES (?, ?, 'txn', 0, ?)").run(type, name, text);
  }
  sqlite.close();
}

const unqueue = `AFTER UPDATE OF reversal ON txn WHEN NEW.reversal = 'queued'
  BEGIN UPDATE txn SET reversal = NULL, queued = NULL WHERE id = NEW.id; END`;
const computing =
  '(WITH/**/n(i)AS(SELECT/**/1)SELECT/**/i/**/AS/**/seq,i/**/AS/**/txn_id,i/**/AS/**/at,i/**/AS/**/body/**/FROM/**/n)';

const own = /it has views or triggers that no version of the terminal has made/;
for (const [what, sql, hidden] of [
  ['a trigger', `CREATE TRIGGER keep ${unqueue}`],
  ['a trigger that is entered as a table', '', ['table', 'keep', `CREATE TRIGGER keep ${unqueue}`]],
  ['a view', 'CREATE VIEW more AS SELECT 1'],
  [
    'a view that computes where a table is named',
    `DROP VIEW every_event; CREATE VIEW every_event AS SELECT seq, txn_id, at, body FROM ${computing} UNION ALL SELECT seq, txn_id, at, body FROM event`,
  ],
  ['a virtual table', 'CREATE VIRTUAL TABLE more USING fts5(a)'],
  ['a virtual table behind a comment', '', ['table', 'more', 'CREATE/**/VIRTUAL TABLE more USING fts5(a)']],
  ['a table that drops rows', 'CREATE TABLE more (a INTEGER UNIQUE ON CONFLICT IGNORE)'],
  ['a table that changes with another', 'CREATE TABLE more (a TEXT REFERENCES txn (id) ON DELETE CASCADE)'],
  ['a column that computes', 'CREATE TABLE more (a INTEGER, b INTEGER AS (a + 1))'],
] as const) {
  test(`no journal with ${what} is opened`, async () => {
    writeEmptyJournal(file);
    change(sql, hidden);
    await assert.rejects(openJournal(file), (error) => {
      assert.ok(error instanceof JournalError);
      // SQLite itself detects the contradiction of type and text.
      if (hidden) assert.equal(error.code, 'corrupt');
      else assert.match(error.message, own);
      return true;
    });
  });
}

test('a journal of each schema is opened', () => {
  const sqlite = new DatabaseSync(':memory:');
  for (const [number, migration] of migrations.entries()) {
    sqlite.exec(migration);
    refuseCode(sqlite);
    assert.ok(number < schemaVersion);
  }
  sqlite.close();
});

test('a journal of a newer version is refused as such, whatever views that version has', async () => {
  writeEmptyJournal(file);
  change(`CREATE VIEW more AS SELECT 1; PRAGMA user_version = ${schemaVersion + 1}`);
  await assert.rejects(openJournal(file), { code: 'newer' });
});
