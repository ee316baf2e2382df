import { chmodSync, closeSync, openSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CurrencyCode } from '../domain/currency.ts';
import { type AcquirerId, type TerminalTransactionId, terminalTransactionId } from '../domain/identifiers.ts';
import type { TraceNumbers } from '../domain/trace-numbers.ts';
import { type Random, systemRandom } from '../ports/clock.ts';
import type { Accepted } from '../events/accepted.ts';
import type { ClosedBatch, CurrencyResult, ReopenedCurrency, SettlingBatch } from '../events/settling-batch.ts';
import type { JournalEvent, JournalledTransaction, KeptOrder, StoredEvent } from '../events/event.ts';
import type { IntentDraft } from '../events/intent.ts';
import { JournalError, type JournalCheckReport, type JournalHealth, type Pending } from '../ports/journal.ts';
import type { JournalledSettlement, SettledBatch } from '../events/settlement.ts';
import { formatted, parseEvent } from '../events/format.ts';
import { Archive, type Archived } from './archive.ts';
import { JournalCheck } from './check.ts';
import { journalError, openingError } from './failure.ts';
import { JournalFiles } from './files.ts';
import { Life } from './life.ts';
import { batchesMax, dayOfNumbers, firstNumbers, numberMax } from './numbers.ts';
import { migrated } from './schema.ts';
import { SettlingTable } from './settling.ts';
import type { Statements } from './statements.ts';

/**
 * The `batch` columns count on where the numbers begin again, so that batch 1 of the second round is another one than that of the
 * first. This is the number of such a count.
 */
const batchNumber = (count: unknown) => ((Number(count) - 1) % numberMax) + 1;

/**
 * No payment begins with less room on the disk: it is some ten commits of a few pages each, what runs beside it (a reversal, a
 * settlement's result, SQLite's own log up to its limit) comes on top.
 */
const reservedBytes = 16 * 1024 * 1024;

/** Where no draw is free, numbers stay where they are: they were given out all over of late. */
const drawsMax = 100;
/** Those of some ten thousand transactions: no host compares with what is older. */
const recentEvents = 100_000;

interface OpeningOptions {
  /** A journal of up to this size is checked page by page before it is used. A start never depends on the size of a larger one. */
  readonly smallBytes?: number;
  /** Called before what takes as long as the journal is large. */
  readonly onLong?: () => void;
}

/** The journal on SQLite, synchronous: it lives in a worker, so that no fsync ever runs on the loop that serves the reader. */
export class JournalStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #now: () => Date;
  readonly #dir: string;
  readonly #archive: Archive;
  readonly #random: Random;
  readonly #files: JournalFiles;
  readonly #table: Statements = {
    all: (sql, ...values) => this.#all(sql, ...values),
    each: (sql, ...values) => this.#statement(sql).iterate(...values),
    run: (sql, ...values) => this.#run(sql, ...values),
  };
  readonly #settling = new SettlingTable({
    ...this.#table,
    count: (acquirerId, batch) => this.#lastBatch(acquirerId, batch),
  });
  readonly #drawn = new Map<AcquirerId, TraceNumbers>();
  /** Acquirers whose numbers have moved on since this opening. */
  readonly #moved = new Set<AcquirerId>();
  readonly #life: Life;

  constructor(
    file: string,
    now: () => Date = () => new Date(),
    random: Random = systemRandom,
    { smallBytes = 32 * 1024 * 1024, onLong = () => undefined }: OpeningOptions = {},
  ) {
    this.#now = now;
    this.#random = random;
    this.#dir = path.dirname(file);
    this.#archive = new Archive(this.#dir);
    const hadLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    this.#database = opened(file, onLong);
    try {
      this.#life = new Life(file, hadLog, this.#table, now());
      if (statSync(file).size <= smallBytes) this.#checkPages();
      if (this.#life.isDamaged) this.#checkAll(onLong);
      // Its first reading has made its log.
      this.#files = new JournalFiles(file);
      this.#begin();
    } catch (error) {
      this.#database.close();
      throw openingError(error, this.#dir);
    }
  }

  /** Why the journal is not the one that was here last, in a sentence; nothing where it is. */
  putBack(): string | undefined {
    switch (this.#life.succession) {
      case 'same':
        return undefined;
      case 'older':
        return `an older copy of the journal was put back: what was paid since then is not in it, compare with the acquirers' books`;
      case 'other':
        return `this is another journal than the one that was here before: what was paid with that one is not in it`;
      default:
        return this.#life.succession satisfies never;
    }
  }

  /** When it began, or was put back. */
  since(): string | undefined {
    return this.#life.since;
  }

  /** As it was found by whoever read it through last. */
  checkReport(): JournalCheckReport {
    const { checkedAt: at } = this.#life;
    return at === undefined ? { state: 'never' } : { state: 'ok', at };
  }

  check(): JournalCheck {
    return new JournalCheck(this.#table);
  }

  /** It was read through without a fault. */
  checked(at: Date): void {
    this.#life.checked(at);
  }

  /** It was read through, and can't be relied on: the next start will not, before it has seen otherwise. */
  damaged(): void {
    this.#life.damaged();
  }

  /** Remembers beside the journal how far it is. */
  note(): void {
    this.#life.keep();
  }

  /** Throws JournalError 'gone' where the files of this journal are not as it left them. */
  present(): void {
    try {
      this.#files.check();
    } catch (error) {
      this.#life.replaced();
      throw error;
    }
  }

  /** Throws JournalError 'full' for a new transaction while little room is left. */
  open(
    id: TerminalTransactionId,
    accepted: Accepted,
    events: readonly JournalEvent[] = [],
  ): { existing?: TerminalTransactionId } {
    return this.#commit(() => {
      const existing = this.find(accepted.posId, accepted.messageId);
      if (existing !== undefined) return { existing };
      if (this.health() === 'full') throw new JournalError('full', 'the disk of the journal is full');
      const { posId, messageId, originalId = null } = accepted;
      this.#run(
        'INSERT INTO txn (id, pos_id, message_id, original_id) VALUES (?, ?, ?, ?)',
        id,
        posId,
        messageId,
        originalId,
      );
      this.#write(id, accepted);
      for (const event of events) this.#write(id, event);
      return {};
    });
  }

  append(id: TerminalTransactionId, events: readonly JournalEvent[]): void {
    this.#commit(() => {
      for (const event of events) this.#write(id, event);
    });
  }

  intend(
    id: TerminalTransactionId,
    { invoice, ...draft }: IntentDraft,
    events: readonly JournalEvent[] = [],
  ): TraceNumbers {
    return this.#commit(() => {
      const trace = this.#nextTrace(draft.acquirerId, invoice);
      this.#write(id, { kind: 'intent', ...draft, trace });
      for (const event of events) this.#write(id, event);
      return trace;
    });
  }

  /** Also of the archive. Throws JournalError 'archive' where that is gone. */
  read(id: TerminalTransactionId): StoredEvent[] {
    const events = this.#all('SELECT at, body FROM event WHERE txn_id = ? ORDER BY seq', id).map((row) => ({
      at: String(row['at']),
      event: parseEvent(String(row['body'])),
    }));
    if (events.length > 0) return events;
    const place = archived(this.#all('SELECT archive, archive_at, archive_bytes FROM txn WHERE id = ?', id)[0]);
    return place ? [...this.#archive.read(id, place).events] : [];
  }

  /**
   * Looks at up to `limit` transactions after a given one, and moves into the archive what is over in every respect since `before`:
   * concluded, nothing of it waits for a host, the operator or the printer, its batch is settled, and the same holds for all that refer to it
   * or are referred to. Returns the last one that it looked at; nothing where there are no more.
   */
  archive(before: Date, after: string, limit: number): string | undefined {
    return this.#commit(() => {
      // Identifiers sort by time: what is younger need not be looked at.
      const end = terminalTransactionId(before, new Uint8Array(10));
      const sql = 'SELECT id FROM txn WHERE archive IS NULL AND ended = 1 AND id > ? AND id < ? ORDER BY id LIMIT ?';
      const looked = this.#ids(sql, after, end, limit);
      const old = new Map<TerminalTransactionId, JournalledTransaction>();
      for (const id of looked) {
        if (old.has(id)) continue;
        const family = this.#family(id);
        if (family.every((each) => this.#isOver(each, before))) for (const each of family) old.set(each.id, each);
      }
      for (const [file, transactions] of Map.groupBy(old.values(), (each) => this.#archive.fileOf(each))) {
        this.#move(file, transactions);
      }
      return looked.length < limit ? undefined : looked.at(-1);
    });
  }

  /** Throws JournalError 'archive', naming the first archive that is gone or cut off. */
  archivesPresent(): void {
    for (const row of this.#all('SELECT file, bytes FROM archive')) {
      this.#archive.present(String(row['file']), Number(row['bytes']));
    }
  }

  find(posId: string, messageId: string): TerminalTransactionId | undefined {
    return this.#ids('SELECT id FROM txn WHERE pos_id = ? AND message_id = ?', posId, messageId)[0];
  }

  unfinished(): TerminalTransactionId[] {
    return this.#ids('SELECT id FROM txn WHERE ended = 0 ORDER BY opened');
  }

  later(originalId: TerminalTransactionId): JournalledTransaction[] {
    return this.#transactions(this.#ids('SELECT id FROM txn WHERE original_id = ? ORDER BY opened', originalId));
  }

  traced(acquirerId: AcquirerId, stan: number): TerminalTransactionId | undefined {
    const sql = `SELECT id, archive, opened FROM txn WHERE acquirer_id = ? AND stan = ?
                 UNION ALL SELECT id, archive, opened FROM attempt JOIN txn ON txn.id = attempt.txn_id
                   WHERE attempt.acquirer_id = ? AND attempt.stan = ?
                 ORDER BY opened DESC LIMIT 1`;
    const [row] = this.#all(sql, acquirerId, stan, acquirerId, stan);
    return row && row['archive'] === null ? (String(row['id']) as TerminalTransactionId) : undefined;
  }

  pending(): Pending[] {
    const sql = `SELECT id, acquirer_id, reversal FROM txn WHERE reversal = 'queued' OR advice = 'queued' ORDER BY queued`;
    return this.#all(sql).map((row) => ({
      id: String(row['id']) as TerminalTransactionId,
      acquirerId: String(row['acquirer_id']) as AcquirerId,
      message: row['reversal'] === 'queued' ? 'reversal' : 'advice',
    }));
  }

  closedOrders(): KeptOrder[] {
    return this.#all('SELECT txn_id, acquirer_id, stan, looks FROM closed_order').map((row) => ({
      id: String(row['txn_id']) as TerminalTransactionId,
      acquirerId: String(row['acquirer_id']) as AcquirerId,
      stan: Number(row['stan']),
      looks: Number(row['looks']),
    }));
  }

  rejectedAdvices(acquirerId: AcquirerId): TerminalTransactionId[] {
    const sql = `SELECT id FROM txn WHERE acquirer_id = ? AND advice = 'rejected' AND set_aside IS NULL AND archive IS NULL
                 ORDER BY opened`;
    return this.#ids(sql, acquirerId);
  }

  setAside(acquirerId: AcquirerId): TerminalTransactionId[] {
    const sql = 'SELECT id FROM txn WHERE acquirer_id = ? AND batch = ? AND set_aside IS NOT NULL ORDER BY opened';
    return this.#ids(sql, acquirerId, this.#batchCount(acquirerId));
  }

  waitingReceipts(): { id: TerminalTransactionId; paper: 'receipt' | 'settlement' }[] {
    const sql = `SELECT id, 'receipt' AS paper FROM txn WHERE receipt = 'queued'
                 UNION ALL SELECT id, 'settlement' FROM settlement WHERE report = 'queued' ORDER BY id`;
    return this.#all(sql).map((row) => ({
      id: String(row['id']) as TerminalTransactionId,
      paper: row['paper'] === 'receipt' ? 'receipt' : 'settlement',
    }));
  }

  batchPage(acquirerId: AcquirerId, batch: number, after: string, limit: number): JournalledTransaction[] {
    const sql = `SELECT id FROM txn WHERE acquirer_id = ? AND batch = ?
                 AND opened > coalesce((SELECT opened FROM txn WHERE id = ?), 0) ORDER BY opened LIMIT ?`;
    return this.#transactions(this.#ids(sql, acquirerId, this.#lastBatch(acquirerId, batch), after, limit));
  }

  isSettled(id: TerminalTransactionId): boolean {
    const sql = 'SELECT id FROM txn JOIN trace USING (acquirer_id) WHERE id = ? AND txn.batch <> trace.batch';
    return this.#ids(sql, id).length === 1;
  }

  allocateStans(acquirerId: AcquirerId, count: number): number {
    return this.#commit(() => this.#nextStans(acquirerId, count));
  }

  openSettlement(settlement: JournalledSettlement): { existing?: JournalledSettlement } {
    return this.#commit(() => {
      const { id, posId, messageId, digest, acquirerId = null, at } = settlement;
      const existing = this.findSettlement(posId, messageId);
      if (existing) return { existing };
      const sql = 'INSERT INTO settlement (id, pos_id, message_id, digest, acquirer_id, at) VALUES (?, ?, ?, ?, ?, ?)';
      this.#run(sql, id, posId, messageId, digest, acquirerId, at);
      return {};
    });
  }

  endSettlement(id: TerminalTransactionId, results: readonly SettledBatch[], printsReport: boolean): void {
    this.#commit(() => {
      const report = printsReport ? 'queued' : null;
      this.#run('UPDATE settlement SET results = ?, report = ? WHERE id = ?', JSON.stringify(results), report, id);
      for (const each of results) this.#settling.ended(each, this.#now().toISOString());
    });
  }

  batchMark(acquirerId: AcquirerId, batch: number): number {
    return this.#settling.mark(acquirerId, batch);
  }

  closeBatch(closed: ClosedBatch): 'closed' | 'changed' | 'occupied' {
    return this.#commit(() => this.#settling.close({ ...closed, acquirerId: this.#traced(closed.acquirerId) }));
  }

  settlingBatches(acquirerId: AcquirerId): SettlingBatch[] {
    return this.#settling.of(acquirerId);
  }

  unreadBatches(acquirerId: AcquirerId): number[] {
    return this.#settling.unread(acquirerId);
  }

  askCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, trailer: boolean): number {
    return this.#commit(() => {
      const stan = this.#nextStans(acquirerId, 1);
      this.#settling.asked(acquirerId, batch, currency, { stan, trailer });
      return stan;
    });
  }

  unsettledCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode): void {
    this.#commit(() => this.#settling.unsettled(acquirerId, batch, currency));
  }

  settledCurrency(acquirerId: AcquirerId, batch: number, currency: CurrencyCode, result: CurrencyResult): void {
    this.#commit(() => this.#settling.answered(acquirerId, batch, currency, result));
  }

  reopenBatch(acquirerId: AcquirerId, batch: number, only?: ReopenedCurrency): void {
    this.#commit(() => this.#settling.reopen(acquirerId, batch, only));
  }

  settledAt(acquirerId: AcquirerId): string | undefined {
    return this.#settling.settledAt(acquirerId);
  }

  writtenAt(): string | undefined {
    const at = this.#all('SELECT at FROM event ORDER BY seq DESC LIMIT 1')[0]?.['at'];
    return typeof at === 'string' ? at : undefined;
  }

  findSettlement(posId: string, messageId: string): JournalledSettlement | undefined {
    return settlement(this.#all('SELECT * FROM settlement WHERE pos_id = ? AND message_id = ?', posId, messageId)[0]);
  }

  unfinishedSettlements(): JournalledSettlement[] {
    return this.#all('SELECT * FROM settlement WHERE results IS NULL ORDER BY id').flatMap(
      (row) => settlement(row) ?? [],
    );
  }

  readSettlement(id: TerminalTransactionId): JournalledSettlement | undefined {
    return settlement(this.#all('SELECT * FROM settlement WHERE id = ?', id)[0]);
  }

  settlementPrinted(id: TerminalTransactionId): void {
    this.#commit(() => this.#run("UPDATE settlement SET report = 'printed' WHERE id = ?", id));
  }

  acquirers(): AcquirerId[] {
    return this.#all('SELECT acquirer_id FROM trace ORDER BY acquirer_id').map(
      (row) => String(row['acquirer_id']) as AcquirerId,
    );
  }

  openBatch(acquirerId: AcquirerId): number {
    return batchNumber(this.#batchCount(acquirerId));
  }

  health(): JournalHealth {
    const { bavail, bsize } = statfsSync(this.#dir);
    return bavail * bsize < reservedBytes ? 'full' : 'ok';
  }

  close(): void {
    const last = this.#life.last();
    this.#database.close();
    this.#life.end(last);
  }

  #checkPages(): void {
    const [found] = this.#all('PRAGMA quick_check(1)');
    if (found?.['quick_check'] !== 'ok') throw new JournalError('corrupt', 'the journal is damaged');
  }

  #checkAll(onLong: () => void): void {
    onLong();
    this.#checkPages();
    const check = this.check();
    while (!check.slice());
    this.#life.checked(this.#now());
  }

  /** This opening counts; and a journal that is not the one that was here before goes on where that one can't have been. */
  #begin(): void {
    const isOther = this.#life.succession !== 'same';
    try {
      this.#commit(() => {
        this.#life.begin();
        if (isOther) this.#moveAway();
      });
    } catch (error) {
      // Nothing can be paid, but what was paid can be looked up.
      if (isOther || journalError(error).code !== 'full') throw error;
      return;
    }
    this.#life.begun();
  }

  /**
   * Hosts have numbers and batches of this terminal that this journal knows nothing of. The numbers go on elsewhere, and so do the
   * batches: the open one is closed to new entries. What was under way may have ended long ago, and was told, and what waits to be
   * settled may be: nothing is taken back or asked for without the bank's word.
   */
  #moveAway(): void {
    const at = this.#now().toISOString();
    for (const row of this.#all('SELECT acquirer_id, batch FROM trace')) {
      const acquirerId = String(row['acquirer_id']) as AcquirerId;
      this.#settling.leave(acquirerId, batchNumber(row['batch']), at);
      const { batch } = firstNumbers(this.#random);
      this.#run('UPDATE trace SET batch = batch + ? WHERE acquirer_id = ?', (batch % batchesMax) + 1, acquirerId);
    }
    this.#settling.copied();
    const reversals = this.pending().filter(({ message }) => message === 'reversal');
    const doubtful = new Set([...this.unfinished(), ...reversals.map(({ id }) => id)]);
    for (const id of doubtful) this.#write(id, { kind: 'numberTaken' });
  }

  #nextTrace(acquirerId: AcquirerId, invoice: number | undefined): TraceNumbers {
    const [row] = this.#all(
      `UPDATE trace SET stan = stan % ? + 1, invoice = CASE WHEN ? THEN invoice ELSE invoice % ? + 1 END
       WHERE acquirer_id = ? RETURNING stan, invoice, batch`,
      numberMax,
      invoice === undefined ? 0 : 1,
      numberMax,
      this.#traced(acquirerId),
    );
    const [stan, batch] = [Number(row?.['stan']), batchNumber(row?.['batch'])];
    return { stan, invoice: invoice ?? Number(row?.['invoice']), batch };
  }

  #nextStans(acquirerId: AcquirerId, count: number): number {
    const [row] = this.#all(
      'UPDATE trace SET stan = (stan + ? - 1) % ? + 1 WHERE acquirer_id = ? RETURNING stan',
      count,
      numberMax,
      this.#traced(acquirerId),
    );
    return ((Number(row?.['stan']) - count + numberMax * 2) % numberMax) + 1;
  }

  /** The last batch of that number: those that come are none yet. */
  #lastBatch(acquirerId: AcquirerId, batch: number): number {
    const open = this.#batchCount(acquirerId);
    return open - ((batchNumber(open) - batch + numberMax) % numberMax);
  }

  #batchCount(acquirerId: AcquirerId): number {
    const sql = 'SELECT batch FROM trace WHERE acquirer_id = ?';
    const [row] = this.#all(sql, acquirerId);
    return row ? Number(row['batch']) : this.#first(acquirerId).batch;
  }

  /** Where an acquirer that has had nothing will begin: written with its first intent. */
  #first(acquirerId: AcquirerId): TraceNumbers {
    const drawn = this.#drawn.get(acquirerId) ?? firstNumbers(this.#random);
    this.#drawn.set(acquirerId, drawn);
    return drawn;
  }

  /**
   * Sees to it that the acquirer has its row of numbers. With the first that are given out after an opening they go on elsewhere: the whole
   * directory may have been put back as it was, its marker with it, and nothing here can tell.
   */
  #traced(acquirerId: AcquirerId): AcquirerId {
    if (this.#all('SELECT 1 FROM trace WHERE acquirer_id = ?', acquirerId).length === 0) {
      const { stan, invoice, batch } = this.#first(acquirerId);
      // The one before the first that is given out.
      this.#run('INSERT INTO trace VALUES (?, ?, ?, ?)', acquirerId, stan - 1, invoice - 1, batch);
    } else if (!this.#moved.has(acquirerId)) this.#moveOn(acquirerId);
    this.#moved.add(acquirerId);
    return acquirerId;
  }

  /** The numbers of an acquirer go on elsewhere: by chance, and where this journal has given out none of late. Its batch stays. */
  #moveOn(acquirerId: AcquirerId): void {
    for (let draws = 0; draws < drawsMax; draws++) {
      const { stan, invoice } = firstNumbers(this.#random);
      if (this.#wasGiven(acquirerId, stan)) continue;
      return this.#run(
        'UPDATE trace SET stan = ?, invoice = ? WHERE acquirer_id = ?',
        stan - 1,
        invoice - 1,
        acquirerId,
      );
    }
  }

  /** Whether one of the numbers from there on belongs to a recent transaction. */
  #wasGiven(acquirerId: AcquirerId, stan: number): boolean {
    const sql = `SELECT 1 FROM txn WHERE acquirer_id = ? AND stan >= ? AND stan < ?
                 AND opened > (SELECT seq FROM sqlite_sequence WHERE name = 'event') - ? LIMIT 1`;
    return this.#all(sql, acquirerId, stan, stan + dayOfNumbers, recentEvents).length > 0;
  }

  /** A transaction with all that it refers to and that refer to it, in any number of steps; without what is archived already. */
  #family(id: TerminalTransactionId): JournalledTransaction[] {
    const sql = `WITH RECURSIVE family (id) AS (
                   SELECT ? UNION
                   SELECT CASE WHEN txn.id = family.id THEN txn.original_id ELSE txn.id END FROM family
                   JOIN txn ON txn.original_id = family.id OR (txn.id = family.id AND txn.original_id IS NOT NULL))
                 SELECT txn.id FROM family JOIN txn ON txn.id = family.id WHERE archive IS NULL`;
    return this.#transactions(this.#ids(sql, id));
  }

  #isOver({ id, events }: JournalledTransaction, before: Date): boolean {
    const last = events.at(-1);
    if (!last || new Date(last.at) >= before) return false;
    const sql = `SELECT id FROM txn WHERE id = ? AND ended = 1 AND reversal IS NOT 'queued' AND advice IS NOT 'queued'
                 AND receipt IS NOT 'queued' AND (advice IS NOT 'rejected' OR set_aside IS NOT NULL) AND NOT EXISTS
                   (SELECT 1 FROM trace WHERE trace.acquirer_id = txn.acquirer_id AND trace.batch = txn.batch)
                 AND NOT EXISTS
                   (SELECT 1 FROM settling WHERE settling.acquirer_id = txn.acquirer_id AND settling.batch = txn.batch)
                 AND NOT EXISTS (SELECT 1 FROM closed_order WHERE closed_order.txn_id = txn.id)`;
    return this.#ids(sql, id).length === 1;
  }

  /** The events are deleted in the commit that names their place, which is on stable storage before. */
  #move(month: string, transactions: readonly JournalledTransaction[]): void {
    const committed = (name: string) =>
      Number(this.#all('SELECT bytes FROM archive WHERE file = ?', name)[0]?.['bytes'] ?? 0);
    const places = this.#archive.append(month, committed, transactions);
    for (const [index, { file, at, bytes }] of places.entries()) {
      const id = transactions[index]?.id ?? '';
      this.#run('UPDATE txn SET archive = ?, archive_at = ?, archive_bytes = ? WHERE id = ?', file, at, bytes, id);
      this.#run('DELETE FROM event WHERE txn_id = ?', id);
    }
    const last = places.at(-1);
    if (!last) return;
    const sql = 'INSERT INTO archive VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes';
    this.#run(sql, last.file, last.at + last.bytes);
  }

  #transactions(ids: readonly TerminalTransactionId[]): JournalledTransaction[] {
    return ids.map((id) => ({ id, events: this.read(id) }));
  }

  /** An event, and what the columns say for the queries that a start needs. */
  #write(id: TerminalTransactionId, event: JournalEvent): void {
    this.#run(
      'INSERT INTO event (txn_id, at, body) VALUES (?, ?, ?)',
      id,
      this.#now().toISOString(),
      JSON.stringify(formatted(event)),
    );
    switch (event.kind) {
      case 'intent':
        this.#run(
          `INSERT OR IGNORE INTO attempt (acquirer_id, stan, txn_id)
           SELECT acquirer_id, stan, id FROM txn WHERE id = ? AND stan IS NOT NULL`,
          id,
        );
        return this.#run(
          'UPDATE txn SET acquirer_id = ?, stan = ?, batch = (SELECT batch FROM trace WHERE acquirer_id = ?) WHERE id = ?',
          event.acquirerId,
          event.trace.stan,
          event.acquirerId,
          id,
        );
      case 'ended':
        return this.#run('UPDATE txn SET ended = 1 WHERE id = ?', id);
      case 'reversalQueued':
        return this.#run(
          "UPDATE txn SET reversal = 'queued', set_aside = NULL, queued = last_insert_rowid() WHERE id = ?",
          id,
        );
      case 'reversalAcknowledged':
        return this.#run("UPDATE txn SET reversal = 'acknowledged', set_aside = NULL WHERE id = ?", id);
      case 'adviceQueued':
        return this.#run("UPDATE txn SET advice = 'queued', queued = last_insert_rowid() WHERE id = ?", id);
      case 'adviceAnswered':
        // One that had been answered already is posted after all, in the batch that is open now.
        return this.#run(
          `UPDATE txn SET advice = ?, set_aside = NULL, batch = CASE WHEN advice = 'queued' THEN batch
             ELSE (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id) END
           WHERE id = ?`,
          event.answer,
          id,
        );
      case 'setAside':
        // As with 'resolved': it counts in the batch that is open now. One of an older copy may be settled with its own since.
        return this.#run(
          `UPDATE txn SET set_aside = ?, reversal = nullif(reversal, 'queued'),
             advice = CASE WHEN advice IN ('queued', 'rejected') THEN ? ELSE advice END,
             batch = CASE WHEN EXISTS (SELECT 1 FROM settling WHERE settling.acquirer_id = txn.acquirer_id
                                         AND settling.batch = txn.batch AND is_copy = 1)
                          THEN batch ELSE (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id) END
           WHERE id = ?`,
          event.outcome,
          event.outcome === 'POSTED' ? 'acknowledged' : 'rejected',
          id,
        );
      case 'receiptQueued':
        return this.#run("UPDATE txn SET receipt = 'queued' WHERE id = ?", id);
      case 'receiptPrinted':
        return this.#run("UPDATE txn SET receipt = 'printed' WHERE id = ?", id);
      case 'withdrawn':
        return this.#run('UPDATE txn SET acquirer_id = NULL, batch = NULL, stan = NULL WHERE id = ?', id);
      case 'resolved':
        // It counts in the batch in which it became known: the one in which it began may be settled.
        return this.#run(
          `UPDATE txn SET reversal = NULL, set_aside = NULL, batch = (SELECT batch FROM trace WHERE trace.acquirer_id = txn.acquirer_id)
           WHERE id = ?`,
          id,
        );
      case 'orderClosed':
        return this.#run(
          'INSERT OR IGNORE INTO closed_order (txn_id, acquirer_id, stan) VALUES (?, ?, ?)',
          id,
          event.acquirerId,
          event.stan,
        );
      case 'orderLookedAt':
        return this.#run(
          event.isLast === true
            ? 'DELETE FROM closed_order WHERE txn_id = ? AND acquirer_id = ? AND stan = ?'
            : 'UPDATE closed_order SET looks = looks + 1 WHERE txn_id = ? AND acquirer_id = ? AND stan = ?',
          id,
          event.acquirerId,
          event.stan,
        );
      case 'numberTaken':
        for (const row of this.#all('SELECT acquirer_id FROM txn WHERE id = ? AND acquirer_id IS NOT NULL', id))
          this.#moveOn(String(row['acquirer_id']) as AcquirerId);
        return;
      case 'accepted':
        return this.#run('UPDATE txn SET opened = last_insert_rowid() WHERE id = ?', id);
      case 'answered':
      case 'cardCompleted':
      case 'reversalSent':
      case 'adviceSent':
      case 'hostRefused':
      case 'approvedLate':
        return;
      default:
        event satisfies never;
    }
  }

  #commit<T>(work: () => T): T {
    this.present();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      this.#wrote();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      // What a commit that failed has left in the log is its own all the same.
      this.#wrote();
      // What moved in this commit has not: it moves with the next.
      this.#moved.clear();
      throw error;
    }
  }

  #wrote(): void {
    try {
      this.#files.wrote();
    } catch (error) {
      this.#life.replaced();
      throw error;
    }
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  #all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...values);
  }

  #ids(sql: string, ...values: SQLInputValue[]): TerminalTransactionId[] {
    return this.#all(sql, ...values).map((row) => String(row['id']) as TerminalTransactionId);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function archived(row: Record<string, unknown> | undefined): Archived | undefined {
  const file = row?.['archive'];
  if (typeof file !== 'string') return undefined;
  return { file, at: Number(row?.['archive_at']), bytes: Number(row?.['archive_bytes']) };
}

function settlement(row: Record<string, unknown> | undefined): JournalledSettlement | undefined {
  if (!row) return undefined;
  const results = row['results'];
  const acquirerId = row['acquirer_id'];
  return {
    id: String(row['id']) as TerminalTransactionId,
    posId: String(row['pos_id']),
    messageId: String(row['message_id']),
    digest: String(row['digest']),
    ...(typeof acquirerId === 'string' ? { acquirerId: acquirerId as AcquirerId } : {}),
    at: String(row['at']),
    ...(typeof results === 'string' ? { results: JSON.parse(results) as SettledBatch[] } : {}),
  };
}

/** SQLite makes its files for all to read, and its log with the permissions of the database. */
function ownersAlone(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) closeSync(openSync(file, 'ax', 0o600));
  else if (found.isFile() && (found.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function opened(file: string, onLong: () => void): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    ownersAlone(file);
    database = new DatabaseSync(file);
    // Exclusive: the lock is the guard against a second daemon on the same state, and a killed one leaves none behind.
    // FULL: in WAL mode NORMAL loses acknowledged commits at a power cut, FULL does not.
    database.exec(`PRAGMA locking_mode = EXCLUSIVE;
                   PRAGMA synchronous = FULL;
                   PRAGMA foreign_keys = ON;
                   PRAGMA journal_size_limit = 4194304;`);
    if (!migrated(database, onLong)) throw new JournalError('newer', 'the journal was written by a newer version');
    // After the look at its version: this writes to a file that is in another mode.
    database.exec('PRAGMA journal_mode = WAL');
    return database;
  } catch (error) {
    database?.close();
    throw openingError(error, path.dirname(file));
  }
}
