/**
 * Migrations, oldest first: number n takes a journal from version n to n + 1. A landed one is never edited; a new one
 * follows it. STRICT tables: SQLite refuses a value of the wrong type instead of storing it.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE txn (
     id TEXT PRIMARY KEY,
     pos_id TEXT NOT NULL,
     message_id TEXT NOT NULL,
     ended INTEGER NOT NULL DEFAULT 0,
     acquirer_id TEXT,
     reversal TEXT CHECK (reversal IN ('queued', 'acknowledged')),
     receipt TEXT CHECK (receipt IN ('queued', 'printed')),
     UNIQUE (pos_id, message_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX txn_unfinished ON txn (id) WHERE ended = 0;
   CREATE INDEX txn_reversal ON txn (id) WHERE reversal = 'queued';
   CREATE INDEX txn_receipt ON txn (id) WHERE receipt = 'queued';
   CREATE TABLE event (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     txn_id TEXT NOT NULL REFERENCES txn (id),
     at TEXT NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   CREATE INDEX event_txn ON event (txn_id, seq);
   CREATE TABLE trace (
     acquirer_id TEXT PRIMARY KEY,
     stan INTEGER NOT NULL,
     invoice INTEGER NOT NULL,
     batch INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,

  // All transaction kinds: references, advices, batches, settlements. Before this version there were only sales.
  `ALTER TABLE txn ADD COLUMN original_id TEXT;
   ALTER TABLE txn ADD COLUMN batch INTEGER;
   ALTER TABLE txn ADD COLUMN advice TEXT CHECK (advice IN ('queued', 'acknowledged', 'rejected'));
   ALTER TABLE txn ADD COLUMN queued INTEGER;
   UPDATE event SET body = json_set(body, '$.operation', 'sale') WHERE body ->> 'kind' = 'intent';
   UPDATE event SET body = json_set(body, '$.outcome.hostTime', '', '$.outcome.hostDate', '')
     WHERE body ->> 'kind' = 'answered' AND body ->> '$.outcome.kind' = 'approved';
   UPDATE txn SET
     batch = (SELECT body ->> '$.trace.batch' FROM event WHERE txn_id = txn.id AND body ->> 'kind' = 'intent'),
     queued = (SELECT seq FROM event WHERE txn_id = txn.id AND body ->> 'kind' = 'reversalQueued');
   DROP INDEX txn_reversal;
   CREATE INDEX txn_pending ON txn (queued) WHERE reversal = 'queued' OR advice = 'queued';
   CREATE INDEX txn_original ON txn (original_id, id) WHERE original_id IS NOT NULL;
   CREATE INDEX txn_batch ON txn (acquirer_id, batch, id);
   CREATE TABLE settlement (
     id TEXT PRIMARY KEY,
     pos_id TEXT NOT NULL,
     message_id TEXT NOT NULL,
     digest TEXT NOT NULL,
     acquirer_id TEXT,
     at TEXT NOT NULL,
     results TEXT,
     report TEXT CHECK (report IN ('queued', 'printed')),
     UNIQUE (pos_id, message_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX settlement_report ON settlement (id) WHERE report = 'queued';
   CREATE INDEX settlement_unfinished ON settlement (id) WHERE results IS NULL;`,

  // The order in which transactions were opened. Their ids contain the machine's clock, which may be set back.
  `ALTER TABLE txn ADD COLUMN opened INTEGER;
   UPDATE txn SET opened = (SELECT min(seq) FROM event WHERE txn_id = txn.id);
   DROP INDEX txn_unfinished;
   DROP INDEX txn_original;
   DROP INDEX txn_batch;
   CREATE INDEX txn_unfinished ON txn (opened) WHERE ended = 0;
   CREATE INDEX txn_original ON txn (original_id, opened) WHERE original_id IS NOT NULL;
   CREATE INDEX txn_batch ON txn (acquirer_id, batch, opened);`,

  // The archive. The row of an archived transaction stays, because its identity must never be used again; its events
  // move out.
  `ALTER TABLE txn ADD COLUMN archive TEXT;
   ALTER TABLE txn ADD COLUMN archive_at INTEGER;
   ALTER TABLE txn ADD COLUMN archive_bytes INTEGER;
   CREATE INDEX txn_kept ON txn (id) WHERE archive IS NULL AND ended = 1;
   CREATE TABLE archive (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,

  // Transactions that could not be sent to their host, and that the operator concluded by telephone.
  `ALTER TABLE txn ADD COLUMN set_aside TEXT CHECK (set_aside IN ('POSTED', 'NOT_POSTED'));`,

  // Rejected advices, whatever their batch. Those archived before can't be decided any more.
  `CREATE INDEX txn_rejected ON txn (acquirer_id, opened)
     WHERE advice = 'rejected' AND set_aside IS NULL AND archive IS NULL;`,

  // The trace number by which a late answer is matched. Earlier transactions have none: their connections are closed,
  // so no answer can come any more.
  `ALTER TABLE txn ADD COLUMN stan INTEGER;
   CREATE INDEX txn_stan ON txn (acquirer_id, stan, opened) WHERE stan IS NOT NULL;`,
  // Batches that are closed to new entries and not settled yet, with the totals to ask for; and when each acquirer was
  // last settled.
  `CREATE TABLE settling (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     acquirer_id TEXT NOT NULL,
     batch INTEGER NOT NULL,
     number INTEGER NOT NULL,
     at TEXT NOT NULL,
     totals TEXT NOT NULL,
     currencies TEXT NOT NULL,
     tries INTEGER NOT NULL DEFAULT 0,
     reason TEXT,
     refused INTEGER NOT NULL DEFAULT 0,
     UNIQUE (acquirer_id, number)
   ) STRICT;
   CREATE TABLE settled (acquirer_id TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT, WITHOUT ROWID;`,

  // The journal's identity and its count of openings, to be compared with the marker file. `unread`: a batch that was
  // open when an older copy was restored; it is closed, and its content has not been read.
  `CREATE TABLE life (journal TEXT NOT NULL, starts INTEGER NOT NULL) STRICT;
   ALTER TABLE settling ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;`,

  // Trace numbers of a transaction's earlier attempts, to match late answers.
  `CREATE TABLE attempt (
     acquirer_id TEXT NOT NULL,
     stan INTEGER NOT NULL,
     txn_id TEXT NOT NULL,
     PRIMARY KEY (acquirer_id, stan, txn_id)
   ) STRICT, WITHOUT ROWID;`,

  // Wallet orders that their host has closed, until they were enquired again.
  `CREATE TABLE closed_order (
     txn_id TEXT NOT NULL,
     acquirer_id TEXT NOT NULL,
     stan INTEGER NOT NULL,
     PRIMARY KEY (txn_id, acquirer_id, stan)
   ) STRICT, WITHOUT ROWID;`,

  // Since when the journal has all payments. NULL in a journal that is older than this column.
  `ALTER TABLE life ADD COLUMN since TEXT;`,

  // Batches that were in an older copy when it was restored.
  `ALTER TABLE settling ADD COLUMN is_copy INTEGER NOT NULL DEFAULT 0;`,

  // How often a closed order was enquired again. It stays until its wallet is settled.
  `ALTER TABLE closed_order ADD COLUMN looks INTEGER NOT NULL DEFAULT 0;`,

  // Currencies of batches that the bank has not settled and that went into the open batch: what the host was asked, and
  // what it has answered since.
  `CREATE TABLE denied (
     acquirer_id TEXT NOT NULL,
     number INTEGER NOT NULL,
     currency TEXT NOT NULL,
     at TEXT NOT NULL,
     total TEXT NOT NULL,
     result TEXT,
     PRIMARY KEY (acquirer_id, number, currency)
   ) STRICT, WITHOUT ROWID;`,

  // Old transactions are looked for in the order of opening, because ids begin with a clock that may have been wrong.
  `DROP INDEX txn_kept;
   CREATE INDEX txn_kept ON txn (opened) WHERE archive IS NULL AND ended = 1;`,

  // All transactions in the order of opening, archived ones too: the list of a POS. And the order in which settlements
  // were requested, because their ids begin with a clock as well.
  `CREATE INDEX txn_opened ON txn (opened);
   ALTER TABLE settlement ADD COLUMN ordinal INTEGER;
   UPDATE settlement SET ordinal = numbered.ordinal
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS ordinal FROM settlement) AS numbered
     WHERE numbered.id = settlement.id;
   CREATE INDEX settlement_ordinal ON settlement (ordinal);`,

  // Fewer pages per commit. Events are linked: each knows the one before it of its transaction, whose row knows the
  // last. So they need no index of their own. Older ones stay where they are and keep theirs, because to move them
  // would write the whole journal anew; they leave it as they go to the archive. `event_floor`: no number up to this
  // one is given again. A transaction is in the index of batches from its intent on.
  `ALTER TABLE event RENAME TO older_event;
   CREATE TABLE event (
     seq INTEGER PRIMARY KEY,
     txn_id TEXT NOT NULL REFERENCES txn (id),
     previous INTEGER,
     at TEXT NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   ALTER TABLE txn ADD COLUMN last INTEGER;
   CREATE TABLE event_floor (seq INTEGER NOT NULL) STRICT;
   INSERT INTO event_floor SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'older_event';
   CREATE VIEW every_event AS
     SELECT seq, txn_id, at, body FROM older_event UNION ALL SELECT seq, txn_id, at, body FROM event;
   DROP INDEX txn_batch;
   CREATE INDEX txn_batch ON txn (acquirer_id, batch, opened) WHERE acquirer_id IS NOT NULL;`,

  // Changes that are no events, in the count of the events: settlements that ended, transactions that count in another
  // batch, and archived ones with the number of their last event. Of earlier ones the first event's number must do.
  `CREATE TABLE change (seq INTEGER PRIMARY KEY, txn_id TEXT, settlement_id TEXT) STRICT;
   INSERT INTO change (seq, txn_id) SELECT opened, id FROM txn WHERE archive IS NOT NULL AND opened IS NOT NULL;
   INSERT INTO change (seq, settlement_id)
     SELECT (SELECT max(seq, coalesce((SELECT max(seq) FROM event), 0)) FROM event_floor)
       + row_number() OVER (ORDER BY ordinal), id FROM settlement WHERE results IS NOT NULL;
   UPDATE event_floor SET seq = max(seq, coalesce((SELECT max(seq) FROM change), 0));`,

  // What is not archived yet is found by its first event.
  `DROP INDEX txn_kept;`,

  // Card numbers that nothing needs any more are erased from here on: nothing but the number changes. What was deleted
  // before may still be in the file's free space, so the file is written anew before this step (migration.ts).
  '',

  // Transactions of which late evidence may have left something to be settled with the customer. Earlier ones: among
  // the last events, so that the step does not grow with the journal, those that the operator decided or that became
  // known.
  `CREATE TABLE matter (txn_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
   INSERT OR IGNORE INTO matter SELECT txn_id FROM event
     WHERE seq > (SELECT coalesce(max(seq), 0) FROM event) - 100000
       AND at > strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT at FROM event ORDER BY seq DESC LIMIT 1), '-7 days')
       AND body ->> 'kind' IN ('setAside', 'resolved');`,

  // Differences from the books of the banks, until the operator has settled them with the bank. Those of an earlier
  // schema are in its settlements; and a copy whose batches still wait is not compared with the banks' books either.
  `CREATE TABLE discrepancy (
     number INTEGER PRIMARY KEY,
     at TEXT NOT NULL,
     body TEXT NOT NULL,
     settled_at TEXT,
     session TEXT
   ) STRICT;
   CREATE INDEX discrepancy_open ON discrepancy (number) WHERE settled_at IS NULL;
   INSERT INTO discrepancy (at, body)
     SELECT settlement.at, json_patch(each.value, json_object('kind', 'booksDiffer',
         'acquirerId', result.value ->> 'acquirerId', 'batch', result.value ->> 'batch'))
       FROM settlement, json_each(results) AS result, json_each(result.value, '$.differences') AS each
       WHERE results LIKE '%"differences":%' ORDER BY ordinal;
   INSERT INTO discrepancy (at, body)
     SELECT since, json_object('kind', 'journalRestored', 'lastEvent', last) FROM life,
         (SELECT max(opened) AS last FROM settling JOIN txn USING (acquirer_id, batch) WHERE is_copy = 1)
       WHERE since IS NOT NULL AND last IS NOT NULL;`,

  // The merchant of a settlement request, so that the settlement continues with this merchant after a restart.
  `ALTER TABLE settlement ADD COLUMN merchant_id TEXT;`,

  // The reserved counters of DUKPT keys. The terminal takes them from a file (hosts/key-counters), and compares it with
  // this table.
  `CREATE TABLE key_counter (name TEXT PRIMARY KEY, reserved INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
];

/** The first schema with key counters. With an earlier one, only their file has them. */
export const keyCounterSchema = 25;

/** The merchant of a settlement is stored from this schema on. With an earlier one, a restart settles all merchants. */
export const merchantSchema = 24;

/** Differences from the books of the banks are stored from this schema on. */
export const discrepancySchema = 23;

/**
 * Matters to be settled with the customer are found from this schema on; with an earlier one, no list of the operator
 * has them.
 */
export const matterSchema = 22;

/** Card numbers are erased from this schema on: an earlier version may rely on them. */
export const erasingSchema = 21;

/** The schema that this code writes. */
export const schemaVersion = migrations.length;

/**
 * The oldest schema that this code also works with, unmigrated: that of the release before. While a version is on trial
 * the journal keeps that schema, so that the version before can read what was written meanwhile. Code that needs a
 * later one asks for it (`Statements.schema`), and test/journal runs on each schema from this one on.
 */
export const oldestUsable = 19;
