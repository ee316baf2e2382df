import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectAsync } from 'mqtt';
import { eventually } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { Postgres } from '../../support/postgres.ts';

const sinkProcess = fileURLToPath(new URL('sink-process.ts', import.meta.url));
const schema = new URL('../../../docs/examples/sink/schema.sql', import.meta.url);

const result = { tranType: 'SALE', tranStatus: 'APPROVED', acquirerId: 'EDC', currency: 'HKD', totalAmount: 30 };
const sale = { transactionResult: { ...result, createTime: '2026-01-01T17:30:00+0000' } };
const place = { stream: 'one', seq: 1, after: 0, version: 1 };
const good = { ...place, kind: 'transaction', id: 'A', record: sale };
const amount = (totalAmount: unknown) => ({ transactionResult: { ...sale.transactionResult, totalAmount } });
const made = (createTime: string) => ({ transactionResult: { ...sale.transactionResult, createTime } });
const tip = { tranType: 'TIP_ADJUST', originalTerminalTransactionId: 'A' };

/** A text that can't be compressed: an index refuses it where it is too long, and so does the sink. */
const long = randomBytes(9_000).toString('base64url');
/** As deep as no stack of a database. */
const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const payloadOf = (message: object) => JSON.stringify(message).replace('"nested"', nested);

/** What only a thief would send: each is JSON, and passes for a message. */
const poison: readonly object[] = [
  { ...place, id: 'A', record: sale },
  { ...good, kind: 'gift' },
  { ...good, record: undefined },
  { ...good, at: 'sometime' },
  { ...good, batch: 'none' },
  { ...good, stream: '\u0000' },
  ...['much', 'NaN', 'Infinity', -30, 1e300].map((each) => ({ ...good, record: amount(each) })),
  // Some of these are a time, and in the zone of the shop there is none.
  ...['once', '294276-12-31 23:00:00+00', '4714-11-24 00:00:00+00 BC', 'infinity', 'now', '13/12/2026'].map((each) => ({
    ...good,
    record: made(each),
  })),
  { ...good, at: '294276-12-31 23:00:00+00' },
  { ...good, kind: 'settlement', record: { settlements: [], ...made('once') } },
  {
    ...good,
    kind: 'settlement',
    record: { settlements: [], transactionResult: { ...amount('abc').transactionResult, ...tip } },
  },
  { ...good, kind: 'settlement', record: { settlements: 'all' } },
  { ...good, kind: 'settlement', record: { settlements: [{ batch: 'all' }] } },
  { ...good, kind: 'settlement', record: { settlements: [{ batch: 1, totals: 'all' }] } },
  { ...good, kind: 'settlement', record: { settlements: [{ batch: 1, totals: [{ totalAmount: 'abc' }] }] } },
  { ...good, originals: [{ id: 'B', record: amount('NaN') }] },
  { ...good, originals: 'all' },
  { ...good, stream: long },
  { ...good, id: long },
  { ...good, originals: [{ id: long, record: sale }] },
  { ...good, record: { transactionResult: { ...sale.transactionResult, originalTerminalTransactionId: long } } },
  { ...good, record: { ...sale, more: 'nested' } },
];

test('whoever has stolen a terminal’s certificate spoils the books of no other, and none of the sums', {
  timeout: 90_000,
}, async () => {
  await using begun = new AsyncDisposableStack();
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-sink-'));
  begun.defer(() => rm(dir, { recursive: true }));
  const broker = await Broker.start(dir);
  begun.defer(() => broker.stop());
  const postgres = await Postgres.start();
  begun.defer(() => postgres.stop());
  await postgres.query(await readFile(schema, 'utf8'));
  const sink = fork(sinkProcess, [String(broker.port), postgres.dir], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  begun.defer(async () => {
    const exited = sink.exitCode === null ? once(sink, 'exit') : undefined;
    sink.kill('SIGKILL');
    await exited;
  });
  await once(sink, 'message');
  await eventually(
    async () => broker.log,
    (lines) => lines.some((line) => line.includes('Sending SUBACK to books')),
  );
  const thief = await connectAsync(broker.url, { protocolVersion: 5 });
  begun.defer(() => thief.endAsync(true));
  const acknowledged: string[] = [];
  thief.on('message', (topic) => acknowledged.push(topic));
  await thief.subscribeAsync('poid/v1/+/books/ack', { qos: 1 });
  // In one commit with those of others, or in one of its own.
  await Promise.all(
    poison.flatMap((each, index) => [
      thief.publishAsync(`poid/v1/STOLEN-${index}/books`, payloadOf(each), { qos: 1 }),
      thief.publishAsync(`poid/v1/T-${index}/books`, JSON.stringify({ ...good, id: `${index}` }), { qos: 1 }),
    ]),
  );
  const count = () => postgres.query(`SELECT count(*) FROM books.entry WHERE terminal LIKE 'T-%'`);
  await eventually(count, ([row]) => Number(row?.['count']) === poison.length, 30_000);
  const [sums] = await postgres.query('SELECT sum(sales) AS sales, sum(net) AS net FROM books.sales_by_shop_and_day');
  assert.deepEqual([Number(sums?.['sales']), Number(sums?.['net'])], [poison.length, 30 * poison.length]);
  for (const view of ['unsettled', 'settled_batch', 'waiting_reversal', 'at_acquirer', 'reference'])
    await postgres.query(`SELECT * FROM books.${view}`);
  assert.deepEqual(await postgres.query(`SELECT terminal, id FROM books.entry WHERE terminal LIKE 'STOLEN-%'`), []);
  await eventually(
    async () => acknowledged,
    (topics) => poison.every((_, index) => topics.includes(`poid/v1/T-${index}/books/ack`)),
  );
  assert.deepEqual(
    acknowledged.filter((topic) => topic.includes('STOLEN')),
    [],
  );
  assert.equal(sink.exitCode, null);
});
