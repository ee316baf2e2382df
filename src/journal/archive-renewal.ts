import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalledTransaction } from '../payment/events/event.ts';
import { JournalError } from '../payment/contracts/journal.ts';
import type { Archive, Archived } from './archive.ts';
import type { Statements } from './statements.ts';
import { archivedPlace } from './transactions.ts';

/** Rows of one slice of the search. */
const rowsMax = 500;

/** A slice of the search. */
export interface Renewed {
  /** The search continues after this transaction; undefined at the end. */
  readonly next: string | undefined;
  /** Files with card numbers that could not be read: they stay, and may be put back from a backup. */
  readonly kept: readonly string[];
}

/**
 * Moves archived transactions out of the files of earlier versions, which have card numbers, into files without. A
 * moved transaction is readable at each moment: its place changes in the commit after the new file is on stable
 * storage.
 */
export class ArchiveRenewal {
  readonly #statements: Statements;
  readonly #archive: Archive;

  constructor(statements: Statements, archive: Archive) {
    this.#statements = statements;
    this.#archive = archive;
  }

  /** The files with card numbers. */
  files(): string[] {
    const files = this.#statements.all('SELECT file FROM archive ORDER BY file').map((row) => String(row['file']));
    return files.filter((file) => this.#archive.mayHaveCards(file));
  }

  /** Within a commit: moves up to `limit` transactions. */
  renew(after: string, limit: number): Renewed {
    const sql = `SELECT id, archive, archive_at, archive_bytes FROM txn WHERE id > ? ORDER BY id LIMIT ${rowsMax}`;
    const rows = this.#statements.all(sql, after);
    const [read, kept]: [JournalledTransaction[], Set<string>] = [[], new Set()];
    let [last, looked] = [after, 0];
    for (const row of rows) {
      if (read.length === limit) break;
      looked += 1;
      last = String(row['id']);
      const place = archivedPlace(row);
      if (!place || !this.#archive.mayHaveCards(place.file)) continue;
      const transaction = this.#read(last as TerminalTransactionId, place);
      if (transaction) read.push(transaction);
      else kept.add(place.file);
    }
    for (const [month, group] of Map.groupBy(read, (each) => this.#archive.fileOf(each))) this.#move(month, group);
    const isEnd = rows.length < rowsMax && looked === rows.length;
    return { next: isEnd ? undefined : last, kept: [...kept] };
  }

  /** Within a commit, before the file is removed: no row refers to it any more. */
  markEmptied(file: string): void {
    this.#statements.run('UPDATE archive SET bytes = 0 WHERE file = ?', file);
  }

  /** Within a commit: the file is removed. */
  forget(file: string): void {
    this.#statements.run('DELETE FROM archive WHERE file = ?', file);
  }

  #move(month: string, transactions: readonly JournalledTransaction[]): void {
    const { all, run } = this.#statements;
    const committedBytes = (name: string) =>
      Number(all('SELECT bytes FROM archive WHERE file = ?', name)[0]?.['bytes'] ?? 0);
    const places = this.#archive.append(month, committedBytes, transactions);
    for (const [index, { file, at, bytes }] of places.entries()) {
      const sql = 'UPDATE txn SET archive = ?, archive_at = ?, archive_bytes = ? WHERE id = ?';
      run(sql, file, at, bytes, transactions[index]?.id ?? '');
      run('INSERT INTO archive VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes', file, at + bytes);
    }
  }

  #read(id: TerminalTransactionId, place: Archived): JournalledTransaction | undefined {
    try {
      return this.#archive.read(id, place);
    } catch (error) {
      if (error instanceof JournalError && error.code === 'archive') return undefined;
      throw error;
    }
  }
}
