import { JournalError } from '../payment/contracts/journal.ts';
import { discrepancySchema, matterSchema } from './schema.ts';
import type { Statements } from './statements.ts';

/** A slice ends at whichever limit comes first, so that a waiting commit does not wait longer. */
const sliceRows = 500;
const sliceMs = 20;

/** Each index with the columns by which it finds a transaction, and the condition of its rows. */
const transactionIndexes: readonly (readonly [name: string, columns: readonly string[], has: string])[] = [
  ['sqlite_autoindex_txn_2', ['pos_id', 'message_id'], '1'],
  ['txn_batch', ['acquirer_id', 'batch', 'opened'], 'acquirer_id IS NOT NULL'],
  ['txn_original', ['original_id', 'opened'], 'original_id IS NOT NULL'],
  ['txn_stan', ['acquirer_id', 'stan', 'opened'], 'stan IS NOT NULL'],
  ['txn_unfinished', ['opened'], 'ended = 0'],
  ['txn_pending', ['queued'], `(reversal = 'queued' OR advice = 'queued')`],
  ['txn_receipt', ['id'], `receipt = 'queued'`],
  ['txn_rejected', ['acquirer_id', 'opened'], `advice = 'rejected' AND set_aside IS NULL AND archive IS NULL`],
  ['txn_opened', ['opened'], '1'],
];

/** The condition of a partial index, with its columns qualified by a table of the statement. */
const of = (table: string, has: string) =>
  has.replaceAll(/\b(original_id|acquirer_id|stan|ended|reversal|advice|receipt|set_aside|archive)\b/g, `${table}.$1`);

const indexCheck = ([name, columns, has]: (typeof transactionIndexes)[number]) => {
  const same = columns.map((column) => `found.${column} IS txn.${column}`).join(' AND ');
  return `((${of('txn', has)}) IS NOT TRUE OR EXISTS
    (SELECT 1 FROM txn AS found INDEXED BY ${name} WHERE ${same} AND found.id = txn.id AND ${of('found', has)}))`;
};

/** The key of an earlier attempt as one value. */
const attempt = 'json_array(acquirer_id, stan, txn_id)';

/** The transaction's row leads to its last event, or its events are older ones, or they are in the archive. */
const hasEvents = `CASE WHEN last IS NOT NULL THEN EXISTS (SELECT 1 FROM event WHERE seq = txn.last AND txn_id = txn.id)
  ELSE archive IS NOT NULL OR EXISTS (SELECT 1 FROM older_event WHERE txn_id = txn.id AND seq = txn.opened) END`;

/** From its transaction's last event, link by link, this event is reached; and the first one begins the transaction. */
const isLinked = `EXISTS (WITH RECURSIVE link (seq) AS (
      SELECT last FROM txn WHERE txn.id = event.txn_id
      UNION SELECT later.previous FROM link JOIN event AS later ON later.seq = link.seq
        WHERE link.seq > event.seq AND later.txn_id = event.txn_id)
    SELECT 1 FROM link WHERE link.seq = event.seq)
  AND (previous IS NOT NULL OR EXISTS (SELECT 1 FROM txn WHERE txn.id = event.txn_id AND (txn.opened = event.seq
    OR EXISTS (SELECT 1 FROM older_event WHERE older_event.txn_id = txn.id AND older_event.seq = txn.opened))))`;

/**
 * The tables that are read one after the other, each in the order of one key. `whole`: the row's indexes lead to it.
 */
const walks = [
  {
    first: '',
    last: 'SELECT max(id) AS last FROM txn',
    rows: `SELECT id AS place, ${transactionIndexes.map(indexCheck).join(' AND ')} AND ${hasEvents} AS whole
           FROM txn WHERE id > ? AND id <= ? ORDER BY id LIMIT ${sliceRows}`,
  },
  {
    first: 0,
    last: 'SELECT max(seq) AS last FROM older_event',
    rows: `SELECT seq AS place, at, body AS json, EXISTS (SELECT 1 FROM older_event AS found INDEXED BY event_txn
               WHERE found.txn_id = older_event.txn_id AND found.seq = older_event.seq)
             AND EXISTS (SELECT 1 FROM txn WHERE txn.id = older_event.txn_id) AS whole
           FROM older_event WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${sliceRows}`,
  },
  {
    first: 0,
    last: 'SELECT max(seq) AS last FROM event',
    rows: `SELECT seq AS place, at, body AS json, ${isLinked} AS whole
           FROM event WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${sliceRows}`,
  },
  {
    first: '',
    last: 'SELECT max(id) AS last FROM settlement',
    rows: `SELECT id AS place, coalesce(results, '[]') AS json, EXISTS (SELECT 1 FROM settlement AS found INDEXED BY sqlite_autoindex_settlement_2
               WHERE found.pos_id = settlement.pos_id AND found.message_id = settlement.message_id AND found.id = settlement.id)
             AND EXISTS (SELECT 1 FROM settlement AS found INDEXED BY settlement_ordinal
               WHERE found.ordinal IS settlement.ordinal AND found.id = settlement.id) AS whole
           FROM settlement WHERE id > ? AND id <= ? ORDER BY id LIMIT ${sliceRows}`,
  },
  {
    first: 0,
    last: 'SELECT max(seq) AS last FROM change',
    rows: `SELECT seq AS place, EXISTS (SELECT 1 FROM txn WHERE txn.id = change.txn_id)
             OR EXISTS (SELECT 1 FROM settlement WHERE settlement.id = change.settlement_id) AS whole
           FROM change WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${sliceRows}`,
  },
  {
    first: '["", 0, ""]',
    last: `SELECT ${attempt} AS last FROM attempt ORDER BY acquirer_id DESC, stan DESC, txn_id DESC LIMIT 1`,
    rows: `SELECT ${attempt} AS place, EXISTS (SELECT 1 FROM txn WHERE txn.id = attempt.txn_id) AS whole
           FROM attempt WHERE (acquirer_id, stan, txn_id) > (?1 ->> 0, ?1 ->> 1, ?1 ->> 2)
             AND (acquirer_id, stan, txn_id) <= (?2 ->> 0, ?2 ->> 1, ?2 ->> 2)
           ORDER BY acquirer_id, stan, txn_id LIMIT ${sliceRows}`,
  },
] as const;

/** Small tables and indexes: as many rows as there are acquirers, archives, or waiting transactions. */
const small = [
  'SELECT * FROM life',
  'SELECT * FROM event_floor',
  'SELECT * FROM trace',
  'SELECT * FROM settled',
  'SELECT * FROM archive',
  'SELECT * FROM closed_order',
  'SELECT * FROM denied',
  'SELECT * FROM settling NOT INDEXED',
  'SELECT number FROM settling INDEXED BY sqlite_autoindex_settling_1 ORDER BY acquirer_id, number',
  'SELECT id FROM txn INDEXED BY txn_unfinished WHERE ended = 0',
  `SELECT id FROM txn INDEXED BY txn_pending WHERE reversal = 'queued' OR advice = 'queued'`,
  `SELECT id FROM txn INDEXED BY txn_receipt WHERE receipt = 'queued'`,
  `SELECT id FROM txn INDEXED BY txn_rejected WHERE advice = 'rejected' AND set_aside IS NULL AND archive IS NULL`,
  `SELECT id FROM settlement INDEXED BY settlement_report WHERE report = 'queued'`,
  'SELECT id FROM settlement INDEXED BY settlement_unfinished WHERE results IS NULL',
  'SELECT seq FROM older_event INDEXED BY event_txn ORDER BY txn_id, seq LIMIT 1',
  'SELECT id FROM txn INDEXED BY txn_original WHERE original_id IS NOT NULL LIMIT 1',
  'SELECT id FROM settlement INDEXED BY sqlite_autoindex_settlement_2 ORDER BY pos_id, message_id LIMIT 1',
];

/**
 * Reads a journal through in slices while it is in use: every row, and that its indexes lead to it. Rows that are added
 * meanwhile are not read, because they were just written.
 */
export class JournalCheck {
  readonly #statements: Statements;
  #walk = 0;
  #after: string | number | undefined;
  #last: string | number | null | undefined;
  #checked = 0;
  #unreadable = 0;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Rows read so far. */
  get checked(): number {
    return this.#checked;
  }

  /**
   * Events that are not JSON. Each makes one transaction unreadable and affects no other, so the journal stays in use.
   */
  get unreadable(): number {
    return this.#unreadable;
  }

  /**
   * Reads the next slice. Returns true if it was the last. Throws JournalError 'corrupt' if the file can't be relied
   * on.
   */
  slice(): boolean {
    const walk = walks[this.#walk];
    if (!walk) return true;
    if (this.#last === undefined) {
      if (this.#walk === 0) {
        for (const sql of small) this.#statements.all(sql);
        if (this.#statements.schema >= matterSchema) this.#statements.all('SELECT * FROM matter');
        if (this.#statements.schema >= discrepancySchema) this.#statements.all('SELECT * FROM discrepancy');
      }
      this.#after = walk.first;
      this.#last = (this.#statements.all(walk.last)[0]?.['last'] ?? null) as string | number | null;
    }
    if (!this.#read(walk.rows)) return false;
    this.#walk += 1;
    this.#last = undefined;
    return this.#walk === walks.length;
  }

  /** Returns whether the walk has ended. */
  #read(sql: string): boolean {
    if (this.#last === null) return true;
    const until = performance.now() + sliceMs;
    let rows = 0;
    for (const row of this.#statements.each(sql, this.#after ?? '', this.#last ?? '')) {
      if (row['whole'] !== 1)
        throw new JournalError('corrupt', 'the journal is damaged: an index does not match its table');
      if ('json' in row && !isJson(row['json'])) this.#unreadable += 1;
      this.#after = row['place'] as string | number;
      this.#checked += 1;
      rows += 1;
      if (performance.now() >= until) return false;
    }
    return rows < sliceRows;
  }
}

function isJson(text: unknown): boolean {
  try {
    return typeof JSON.parse(String(text)) === 'object';
  } catch {
    return false;
  }
}
