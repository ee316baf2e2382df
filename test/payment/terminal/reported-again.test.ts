import assert from 'node:assert/strict';
import { test } from 'node:test';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { postsAndIsSilent } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

const writes = new Set(['append', 'intend']);
const reported = (record: TransactionRecord) => {
  const { conclusion } = record;
  return { result: conclusion?.result, message: conclusion?.message, impact: financialImpact(record) };
};

/** A payment after whose acceptance the disk takes no more, from the so manieth commit on. */
async function paidWithoutDisk(stage: Stage, commits: number): Promise<TransactionRecord> {
  let done = 0;
  stage.journal.fault = (_call, operation) => writes.has(operation) && (done += 1) > commits;
  return ended(await stage.paid());
}

for (const commits of [0, 1]) {
  test(`the disk fails after ${commits} commits: the first and later answers have the same words`, async () => {
    const stage = new Stage();
    stage.edc.onRequest = () => postsAndIsSilent;
    const first = reported(await paidWithoutDisk(stage, commits));
    assert.equal(first.result, 'DATABASE_ERROR');
    assert.deepEqual(reported(ended(await stage.terminal.pay(sale('M-1')))), first);
    const enquired = await stage.terminal.enquire('POS-1', 'M-1');
    assert.ok(enquired.kind === 'ended');
    assert.deepEqual(reported(enquired.record), first);
    assert.deepEqual(reported((await stage.terminal.recall(enquired.record.id))?.record ?? assert.fail()), first);
    stage.close();
  });
}

test('the commit of the reported end stands although it was reported as failed: the reversal is sent', async () => {
  const stage = new Stage();
  stage.edc.onRequest = () => postsAndIsSilent;
  let appends = 0;
  stage.journal.fault = (_call, operation) => operation === 'append' && (appends += 1) > 1;
  const first = reported(ended(await stage.paid()));
  assert.notEqual(first.result, 'SUCCESS');
  stage.journal.fault = () => false;
  let misreported = 0;
  stage.journal.misreport = (_call, operation) => operation === 'append' && (misreported += 1) === 1;
  await stage.clock.advance(10_000);
  assert.deepEqual([misreported > 0, stage.edc.reversals.length], [true, 0]);
  await stage.clock.advance(10_000);
  assert.equal(stage.edc.reversals.length, 1);
  assert.deepEqual(await stage.journal.pending(), []);
  stage.close();
});

test('after a restart on a disk that still takes none: never UNKNOWN where nothing was sent', async () => {
  const stage = new Stage();
  await paidWithoutDisk(stage, 0);
  const restarted = stage.restart();
  stage.journal.fault = (_call, operation) => writes.has(operation);
  await restarted.catch(() => undefined);
  const enquired = await stage.terminal.enquire('POS-1', 'M-1');
  assert.ok(enquired.kind === 'ended');
  assert.equal(enquired.record.conclusion?.result, 'ERROR');
  assert.equal(financialImpact(enquired.record), 'NONE');
  stage.close();
});
