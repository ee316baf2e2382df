import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { SettledBatch } from '../../../src/payment/events/settlement.ts';
import { settled } from '../../support/manual-clock.ts';
import { begun, durable } from './method-stage.ts';
import { declines } from './scripted-host.ts';
import { staysIncomplete } from './scripted-octopus.ts';
import { card } from './scripted-reader.ts';
import { codes } from './scripted-scanner.ts';
import { paysAndIsSilent } from './scripted-wallet.ts';
import { about, ended, everything, sale, Stage, timeouts, waits } from './stage.ts';

let stage: Stage;
let settlements: number;
beforeEach(() => {
  stage = new Stage(undefined, everything);
  settlements = 0;
});
afterEach(() => stage.close());

const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });

async function byWallet(messageId: string, minor = 3000n) {
  const { answer } = await begun(stage, 'QR_SCAN', messageId, hkd(minor));
  stage.scanner.read(codes.ALIPAY);
  return ended(await answer);
}

async function byOctopus(messageId: string, minor = 3000n) {
  const { answer } = await begun(stage, 'OCTOPUS', messageId, hkd(minor));
  stage.octopus.tap();
  return ended(await answer);
}

async function byCash(messageId: string, minor = 3000n) {
  const { answer } = await begun(stage, 'CASH', messageId, hkd(minor));
  stage.act({ kind: 'tender', amount: '100' });
  return ended(await answer);
}

async function byEps(messageId: string, fields: Parameters<typeof begun>[3] = {}) {
  const { answer } = await begun(stage, 'EPS', messageId, fields);
  stage.reader.answer({ kind: 'card', card: { ...card(), entryMode: 'MAGSTRIPE', aid: '', emv: new Map() } });
  await settled();
  stage.act({ kind: 'account', account: 'SAVINGS' });
  await settled();
  stage.pinPad.enter();
  await settled();
  return { answer };
}

/** The last batch of each. */
async function settle(only?: string): Promise<Map<string, SettledBatch>> {
  return new Map((await settleAll(only)).map((batch) => [String(batch.acquirerId), batch]));
}

async function settleAll(only?: string): Promise<readonly SettledBatch[]> {
  const messageId = `S-${(settlements += 1)}`;
  const answer = await stage.terminal.settle({
    posId: 'POS-1',
    messageId,
    digest: messageId,
    ...(only === undefined ? {} : { acquirerId: acquirerId(only) }),
  });
  assert.ok(answer.kind === 'ended', answer.kind);
  return answer.settlement.results ?? [];
}

const total = (kind: 'SALE' | 'REFUND', count: number, minor: number) => ({
  kind,
  currency: 'HKD',
  count,
  totalMinor: String(minor),
});

test('every acquirer is settled, in the order of the configuration, each by its own totals', async () => {
  await stage.paid();
  await byWallet('M-2');
  await byOctopus('M-3', 1200n);
  await byCash('M-4', 4550n);
  await (await byEps('M-5', { cashbackMinor: 1000n })).answer;
  stage.octopus.onUpload = () => ({ kind: 'uploaded', count: 1, totalMinor: 1200n });
  const results = await settle();
  assert.deepEqual([...results.keys()], ['EDC', 'CUP', 'EPS', 'QR', 'OCTOPUS', 'CASH']);
  assert.deepEqual(
    [...results.values()].map(({ result, batch, totals }) => [result, batch, totals]),
    [
      ['BALANCED', 1, [total('SALE', 1, 3000)]],
      ['BALANCED', 1, []],
      ['BALANCED', 1, [total('SALE', 1, 3000)]],
      ['BALANCED', 1, [total('SALE', 1, 3000)]],
      ['BALANCED', 1, [total('SALE', 1, 1200)]],
      ['BALANCED', 1, [total('SALE', 1, 4550)]],
    ],
  );
  assert.partialDeepStrictEqual(results.get('QR'), { mid: '', tid: '00000002' });
  assert.partialDeepStrictEqual(results.get('CASH'), { mid: '', tid: '' });
  assert.partialDeepStrictEqual(results.get('EPS'), { mid: '000000000000001', tid: '00000001' });
  // EPS is an ISO 8583 host: its totals count the cash.
  assert.deepEqual(stage.eps.settlements[0]?.totals.sales, { count: 1, minor: 3000n });
  const next = await settle();
  assert.deepEqual(
    [...next.values()].map(({ result, batch, totals }) => [result, batch, totals]),
    ['EDC', 'CUP', 'EPS', 'QR', 'OCTOPUS', 'CASH'].map((id) => [id === 'OCTOPUS' ? 'UPLOADED' : 'BALANCED', 2, []]),
  );
  assert.deepEqual(
    [...next.values()].map(({ empty }) => empty),
    Array(6).fill(true),
  );
});

test('one alone, when it is named', async () => {
  await byWallet('M-1');
  await byCash('M-2');
  assert.deepEqual([...(await settle('CASH')).keys()], ['CASH']);
  assert.equal((await settle('CASH')).get('CASH')?.batch, 2);
  assert.partialDeepStrictEqual((await settle('QR')).get('QR'), { batch: 1, totals: [total('SALE', 1, 3000)] });
});

describe('wallets', () => {
  test('every order is looked up in the host’s books: sales, refunds, not what was voided', async () => {
    const first = await byWallet('M-1');
    const second = await byWallet('M-2', 1000n);
    await byWallet('M-3', 700n);
    ended(await stage.terminal.pay(about('REFUND', 'M-4', first, hkd(500n))));
    ended(await stage.terminal.pay(about('VOID', 'M-5', second)));
    stage.wallet.calls.length = 0;
    assert.partialDeepStrictEqual((await settle()).get('QR'), {
      result: 'BALANCED',
      totals: [total('SALE', 2, 3700), total('REFUND', 1, 500)],
    });
    assert.deepEqual(
      stage.wallet.calls.map(({ call }) => call),
      ['enquire', 'enquire', 'enquire'],
    );
  });

  for (const [state, words] of [
    ['closed', /as closed$/],
    ['declined', /as declined$/],
    ['waiting', /as waiting$/],
  ] as const) {
    test(`a sale that the books have as ${state}: FAILED, and its batch waits until they agree`, async () => {
      const record = await byWallet('M-1');
      const kept = stage.wallet.books.get(`${record.id}-1`);
      assert.ok(kept);
      kept.state = state;
      const failed = (await settle()).get('QR');
      assert.equal(failed?.result, 'FAILED');
      assert.match(failed.reason ?? '', words);
      assert.match(failed.reason ?? '', new RegExp(`SALE ${record.id}-1 of 30.00 HKD`));
      await byWallet('M-2', 100n);
      assert.equal((await settle()).get('QR')?.batch, 1);
      kept.state = 'paid';
      assert.deepEqual(
        (await settleAll('QR')).map(({ batch, result, totals }) => [batch, result, totals]),
        [
          [1, 'BALANCED', [total('SALE', 1, 3000)]],
          [2, 'BALANCED', [total('SALE', 1, 100)]],
        ],
      );
    });
  }

  test('a sale that the books don’t have, or that the host doesn’t tell of: FAILED', async () => {
    const { id } = await byWallet('M-1');
    stage.wallet.books.delete(`${id}-1`);
    assert.match((await settle()).get('QR')?.reason ?? '', /do not show SALE/);
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    assert.match((await settle()).get('QR')?.reason ?? '', /did not tell the state of/);
  });

  test('a refund that the books have as taken back: FAILED; a sale that was refunded whole is still a sale', async () => {
    const sale = await byWallet('M-1');
    const refund = ended(await stage.terminal.pay(about('REFUND', 'M-2', sale)));
    assert.equal(stage.wallet.books.get(`${sale.id}-1`)?.state, 'refunded');
    const kept = stage.wallet.books.get(`${refund.id}-2`);
    assert.ok(kept);
    kept.state = 'refunded';
    assert.match((await settle()).get('QR')?.reason ?? '', /REFUND .* as refunded$/);
    kept.state = 'paid';
    assert.partialDeepStrictEqual((await settle()).get('QR'), {
      result: 'BALANCED',
      totals: [total('SALE', 1, 3000), total('REFUND', 1, 3000)],
    });
  });

  test('a sale that the books have as refunded, but not by this terminal: FAILED, until its refund is here too', async () => {
    const sale = await byWallet('M-1');
    const order = stage.wallet.books.get(`${sale.id}-1`) ?? assert.fail();
    order.state = 'refunded';
    assert.match((await settle()).get('QR')?.reason ?? '', /SALE .* as refunded$/);
    order.state = 'paid';
    assert.equal(ended(await stage.terminal.pay(about('REFUND', 'M-2', sale))).conclusion?.result, 'SUCCESS');
    assert.deepEqual([order.state, (await settle()).get('QR')?.result], ['refunded', 'BALANCED']);
  });

  test('what is still to be undone: FAILED, and the host is not looked up', async () => {
    await byWallet('M-0');
    stage.wallet.onPay = () => paysAndIsSilent;
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    const { answer } = await begun(stage, 'QR_SCAN', 'M-1');
    stage.scanner.read(codes.ALIPAY);
    await settled();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
    await answer;
    const failed = (await settle()).get('QR');
    assert.partialDeepStrictEqual(failed, { result: 'FAILED', totals: [total('SALE', 1, 3000)] });
    assert.match(failed?.reason ?? '', /have not reached the host/);
    stage.wallet.onEnquire = () => undefined;
    assert.partialDeepStrictEqual((await settle()).get('QR'), { result: 'BALANCED', totals: [total('SALE', 1, 3000)] });
  });
});

describe('Octopus', () => {
  const uploads = (count: number, totalMinor: bigint) => {
    stage.octopus.onUpload = () => ({ kind: 'uploaded', count, totalMinor });
  };

  test('the reader’s file says the same: BALANCED', async () => {
    await byOctopus('M-1');
    await byOctopus('M-2', 1200n);
    uploads(2, 4200n);
    assert.partialDeepStrictEqual((await settle()).get('OCTOPUS'), {
      result: 'BALANCED',
      totals: [total('SALE', 2, 4200)],
    });
  });

  for (const [what, count, minor] of [
    ['one more', 2, 3000n],
    ['one less', 0, 3000n],
    ['another total', 1, 3010n],
  ] as const) {
    test(`the file has ${what}: UPLOADED with what it has; it can’t be taken back, so the next batch opens`, async () => {
      await byOctopus('M-1');
      uploads(count, minor);
      const uploaded = (await settle()).get('OCTOPUS');
      assert.partialDeepStrictEqual(uploaded, { result: 'UPLOADED', batch: 1, totals: [total('SALE', 1, 3000)] });
      assert.match(uploaded?.reason ?? '', new RegExp(`${count} deductions of ${minor} cents`));
      uploads(0, 0n);
      assert.partialDeepStrictEqual((await settle()).get('OCTOPUS'), { result: 'BALANCED', batch: 2, totals: [] });
    });
  }

  for (const [what, outcome, words] of [
    ['refuses', { kind: 'failed', code: 100_051 }, /code 100051/],
    ['does not answer', { kind: 'unanswered' }, /did not answer/],
  ] as const) {
    test(`the reader ${what}: FAILED, and what was in the batch is in the next one`, async () => {
      await byOctopus('M-1');
      stage.octopus.onUpload = () => outcome;
      const failed = (await settle()).get('OCTOPUS');
      assert.equal(failed?.result, 'FAILED');
      assert.match(failed.reason ?? '', words);
      uploads(1, 3000n);
      assert.partialDeepStrictEqual((await settle()).get('OCTOPUS'), { result: 'BALANCED', batch: 2 });
      assert.equal(stage.journal.store.openBatch(acquirerId('OCTOPUS')), 3);
    });
  }

  test('no deduction is made while the reader’s file is handed over, and a cut then loses none', async () => {
    await byOctopus('M-1');
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof stage.octopus.upload>>>();
    stage.octopus.onUpload = () => promise;
    const answer = settle('OCTOPUS');
    await stage.trace.seen('commit: closed 1', 1);
    const paying = stage.terminal.pay(sale('M-2', { preferredEntryMode: 'CASH' }));
    await settled();
    assert.equal(stage.terminal.running?.state, 'collecting', 'it waits for the reader');
    assert.deepEqual(stage.views.at(-1)?.scene === 'tenderCash', false);
    resolve({ kind: 'uploaded', count: 1, totalMinor: 3000n });
    assert.equal((await answer).get('OCTOPUS')?.result, 'BALANCED');
    await stage.trace.seen('screen: tenderCash');
    stage.act({ kind: 'tender', amount: '100' });
    ended(await paying);

    await byOctopus('M-3');
    stage.octopus.onUpload = () => new Promise(() => undefined);
    void stage.terminal.settle({ posId: 'POS-1', messageId: 'S-cut', digest: '', acquirerId: acquirerId('OCTOPUS') });
    await stage.trace.seen('commit: closed 2');
    uploads(1, 3000n);
    await stage.restart();
    await stage.clock.advance(0);
    await stage.trace.seen('commit: settled BALANCED', 2);
    assert.deepEqual(stage.journal.store.unfinishedSettlements(), []);
    assert.deepEqual(stage.journal.store.settlingBatches(acquirerId('OCTOPUS')), []);
  });

  test('one that is incomplete is in no total, and holds up nobody', async () => {
    await byOctopus('M-1');
    stage.octopus.onDeduct = () => staysIncomplete;
    const { answer } = await begun(stage, 'OCTOPUS', 'M-2');
    stage.octopus.tap();
    await settled();
    await stage.clock.advance(waits.octopusIncompleteMs + waits.octopusRetryMs + timeouts.reversalWaitMs);
    assert.equal(ended(await answer).conclusion?.result, 'UNKNOWN');
    uploads(1, 3000n);
    assert.partialDeepStrictEqual((await settle()).get('OCTOPUS'), {
      result: 'BALANCED',
      totals: [total('SALE', 1, 3000)],
      unresolved: [total('SALE', 1, 3000)],
    });
    stage.octopus.books.set(`${durable(stage, 'M-2').id}-2`, 'deducted');
    await stage.clock.advance(60_000);
    uploads(1, 3000n);
    assert.partialDeepStrictEqual((await settle()).get('OCTOPUS'), {
      result: 'BALANCED',
      batch: 2,
      totals: [total('SALE', 1, 3000)],
    });
  });
});

test('EPS differs from its host: uploaded, as any ISO 8583 host', async () => {
  await (await byEps('M-1')).answer;
  let asked = 0;
  stage.eps.onSettlement = () => ({ kind: (asked += 1) === 1 ? 'mismatch' : 'balanced' });
  assert.partialDeepStrictEqual((await settle()).get('EPS'), { result: 'UPLOADED', totals: [total('SALE', 1, 3000)] });
  assert.partialDeepStrictEqual(stage.eps.uploads, [
    { operation: 'sale', amount: { minor: 3000n, currency: 'HKD' }, card: { account: 'SAVINGS' } },
  ]);
});

test('a sale after a wrong PIN counts once', async () => {
  let asked = 0;
  const { onRequest } = stage.eps;
  stage.eps.onRequest = (order) => ((asked += 1) === 1 ? declines('55') : onRequest(order));
  const { answer } = await byEps('M-1');
  stage.pinPad.enter();
  await answer;
  assert.partialDeepStrictEqual((await settle()).get('EPS'), { result: 'BALANCED', totals: [total('SALE', 1, 3000)] });
});

test('a code that was withdrawn for another way to pay counts where it was paid', async () => {
  const { answer } = await begun(stage, 'QR_PRESENT');
  stage.act({ kind: 'choose', mode: 'CASH' });
  await stage.trace.seen('screen: tenderCash');
  await settled();
  stage.act({ kind: 'tender', amount: '30' });
  await answer;
  const results = await settle();
  assert.partialDeepStrictEqual(results.get('QR'), { result: 'BALANCED', totals: [] });
  assert.partialDeepStrictEqual(results.get('CASH'), { result: 'BALANCED', totals: [total('SALE', 1, 3000)] });
});

test('one that fails keeps no other from being settled', async () => {
  await byWallet('M-1');
  await byCash('M-2');
  stage.octopus.onUpload = () => ({ kind: 'unanswered' });
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  const results = await settle();
  assert.deepEqual(
    [...results].map(([id, { result }]) => [id, result]),
    [
      ['EDC', 'BALANCED'],
      ['CUP', 'BALANCED'],
      ['EPS', 'BALANCED'],
      ['QR', 'FAILED'],
      ['OCTOPUS', 'FAILED'],
      ['CASH', 'BALANCED'],
    ],
  );
});
