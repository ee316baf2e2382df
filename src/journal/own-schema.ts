import type { DatabaseSync } from 'node:sqlite';
import { JournalError } from '../payment/contracts/journal.ts';
import { readSchema } from './migration.ts';
import { schemaVersion } from './schema.ts';

/** The only part of a journal's schema that computes. SQLite writes quotes around a name that was changed. */
const ownView =
  /^CREATE VIEW every_event AS SELECT seq, txn_id, at, body FROM "?\w+"? UNION ALL SELECT seq, txn_id, at, body FROM "?\w+"?$/;

/** As SQLite writes them. The text decides what an entry is, whatever its type says. */
const ownTexts: Readonly<Record<string, RegExp>> = {
  table: /^CREATE TABLE /,
  index: /^(?:CREATE (?:UNIQUE )?INDEX |null$)/,
  view: ownView,
};

/** Tables that compute, or that do something else than they are told. No version has a comment there. */
const computes = /\b(?:AS|CONFLICT|DELETE|UPDATE)\b|--|\/\*/i;

/**
 * A trigger changes what is committed, a foreign view could compute without end, and a virtual table runs a module.
 * Reads the schema only. Passes a journal of a newer version, which is refused as such. Throws JournalError.
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
