import type { DatabaseSync } from 'node:sqlite';
import { JournalError } from '../payment/contracts/journal.ts';
import { readSchema } from './migration.ts';
import { schemaVersion } from './schema.ts';

/** The only view of a journal. SQLite quotes the name of a renamed table. */
const ownView =
  /^CREATE VIEW every_event AS SELECT seq, txn_id, at, body FROM "?\w+"? UNION ALL SELECT seq, txn_id, at, body FROM "?\w+"?$/;

/** Entries as SQLite writes them. SQLite follows the text of an entry, not its type, so both are checked. */
const ownTexts: Readonly<Record<string, RegExp>> = {
  table: /^CREATE TABLE /,
  index: /^(?:CREATE (?:UNIQUE )?INDEX |null$)/,
  view: ownView,
};

/** Words by which a table computes values or changes rows implicitly, and comments. No version uses them. */
const computes = /\b(?:AS|CONFLICT|DELETE|UPDATE)\b|--|\/\*/i;

/**
 * Refuses a journal with code of others: a trigger changes what is committed, a view may compute endlessly, and a
 * virtual table runs a module. Reads only the schema. Accepts a journal of a newer version, which is refused elsewhere.
 * Throws JournalError.
 */
export function refuseCode(sqlite: DatabaseSync): void {
  if (readSchema(sqlite) > schemaVersion) return;
  const entries = sqlite.prepare('SELECT type, sql FROM sqlite_schema').all();
  const isOwn = entries.every(({ type, sql }) => {
    const text = String(sql).replaceAll(/\s+/g, ' ');
    return ownTexts[String(type)]?.test(text) === true && (type === 'view' || !computes.test(text));
  });
  if (isOwn) return;
  throw new JournalError('storage', 'it has views or triggers that no version of the terminal has made');
}
