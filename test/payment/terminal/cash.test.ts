import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { terminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { takeCash } from '../../../src/methods/cash/session.ts';
import type { CashParts } from '../../../src/methods/cash/parts.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, ending, enquired, kindsOf } from './method-stage.ts';
import { ended, everything, Stage, timeouts } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

const tender = (amount: string) => stage.act({ kind: 'tender', amount });

test('the exact amount: approved in one commit, and the drawer opens after it', async () => {
  const { answer } = await begun(stage, 'CASH');
  tender('30.00');
  const record = ended(await answer);
  assert.equal(ending(record), 'SUCCESS');
  await settled();
  assert.deepEqual(
    stage.trace.events.filter((event) => /^commit|drawer/.test(event)),
    ['commit: accepted', 'commit: intent+answered+ended', 'drawer: open'],
  );
  assert.partialDeepStrictEqual(record, {
    intent: { acquirerId: 'CASH', operation: 'sale', mid: '', tid: '', cash: { tenderedMinor: '3000' } },
    hostOutcome: { kind: 'approved', rrn: '', approvalCode: '' },
  });
  const view = stage.views.findLast(({ scene }) => scene === 'approved');
  assert.partialDeepStrictEqual(view, { tendered: '30.00', change: '0.00' });
  assert.equal(stage.posted, 0, 'no host hears of it');
  assertClean(stage);
});

for (const [amount, tendered, change] of [
  ['50', '50.00', '20.00'],
  ['30.01', '30.01', '0.01'],
  ['1000.00', '1000.00', '970.00'],
] as const) {
  test(`${amount}: ${change} change`, async () => {
    const { answer } = await begun(stage, 'CASH');
    tender(amount);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    const view = stage.views.findLast(({ scene }) => scene === 'approved');
    assert.partialDeepStrictEqual(view, { tendered, change });
  });
}

test('too little, or no valid amount, is ignored: the drawer stays shut and nothing is written', async () => {
  const { answer } = await begun(stage, 'CASH');
  for (const amount of ['29.99', '0', '', '-30', '30.001', '3e', 'thirty', '99999999999.99', ' 30']) {
    tender(amount);
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'tenderCash', amount);
  }
  assert.deepEqual(kindsOf(stage), ['accepted']);
  assert.equal(stage.trace.count('drawer: open'), 0);
  tender('30');
  assert.equal(ending(ended(await answer)), 'SUCCESS');
  assert.equal(kindsOf(stage).filter((kind) => kind === 'intent').length, 1);
});

test('cash that is tendered twice is taken once', async () => {
  const { answer } = await begun(stage, 'CASH');
  tender('50');
  tender('40');
  const record = ended(await answer);
  tender('30');
  await settled();
  assert.ok(record.intent && 'cash' in record.intent);
  assert.equal(record.intent.cash.tenderedMinor, '5000');
  assert.equal(stage.trace.count('drawer: open'), 1);
  assert.equal(stage.trace.count('commit: intent+answered+ended'), 1);
});

test('cash that is tendered while a card is awaited is ignored', async () => {
  const { answer } = await begun(stage, 'CARD');
  tender('30');
  await settled();
  assert.equal(stage.views.at(-1)?.scene, 'presentCard');
  stage.act({ kind: 'cancel' });
  assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
  assert.equal(stage.trace.count('drawer: open'), 0);
});

test('cash that is tendered for another transaction is ignored', async () => {
  const { answer } = await begun(stage, 'CASH');
  stage.act({ kind: 'tender', amount: '30', transaction: '01KDVDNA00ZZZZZZZZZZZZZZZZ' });
  await settled();
  assert.equal(stage.views.at(-1)?.scene, 'tenderCash');
  stage.act({ kind: 'cancel' });
  await answer;
  assert.equal(stage.trace.count('drawer: open'), 0);
});

for (const [what, end, reported] of [
  ['cancelled', () => stage.act({ kind: 'cancel' }), 'TRANSACTION_ALREADY_CANCEL NONE'],
  ['timed out', () => stage.clock.advance(timeouts.collectMs), 'TIMEOUT NONE'],
] as const) {
  test(`${what}: nothing is written, the till stays shut`, async () => {
    const { answer } = await begun(stage, 'CASH');
    await end();
    assert.equal(ending(ended(await answer)), reported);
    assert.deepEqual(kindsOf(stage), ['accepted', 'ended']);
    assert.equal(stage.trace.count('drawer: open'), 0);
    assertClean(stage);
  });
}

for (const misreported of [false, true]) {
  test(`${misreported ? 'the journal fails, and has written it' : 'the journal fails'}: the till stays shut`, async () => {
    const { answer } = await begun(stage, 'CASH');
    const isCash = (_call: number, operation: string) => operation === 'intend';
    if (misreported) stage.journal.misreport = isCash;
    else stage.journal.fault = isCash;
    tender('30');
    const record = ended(await answer);
    assert.equal(stage.trace.count('drawer: open'), 0, 'only behind a commit that is certain');
    assert.equal(record.conclusion?.result, misreported ? 'SUCCESS' : 'DATABASE_ERROR');
    assert.equal(ending(record), misreported ? 'SUCCESS' : 'DATABASE_ERROR NONE');
  });
}

test('a drawer that fails is a fault for the log, and harms no sale', async () => {
  const failures: unknown[] = [];
  const { journal, clock } = stage;
  const drawers: Readonly<Record<string, () => Promise<unknown>>> = {
    'M-1': () => Promise.reject(new Error('no drawer')),
    'M-2': async () => 'absent',
    'M-3': () => new Promise(() => undefined),
  };
  for (const [messageId, openDrawer] of Object.entries(drawers)) {
    const id = terminalTransactionId(clock.now(), Buffer.from(messageId.padEnd(10)));
    const amount = { minor: 3000n, currency: 'HKD' } as const;
    await journal.open(id, {
      kind: 'accepted',
      posId: 'POS-1',
      messageId,
      digest: '',
      type: 'SALE',
      amountMinor: '3000',
      currency: 'HKD',
      shape: 'A',
      printedBy: 'terminal',
    });
    const collects = { modes: ['CASH'], codeModes: [], wallets: [] } as const;
    const takers = stage.profiles;
    const terms = { amount, tipMinor: 0n, collectMs: timeouts.collectMs, printsReceipt: false } as const;
    const order = { id, kind: 'SALE', ...terms, takers, collects } as const;
    const parts = { journal, openDrawer, onFailure: (error: unknown) => failures.push(error) };
    const authorization = await takeCash(order, 5000n, parts as unknown as CashParts);
    assert.equal(authorization.kind === 'concluded' && authorization.conclusion.result, 'SUCCESS');
    assert.equal(await enquired(stage, messageId), 'SUCCESS');
  }
  await settled();
  assert.deepEqual(
    failures.map((error) => (error as Error).message),
    ['no drawer'],
  );
});

test('a sale in cash needs no reader, and waits for no host', async () => {
  stage.reader.state = 'absent';
  stage.wallet.onPay = () => new Promise(() => undefined);
  const { answer } = await begun(stage, 'CASH');
  tender('30');
  assert.equal(ending(ended(await answer)), 'SUCCESS');
  assert.deepEqual(stage.wallet.calls, []);
  assert.equal(stage.edc.requests.length, 0);
});

test('a crash before it is tendered: nothing was taken; after: it stands', async () => {
  await begun(stage, 'CASH');
  await stage.restart();
  assert.equal(await enquired(stage), 'ERROR NONE');
  const { answer } = await begun(stage, 'CASH', 'M-2');
  tender('40');
  await answer;
  await stage.restart();
  assert.equal(await enquired(stage, 'M-2'), 'SUCCESS');
  assertClean(stage);
});
