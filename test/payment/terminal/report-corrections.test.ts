import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { openMatters } from '../../../src/operator/customer-matters.ts';
import { setAside } from '../../../src/operator/waiting.ts';
import type { SetAside } from '../../../src/payment/events/answer.ts';
import { reportCsv } from '../../../src/pos/api/report-csv.ts';
import { reportFigures, type ReportedBatch } from '../../../src/payment/records/report-figures.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../../src/payment/terminal/reports.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';
import { postsAndIsSilent, takesAdvice } from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';

let stage: Stage;
let settlements: number;
beforeEach(() => {
  settlements = 0;
  stage = new Stage();
});
afterEach(() => stage.close());

const EDC = acquirerId('EDC');

async function report(batch?: number, posId?: string): Promise<readonly ReportedBatch[]> {
  const acquirers = new Map([[EDC, {}]]);
  const read = await new Reports({ journal: stage.journal, acquirers, turns: new ReadingTurns() }).read(EDC, batch, {
    posId,
  });
  return typeof read === 'string' ? assert.fail(read) : read;
}

async function settle() {
  const messageId = `S-${(settlements += 1)}`;
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  return (answer.kind === 'ended' && answer.settlement.results?.[0]) || assert.fail(answer.kind);
}

const decided = (id: string, outcome: SetAside['outcome'] = 'POSTED') =>
  setAside(id, outcome, {
    journal: stage.journal,
    acquirers: ['EDC', 'CUP'],
    isUnsendable: () => false,
    takesBatch: stage.terminal.room.takesBatch,
    decide: decidesAtOnce,
  });

/** A tip of 3.00 that the host has rejected. */
async function rejectedTip() {
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const sold = ended(await stage.paid());
  const amount = { amount: { minor: 3300n, currency: 'HKD' } as const };
  const tip = ended(await stage.terminal.pay(about('TIP_ADJUST', 'M-2', sold, amount)));
  await stage.trace.seen('commit: adviceAnswered');
  stage.edc.onAdvice = () => takesAdvice;
  return tip;
}

const rejection = {
  kind: 'adviceAnswered',
  answer: 'rejected',
  reason: 'invalidTransaction',
  responseCode: '12',
  rrn: '',
  hostTime: '',
  hostDate: '',
} as const;

const sumsOf = (batches: readonly ReportedBatch[]) => reportFigures(batches).sums;

const tipLine = { kind: 'TIP_ADJUST', currency: 'HKD', count: 1, totalMinor: '300' };

test('a tip that the bank has confirmed after the settlement of its sale is in the report of the open batch', async () => {
  const { id } = await rejectedTip();
  const first = await settle();
  assert.partialDeepStrictEqual(first, { result: 'BALANCED', totals: [{ kind: 'SALE', totalMinor: '3000' }] });
  assert.ok('id' in (await decided(id)));

  const open = await report();
  assert.deepEqual(open[0]?.totals, [tipLine]);
  const { sums, methods } = reportFigures(open);
  for (const [total] of [sums, methods]) {
    assert.partialDeepStrictEqual(total, { sales: { count: 0, minor: 300n }, tipMinor: 300n });
  }
  assert.equal((await report(first.batch))[0]?.totals[0]?.totalMinor, '3000', 'the settled batch stays as it is');
  assert.deepEqual((await report(undefined, 'POS-2'))[0]?.totals, []);

  // The host has it already: its totals are asked for without it.
  ended(await stage.paid(sale('M-3', { amount: { minor: 500n, currency: 'HKD' } })));
  const second = await settle();
  assert.partialDeepStrictEqual(second, {
    result: 'BALANCED',
    totals: [{ kind: 'SALE', count: 1, totalMinor: '500' }],
  });
  assert.deepEqual((await report(second.batch))[0]?.totals.at(-1), tipLine, 'and in the Z report of that batch');
});

test('a tip that the bank has confirmed before the settlement of its sale is part of the sale', async () => {
  const { id } = await rejectedTip();
  assert.ok('id' in (await decided(id)));
  const [batch] = await report();
  assert.deepEqual(batch?.totals, [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3300' }]);
  assert.deepEqual(
    batch.items.map(({ kind, tipMinor }) => [kind, tipMinor]),
    [['SALE', 300n]],
  );
});

test('what the operator has given back in cash is less cash in the CSV too', async () => {
  const [batch = assert.fail('no batch')] = await report();
  const back = { acquirerId: EDC, batch: batch.batch, amount: { minor: 3000n, currency: 'HKD' } } as const;
  const csv = reportCsv({}, [{ ...batch, cashReturns: [back] }]);
  assert.match(csv, /^cash,,HKD,.*-30\.00/m);
});

const matters = async () => (await openMatters({ journal: stage.journal })).map(({ matter }) => matter);

test('a tip that its host rejects after a settled batch has counted it stays in the report of that batch', async () => {
  const { id } = await rejectedTip();
  assert.ok('id' in (await decided(id)));
  const { batch } = await settle();
  const before = await report(batch);
  assert.equal(before[0]?.totals[0]?.totalMinor, '3300');
  await stage.journal.append(id, [rejection]);
  const after = await report(batch);
  assert.deepEqual([after[0]?.totals, sumsOf(after)], [before[0]?.totals, sumsOf(before)]);
  assert.deepEqual((await report())[0]?.totals, []);
  assert.deepEqual(await stage.journal.rejectedAdvices(EDC), [id], 'the operator has to ask the bank again');

  // The bank's second answer moves nothing either.
  assert.ok('id' in (await decided(id, 'NOT_POSTED')));
  assert.deepEqual(sumsOf(await report(batch)), sumsOf(before));
  assert.deepEqual((await report())[0]?.totals, []);
  assert.deepEqual(await matters(), ['reversedAfterSettlement']);
});

test('a refund that its host reverses after a settled batch has counted it stays in the report of that batch', async () => {
  const sold = ended(await stage.paid());
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '96' });
  const { id } = ended(await stage.paid(about('REFUND', 'M-2', sold)));
  assert.ok('id' in (await decided(id)));
  const { batch } = await settle();
  const before = await report(batch);
  const refundedIn = ([each]: readonly ReportedBatch[]) => each?.items.map(({ refundedMinor }) => refundedMinor);
  assert.deepEqual(refundedIn(before), [3000n, 0n]);
  await stage.journal.append(id, [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
  const after = await report(batch);
  assert.deepEqual([refundedIn(after), sumsOf(after)], [refundedIn(before), sumsOf(before)]);
  assert.deepEqual(await matters(), ['reversedAfterSettlement']);
});
