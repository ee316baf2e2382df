import type { DatabaseSync } from 'node:sqlite';

/** What takes back a migration, the latest first. */
const undone = [
  'DROP TABLE key_counter',
  'ALTER TABLE settlement DROP COLUMN merchant_id',
  'DROP TABLE discrepancy',
  'DROP TABLE matter',
  // It has changed no table.
  '',
  'CREATE INDEX txn_kept ON txn (opened) WHERE archive IS NULL AND ended = 1',
  'DROP TABLE change',
  `CREATE TABLE before (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, txn_id TEXT NOT NULL REFERENCES txn (id), at TEXT NOT NULL, body TEXT NOT NULL
   ) STRICT;
   INSERT INTO before SELECT * FROM every_event ORDER BY seq;
   DELETE FROM sqlite_sequence WHERE name = 'before';
   INSERT INTO sqlite_sequence SELECT 'before', max(seq, coalesce((SELECT max(seq) FROM before), 0)) FROM event_floor;
   DROP VIEW every_event;
   DROP TABLE event;
   DROP TABLE older_event;
   DROP TABLE event_floor;
   DROP INDEX txn_batch;
   ALTER TABLE txn DROP COLUMN last;
   ALTER TABLE before RENAME TO event;
   CREATE INDEX event_txn ON event (txn_id, seq);
   CREATE INDEX txn_batch ON txn (acquirer_id, batch, opened)`,
  'DROP INDEX txn_opened; DROP INDEX settlement_ordinal; ALTER TABLE settlement DROP COLUMN ordinal',
];

/** The last version whose events were in a table with an index of their own. */
export const unlinked = 8;

/** Makes a journal one that was written so many versions before the present schema. */
export function makeOlder(database: DatabaseSync, versions: number): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {};
  for (const sql of undone.slice(0, versions)) database.exec(sql);
  database.exec(`PRAGMA user_version = ${Number(version) - versions}`);
}
