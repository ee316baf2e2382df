import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { SettlementOrder, SettlementOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import type { JournalledSettlement } from '../../../src/payment/events/settlement.ts';
import type { SettlementRequest } from '../../../src/payment/terminal/request.ts';
import type { SettleAnswer } from '../../../src/payment/terminal/answers.ts';
import { settled } from '../../support/manual-clock.ts';
import { isSilent } from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';

const EDC = acquirerId('EDC');

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

function request(messageId = 'S-1', fields: Partial<SettlementRequest> = {}): SettlementRequest {
  return { posId: 'POS-1', messageId, digest: `digest of ${messageId}`, acquirerId: EDC, ...fields };
}

function settlement(answer: SettleAnswer): JournalledSettlement {
  return answer.kind === 'ended' ? answer.settlement : assert.fail(answer.kind);
}

const settle = (messageId?: string) => stage.terminal.settle(request(messageId));
const only = (answer: SettleAnswer) => settlement(answer).results?.[0] ?? assert.fail('no result');
const openBatch = () => stage.journal.store.openBatch(EDC);
const pay = async (messageId: string, minor: bigint, fields = {}) =>
  ended(await stage.paid(sale(messageId, { amount: { minor, currency: 'HKD' }, ...fields })));
const messages = () => stage.trace.events.filter((event) => /^EDC: (settle|trailer|upload)/.test(event));
const mismatchThen =
  (outcome: SettlementOutcome) =>
  ({ trailer }: SettlementOrder): SettlementOutcome =>
    trailer ? outcome : { kind: 'mismatch' };

test('balanced: totals of what stands, the next batch opens, the result is kept', async () => {
  const first = await pay('M-1', 1000n);
  await pay('M-2', 200n);
  await pay('M-3', 30n, { type: 'REFUND' });
  ended(await stage.terminal.pay(about('VOID', 'M-4', first)));
  const answer = await settle();
  assert.deepEqual(only(answer), {
    acquirerId: 'EDC',
    mid: '000000000000001',
    tid: '00000001',
    batch: 1,
    totals: [
      { kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '200' },
      { kind: 'REFUND', currency: 'HKD', count: 1, totalMinor: '30' },
    ],
    result: 'BALANCED',
  });
  assert.deepEqual(stage.edc.settlements, [
    {
      stan: 5,
      batch: 1,
      totals: { currency: 'HKD', sales: { count: 1, minor: 200n }, refunds: { count: 1, minor: 30n } },
      trailer: false,
    },
  ]);
  assert.equal(openBatch(), 2);
  assert.ok(stage.trace.at('EDC: settle') < stage.trace.at('commit: settled BALANCED'));
  assert.deepEqual((await pay('M-5', 1n)).intent?.trace, { stan: 6, invoice: 4, batch: 2 });
});

test('a settled sale can’t be voided, but refunded', async () => {
  const first = await pay('M-1', 1000n);
  settlement(await settle());
  const refused = await stage.terminal.pay(about('VOID', 'M-2', first));
  assert.ok(refused.kind === 'refused' && /settled/.test(refused.refusal.message));
  assert.equal(ended(await stage.paid(about('REFUND', 'M-3', first))).conclusion?.result, 'SUCCESS');
});

test('mismatch: every transaction as it stands, more until the last, then the trailer with the same totals', async () => {
  const first = await pay('M-1', 1000n);
  await pay('M-2', 200n);
  const third = await pay('M-3', 30n);
  await pay('M-4', 4n, { type: 'OFFLINE_SALE' });
  ended(await stage.terminal.pay(about('VOID', 'M-5', first)));
  ended(await stage.terminal.pay(about('TIP_ADJUST', 'M-6', third, { amount: { minor: 33n, currency: 'HKD' } })));
  stage.edc.onSettlement = mismatchThen({ kind: 'balanced' });
  const { result, reason = '' } = only(await settle());
  assert.deepEqual([result, /books differed.* ask the bank/.test(reason)], ['UPLOADED', true]);
  assert.deepEqual(messages(), ['EDC: settle', 'EDC: upload', 'EDC: upload', 'EDC: upload', 'EDC: trailer']);
  assert.deepEqual(
    stage.edc.uploads.map(({ stan, operation, amount, place: { number, count }, original }) => [
      stan,
      operation,
      amount.minor,
      number < count,
      original.trace.stan,
    ]),
    [
      [8, 'sale', 200n, true, 2],
      [9, 'sale', 33n, true, 3],
      [10, 'offlineSale', 4n, false, 4],
    ],
  );
  const [asked, trailer] = stage.edc.settlements;
  assert.deepEqual([asked?.stan, trailer?.stan], [7, 11]);
  assert.deepEqual(trailer?.totals, asked?.totals);
  assert.equal(trailer?.totals.sales.minor, 237n);
  assert.equal(openBatch(), 2);
});

test('trace numbers of an upload wrap like all others', async () => {
  for (const messageId of ['M-1', 'M-2', 'M-3']) await pay(messageId, 1n);
  stage.journal.store.allocateStans(EDC, 999_999 - 3 - 2);
  stage.edc.onSettlement = mismatchThen({ kind: 'balanced' });
  settlement(await settle());
  assert.deepEqual(
    stage.edc.uploads.map(({ stan }) => stan),
    [999_999, 1, 2],
  );
});

/** Each with the sentence, the number of uploads, and how the batch ends once the host agrees. */
const failures: Readonly<Record<string, readonly [() => void, RegExp, number, 'BALANCED' | 'UPLOADED']>> = {
  'silent at the totals': [
    () => (stage.edc.onSettlement = () => ({ kind: 'unanswered' })),
    /did not answer$/,
    0,
    'BALANCED',
  ],
  'refuses the totals': [
    () => (stage.edc.onSettlement = () => ({ kind: 'refused', responseCode: '96' })),
    /refused the settlement \(code 96\)/,
    0,
    'BALANCED',
  ],
  'silent in the upload': [
    () => {
      stage.edc.onSettlement = mismatchThen({ kind: 'balanced' });
      stage.edc.onUpload = ({ place }) => ({ kind: place.number < place.count ? 'accepted' : 'unanswered' });
    },
    /did not answer the batch upload/,
    5,
    'UPLOADED',
  ],
  'refuses an upload': [
    () => {
      stage.edc.onSettlement = mismatchThen({ kind: 'balanced' });
      stage.edc.onUpload = () => ({ kind: 'refused', responseCode: '12' });
    },
    /refused a transaction of the batch upload \(code 12\)/,
    1,
    'BALANCED',
  ],
  'silent at the trailer': [
    () => (stage.edc.onSettlement = mismatchThen({ kind: 'unanswered' })),
    /did not answer$/,
    2,
    'BALANCED',
  ],
  'of another opinion even after the upload': [
    () => (stage.edc.onSettlement = mismatchThen({ kind: 'mismatch' })),
    /differ from the host’s even after/,
    2,
    'BALANCED',
  ],
};
for (const [name, [script, reason, uploads, ending]] of Object.entries(failures)) {
  test(`the host is ${name}: FAILED, payments go on in the next batch, and the same is asked again`, async () => {
    const first = await pay('M-1', 1000n);
    await pay('M-2', 200n);
    script();
    const failed = only(await settle());
    assert.equal(failed.result, 'FAILED');
    assert.match(failed.reason ?? '', reason);
    assert.deepEqual([failed.batch, failed.totals[0]?.totalMinor], [1, '1200']);
    assert.equal(stage.edc.uploads.length, uploads);
    assert.equal((await pay('M-3', 70n)).intent?.trace.batch, 2);
    const refused = await stage.terminal.pay(about('VOID', 'M-4', first));
    assert.ok(refused.kind === 'refused' && /settled/.test(refused.refusal.message), 'the host may have settled it');
    assert.equal(ended(await stage.paid(about('REFUND', 'M-5', first))).conclusion?.result, 'SUCCESS');

    stage.edc.onSettlement = () => ({ kind: 'balanced' });
    stage.edc.onUpload = () => ({ kind: 'accepted' });
    assert.equal(only(await settle('S-1')).result, 'FAILED', 'its identity has its answer');
    stage.edc.settlements.length = 0;
    const [late, next] = settlement(await settle('S-2')).results ?? [];
    assert.deepEqual([late?.batch, late?.result, late?.totals], [1, ending, failed.totals]);
    assert.deepEqual(
      [next?.batch, next?.result, next?.totals.map(({ totalMinor }) => totalMinor)],
      [2, 'BALANCED', ['70', '1000']],
    );
    assert.deepEqual(
      stage.edc.settlements.map(({ batch, totals: { sales, refunds } }) => [batch, sales.minor, refunds.minor]),
      [
        [1, 1200n, 0n],
        [2, 70n, 1000n],
      ],
    );
    assert.equal(openBatch(), 3);
    assert.deepEqual(stage.journal.store.settlingBatches(EDC), []);
  });
}

test('a host that is not reached has heard nothing: what is in the batch can still be voided', async () => {
  const first = await pay('M-1', 1000n);
  await pay('M-2', 200n);
  stage.edc.onSettlement = () => ({ kind: 'notSent' });
  const failed = only(await settle());
  assert.deepEqual([failed.result, failed.batch, failed.totals[0]?.totalMinor], ['FAILED', 1, '1200']);
  assert.match(failed.reason ?? '', /can’t be reached/);
  assert.deepEqual(stage.journal.store.settlingBatches(EDC), []);
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  ended(await stage.terminal.pay(about('VOID', 'M-3', first)));
  const second = only(await settle('S-2'));
  assert.deepEqual([second.result, second.batch, second.totals[0]?.totalMinor], ['BALANCED', 2, '200']);
});

test('not reached after one currency was asked: that batch stays as it is', async () => {
  await pay('M-1', 1000n);
  await pay('M-2', 500n, { amount: { minor: 500n, currency: 'JPY' } });
  stage.edc.onSettlement = ({ totals }) => ({ kind: totals.currency === 'JPY' ? 'notSent' : 'balanced' });
  assert.equal(only(await settle()).result, 'FAILED');
  assert.deepEqual(
    stage.journal.store.settlingBatches(EDC)[0]?.currencies.map(({ currency, result }) => [currency, result]),
    [
      ['HKD', 'BALANCED'],
      ['JPY', undefined],
    ],
  );
});

test('while a batch waits for its answer, the one after it is not closed: batches go in order', async () => {
  await pay('M-1', 1000n);
  stage.edc.onSettlement = () => ({ kind: 'unanswered' });
  await settle();
  await pay('M-2', 1n);
  const again = settlement(await settle('S-2')).results ?? [];
  assert.deepEqual(
    again.map(({ batch, result }) => [batch, result]),
    [[1, 'FAILED']],
  );
  assert.equal(openBatch(), 2);
  assert.deepEqual(
    stage.journal.store.settlingBatches(EDC).map(({ batch, tries, refused }) => [batch, tries, refused]),
    [[1, 2, false]],
  );
});

test('a restart between the answer of one currency and the other: only the other is asked for', async () => {
  await pay('M-1', 1000n);
  await pay('M-2', 500n, { amount: { minor: 500n, currency: 'JPY' } });
  stage.edc.onSettlement = ({ totals }) =>
    totals.currency === 'JPY' ? new Promise<never>(() => undefined) : { kind: 'balanced' };
  void settle();
  await stage.trace.seen('EDC: settle', 2);
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  await stage.restart();
  await stage.clock.advance(0);
  assert.partialDeepStrictEqual(only(await settle()), { batch: 1, result: 'BALANCED' });
  assert.deepEqual(
    stage.edc.settlements.map(({ totals, batch }) => [batch, totals.currency]),
    [
      [1, 'HKD'],
      [1, 'JPY'],
      [1, 'JPY'],
    ],
  );
  assert.equal(openBatch(), 2);
});

test('what is set aside while totals are read is in the batch, or in the next one, never in none', async () => {
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'notPermittedToCardholder', responseCode: '57' });
  const rejected = await pay('M-1', 1000n, { type: 'OFFLINE_SALE' });
  await stage.forwarder.flush(EDC);
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.journal.replies.set('batchPage', promise);
  const answer = settle();
  await settled();
  await stage.journal.append(rejected.id, [{ kind: 'setAside', outcome: 'POSTED' }]);
  stage.journal.replies.clear();
  resolve();
  assert.deepEqual(
    only(await answer).totals.map(({ kind, totalMinor }) => [kind, totalMinor]),
    [['OFFLINE_SALE', '1000']],
  );
});

test('what waits for the host goes first; while it can not, nothing is settled', async () => {
  stage.edc.onAdvice = () => ({ kind: 'unanswered' });
  await pay('M-1', 1000n, { type: 'OFFLINE_SALE' });
  const failed = only(await settle());
  assert.match(failed.reason ?? '', /have not reached the host/);
  assert.deepEqual(messages(), []);
  stage.edc.onAdvice = () => ({
    kind: 'acknowledged',
    responseCode: '00',
    rrn: '000000000002',
    hostTime: '120000',
    hostDate: '0101',
  });
  assert.equal(only(await settle('S-2')).result, 'BALANCED');
});

test('a reversed sale is in no total', async () => {
  stage.edc.onRequest = () => isSilent;
  await pay('M-1', 1000n);
  assert.deepEqual(only(await settle()).totals, []);
});

test('an empty batch is put to the host too: its books may have what this terminal has not', async () => {
  const { result, totals, batch, empty } = only(await settle());
  assert.deepEqual([result, totals, batch, empty], ['BALANCED', [], 1, true]);
  const none = { count: 0, minor: 0n };
  assert.deepEqual(stage.edc.settlements, [
    { stan: 1, batch: 1, totals: { currency: 'HKD', sales: none, refunds: none }, trailer: false },
  ]);
  // The host has settled that number.
  assert.equal(openBatch(), 2);
  stage.edc.onSettlement = mismatchThen({ kind: 'balanced' });
  const other = only(await settle('S-2'));
  assert.deepEqual([other.result, other.empty], ['UPLOADED', true]);
  assert.match(other.reason ?? '', /transactions that this terminal does not have/);
  assert.equal(stage.edc.uploads.length, 0);
});

test('each currency has its own totals; one that is refused waits alone', async () => {
  await pay('M-1', 1000n);
  await pay('M-2', 500n, { amount: { minor: 500n, currency: 'JPY' } });
  await pay('M-3', 20n, { amount: { minor: 20n, currency: 'USD' } });
  stage.edc.onSettlement = ({ totals }) =>
    totals.currency === 'JPY' ? { kind: 'refused', responseCode: '96' } : { kind: 'balanced' };
  assert.partialDeepStrictEqual(only(await settle()), { result: 'FAILED', refused: true });
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  assert.equal(only(await settle('S-2')).result, 'BALANCED');
  assert.deepEqual(
    stage.edc.settlements.map(({ batch, totals }) => [batch, totals.currency, totals.sales.minor]),
    [
      [1, 'HKD', 1000n],
      [1, 'JPY', 500n],
      [1, 'USD', 20n],
      [1, 'JPY', 500n],
    ],
  );
});

test('auths that hold money are told beside the totals, until they are completed or voided', async () => {
  const amount = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
  const auth = async (messageId: string, minor: bigint) =>
    ended(await stage.paid(sale(messageId, { type: 'AUTH', ...amount(minor) }), 'unionpay'));
  const [held, completed, released, again] = [
    await auth('M-1', 100n),
    await auth('M-2', 200n),
    await auth('M-3', 300n),
    await auth('M-4', 400n),
  ];
  for (const [index, record] of [completed, again].entries()) {
    const done = ended(await stage.terminal.pay(about('AUTH_COMP', `C-${index}`, record)));
    if (record === again) ended(await stage.terminal.pay(about('VOID', 'V-1', done)));
  }
  ended(await stage.terminal.pay(about('VOID', 'V-2', released)));
  const reported = only(await stage.terminal.settle(request('S-1', { acquirerId: acquirerId('CUP') })));
  assert.deepEqual(reported.totals, [{ kind: 'AUTH_COMP', currency: 'HKD', count: 1, totalMinor: '200' }]);
  const minor = held.amount.minor + again.amount.minor;
  assert.deepEqual(reported.openAuths, [{ kind: 'AUTH', currency: 'HKD', count: 2, totalMinor: String(minor) }]);
});

test('a batch that makes no message fails, and nothing else does', async () => {
  await pay('M-1', 1000n);
  stage.edc.onSettlement = () => Promise.reject(new RangeError('field 63'));
  assert.partialDeepStrictEqual(only(await settle()), { result: 'FAILED', refused: true });
  assert.equal(stage.failures.length, 1);
  assert.equal(stage.terminal.running, undefined);
});

test('a total of 12 digits is sent, one of 13 is reported and not sent', async () => {
  // As a payment that the bank confirms by telephone may still do.
  stage.edc.batchMax = { count: 999_999, minor: 10n ** 13n };
  await pay('M-1', 999_999_999_999n);
  await pay('M-2', 1n);
  const failed = only(await settle());
  assert.equal(failed.result, 'FAILED');
  assert.match(failed.reason ?? '', /HKD has more than 12 digits/);
  assert.equal(failed.totals[0]?.totalMinor, '1000000000000');
  assert.deepEqual(messages(), []);
  const other = await pay('M-3', 1n);
  for (const [messageId, record] of [['M-4', other]] as const) {
    ended(await stage.terminal.pay(about('VOID', messageId, record)));
  }
  const second = await stage.terminal.enquire('POS-1', 'M-2');
  assert.ok(second.kind === 'ended');
  ended(await stage.terminal.pay(about('VOID', 'M-5', second.record)));
  assert.equal(only(await settle('S-2')).result, 'BALANCED');
  assert.equal(stage.edc.settlements[0]?.totals.sales.minor, 999_999_999_999n);
});

test('all acquirers, one after the other, when none is named; one that fails does not hold the other', async () => {
  await pay('M-1', 1000n);
  ended(await stage.paid(sale('M-2'), 'unionpay'));
  stage.edc.onSettlement = () => ({ kind: 'unanswered' });
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'all' });
  assert.deepEqual(
    settlement(answer).results?.map((each) => [each.acquirerId, each.result]),
    [
      ['EDC', 'FAILED'],
      ['CUP', 'BALANCED'],
    ],
  );
  assert.deepEqual([openBatch(), stage.journal.store.openBatch(acquirerId('CUP'))], [2, 2]);
  assert.equal(stage.journal.store.settlingBatches(EDC).length, 1);
});
