// Compares the books in PostgreSQL (PGHOST, PGDATABASE, …) with the terminals' journals and the acquirers' statements:
// node reconcile.mjs --journal T-1=T-1.jsonl --settlements T-1=T-1.settled.jsonl --statement EDC=edc.csv [--since 2026-11-01T00:00:00+08:00]
// A journal: the lines of `poid journal export --json`, or of an extract; settlements: those of `poid journal settlements --json`. Both as
// often as there are terminals. A statement: CSV with the columns tid, reference, currency and amount in its first line, refunds
// below zero. Exit code: 0 they agree, 3 they differ.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Client } from 'pg';

const { values: flags } = parseArgs({
  options: {
    journal: { type: 'string', multiple: true, default: [] },
    settlements: { type: 'string', multiple: true, default: [] },
    statement: { type: 'string', multiple: true, default: [] },
    since: { type: 'string', default: '-infinity' },
  },
});

/** Of each NAME=FILE. */
function inputs(given) {
  return given.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw new Error(`${each} is not NAME=FILE`);
    return { name: each.slice(0, at), text: readFileSync(each.slice(at + 1), 'utf8') };
  });
}

const linesOf = (text) => text.split(/\r?\n/).filter((line) => line !== '');

/** What still runs is in no books. What can't be read has no amount. */
function journalRows({ name: terminal, text }) {
  const entries = linesOf(text).map((line) => JSON.parse(line));
  const over = entries.filter(({ state, at }) => state !== 'PROCESSING' && isSince(at));
  return over.map(({ terminalTransactionId: id, state: status, amount, type, currency, ...entry }) => {
    const { at, method, acquirer, batch, original, presentBatch } = entry;
    return {
      terminal,
      id,
      status,
      amount: amount || null,
      type,
      currency,
      at,
      method,
      acquirer,
      batch,
      original,
      presentBatch,
    };
  });
}

function settlementRows({ name: terminal, text }) {
  const rows = linesOf(text).map((line) => ({ terminal, ...JSON.parse(line) }));
  return rows.filter(({ at }) => isSince(at));
}

function isSince(at) {
  return flags.since === '-infinity' || Date.parse(at) >= Date.parse(flags.since);
}

/** Of a line of CSV (RFC 4180): a comma between quotes parts nothing, and a doubled quote there is one. */
function cellsOf(line) {
  const cells = `${line},`.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*|([^,]*)),/g);
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain.trim());
}

/** References and amounts are kept as they are written: no number here. */
function statementRows(text) {
  const [names = [], ...rows] = linesOf(text).map(cellsOf);
  for (const name of ['tid', 'reference', 'currency', 'amount'])
    if (!names.includes(name)) throw new Error(`the statement has no column ${name}`);
  return rows.map((cells) => {
    if (cells.length !== names.length)
      throw new Error('a line of the statement has more or fewer cells than its first line');
    return Object.fromEntries(cells.map((value, at) => [names[at], value]));
  });
}

const db = new Client({});
await db.connect();
let differences = 0;

async function compare(title, sql, ...parameters) {
  const { rows } = await db.query(sql, parameters);
  differences += rows.length;
  console.log(`${title}: ${rows.length === 0 ? 'the same' : `${rows.length} differences`}`);
  for (const row of rows) console.log(`  ${JSON.stringify(row)}`);
}

try {
  const journals = inputs(flags.journal);
  if (journals.length > 0) {
    const rows = JSON.stringify(journals.flatMap(journalRows));
    const names = journals.map(({ name }) => name);
    await compare('journals', 'SELECT * FROM books.differences($1, $2, $3)', rows, names, flags.since);
  }
  const settlements = inputs(flags.settlements);
  const settling = settlements.map(({ name }) => name);
  if (settlements.length > 0) {
    const rows = JSON.stringify(settlements.flatMap(settlementRows));
    await compare('settlements', 'SELECT * FROM books.settlement_differences($1, $2, $3)', rows, settling, flags.since);
  }
  // Of the others: one that its terminal was to tell anew, and has not, may be forged.
  const untold = `SELECT terminal, id, at, record -> 'settlements' AS settlements FROM books.untold
                  WHERE kind = 'settlement' AND NOT terminal = ANY ($1)`;
  if ((await db.query(`${untold} LIMIT 1`, [settling])).rows.length > 0)
    await compare('settlements not told anew', untold, settling);
  // A line for each group of terminals: a replaced one has told thousands of them.
  const twice = `SELECT terminals, count(*)::int AS count, min(id) AS first FROM books.told_twice GROUP BY terminals ORDER BY terminals`;
  if ((await db.query(`${twice} LIMIT 1`)).rows.length > 0) await compare('told by more than one terminal', twice);
  for (const { name, text } of inputs(flags.statement)) {
    const rows = JSON.stringify(statementRows(text));
    await compare(name, 'SELECT * FROM books.statement_differences($1, $2, $3)', name, rows, flags.since);
  }
} finally {
  await db.end();
}
process.exitCode = differences === 0 ? 0 : 3;
