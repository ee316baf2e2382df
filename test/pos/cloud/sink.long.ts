import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectAsync } from 'mqtt';
import { eventually } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { Postgres } from '../../support/postgres.ts';
import { BookTerminal } from './book-terminal.ts';

const sinkProcess = fileURLToPath(new URL('sink-process.ts', import.meta.url));
const schema = new URL('../../../docs/examples/sink/schema.sql', import.meta.url);

let dir: string;
let broker: Broker;
let postgres: Postgres;
/** What has been started, to be stopped in the reverse order, also when a later start fails. */
const begun = new AsyncDisposableStack();
const terminals: BookTerminal[] = [];
let sink: ChildProcess | undefined;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-sink-'));
  begun.defer(() => rm(dir, { recursive: true }));
  broker = await Broker.start(path.join(dir, 'broker'));
  begun.defer(() => broker.stop());
  postgres = await Postgres.start();
  begun.defer(() => postgres.stop());
  await postgres.query(await readFile(schema, 'utf8'));
  await postgres.query(`INSERT INTO books.shop VALUES ('Central', 'Asia/Hong_Kong')`);
  await postgres.query(`INSERT INTO books.terminal VALUES ('T-1', 'Central'), ('T-2', 'Central')`);
  for (const name of ['T-1', 'T-2', 'T-3']) terminals.push(new BookTerminal(name, dir, broker));
});
after(async () => {
  for (const each of terminals) {
    await each.stop();
    each.store.close();
  }
  await kill();
  await begun.disposeAsync();
});

async function startSink(...flags: string[]): Promise<void> {
  sink = fork(sinkProcess, [String(broker.port), postgres.dir, ...flags], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(sink, 'message');
}

async function kill(): Promise<void> {
  if (!sink || sink.exitCode !== null || sink.signalCode !== null) return;
  const exited = once(sink, 'exit');
  sink.kill('SIGKILL');
  await exited;
}

/** Resolves when the sink has so many messages of each terminal. */
async function arrived(count: number): Promise<void> {
  const sql = 'SELECT terminal, count(*) AS count FROM books.message GROUP BY terminal';
  for (let rows = await postgres.query(sql); ; rows = await postgres.query(sql)) {
    if (rows.length === terminals.length && rows.every((row) => Number(row['count']) >= count)) return;
    await pause(50);
  }
}

test('each change is in the books once and in its order, whoever is killed meanwhile', {
  timeout: 90_000,
}, async () => {
  for (const each of terminals) {
    each.sell(100);
    each.start();
  }
  await startSink('dies');
  // It has committed, and told nobody.
  await once(sink as ChildProcess, 'exit');
  assert.notEqual((await postgres.query('SELECT * FROM books.message')).length, 0);
  await startSink();
  await arrived(40);
  await broker.kill();
  for (const each of terminals) each.sell(20);
  await broker.restart();
  await arrived(60);
  await terminals[0]?.stop();
  terminals[0]?.sell(5);
  terminals[0]?.start();
  await kill();
  for (const each of terminals) each.sell(5);
  await startSink();
  for (const each of terminals.slice(1)) each.sell(5);
  await arrived(130);
  for (const each of terminals) {
    const sql = 'SELECT seq, body FROM books.message WHERE terminal = $1 ORDER BY ordinal';
    const rows = await postgres.query(sql, [each.name]);
    const reported = rows.map(({ seq, body }) => ({ id: (body as unknown as { id: string }).id, seq: Number(seq) }));
    assert.deepEqual(reported, each.changes(), each.name);
  }
});

test('what a terminal that was set back asks for again, the books do not take twice', { timeout: 60_000 }, async () => {
  const [message] = await postgres.query(
    `SELECT terminal, body FROM books.message WHERE terminal = 'T-2' AND seq = 30`,
  );
  const sql = 'SELECT * FROM books.take_all($1)';
  const [row] = await postgres.query(sql, [JSON.stringify([{ terminal: 'T-2', message: message?.['body'] }])]);
  assert.deepEqual([Number(row?.['seq']), row?.['again']], [390, false]);
  const gap = { ...(message?.['body'] as unknown as object), seq: 500, after: 493 };
  const [asked] = await postgres.query(sql, [JSON.stringify([{ terminal: 'T-2', message: gap }])]);
  assert.deepEqual([Number(asked?.['seq']), asked?.['again']], [390, true]);
  const [{ count } = { count: 0 }] = await postgres.query(`SELECT count(*) FROM books.message WHERE terminal = 'T-2'`);
  assert.equal(Number(count), 130);
});

/** As an exported journal has what these terminals sell. */
const listed = {
  status: 'APPROVED',
  amount: '30.10',
  currency: 'HKD',
  type: 'SALE',
  at: '2026-01-01T17:30:00.999Z',
  method: 'VISA',
  acquirer: 'EDC',
  original: '',
};

test('an accountant reads sales by shop and day in its zone, and what is unsettled', { timeout: 60_000 }, async () => {
  const rows = await postgres.query(
    'SELECT shop, day::text, sales, sold FROM books.sales_by_shop_and_day ORDER BY shop',
  );
  // 17:30 in London is the next day in Hong Kong.
  assert.deepEqual(rows, [
    { shop: 'Central', day: '2026-01-02', sales: '260', sold: '7826.0' },
    { shop: null, day: '2026-01-01', sales: '130', sold: '3913.0' },
  ]);
  const [unsettled] = await postgres.query('SELECT count(*) FROM books.unsettled');
  assert.equal(Number(unsettled?.['count']), 390);
  const journals = terminals.flatMap((each) =>
    each.changes().map(({ id }) => ({ terminal: each.name, id, ...listed })),
  );
  const differences = (list: object[]) => postgres.query('SELECT * FROM books.differences($1)', [JSON.stringify(list)]);
  assert.deepEqual(await differences(journals), []);
  const [first, ...others] = journals;
  assert.equal((await differences(others)).length, 1, 'one that the journal has not');
  const forged = { amount: '30.20', currency: 'USD', type: 'REFUND', at: '2026-01-02T17:30:00Z', method: 'VISA EDC' };
  for (const [name, value] of Object.entries({ ...forged, acquirer: 'CUP', batch: 7, original: first?.id })) {
    const [row, ...more] = await differences([{ ...first, [name]: value }, ...others]);
    assert.deepEqual([row?.['id'], more], [first?.id, []], name);
  }
});

test('a forged acknowledgement that the broker has retained: the sink asks for what it lacks all the same', {
  timeout: 90_000,
}, async () => {
  await kill();
  const thief = await connectAsync(broker.url, { protocolVersion: 5 });
  for (const each of terminals) {
    await each.stop();
    each.sell(5);
    const forged = JSON.stringify({ stream: each.store.life.stream, seq: each.changes().at(-1)?.seq });
    await thief.publishAsync(`poid/v1/${each.name}/books/ack`, forged, { qos: 1, retain: true });
  }
  await thief.endAsync();
  await startSink();
  for (const each of terminals) each.start();
  await arrived(135);
});

test('a journal that goes on under a later name: whoever sends under the former one hears the later', async () => {
  const [row] = await postgres.query(`SELECT body FROM books.message WHERE terminal = 'T-2' LIMIT 1`);
  const message = (stream: string, seq: number, after: number) => ({
    terminal: 'T-9',
    message: { ...(row?.['body'] as unknown as object), stream, seq, after },
  });
  const all = [
    message('ab', 3, 0),
    message('ab.1', 3, 0),
    message('ab', 9, 3),
    message('ab.2', 4, 0),
    message('ab.1', 5, 3),
  ];
  const rows = await postgres.query('SELECT * FROM books.take_all($1)', [JSON.stringify(all)]);
  assert.deepEqual(
    rows.map(({ stream, seq, again }) => [stream, Number(seq), again]),
    [
      ['ab', 3, false],
      ['ab.1', 3, false],
      ['ab.1', 3, true],
      ['ab.2', 4, false],
      ['ab.2', 4, true],
    ],
  );
  // Asked to tell anew, it goes on under the name that it has, from the beginning.
  await postgres.query(`SELECT books.tell_anew('T-9')`);
  const anew = [message('ab.2', 6, 4), message('ab.2', 4, 0), message('ab', 9, 3)];
  assert.deepEqual(
    (await postgres.query('SELECT * FROM books.take_all($1)', [JSON.stringify(anew)])).map(({ stream, seq, again }) => [
      stream,
      Number(seq),
      again,
    ]),
    [
      ['ab.2', 0, true],
      ['ab.2', 4, false],
      ['ab.2', 4, true],
    ],
  );
});

test('what the broker held back of the first name of a journal is no later than what goes by the next', async () => {
  const [row] = await postgres.query(`SELECT body FROM books.message WHERE terminal = 'T-2' LIMIT 1`);
  const body = row?.['body'] as unknown as { record: object };
  const message = (stream: string, seq: number, status: string) => ({
    terminal: 'T-8',
    message: { ...body, stream, seq, after: 0, version: seq, record: { ...body.record, status } },
  });
  const all = [message('cd.1', 9, 'new'), message('cd', 3, 'old')];
  const rows = await postgres.query('SELECT * FROM books.take_all($1)', [JSON.stringify(all)]);
  assert.deepEqual(
    rows.map(({ stream, seq, again }) => [stream, Number(seq), again]),
    [
      ['cd.1', 9, false],
      ['cd.1', 9, true],
    ],
  );
  const kept = await postgres.query(`SELECT record ->> 'status' AS status FROM books.entry WHERE terminal = 'T-8'`);
  assert.deepEqual(kept, [{ status: 'new' }]);
});

test('one line of a statement satisfies one sale, also where two have its reference', async () => {
  const [row] = await postgres.query(`SELECT body FROM books.message WHERE terminal = 'T-2' LIMIT 1`);
  const { record } = (row ?? assert.fail())['body'] as unknown as { record: { transactionResult: object } };
  const message = (seq: number, amount: number) => ({
    terminal: 'T-6',
    message: {
      stream: 'ef',
      seq,
      after: seq - 1,
      version: seq,
      kind: 'transaction',
      id: `SAME-${seq}`,
      record: {
        transactionResult: {
          ...record.transactionResult,
          acquirerId: 'ONE',
          acquirerTid: '1',
          rrn: '7',
          totalAmount: amount,
        },
      },
    },
  });
  await postgres.query('SELECT books.take_all($1)', [JSON.stringify([message(1, 30), message(2, 50), message(3, 30)])]);
  const differences = async (...amounts: number[]) => {
    const lines = amounts.map((amount) => ({ tid: '1', reference: '7', currency: 'HKD', amount }));
    const sql = `SELECT id, books::int, statement::int FROM books.statement_differences('ONE', $1) ORDER BY id`;
    return (await postgres.query(sql, [JSON.stringify(lines)])).map(({ id, books, statement }) => [
      id,
      books,
      statement,
    ]);
  };
  assert.deepEqual(await differences(50, 30, 30), []);
  assert.deepEqual(await differences(30), [
    ['SAME-2', 50, null],
    ['SAME-3', 30, null],
  ]);
  assert.notDeepEqual(await differences(30, 50, 30, 9), []);
});

/** Told by a terminal of its own, one after the other. */
async function publish(terminal: string, ...messages: readonly object[]): Promise<void> {
  const list = messages.map((message, index) => ({
    terminal,
    message: { stream: terminal, seq: index + 1, after: index, version: index + 1, ...message },
  }));
  await postgres.query('SELECT books.take_all($1)', [JSON.stringify(list)]);
}

const sold = (id: string, fields: object, more: object = {}) => ({
  kind: 'transaction',
  id,
  ...more,
  record: {
    transactionResult: {
      tranType: 'SALE',
      tranStatus: 'APPROVED',
      acquirerId: 'OWN',
      acquirerTid: '9',
      currency: 'HKD',
      totalAmount: 30,
      createTime: '2026-03-01T10:00:00+0000',
      ...fields,
    },
  },
});

test('a settlement with nothing in it settles nothing that is taken later in a batch of its number', async () => {
  const settled = (id: string, fields: object) => ({
    kind: 'settlement',
    id,
    record: { settlements: [{ acquirer: 'OWN', batch: 5, result: 'BALANCED', totals: [], ...fields }] },
  });
  const open = () => postgres.query(`SELECT id FROM books.unsettled WHERE terminal = 'T-10'`);
  const first = [settled('EMPTY', { empty: true }), sold('LATER', {}, { batch: 5 })];
  await publish('T-10', ...first);
  assert.deepEqual(await open(), [{ id: 'LATER' }]);
  const total = { transactionType: 'SALE', currency: 'HKD', count: 1, totalAmount: 30 };
  await publish('T-10', ...first, settled('FULL', { totals: [total] }));
  assert.deepEqual(await open(), []);
});

test('the cash that customers took within a sale stands beside what was sold', async () => {
  await publish('T-11', sold('BACK', { acquirerId: 'DEBIT', totalAmount: 250, cashbackAmount: 200 }));
  const sql = `SELECT net::int, cash_back::int FROM books.at_acquirer WHERE acquirer = 'DEBIT'`;
  assert.deepEqual(await postgres.query(sql), [{ net: 250, cash_back: 200 }]);
});

test('a statement that begins today may have the void of yesterday’s sale', async () => {
  const yesterday = { acquirerId: 'TWO', rrn: '71', createTime: '2026-03-01T10:00:00+0000', tranStatus: 'VOIDED' };
  const today = { acquirerId: 'TWO', createTime: '2026-03-02T10:00:00+0000' };
  await publish(
    'T-12',
    sold('YESTERDAY', yesterday),
    sold('VOID', { ...today, rrn: '72', tranType: 'VOID_SALE', originalTerminalTransactionId: 'YESTERDAY' }),
    sold('TODAY', { ...today, rrn: '73' }),
  );
  const line = (reference: string, amount: number) => ({ tid: '9', reference, currency: 'HKD', amount });
  const differences = async (...lines: object[]) => {
    const sql = `SELECT reference FROM books.statement_differences('TWO', $1, '2026-03-02T00:00:00Z')`;
    return (await postgres.query(sql, [JSON.stringify(lines)])).map(({ reference }) => reference);
  };
  assert.deepEqual(await differences(line('72', -30), line('73', 30)), []);
  assert.deepEqual(await differences(line('72', -30), line('73', 31)), ['73']);
  assert.deepEqual(await differences(line('72', -30), line('73', 30), line('74', 5)), ['74']);
});

test('books that someone else has told are right again once the terminal was asked to tell anew', {
  timeout: 60_000,
}, async () => {
  const [terminal] = terminals;
  assert.ok(terminal);
  const { name } = terminal;
  const entries = () =>
    postgres.query('SELECT id, kind, at, batch, record FROM books.entry WHERE terminal = $1 ORDER BY id', [name]);
  const right = await entries();
  const [{ id } = assert.fail(), { id: second } = assert.fail()] = right;
  const sale = {
    transactionResult: { tranType: 'REFUND', tranStatus: 'APPROVED', currency: 'USD', totalAmount: 9000 },
  };
  const forged = [
    { id, kind: 'transaction', batch: 9, record: sale },
    { id: second, kind: 'settlement', record: { settlements: [] } },
    { id: 'FORGED', kind: 'settlement', record: { settlements: [{ acquirer: 'EDC', batch: 1, result: 'BALANCED' }] } },
  ].map((each, index) => {
    const place = { stream: 'forged', seq: index + 1, after: index, version: 999_999 };
    return { terminal: name, message: { ...place, at: '2026-05-05T05:05:05Z', ...each } };
  });
  await postgres.query('SELECT books.take_all($1)', [JSON.stringify(forged)]);
  // Whatever it says again of its own accord changes nothing.
  await terminal.stop();
  terminal.start();
  await pause(500);
  assert.equal((await entries()).length, right.length + 1);
  assert.notDeepEqual(
    (await entries()).filter((each) => each['id'] !== 'FORGED'),
    right,
  );

  await postgres.query('SELECT books.tell_anew($1)', [name]);
  await terminal.stop();
  terminal.start();
  const untold = () => postgres.query('SELECT id FROM books.untold');
  await eventually(untold, (rows) => rows.length === 1, 30_000);
  assert.deepEqual(await untold(), [{ id: 'FORGED' }]);
  assert.deepEqual(
    (await entries()).filter((each) => each['id'] !== 'FORGED'),
    right,
  );
});
