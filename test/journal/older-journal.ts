import type { DatabaseSync } from 'node:sqlite';

/** Makes a journal one that the version before the present schema has written. */
export function makeOlder(database: DatabaseSync): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {};
  database.exec(`DROP INDEX txn_opened; DROP INDEX settlement_ordinal; ALTER TABLE settlement DROP COLUMN ordinal;
                 PRAGMA user_version = ${Number(version) - 1}`);
}
