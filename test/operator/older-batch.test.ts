import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { decideBatch, type BatchOutcome } from '../../src/operator/waiting-batch.ts';
import type { SettledBatch } from '../../src/payment/events/settlement.ts';
import { ended, sale, Stage } from '../payment/terminal/stage.ts';

/** Batches of an older copy of the journal, and transactions that a host rejects: the bank's word comes first. */

const EDC = acquirerId('EDC');
const balanced = { kind: 'balanced' } as const;
const mismatch = { kind: 'mismatch' } as const;

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const pay = async (messageId: string, minor: bigint, posId = 'POS-1') =>
  ended(await stage.paid(sale(messageId, { posId, amount: { minor, currency: 'HKD' } })));
const asked = () =>
  stage.edc.settlements.map(({ batch, totals, trailer }) => [
    batch,
    totals.sales.count,
    trailer ? 'trailer' : 'totals',
  ]);

async function settle(messageId: string): Promise<readonly SettledBatch[]> {
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  return answer.kind === 'ended' ? (answer.settlement.results ?? []) : assert.fail(answer.kind);
}

const decide = (outcome: BatchOutcome) =>
  decideBatch({ acquirer: 'EDC', batch: 1, currency: 'HKD' }, outcome, {
    journal: stage.journal,
    acquirers: ['EDC', 'CUP'],
    takesBatch: stage.terminal.room.takesBatch,
  });

/** Two sales of batch 1, which is settled; then the journal is as it was behind the second of them. */
async function putBack(): Promise<void> {
  const [file, copy] = ['journal.db', 'copy.db'].map((name) => path.join(stage.dir, name)) as [string, string];
  await pay('M-1', 1000n);
  await pay('M-2', 500n);
  await stage.restart(() => copyFileSync(file, copy));
  assert.equal((await settle('S-1'))[0]?.result, 'BALANCED');
  await pay('M-3', 70n);
  await stage.restart(() => copyFileSync(copy, file));
  stage.edc.settlements.length = 0;
  assert.match(stage.journal.store.putBack() ?? '', /older copy/);
  // A request of a POS might be the repeat of one that is lost.
  assert.equal((await stage.paid(sale('M-3'))).kind, 'restored');
}

describe('a batch of an older copy', () => {
  test('is not asked for before the bank was: its host may count it twice', async () => {
    await putBack();
    const [first, ...others] = await settle('S-2');
    assert.partialDeepStrictEqual(first, { batch: 1, result: 'FAILED', refused: true });
    assert.match(first?.reason ?? '', /older copy.*ask the bank/);
    assert.deepEqual([others, asked()], [[], []]);
  });

  test('that the bank has settled is over, and the host hears no more of it', async () => {
    await putBack();
    await settle('S-2');
    assert.ok('complete' in (await decide('SETTLED')));
    const [first] = await settle('S-3');
    assert.partialDeepStrictEqual(first, { batch: 1, result: 'BALANCED', confirmed: true });
    assert.deepEqual(
      asked().filter(([batch]) => batch === 1),
      [],
    );
  });

  test('that the bank has not settled is asked for, under its own number; what was voided since is left out and told', async () => {
    await putBack();
    await settle('S-2');
    assert.partialDeepStrictEqual(await decide('NOT_SETTLED'), { complete: false });
    await pay('M-4', 30n, 'OPERATOR');
    stage.edc.onSettlement = ({ batch, trailer }) => (batch === 1 && !trailer ? mismatch : balanced);
    stage.edc.onUpload = ({ amount }) =>
      amount.minor === 500n ? { kind: 'rejected', responseCode: '25' } : { kind: 'accepted' };
    const [first, second] = await settle('S-3');
    assert.partialDeepStrictEqual(first, { batch: 1, result: 'UPLOADED' });
    assert.match(first?.reason ?? '', /rejected 1 of its transactions/);
    assert.equal(second?.result, 'BALANCED');
    assert.deepEqual(asked().slice(0, 2), [
      [1, 2, 'totals'],
      [1, 1, 'trailer'],
    ]);
  });
});

test('a host that rejects one transaction: nothing is left out before the bank was asked', async () => {
  await pay('M-1', 1000n);
  await pay('M-2', 500n);
  stage.edc.onSettlement = ({ trailer }) => (trailer ? balanced : mismatch);
  stage.edc.onUpload = ({ amount }) =>
    amount.minor === 500n ? { kind: 'rejected', responseCode: '25' } : { kind: 'accepted' };
  assert.partialDeepStrictEqual((await settle('S-1'))[0], {
    batch: 1,
    result: 'FAILED',
    refused: true,
    rejectsOne: true,
  });
  assert.equal(stage.journal.store.settlingBatches(EDC)[0]?.rejectsOne, true);
  assert.partialDeepStrictEqual(await decide('NOT_SETTLED'), { complete: false });
  const [first] = await settle('S-2');
  assert.partialDeepStrictEqual(first, { batch: 1, result: 'UPLOADED' });
  assert.match(first?.reason ?? '', /rejected 1 of its transactions/);
});

test('one that is refused again after the bank’s word counts in the open batch', async () => {
  await putBack();
  await settle('S-2');
  await decide('NOT_SETTLED');
  stage.edc.onSettlement = ({ batch }) => (batch === 1 ? { kind: 'refused', responseCode: '12' } : balanced);
  assert.partialDeepStrictEqual((await settle('S-3'))[0], { batch: 1, result: 'FAILED', refused: true });
  await decide('NOT_SETTLED');
  assert.deepEqual(stage.journal.store.settlingBatches(EDC), []);
  assert.equal((await settle('S-4'))[0]?.result, 'BALANCED');
  assert.equal(asked().at(-1)?.[1], 2);
});
