import { DatabaseSync } from 'node:sqlite';
import { JournalStore } from '../../src/journal/store.ts';
import { accepted, draft, numbered } from './events.ts';

/** A journal with `sales` finished sales, made without the store's commits: the rows are as it writes them. Closed in order. */
export function filledJournal(file: string, sales: number): void {
  new JournalStore(file).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN');
  const txn = database.prepare(
    `INSERT INTO txn (id, pos_id, message_id, ended, acquirer_id, batch, stan, opened, last) VALUES (?, 'POS-1', ?, 1, 'EDC', ?, ?, ?, ?)`,
  );
  const event = database.prepare('INSERT INTO event (seq, txn_id, previous, at, body) VALUES (?, ?, ?, ?, ?)');
  const at = '2026-01-05T10:00:00.000Z';
  const outcome = { kind: 'approved', responseCode: '00', approvalCode: '123456', rrn: '000000000001' };
  const bodies = [
    { kind: 'answered', outcome: { ...outcome, hostTime: '100000', hostDate: '0105' } },
    { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' },
  ].map((each) => JSON.stringify(each));
  for (let ordinal = 1; ordinal <= sales; ordinal++) {
    const [id, batch, stan] = [numbered(ordinal), Math.ceil(ordinal / 500), (ordinal % 999_999) + 1];
    const trace = { stan, invoice: stan, batch };
    const opened = ordinal * 4 - 3;
    txn.run(id, `M-${ordinal}`, batch, stan, opened, opened + 3);
    for (const [index, body] of [
      JSON.stringify(accepted(`M-${ordinal}`)),
      JSON.stringify({ kind: 'intent', ...draft(), trace }),
      ...bodies,
    ].entries()) {
      event.run(opened + index, id, index === 0 ? null : opened + index - 1, at, body);
    }
  }
  database
    .prepare(`INSERT INTO trace VALUES ('EDC', ?, ?, ?)`)
    .run(sales % 999_999, sales % 999_999, Math.ceil(sales / 500));
  database.exec('COMMIT');
  database.close();
}
