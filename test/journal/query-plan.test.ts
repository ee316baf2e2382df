import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { preparedStatements } from './prepared-statements.ts';
import { growingScans } from './scans.ts';

let dir: string;
let file: string;
let statements: readonly string[];
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-plan-'));
  file = path.join(dir, 'journal.db');
  statements = preparedStatements(file);
});
after(() => rmSync(dir, { recursive: true }));

test('no statement reads all of what grows with the shop', () => {
  const database = new DatabaseSync(file);
  for (const sql of statements) assert.deepEqual(growingScans(database, sql), [], sql);
  database.close();
});

test('one that does is found', () => {
  const database = new DatabaseSync(file);
  for (const planted of [
    'SELECT id FROM txn WHERE advice = ?',
    'SELECT seq FROM event WHERE at > ? ORDER BY seq',
    `SELECT id FROM txn JOIN event ON event.at = txn.id WHERE acquirer_id = ? AND batch = ?`,
    'SELECT id FROM settlement WHERE acquirer_id = ?',
    'DELETE FROM attempt WHERE txn_id = ?',
    'SELECT count(*) FROM txn',
  ]) {
    assert.notDeepEqual(growingScans(database, planted), [], planted);
  }
  database.close();
});

test('every statement of the journal is among them', () => {
  const prepared = statements.map(squeezed);
  const folder = fileURLToPath(new URL('../../src/journal/', import.meta.url));
  const written = readdirSync(folder)
    .filter((name) => name !== 'schema.ts')
    .flatMap((name) => [
      ...readFileSync(path.join(folder, name), 'utf8').matchAll(
        /['"`]((?:SELECT|UPDATE|INSERT|DELETE|WITH) [^'"`$]*)/g,
      ),
    ])
    // The schema does not grow with the shop.
    .filter(([, sql = '']) => !sql.includes('FROM sqlite_schema'))
    .map(([, sql = '']) => squeezed(sql).slice(0, 24));
  assert.ok(written.length > 40);
  const missing = written.filter((begin) => !prepared.some((sql) => sql.startsWith(begin)));
  assert.deepEqual(missing, []);
});

const squeezed = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim();
