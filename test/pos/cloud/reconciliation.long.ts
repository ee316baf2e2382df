import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drained } from '../../e2e/books.ts';
import { byCard, byScannedCode, type Way } from '../../e2e/customer.ts';
import { eventually, type Json, type Stage } from '../../e2e/stage.ts';
import { type Line, linesOf, reconcile, sumOf } from './accountant.ts';
import { Chain, journalOf } from './chain.ts';

const [visa, mastercard, alipay] = [byCard('visa'), byCard('mastercard'), byScannedCode('ALIPAY')];
const hosts = ['EDC', 'CUP', 'QR'] as const;
/** Each in its shop's zone. */
const places = {
  'T-1': { shop: 'Central', zone: 'Asia/Hong_Kong' },
  'T-2': { shop: 'Central', zone: 'Asia/Hong_Kong' },
  'T-3': { shop: 'London', zone: 'Europe/London' },
} as const;
type Name = keyof typeof places;
const names = Object.keys(places) as Name[];

let chain: Chain;
const stages = new Map<Name, Stage>();
before(async () => {
  chain = await Chain.open();
  await chain.query(`INSERT INTO books.shop VALUES ('Central', 'Asia/Hong_Kong'), ('London', 'Europe/London')`);
  for (const [index, name] of names.entries()) {
    await chain.query('INSERT INTO books.terminal VALUES ($1, $2)', [name, places[name].shop]);
    stages.set(name, await chain.terminal(name, { hosts, acquirer: { tid: `1234567${index}` } }));
  }
});
after(() => chain?.close());

function at(name: Name): Stage {
  return stages.get(name) ?? assert.fail(name);
}

/** Resolves to its terminalTransactionId. */
async function takes(stage: Stage, result: string, way: Way, fields: Json): Promise<string> {
  const { body } = await stage.paid(way, fields);
  assert.equal(body.responseResult, result, body.message);
  return body.terminalTransactionId;
}

async function refers(stage: Stage, fields: Json): Promise<void> {
  const { body } = await stage.payment(stage.saleRequest(fields));
  assert.equal(body.responseResult, 'SUCCESS', body.message);
}

/** A day of every kind. No two amounts of a terminal are the same. */
async function trade(stage: Stage): Promise<void> {
  await takes(stage, 'SUCCESS', mastercard, { requestAmount: 30.1 });
  const voided = await takes(stage, 'SUCCESS', visa, { requestAmount: 41 });
  await refers(stage, { transactionType: 'VOID', requestAmount: 41, originalTerminalTransactionId: voided });
  const sold = await takes(stage, 'SUCCESS', visa, { requestAmount: 52.2 });
  const back = { transactionType: 'REFUND', requestAmount: 12, originalTerminalTransactionId: sold };
  await takes(stage, 'SUCCESS', visa, back);
  // Who signed may leave a tip.
  const served = await takes(stage, 'SUCCESS', byCard('mastercard', 'fallback'), { requestAmount: 60 });
  const tip = { transactionType: 'TIP_ADJUST', requestAmount: 66, tipAmount: 6, originalTerminalTransactionId: served };
  await refers(stage, tip);
  const regretted = await takes(stage, 'SUCCESS', byCard('mastercard', 'fallback'), { requestAmount: 100 });
  await refers(stage, { ...tip, requestAmount: 110, tipAmount: 10, originalTerminalTransactionId: regretted });
  const partly = { transactionType: 'REFUND', requestAmount: 13, originalTerminalTransactionId: regretted };
  await takes(stage, 'SUCCESS', mastercard, partly);
  const held = await takes(stage, 'SUCCESS', byCard('unionpay'), { transactionType: 'AUTH', requestAmount: 25 });
  await refers(stage, { transactionType: 'AUTH_COMP', requestAmount: 24, originalTerminalTransactionId: held });
  await takes(stage, 'SUCCESS', alipay, { requestAmount: 17 });
  const scanned = await takes(stage, 'SUCCESS', alipay, { requestAmount: 18 });
  await refers(stage, { transactionType: 'VOID', requestAmount: 18, originalTerminalTransactionId: scanned });
  await stage.host('EDC', { decline: '51' });
  await takes(stage, 'DECLINED', visa, { requestAmount: 70 });
  await stage.host('EDC', { mode: 'silent', atMessage: 1 });
  await takes(stage, 'ERROR', visa, { requestAmount: 80 });
  await stage.host('EDC', { mode: 'up' });
  await drained(stage);
}

/** Once the books are the journal, entry by entry. */
async function booksOf(name: Name): Promise<void> {
  const [stage, line] = [at(name), (each: Json) => JSON.stringify([each.terminalTransactionId, each])];
  await eventually(
    async () => [(await journalOf(stage)).map(line), [...(await chain.entries(name)).values()].map(line)],
    ([journal = [], books = []]) => sameLines(journal, books),
    60_000,
  );
}

/** PostgreSQL keeps the fields of a document in an order of its own. */
function sameLines(journal: readonly string[], books: readonly string[]): boolean {
  const sorted = (lines: readonly string[]) => lines.map((line) => line.split('').toSorted().join('')).toSorted();
  return JSON.stringify(sorted(journal)) === JSON.stringify(sorted(books));
}

async function allLines(): Promise<Line[]> {
  return (await Promise.all(names.map((name) => linesOf(name, at(name), hosts)))).flat();
}

const cents = (value: unknown) => Math.round(Number(value) * 100);

test('three terminals trade while the broker is restarted and one of them is killed: books, journals and hosts agree', {
  timeout: 240_000,
}, async () => {
  await trade(at('T-1'));
  await chain.broker.kill();
  await trade(at('T-2'));
  await chain.broker.restart();
  await trade(at('T-3'));
  // Killed after its host has booked it: it is taken back.
  const two = at('T-2');
  await two.host('EDC', { mode: 'silent' });
  two.begun({ requestAmount: 90 });
  await two.tap('visa');
  await eventually(
    () => two.posted(),
    (entries) => entries.some(({ amount }) => amount === '90.00'),
  );
  await two.stopDaemon('SIGKILL');
  await two.host('EDC', { mode: 'up' });
  await two.startDaemon();
  await drained(two);
  const { body } = await at('T-1').settle();
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  await takes(at('T-1'), 'SUCCESS', visa, { requestAmount: 33 });
  // The second settlement of the wallets has nothing in it.
  await at('T-1').settle({ acquirer: 'QR' });
  await takes(at('T-1'), 'SUCCESS', alipay, { requestAmount: 19 });
  for (const name of names) await booksOf(name);

  const lines = await allLines();
  const by = (acquirer: string) => lines.filter((line) => line.acquirer === acquirer);
  const { code, out } = await reconcile(chain, stages, { EDC: by('EDC'), CUP: by('CUP'), QR: by('QR') });
  assert.deepEqual(
    [code, out],
    [0, 'journals: the same\nsettlements: the same\nEDC: the same\nCUP: the same\nQR: the same\n'],
  );
});

test('the views of an accountant are the hosts’ books', async () => {
  const lines = await allLines();
  const net = await chain.query(
    'SELECT shop, day::text, net FROM books.sales_by_shop_and_day ORDER BY shop COLLATE "C", day',
  );
  const days = new Map<string, number>();
  for (const line of lines) {
    const { shop, zone } = places[line.terminal as Name];
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(line.at);
    days.set(`${shop} ${day}`, (days.get(`${shop} ${day}`) ?? 0) + line.cents);
  }
  assert.deepEqual(new Map(net.map((row) => [`${row['shop']} ${row['day']}`, cents(row['net'])])), days);
  const unsettled = await chain.query(
    `SELECT terminal, sum(amount) AS net FROM books.unsettled WHERE acquirer = 'EDC' GROUP BY terminal ORDER BY terminal`,
  );
  assert.deepEqual(
    unsettled.map((row) => [row['terminal'], cents(row['net'])]),
    names.map((name) => {
      const open = lines.filter((line) => line.terminal === name && line.acquirer === 'EDC' && !line.settled);
      return [name, sumOf(open)];
    }),
  );
  const wallets = await chain.query(`SELECT amount FROM books.unsettled WHERE terminal = 'T-1' AND acquirer = 'QR'`);
  assert.deepEqual(
    wallets.map(({ amount }) => cents(amount)),
    [1900],
  );
  const [batch] = await chain.query(
    `SELECT result, totals FROM books.settled_batch WHERE terminal = 'T-1' AND acquirer = 'EDC'`,
  );
  const settled = lines.filter((line) => line.terminal === 'T-1' && line.acquirer === 'EDC' && line.settled);
  assert.equal(batch?.['result'], 'BALANCED');
  assert.equal(
    (batch['totals'] as unknown as Json[]).reduce(
      (total, { transactionType, totalAmount }) => total + cents(totalAmount) * (transactionType === 'REFUND' ? -1 : 1),
      0,
    ),
    sumOf(settled),
  );
  assert.deepEqual(await chain.query('SELECT * FROM books.waiting_reversal'), []);
});

test('a reversal that waits is listed, and the statement has what the books do not count', async () => {
  const stage = at('T-3');
  await stage.host('EDC', { mode: 'silent', reversals: true });
  const id = await takes(stage, 'ERROR', visa, { requestAmount: 99 });
  const waiting = () => chain.query('SELECT terminal, id, acquirer, amount, impact FROM books.waiting_reversal');
  await eventually(waiting, (rows) => rows.length > 0, 60_000);
  assert.deepEqual(await waiting(), [
    { terminal: 'T-3', id, acquirer: 'EDC', amount: '99', impact: 'REVERSAL_PENDING' },
  ]);
  await stage.host('EDC', { mode: 'up' });
  await drained(stage);
  await eventually(waiting, (rows) => rows.length === 0, 60_000);
  await booksOf('T-3');
});

test('a wallet’s payment that is given back by a refund is no difference: both lines are the transaction’s', async () => {
  const stage = at('T-3');
  await stage.host('QR', { mode: 'silent', enquiries: true });
  const id = await takes(stage, 'ERROR', alipay, { requestAmount: 21 });
  await stage.host('QR', { mode: 'up' });
  await drained(stage);
  await booksOf('T-3');
  const lines = (await allLines()).filter(({ acquirer }) => acquirer === 'QR');
  assert.deepEqual(
    lines.map((line) => line.cents).filter((amount) => Math.abs(amount) === 2100),
    [2100, -2100],
  );
  const { code, out } = await reconcile(chain, stages, { QR: lines });
  assert.deepEqual([code, out], [0, 'journals: the same\nsettlements: the same\nQR: the same\n']);
  // Its refund was not carried out after all.
  const kept = await reconcile(chain, stages, { QR: lines.filter((line) => line.cents !== -2100) });
  assert.equal(kept.code, 3);
  const [row, ...more] = kept.out.trimEnd().split('\n').slice(3);
  const { terminal, id: ofLine, statement }: Json = JSON.parse(row ?? '');
  assert.deepEqual([terminal, ofLine, cents(statement), more], ['T-3', id, 2100, []]);
});

test('each difference is told: a line too few, one too many, another amount', async () => {
  const lines = (await allLines()).filter(({ acquirer }) => acquirer === 'EDC');
  const [first, second, ...others] = lines;
  assert.ok(first && second);
  const strange = { ...first, reference: '999999999999', cents: 123 };
  const { code, out } = await reconcile(chain, stages, {
    EDC: [{ ...second, cents: second.cents + 1 }, strange, ...others],
  });
  assert.equal(code, 3);
  const [journals, settlements, head, ...rows] = out.trimEnd().split('\n');
  assert.deepEqual(
    [journals, settlements, head],
    ['journals: the same', 'settlements: the same', 'EDC: 3 differences'],
  );
  const differences = rows.map((row): Json => JSON.parse(row));
  const of = (reference: string) => differences.find((each) => each.reference === reference);
  const shown = (reference: string) => [cents(of(reference).books), cents(of(reference).statement)];
  assert.deepEqual(shown(first.reference), [first.cents, 0]);
  assert.deepEqual(shown(second.reference), [second.cents, second.cents + 1]);
  assert.deepEqual([of('999999999999').terminal, ...shown('999999999999')], [null, 0, 123]);
  assert.deepEqual([of(first.reference).settled, of(first.reference).tid], [true, first.tid]);
});

test('what was forged differs from the exports: an amount, the batch in which a sale counts, a settlement', async () => {
  const [first, second] = await chain.query(
    `SELECT id FROM books.counted WHERE terminal = 'T-3' AND acquirer = 'EDC' ORDER BY id`,
  );
  const place = (seq: number) => ({ stream: 'forged', seq, after: seq - 1, version: 9_999_999 });
  const [kept] = await chain.query(`SELECT record FROM books.entry WHERE id = $1`, [String(second?.['id'])]);
  const record = { settlements: [{ acquirer: 'EDC', batch: 1, result: 'BALANCED' }] };
  const forged = [
    { ...place(1), kind: 'settlement', id: 'FORGED', record },
    { ...place(2), kind: 'transaction', id: first?.['id'], batch: 1, record: {} },
    { ...place(3), kind: 'transaction', id: second?.['id'], batch: 999_999, record: kept?.['record'] },
  ];
  for (const message of forged) await chain.query(`SELECT books.take('T-3', $1)`, [JSON.stringify(message)]);
  const { code, out } = await reconcile(chain, stages, {});
  assert.equal(code, 3);
  const [journals, ...rest] = out.trimEnd().split('\n');
  assert.equal(journals, 'journals: 2 differences');
  const differences = rest.slice(0, 2).map((row): Json => JSON.parse(row));
  assert.deepEqual(new Set(differences.map(({ id }) => id)), new Set([first?.['id'], second?.['id']]));
  const moved = differences.find(({ id }) => id === second?.['id']);
  assert.deepEqual({ ...moved.books, presentBatch: undefined }, { ...moved.journal, presentBatch: undefined });
  assert.equal(moved.books.presentBatch, 999_999);
  assert.equal(rest[2], 'settlements: 1 differences');
  const made: Json = JSON.parse(rest[3] ?? '');
  assert.deepEqual([made.id, made.books.length, made.journal], ['FORGED', 1, null]);
});

test('a terminal that was asked to tell anew replaces what was forged, and a settlement that it never made is shown', async () => {
  const stage = at('T-3');
  await chain.query(`SELECT books.tell_anew('T-3')`);
  await stage.stopDaemon('SIGTERM');
  await stage.startDaemon();
  await eventually(
    () => chain.query('SELECT id FROM books.untold'),
    (rows) => rows.length === 1,
    60_000,
  );
  await booksOf('T-3');
  const compared = await reconcile(chain, stages, {});
  const [journals, head, row = ''] = compared.out.split('\n');
  assert.deepEqual([compared.code, journals, head], [3, 'journals: the same', 'settlements: 1 differences']);
  assert.equal(JSON.parse(row).id, 'FORGED');
  const unaided = await reconcile(chain, stages, {}, ['export']);
  assert.deepEqual(unaided.out.split('\n').slice(0, 2), [
    'journals: the same',
    'settlements not told anew: 1 differences',
  ]);
  await chain.query(`DELETE FROM books.entry WHERE id = 'FORGED'`);
  assert.equal((await reconcile(chain, stages, {})).code, 0);
});

test('a journal that goes on under another name counts once, and as the new terminal’s once the chain says so', async () => {
  const lines = await allLines();
  const by = (acquirer: string) => lines.filter((line) => line.acquirer === acquirer);
  const statements = { EDC: by('EDC'), CUP: by('CUP'), QR: by('QR') };
  const facts = async () => ({
    sums: await chain.query('SELECT * FROM books.sales_by_shop_and_day ORDER BY shop, day'),
    open: await chain.query('SELECT id, amount FROM books.unsettled ORDER BY id'),
    settled: await chain.query('SELECT id, acquirer, batch, result FROM books.settled_batch ORDER BY id, acquirer'),
    acquirers: await chain.query('SELECT * FROM books.at_acquirer ORDER BY acquirer'),
  });
  const before = await facts();
  await chain.query(`INSERT INTO books.terminal VALUES ('T-1b', 'Central')`);
  await chain.query(`SELECT books.take('T-1b', body) FROM books.message WHERE terminal = 'T-1' ORDER BY ordinal`);
  assert.deepEqual(await facts(), before);
  const [twice] = await chain.query('SELECT terminals, count(*) FROM books.told_twice GROUP BY terminals');
  assert.deepEqual(twice?.['terminals'], ['T-1', 'T-1b']);
  const renamed = new Map([...stages].map(([name, stage]) => [name === 'T-1' ? 'T-1b' : name, stage]));
  const undecided = await reconcile(chain, renamed, statements);
  assert.equal(undecided.code, 3);
  const [journals, settlements, head, row = '', ...others] = undecided.out.trimEnd().split('\n');
  assert.deepEqual(
    [journals, settlements, head],
    ['journals: the same', 'settlements: the same', 'told by more than one terminal: 1 differences'],
  );
  const { terminals, count }: Json = JSON.parse(row);
  assert.deepEqual([terminals, count], [['T-1', 'T-1b'], Number(twice['count'])]);
  assert.deepEqual(others, ['EDC: the same', 'CUP: the same', 'QR: the same']);
  await chain.query(`SELECT books.succeeded_by('T-1b', 'T-1b'), books.succeeded_by('T-1', 'T-1b')`);
  assert.deepEqual(await facts(), before);
  assert.deepEqual(await chain.query(`SELECT * FROM books.counted WHERE terminal = 'T-1'`), []);
  const decided = await reconcile(chain, renamed, statements);
  assert.deepEqual(
    [decided.code, decided.out],
    [0, 'journals: the same\nsettlements: the same\nEDC: the same\nCUP: the same\nQR: the same\n'],
  );
});
