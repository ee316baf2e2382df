import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PairingView } from '../../src/payment/contracts/operator-menu.ts';
import type { MenuParts } from '../../src/operator/menu-parts.ts';
import { confirmation, nothing, right, staged } from './bare-menu.ts';

const requests = [
  { kind: 'settle', confirmation },
  { kind: 'report' },
  { kind: 'printReport', confirmation },
  { kind: 'settlements' },
  { kind: 'printSettlement', settlement: 'S' },
  { kind: 'machine' },
  { kind: 'openDrawer', confirmation },
  { kind: 'testPrint', confirmation },
  { kind: 'today' },
  { kind: 'story', transaction: 'T' },
  { kind: 'act', confirmation, act: 'VOID', transaction: 'T', amount: '1', currency: 'HKD' },
  { kind: 'refund', confirmation, amount: '1', currency: 'HKD' },
  { kind: 'receipts' },
  { kind: 'printReceipt', transaction: 'T' },
  { kind: 'waiting' },
  { kind: 'setAside', transaction: 'T', outcome: 'POSTED' },
  { kind: 'decideBatch', acquirer: 'EDC', batch: 1, currency: 'HKD', outcome: 'SETTLED' },
  { kind: 'pair' },
  { kind: 'decide', yes: true, code: '000000' },
  { kind: 'logout' },
];

describe('without the password', () => {
  for (const session of ['', '00'.repeat(32)]) {
    test(`nothing of the menu is done: session ${session.slice(0, 2) || 'none'}`, async (t) => {
      const opened: string[] = [];
      const pairing = { view: undefined, open: () => opened.push('open'), close: () => undefined, decide: () => true };
      const { menu, calls, login } = await staged(t, { pairing });
      for (const each of requests) {
        assert.deepEqual(await menu.handle({ ...each, session }), { status: 401, body: { reason: 'locked' } });
      }
      await login();
      for (const each of requests) assert.equal((await menu.handle({ ...each, session })).status, 401);
      assert.deepEqual([calls, opened], [[], []]);
    });
  }

  test('a wrong one opens no session', async (t) => {
    const { menu } = await staged(t);
    assert.deepEqual(await menu.handle({ kind: 'login', password: '000000' }), {
      status: 200,
      body: { reason: 'wrong', waitMs: 0 },
    });
  });

  for (const body of [
    undefined,
    null,
    [],
    {},
    { kind: 'settle' },
    { kind: 'login', password: 1 },
    { kind: 'login', password: right, more: 1 },
    { kind: 'login', password: '1'.repeat(65) },
    { kind: 'pay', session: '' },
  ]) {
    test(`${JSON.stringify(body)?.slice(0, 60)} is malformed`, async (t) => {
      const { menu } = await staged(t);
      assert.deepEqual(await menu.handle(body), { status: 400, body: { reason: 'malformed' } });
    });
  }
});

describe('a session', () => {
  test('ends after a minute in which nothing is pressed', async (t) => {
    const { menu, clock, login } = await staged(t);
    const session = await login();
    await clock.advance(59_999);
    assert.equal((await menu.handle({ kind: 'today', session })).status, 200);
    await clock.advance(59_999);
    assert.equal((await menu.handle({ kind: 'today', session })).status, 200);
    await clock.advance(60_000);
    assert.equal((await menu.handle({ kind: 'today', session })).status, 401);
  });

  for (const [state, stays, posId = 'POS-1'] of [
    ['collecting', false],
    ['authorizing', false],
    ['approved', false],
    ['settling', true],
    ['idle', true],
    ['collecting', true, 'OPERATOR'],
    ['approved', true, 'OPERATOR'],
  ] as const) {
    test(`${stays ? 'outlives' : 'ends with'} ${state} of ${posId}`, async (t) => {
      const { menu, login } = await staged(t);
      const session = await login();
      menu.emit({ state, posId });
      assert.equal((await menu.handle({ kind: 'today', session })).status, stays ? 200 : 401);
    });
  }

  test('waits for the operator’s own payment, however long, and ends a minute after it', async (t) => {
    const paid = Promise.withResolvers<void>();
    const { menu, clock, login } = await staged(t, {
      pay: async () => {
        await paid.promise;
        return { status: 200, body: { responseResult: 'SUCCESS' } };
      },
    });
    const session = await login();
    const refund = menu.handle({ kind: 'refund', session, confirmation, amount: '5', currency: 'HKD' });
    // A second press meanwhile is refused, and is no end of the wait.
    await menu.handle({ kind: 'today', session });
    await clock.advance(120_000);
    paid.resolve();
    assert.equal((await refund).status, 200);
    await clock.advance(59_999);
    assert.equal((await menu.handle({ kind: 'today', session })).status, 200);
    await clock.advance(60_000);
    assert.equal((await menu.handle({ kind: 'today', session })).status, 401);
  });

  test('reads nothing while a payment runs', async (t) => {
    let isIdle = true;
    const { menu, login } = await staged(t, {
      isIdle: () => isIdle,
      lists: { page: () => assert.fail('read') },
    });
    const session = await login();
    isIdle = false;
    for (const kind of ['today', 'receipts', 'waiting', 'report', 'settlements', 'machine']) {
      assert.deepEqual(await menu.handle({ kind, session }), { status: 409, body: { reason: 'busy' } });
    }
  });

  test('opens the panels of the machine also where its addresses are not known, and says so', async (t) => {
    const { menu, login } = await staged(t, { machine: { devices: () => [], addresses: () => undefined } });
    assert.deepEqual(await menu.handle({ kind: 'machine', session: await login() }), {
      status: 200,
      body: { devices: [], addresses: [], addressesUnknown: true, prints: false },
    });
  });

  test('ends with another, and by leaving', async (t) => {
    const { menu, login } = await staged(t);
    const first = await login();
    const second = await login();
    assert.equal((await menu.handle({ kind: 'today', session: first })).status, 401);
    assert.equal((await menu.handle({ kind: 'logout', session: second })).status, 200);
    assert.equal((await menu.handle({ kind: 'today', session: second })).status, 401);
  });

  test('is not had while a payment runs', async (t) => {
    const { menu } = await staged(t, { isIdle: () => false });
    assert.deepEqual((await menu.handle({ kind: 'login', password: right })).body, { reason: 'busy' });
  });

  test('takes the leave to pair with it when it ends', async (t) => {
    let view: PairingView | undefined;
    const pairing = {
      get view() {
        return view;
      },
      open: () => (view = { stage: 'open' }),
      close: () => (view = undefined),
      decide: () => true,
    };
    const { menu, login } = await staged(t, { pairing });
    const session = await login();
    await menu.handle({ kind: 'pair', session });
    assert.deepEqual(menu.view.pairing, { stage: 'open' });
    menu.emit({ state: 'collecting' });
    assert.equal(menu.view.pairing, undefined);
  });
});

test('what waits is counted, and told again when it has changed', async (t) => {
  let pending = [
    { id: 'A', acquirerId: 'EDC', message: 'reversal' },
    { id: 'B', acquirerId: 'EDC', message: 'advice' },
    { id: 'C', acquirerId: 'EDC', message: 'advice' },
  ];
  const journal = {
    ...nothing,
    pending: async () => pending,
    rejectedAdvices: async () => ['D'],
  } as unknown as MenuParts['journal'];
  const { menu } = await staged(t, { journal, isUnsendable: (id) => id === 'C' });
  const seen: unknown[] = [];
  menu.onChange(() => seen.push(menu.view.waiting));
  await menu.refresh();
  pending = [];
  await menu.refresh();
  assert.deepEqual(seen, [
    { reversals: 1, advices: 2, rejected: 1, unsendable: 1, batches: 0 },
    { reversals: 0, advices: 0, rejected: 1, unsendable: 0, batches: 0 },
  ]);
  assert.equal(menu.view.operator, true);
});

test('after a payment nothing is read until somebody looks, and then once; after a settlement at once', async (t) => {
  let reads = 0;
  const journal = { ...nothing, append: async () => [], pending: async () => ((reads += 1), []) };
  const { menu } = await staged(t, { journal });
  const reported = () => new Promise<void>((resolve) => menu.onChange(resolve));
  menu.look();
  for (const state of ['collecting', 'authorizing', 'approved', 'idle'] as const) menu.emit({ state });
  assert.equal(reads, 0);
  const looked = reported();
  menu.look();
  await looked;
  menu.look();
  assert.equal(reads, 1);
  const settled = reported();
  for (const state of ['settling', 'idle'] as const) menu.emit({ state });
  await settled;
  assert.equal(reads, 2);
});

test('the page looks without a session: nothing is read but whether a password is set; a login reads all', async (t) => {
  let reads = 0;
  const journal = { ...nothing, append: async () => [], pending: async () => ((reads += 1), []) };
  const { menu, login } = await staged(t, { journal });
  for (let look = 0; look < 3; look++) assert.equal((await menu.handle({ kind: 'look' })).status, 200);
  assert.equal(reads, 0);
  assert.equal(menu.view.operator, true);
  for (const state of ['collecting', 'authorizing', 'approved', 'idle'] as const) menu.emit({ state });
  for (let look = 0; look < 3; look++) await menu.handle({ kind: 'look' });
  assert.equal(reads, 1);
  await login();
  assert.equal(reads, 2);
});

test('a journal that fails is told to the log, and to the page without a word of it', async (t) => {
  const broken = () => Promise.reject(new Error('secret'));
  const names = [
    'pending',
    'rejectedAdvices',
    'setAside',
    'openBatch',
    'batchPage',
    'read',
    'append',
    'unfinished',
    'settlingBatches',
  ];
  const journal = Object.fromEntries(names.map((name) => [name, broken])) as unknown as MenuParts['journal'];
  const { menu, failures, login } = await staged(t, { journal });
  await menu.refresh();
  const session = await login();
  assert.deepEqual(await menu.handle({ kind: 'waiting', session }), { status: 500, body: { reason: 'failed' } });
  // The view, at the start and after the login, and the list.
  assert.equal(failures.length, 3);
});

const waits = {
  pending: async () => [{ id: 'A', acquirerId: 'EDC', message: 'reversal' }],
  read: async () => [{ at: '2026-01-01T00:00:00.000Z', event: { kind: 'fromTheFuture' } }],
} as unknown as MenuParts['journal'];

test('what waits is listed, and what the bank said of it is written, once, and told to the queue', async (t) => {
  const appended: unknown[] = [];
  const append: MenuParts['journal']['append'] = async (...call) => {
    appended.push(call);
    return [];
  };
  const { menu, calls, login } = await staged(t, { journal: { ...nothing, ...waits, append } });
  const session = await login();
  const { body } = await menu.handle({ kind: 'waiting', session });
  assert.partialDeepStrictEqual(body, { transactions: [{ id: 'A', message: 'unreadable', acquirer: 'EDC' }] });
  const reported = { kind: 'setAside', session, transaction: 'A', outcome: 'NOT_POSTED' };
  assert.deepEqual(await menu.handle(reported), { status: 200, body: {} });
  assert.deepEqual(appended, [['A', [{ kind: 'setAside', outcome: 'NOT_POSTED' }]]]);
  assert.deepEqual(calls, [['set aside', 'A', 'NOT_POSTED']]);
  assert.deepEqual(await menu.handle({ ...reported, transaction: 'B' }), {
    status: 409,
    body: { reason: 'notWaiting' },
  });
  for (const outcome of ['CHARGED', '', true]) assert.equal((await menu.handle({ ...reported, outcome })).status, 400);
  assert.equal(appended.length, 1);
});

test('nothing is set aside while a settlement adds up', async (t) => {
  let idle = true;
  const append = async () => assert.fail('written');
  const { menu, calls, login } = await staged(t, {
    journal: { ...nothing, ...waits, append },
    undisturbed: async (work) => (idle ? work() : undefined),
  });
  const session = await login();
  idle = false;
  const reported = { kind: 'setAside', session, transaction: 'A', outcome: 'POSTED' };
  assert.deepEqual(await menu.handle(reported), { status: 409, body: { reason: 'busy' } });
  assert.deepEqual(calls, []);
});

test('a commit that fails is told to nobody as done', async (t) => {
  const append = () => Promise.reject(new Error('disk'));
  const { menu, calls, failures, login } = await staged(t, { journal: { ...nothing, ...waits, append } });
  const reported = { kind: 'setAside', session: await login(), transaction: 'A', outcome: 'POSTED' };
  assert.equal((await menu.handle(reported)).status, 500);
  assert.deepEqual([calls, failures.length], [[], 1]);
});
