import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectAsync } from 'mqtt';
import { eventually } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { Postgres } from '../../support/postgres.ts';

/** Two sinks, and whoever else writes into their database. */

const sinkProcess = fileURLToPath(new URL('sink-process.ts', import.meta.url));
const schema = new URL('../../../docs/examples/sink/schema.sql', import.meta.url);
const begun = new AsyncDisposableStack();
let broker: Broker;
let postgres: Postgres;

before(async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-sinks-'));
  begun.defer(() => rm(dir, { recursive: true }));
  broker = await Broker.start(dir);
  begun.defer(() => broker.stop());
  postgres = await Postgres.start();
  begun.defer(() => postgres.stop());
  await postgres.query(await readFile(schema, 'utf8'));
});
after(() => begun.disposeAsync());

interface Sink {
  readonly child: ChildProcess;
  readonly reported: () => string;
}

/** Resolves once the broker has its subscription. */
async function startSink(clientId: string): Promise<Sink> {
  const before = subscriptions(clientId);
  const child = fork(sinkProcess, [String(broker.port), postgres.dir], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, CLIENT_ID: clientId },
  });
  begun.defer(() => end(child));
  let reported = '';
  child.stderr?.on('data', (chunk: Buffer) => (reported += chunk.toString()));
  await eventually(
    async () => subscriptions(clientId),
    (count) => count > before,
  );
  return { child, reported: () => reported };
}

function subscriptions(clientId: string): number {
  return broker.log.filter((line) => line.includes(`Sending SUBACK to ${clientId}`)).length;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGKILL');
  await exited;
}

const message = (terminal: string) => ({
  terminal,
  message: { stream: 'one', seq: 1, after: 0, version: 1, kind: 'transaction', id: `of-${terminal}`, record: {} },
});

test('a commit that another one stands in the way of is made again', { timeout: 60_000 }, async () => {
  const { child, reported } = await startSink('books');
  // It waits for no deadlock: of two it is the sink that is ended.
  const other = await postgres.open({ options: '-c deadlock_timeout=600s' });
  begun.defer(() => other.end());
  const [gate, till] = [await postgres.open(), await connectAsync(broker.url, { protocolVersion: 5 })];
  begun.defer(() => gate.end());
  begun.defer(() => till.endAsync(true));
  const taken = (terminal: string) => [JSON.stringify([message(terminal)])];
  const published = (terminal: string) =>
    till.publishAsync(`poid/v1/${terminal}/books`, JSON.stringify(message(terminal).message), { qos: 1 });
  await gate.query('BEGIN');
  await gate.query('SELECT books.take_all($1)', taken('T-0'));
  await other.query('BEGIN');
  await other.query('SELECT books.take_all($1)', taken('T-2'));
  // While its commit of T-0 waits, the sink gets both others, and has them in one commit: it holds T-1 when it waits for T-2.
  for (const terminal of ['T-0', 'T-1', 'T-2']) await published(terminal);
  await eventually(
    async () => broker.log.filter((line) => line.includes('Received PUBACK from books')).length,
    (count) => count === 3,
  );
  await gate.query('ROLLBACK');
  await eventually(
    () => postgres.query(`SELECT terminal FROM books.entry`),
    (rows) => rows.length === 1,
  );
  const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%take_all%'`;
  await eventually(
    () => postgres.query(waiting),
    ([row]) => Number(row?.['count']) === 1,
  );
  await other.query('SELECT books.take_all($1)', taken('T-1'));
  await other.query('COMMIT');
  await eventually(
    () => postgres.query('SELECT terminal FROM books.entry ORDER BY terminal'),
    (rows) => rows.length === 3,
  );
  assert.deepEqual([child.exitCode, reported()], [null, '']);
  await end(child);
});

test('of two sinks with one client id one says why it ends; two with their own write side by side', {
  timeout: 60_000,
}, async () => {
  const both = [await startSink('books'), await startSink('books')] as const;
  const ended = await Promise.race(both.map((each) => once(each.child, 'exit').then(() => each)));
  assert.match(ended.reported(), /has another sink its CLIENT_ID\?/);
  const left = both.find((each) => each !== ended);
  const second = await startSink('books-2');
  const till = await connectAsync(broker.url, { protocolVersion: 5 });
  begun.defer(() => till.endAsync(true));
  await till.publishAsync('poid/v1/T-3/books', JSON.stringify(message('T-3').message), { qos: 1 });
  await eventually(
    () => postgres.query(`SELECT id FROM books.entry WHERE terminal = 'T-3'`),
    (rows) => rows.length === 1,
  );
  assert.deepEqual([left?.child.exitCode, second.child.exitCode], [null, null]);
});
