import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../../src/journal/migration.ts';

/** A journal that nobody has opened yet: its tables alone. To make them takes longer than most tests. */
let empty: Buffer | undefined;

/** Writes a journal with tables and without rows: what opens it finds a new one. */
export function writeEmptyJournal(file: string): void {
  empty ??= emptyJournal();
  writeFileSync(file, empty, { mode: 0o600, flag: 'wx' });
}

function emptyJournal(): Buffer {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-empty-'));
  try {
    const file = path.join(dir, 'journal.db');
    const database = new DatabaseSync(file);
    migrate(database);
    database.close();
    return readFileSync(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
