import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { openMenu } from './stage-menu.ts';
import { decideBatch, waitingBatches } from '../../src/operator/waiting-batch.ts';
import type { SettledBatch } from '../../src/payment/events/settlement.ts';
import { triesBefore } from '../../src/payment/transaction/set-aside.ts';
import { pageModule } from '../screen/page-module.ts';
import { settled } from '../support/manual-clock.ts';
import { about, ended, sale, Stage } from '../payment/terminal/stage.ts';

/** A host that will never take a batch: the bank's word by telephone is the way out. A real terminal under a real desk. */

const EDC = acquirerId('EDC');

let stage: Stage;
let said: unknown[];
beforeEach(() => {
  stage = new Stage();
  said = [];
});
afterEach(() => stage.close());

async function menuOf(each: Stage) {
  const { menu, session } = await openMenu(each, {
    onBatchDecided: ({ acquirer, batch, currency }, outcome) => said.push([acquirer, batch, currency, outcome]),
    settleWaiting: (request) => each.terminal.settle({ ...request, digest: 'confirmed', waitingOnly: true }),
  });
  await menu.refresh();
  return {
    menu,
    batches: async () => (await menu.handle({ kind: 'waiting', session })).body['batches'] as unknown[],
    decide: (outcome: 'SETTLED' | 'NOT_SETTLED', currency = 'HKD', batch = 1, acquirer = 'EDC') =>
      menu.handle({ kind: 'decideBatch', session, acquirer, batch, currency, outcome }),
  };
}

async function settle(messageId: string): Promise<readonly SettledBatch[]> {
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  return answer.kind === 'ended' ? (answer.settlement.results ?? []) : assert.fail(answer.kind);
}

const pay = async (messageId: string, minor: bigint, currency: 'HKD' | 'JPY' = 'HKD', fields = {}) =>
  ended(await stage.paid(sale(messageId, { amount: { minor, currency }, ...fields })));
const refuses = () => {
  stage.edc.onSettlement = ({ batch }) =>
    batch === 1 ? { kind: 'refused', responseCode: '12' } : { kind: 'balanced' };
};
const reported = (results: readonly SettledBatch[]) =>
  results.map(({ batch, result, totals }) => [
    batch,
    result,
    ...totals.map(({ kind, currency, count, totalMinor }) => `${kind} ${count} ${currency} ${totalMinor}`),
  ]);
const asked = () => stage.edc.settlements.map(({ batch, totals }) => [batch, totals.currency]);

describe('a batch that its host refuses for ever', () => {
  test('is listed as the bank has to find it, and counted on the idle screen', async () => {
    await pay('M-1', 123_450n);
    await pay('M-2', 1000n, 'HKD', { type: 'REFUND' });
    refuses();
    await settle('S-1');
    const { menu, batches } = await menuOf(stage);
    const [one, ...others] = await batches();
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(one, {
      acquirer: 'EDC',
      batch: 1,
      attempts: 1,
      reason: 'the host refused the settlement (code 12)',
      currency: 'HKD',
      sales: { count: 1, amount: '1234.50' },
      refunds: { count: 1, amount: '10.00' },
    });
    assert.ok(!('refusal' in (one as object)));
    assert.equal(menu.view.waiting.batches, 1);
    assert.deepEqual(menu.view.unsettled, [{ acquirer: 'EDC', batch: 1, actor: 'bank' }]);
  });

  test('that could not be sent is named too, until its settlement succeeds', async () => {
    await pay('M-1', 1000n);
    stage.edc.onSettlement = () => ({ kind: 'notSent' });
    await settle('S-1');
    const { menu, batches } = await menuOf(stage);
    assert.deepEqual(await batches(), [], 'there is nothing to ask the bank');
    assert.deepEqual(menu.view.unsettled, [{ acquirer: 'EDC', batch: 2, actor: 'network' }]);
    stage.edc.onSettlement = () => ({ kind: 'balanced' });
    await settle('S-2');
    await menu.refresh();
    assert.equal(menu.view.unsettled, undefined);
  });

  test('is settled by the bank’s word: the result and the paper say so, the host is asked no more, the next batch goes on', async () => {
    await pay('M-1', 1000n);
    refuses();
    await settle('S-1');
    await pay('M-2', 70n);
    const { menu, batches, decide } = await menuOf(stage);
    stage.edc.settlements.length = 0;
    assert.deepEqual(await decide('SETTLED'), { status: 200, body: {} });
    assert.deepEqual(said, [['EDC', 1, 'HKD', 'SETTLED']]);
    assert.deepEqual([await batches(), stage.journal.store.settlingBatches(EDC)], [[], []]);
    assert.equal(menu.view.waiting.batches, 0);
    assert.equal(menu.view.unsettled, undefined);
    assert.notEqual(stage.journal.store.settledAt(EDC), undefined);
    assert.deepEqual(asked(), []);
    assert.equal(stage.trace.count('commit: HKD CONFIRMED'), 1);
    assert.deepEqual(reported(await settle('S-2')), [[2, 'BALANCED', 'SALE 1 HKD 70']]);
    assert.deepEqual(asked(), [[2, 'HKD']]);
    assert.deepEqual(await decide('SETTLED'), { status: 409, body: { reason: 'notWaiting' } });
  });

  test('confirmed, and a restart before that was told: the next settlement tells it', async () => {
    await pay('M-1', 1000n);
    refuses();
    await settle('S-1');
    await stage.journal.recordResult(EDC, 1, 'HKD', 'CONFIRMED');
    await stage.restart();
    const [first] = await settle('S-2');
    assert.partialDeepStrictEqual(first, { batch: 1, result: 'BALANCED', confirmed: true });
    assert.match(first?.reason ?? '', /operator/);
  });

  test('is not settled, as the bank says: what is in it counts in the open batch, and may be voided again', async () => {
    const first = await pay('M-1', 1000n);
    await pay('M-2', 200n);
    refuses();
    await settle('S-1');
    await pay('M-3', 70n);
    const { decide } = await menuOf(stage);
    assert.equal((await decide('NOT_SETTLED')).status, 200);
    assert.deepEqual(stage.journal.store.settlingBatches(EDC), []);
    assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-4', first))).conclusion?.result, 'SUCCESS');
    assert.deepEqual(reported(await settle('S-2')), [[2, 'BALANCED', 'SALE 2 HKD 270']]);
  });
});

describe('of two currencies, one that the host has answered for', () => {
  beforeEach(async () => {
    await pay('M-1', 1000n);
    await pay('M-2', 500n, 'JPY');
    stage.edc.onSettlement = ({ batch, totals }) =>
      batch === 1 && totals.currency === 'JPY' ? { kind: 'refused', responseCode: '12' } : { kind: 'balanced' };
    await settle('S-1');
    stage.edc.settlements.length = 0;
  });

  test('keeps its answer: only the other is asked the bank about, and confirmed', async () => {
    const { batches, decide } = await menuOf(stage);
    assert.partialDeepStrictEqual(await batches(), [{ currency: 'JPY', sales: { amount: '500' } }]);
    assert.equal((await decide('SETTLED')).status, 409, 'the host has answered for it');
    assert.equal((await decide('SETTLED', 'JPY')).status, 200);
    assert.deepEqual([asked(), stage.journal.store.settlingBatches(EDC)], [[], []]);
  });

  test('is settled once: what is of the other is settled with the open batch', async () => {
    const { decide } = await menuOf(stage);
    await pay('M-3', 70n, 'JPY');
    await decide('NOT_SETTLED', 'JPY');
    assert.deepEqual(stage.journal.store.settlingBatches(EDC), [], 'what is answered was told at once');
    assert.deepEqual(reported(await settle('S-2')), [[2, 'BALANCED', 'SALE 2 JPY 570']]);
    assert.deepEqual(asked(), [[2, 'JPY']]);
  });
});

for (const order of [
  ['HKD', 'JPY'],
  ['JPY', 'HKD'],
]) {
  test(`the bank has settled HKD and not JPY, and tells ${order.join(' first, then ')}: each is settled once`, async () => {
    await pay('M-1', 1000n);
    await pay('M-2', 500n, 'JPY');
    refuses();
    await settle('S-1');
    stage.edc.settlements.length = 0;
    const { batches, decide } = await menuOf(stage);
    assert.equal((await batches()).length, 2);
    for (const currency of order) {
      assert.equal((await decide(currency === 'HKD' ? 'SETTLED' : 'NOT_SETTLED', currency)).status, 200);
    }
    assert.deepEqual([await batches(), stage.journal.store.settlingBatches(EDC)], [[], []]);
    assert.deepEqual(reported(await settle('S-2')), [[2, 'BALANCED', 'SALE 1 JPY 500']]);
    assert.deepEqual(asked(), [[2, 'JPY']]);
  });
}

test('a host that may still take it is waited for, until it was asked often enough', async () => {
  await pay('M-1', 1000n);
  stage.edc.onSettlement = () => ({ kind: 'unanswered' });
  await settle('S-1');
  const { menu, batches, decide } = await menuOf(stage);
  assert.partialDeepStrictEqual(await batches(), [{ refusal: 'tooEarly' }]);
  assert.equal(menu.view.waiting.batches, 0);
  assert.deepEqual(await decide('SETTLED'), { status: 409, body: { reason: 'tooEarly' } });
  for (let tries = 2; tries <= triesBefore; tries++) await settle(`S-${tries}`);
  assert.equal((await decide('SETTLED')).status, 200);
});

test('only what waits, of an acquirer of this terminal, is decided', async () => {
  await pay('M-1', 1000n);
  refuses();
  await settle('S-1');
  const { decide } = await menuOf(stage);
  for (const [currency, batch, acquirer] of [
    ['HKD', 2, 'EDC'],
    ['JPY', 1, 'EDC'],
    ['HKD', 1, 'CUP'],
    ['HKD', 1, 'BANK'],
  ] as const) {
    assert.deepEqual(await decide('SETTLED', currency, batch, acquirer), {
      status: 409,
      body: { reason: 'notWaiting' },
    });
  }
  assert.deepEqual(said, []);
});

test('while a settlement runs nothing is decided: its host may be answering just then', async () => {
  await pay('M-1', 1000n);
  refuses();
  await settle('S-1');
  const { decide } = await menuOf(stage);
  const answer = Promise.withResolvers<{ kind: 'balanced' }>();
  stage.edc.onSettlement = () => answer.promise;
  const running = settle('S-2');
  await settled();
  assert.equal(stage.terminal.isSettling, true);
  for (const outcome of ['SETTLED', 'NOT_SETTLED'] as const) {
    assert.deepEqual(await decide(outcome), { status: 409, body: { reason: 'busy' } });
  }
  answer.resolve({ kind: 'balanced' });
  assert.deepEqual(reported(await running), [[1, 'BALANCED', 'SALE 1 HKD 1000']]);
});

test('the page has it in the list of what waits, with its sum', async () => {
  const { waitingRows } = await pageModule<{ waitingRows: (body: unknown) => readonly unknown[] }>('menu-waiting');
  await pay('M-1', 123_450n);
  refuses();
  await settle('S-1');
  const { batches } = await menuOf(stage);
  const rows = waitingRows({
    transactions: [{ id: 'T-1' }],
    batches: await batches(),
    extraPayments: [],
    customerMatters: [],
    discrepancies: [],
  });
  assert.partialDeepStrictEqual(rows, [
    { id: 'EDC 1 HKD', message: 'batch', currency: 'HKD', amount: '1234.50' },
    { id: 'T-1' },
  ]);
});

test('not settled, and too much for the open batch: it is asked for under its own number until it is settled', async () => {
  const most = 999_999_999_999n;
  await pay('M-1', most);
  refuses();
  await settle('S-1');
  await pay('M-2', 1n);
  const { decide, batches } = await menuOf(stage);
  assert.equal((await decide('NOT_SETTLED')).status, 200);
  assert.equal((await batches()).length, 1);
  assert.equal((await decide('NOT_SETTLED')).status, 409, 'the host is asked first');
  assert.equal((await settle('S-2'))[0]?.result, 'FAILED');
  assert.equal((await decide('NOT_SETTLED')).status, 200);
  assert.equal((await batches()).length, 1);
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  assert.deepEqual(reported(await settle('S-3')), [
    [1, 'BALANCED', `SALE 1 HKD ${most}`],
    [2, 'BALANCED', 'SALE 1 HKD 1'],
  ]);
});

test('a batch of an acquirer that is not configured any more is listed, and decided without another try', async () => {
  ended(await stage.paid(sale('M-1')));
  stage.edc.onSettlement = () => ({ kind: 'unanswered' });
  await settle('S-1');
  const { takesBatch } = stage.terminal.room;
  const gone = { journal: stage.journal, acquirers: ['CUP'], takesBatch };
  const [waiting] = await waitingBatches(gone);
  assert.deepEqual([waiting?.acquirer, waiting?.refusal], ['EDC', undefined]);
  assert.equal((await waitingBatches({ ...gone, acquirers: ['EDC'] }))[0]?.refusal, 'tooEarly');
  assert.ok('complete' in (await decideBatch({ acquirer: 'EDC', batch: 1, currency: 'HKD' }, 'SETTLED', gone)));
  assert.deepEqual(await waitingBatches(gone), []);
});
