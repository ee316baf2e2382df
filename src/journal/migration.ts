import type { DatabaseSync } from 'node:sqlite';
import { JournalError, type JournalErrorCode } from '../payment/contracts/journal.ts';
import { journalError } from './failure.ts';
import { erasingSchema, migrations, oldestUsable, schemaVersion } from './schema.ts';

export interface MigrationOptions {
  /** Nothing is migrated: the version before must be able to read the journal. */
  readonly isOnTrial?: boolean;
  /** Called before work whose time grows with the journal. */
  readonly onLong?: () => void;
}

/** The schema of an open journal; `fault`: why it is not the newest, although it was to be. */
export interface Migrated {
  readonly schema: number;
  readonly fault?: JournalError;
}

/**
 * Migrates a journal to the current schema, unless this version is on trial. A new journal then has the oldest schema
 * that this code works with. If a step fails and this code works with what is there, the journal is used as it is.
 * Throws JournalError without a change: 'newer' if a newer version has written it, 'older' if it must be migrated
 * first.
 */
export function migrate(database: DatabaseSync, options: MigrationOptions = {}): Migrated {
  const { isOnTrial = false, onLong = () => undefined } = options;
  const found = readSchema(database);
  if (isOnTrial && found > 0)
    refuseUnusable(found, `schema ${found}, this version needs ${oldestUsable} until it is accepted`);
  else refuseNewer(found);
  const target = isOnTrial ? Math.max(found, oldestUsable) : schemaVersion;
  if (found > 0 && found < target) onLong();
  for (let next = found; next < target; next++) {
    try {
      if (next + 1 === erasingSchema) writeAnew(database);
      // user_version is part of the same transaction: a cut leaves the old schema with the old number.
      database.exec(`BEGIN IMMEDIATE; ${migrations[next]}; PRAGMA user_version = ${next + 1}; COMMIT`);
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      const fault = journalError(error);
      if (next < oldestUsable || !survivable.includes(fault.code)) throw error;
      return { schema: next, fault };
    }
  }
  return { schema: target };
}

/**
 * Events were deleted from the file only for the archive. A power cut leaves the old file or the new one, and the step
 * is repeated until its number is stored.
 */
function writeAnew(database: DatabaseSync): void {
  if (database.prepare('SELECT 1 FROM archive LIMIT 1').get()) database.exec('VACUUM');
}

/** After these errors the journal is as it was before the step. */
const survivable: readonly JournalErrorCode[] = ['full', 'storage'];

export function readSchema(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/**
 * Throws JournalError 'newer' or 'older' unless this code works with that schema as it is. `remedy`: for an older one.
 */
export function refuseUnusable(schema: number, remedy: string): void {
  refuseNewer(schema);
  if (schema < oldestUsable) {
    throw new JournalError('older', `the journal was written by an older version: ${remedy}`);
  }
}

function refuseNewer(schema: number): void {
  if (schema > schemaVersion) throw new JournalError('newer', 'the journal was written by a newer version');
}
