import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalledTransaction } from '../payment/events/event.ts';
import type { Archive } from './archive.ts';
import type { Changes } from './changes.ts';
import type { EventLog } from './event-log.ts';
import type { Families } from './families.ts';
import type { Statements } from './statements.ts';

export interface RetentionParts {
  readonly statements: Statements;
  readonly log: EventLog;
  readonly families: Families;
  readonly archive: Archive;
  readonly changes: Changes;
}

/** Examining one costs little compared with moving one. */
const youngPerOld = 10;

/**
 * Ended transactions whose first event is in this table, with the time of their last one. CROSS fixes this order of
 * reading.
 */
const begunIn = (table: 'older_event' | 'event') =>
  `SELECT id, opened, coalesce((SELECT at FROM event WHERE seq = txn.last),
     (SELECT at FROM older_event WHERE txn_id = txn.id ORDER BY seq DESC LIMIT 1)) AS at
   FROM ${table} AS first CROSS JOIN txn ON txn.id = first.txn_id
   WHERE first.seq > ? AND txn.opened = first.seq AND ended = 1 ORDER BY first.seq LIMIT ?`;

/** The result of a portion. */
export interface Looked {
  /** The number of the last one that was looked at; undefined if there are no more. */
  readonly next: number | undefined;
  /** How many of them were old, whether or not they could move. */
  readonly old: number;
}

/** Moves finished transactions from the journal into the archive. */
export class Retention {
  readonly #parts: RetentionParts;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /**
   * Within a commit. Looks for up to `limit` old transactions among those that were opened after the given number. It
   * goes by the order of opening and by the times of events, never by ids: they begin with a clock that may have been
   * wrong. A transaction moves into the archive if it has been finished in every respect since before `before`: it is
   * concluded, nothing waits for a host, the operator or the printer, its batch is settled, and the same holds for all
   * transactions that refer to it or that it refers to.
   */
  archive(before: Date, after: number, limit: number): Looked {
    const { archive, families } = this.#parts;
    const { ids, last } = this.#findOld(before, after, limit);
    const old = new Map<TerminalTransactionId, JournalledTransaction>();
    const judged = new Set<TerminalTransactionId>();
    for (const id of ids) {
      if (judged.has(id)) continue;
      const family = families.of(id);
      for (const each of family) judged.add(each.id);
      const isOver = family.every((each) => families.isOver(each, before)) && !families.hasOpenMatter(family);
      if (isOver) for (const each of family) old.set(each.id, each);
    }
    for (const [file, transactions] of Map.groupBy(old.values(), (each) => archive.fileOf(each))) {
      this.#move(file, transactions);
    }
    return { next: last, old: ids.length };
  }

  /**
   * Reads first events in the order of opening: archived transactions have none. `last`: undefined if all were
   * examined.
   */
  #findOld(before: Date, after: number, limit: number) {
    const { all } = this.#parts.statements;
    const rowsMax = limit * youngPerOld;
    const older = all(begunIn('older_event'), after, rowsMax);
    const rows = [...older, ...all(begunIn('event'), after, rowsMax)].slice(0, rowsMax);
    const ids: TerminalTransactionId[] = [];
    for (const { id, opened, at } of rows) {
      if (new Date(String(at)) < before) ids.push(String(id) as TerminalTransactionId);
      if (ids.length === limit) return { ids, last: Number(opened) };
    }
    return { ids, last: rows.length < rowsMax ? undefined : Number(rows.at(-1)?.['opened']) };
  }

  /** Throws JournalError 'archive', which names the first archive file that is missing or truncated. */
  checkArchives(): void {
    const { statements, archive } = this.#parts;
    for (const row of statements.all('SELECT file, bytes FROM archive')) {
      archive.present(String(row['file']), Number(row['bytes']));
    }
  }

  /**
   * Deletes the events in the commit that records their place in the archive. The archive file is on stable storage
   * before.
   */
  #move(month: string, transactions: readonly JournalledTransaction[]): void {
    const { archive, changes, log } = this.#parts;
    const { all, run } = this.#parts.statements;
    const committedBytes = (name: string) =>
      Number(all('SELECT bytes FROM archive WHERE file = ?', name)[0]?.['bytes'] ?? 0);
    const places = archive.append(month, committedBytes, transactions);
    for (const [index, { file, at, bytes }] of places.entries()) {
      const id = transactions[index]?.id;
      if (id === undefined) throw new Error('the archive returned more places than transactions');
      changes.noteArchived(id);
      log.remove(id);
      run('UPDATE txn SET archive = ?, archive_at = ?, archive_bytes = ? WHERE id = ?', file, at, bytes, id);
    }
    const last = places.at(-1);
    if (!last) return;
    const sql = 'INSERT INTO archive VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes';
    run(sql, last.file, last.at + last.bytes);
  }
}
