import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { setAside } from '../../../src/operator/waiting.ts';
import { reportCsv } from '../../../src/pos/api/report-csv.ts';
import { reportFigures, type ReportedBatch } from '../../../src/payment/records/report-figures.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../../src/payment/terminal/reports.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';
import { takesAdvice } from './scripted-host.ts';
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
  const read = await new Reports({ journal: stage.journal, acquirers, turns: new ReadingTurns() }).read(
    EDC,
    batch,
    posId,
  );
  return typeof read === 'string' ? assert.fail(read) : read;
}

async function settle() {
  const messageId = `S-${(settlements += 1)}`;
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  return (answer.kind === 'ended' && answer.settlement.results?.[0]) || assert.fail(answer.kind);
}

const decided = (id: string) =>
  setAside(id, 'POSTED', {
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
