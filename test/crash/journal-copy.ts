import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';

/** Reads the journal of a killed terminal in a copy: opening the file itself would repair it. */
function lookedInto<T>(stateDir: string, look: (database: DatabaseSync) => T): T {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-cut-'));
  try {
    for (const name of ['journal.db', 'journal.db-wal']) {
      if (existsSync(path.join(stateDir, name))) copyFileSync(path.join(stateDir, name), path.join(dir, name));
    }
    const database = new DatabaseSync(path.join(dir, 'journal.db'));
    try {
      return look(database);
    } finally {
      database.close();
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The phase at the kill: the last event of the open transaction, and whether a reversal waits. */
export function phaseAtCut(stateDir: string): string {
  return lookedInto(stateDir, (database) => {
    const count = (sql: string) => Number(database.prepare(sql).get()?.['n']);
    const open = database
      .prepare(
        `SELECT body ->> 'kind' AS kind FROM event JOIN txn ON txn.id = txn_id WHERE ended = 0 ORDER BY seq DESC LIMIT 1`,
      )
      .get();
    const settling = count('SELECT count(*) AS n FROM settlement WHERE results IS NULL') > 0;
    const pending = count("SELECT count(*) AS n FROM txn WHERE reversal = 'queued' OR advice = 'queued'") > 0;
    const phase = open ? String(open['kind']) : settling ? 'settling' : 'nothing open';
    return pending ? `${phase}, reversal waits` : phase;
  });
}

/** All transactions in the journal. */
export function journalledIds(stateDir: string): TerminalTransactionId[] {
  return lookedInto(stateDir, (database) =>
    database
      .prepare('SELECT id FROM txn UNION SELECT txn_id FROM event ORDER BY 1')
      .all()
      .map(({ id }) => String(id) as TerminalTransactionId),
  );
}

/** Faults of the journal: trace numbers that were used twice, in one batch or two, and damage that SQLite finds. */
export function journalFaults(stateDir: string): string[] {
  return lookedInto(stateDir, (database) => {
    const twice = database
      .prepare(
        `SELECT body ->> 'acquirerId' AS acquirer, body ->> '$.trace.stan' AS stan FROM event
         WHERE body ->> 'kind' = 'intent' GROUP BY 1, 2 HAVING count(*) > 1`,
      )
      .all();
    const integrity = String(database.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
    return [
      ...twice.map(({ acquirer, stan }) => `${String(acquirer)} was given the trace number ${Number(stan)} twice`),
      ...(integrity === 'ok' ? [] : [integrity]),
    ];
  });
}
