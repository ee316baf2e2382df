import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { settled } from '../../support/manual-clock.ts';
import { approves } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
  // From now on numbers move to 257, 258, …
  stage.journal.random = { bytes: (length) => Uint8Array.from({ length }, (_, at) => Number(at % 6 === 4)) };
});
afterEach(() => stage.close());

const file = () => path.join(stage.dir, 'journal.db');
const copy = () => path.join(stage.dir, 'copy.db');
const kept = () => stage.restart(() => copyFileSync(file(), copy()));
const putBack = () => stage.restart(() => copyFileSync(copy(), file()));

async function results() {
  const answer = await stage.terminal.settle({
    posId: 'POS-1',
    messageId: 'S-1',
    digest: 's',
    acquirerId: stage.edc.id,
  });
  assert.ok(answer.kind === 'ended');
  return (answer.settlement.results ?? []).map(({ batch, result, totals }) => [batch, result, totals[0]?.count]);
}

test('what an older copy has of the open batch waits for the bank’s word under its number, and new payments are in another', async () => {
  const first = ended(await stage.paid(sale('M-1')));
  await kept();
  ended(await stage.paid(sale('M-2')));
  await putBack();
  // A request of a POS might be the repeat of one that is lost.
  assert.equal((await stage.paid(sale('M-2'))).kind, 'restored');
  const next = ended(await stage.paid(sale('M-3', { posId: 'OPERATOR' })));
  const [old, open] = [first.intent?.trace.batch, next.intent?.trace.batch];
  assert.notEqual(old, open);
  assert.deepEqual(await results(), [[old, 'FAILED', 1]]);
  assert.deepEqual(stage.edc.settlements, []);
  await stage.journal.markUnsettled(stage.edc.id, old ?? 0, 'HKD');
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  const answer = await stage.terminal.settle({
    posId: 'POS-1',
    messageId: 'S-2',
    digest: 's',
    acquirerId: stage.edc.id,
  });
  assert.ok(answer.kind === 'ended');
  assert.deepEqual(
    answer.settlement.results?.map(({ batch, result }) => [batch, result]),
    [
      [old, 'BALANCED'],
      [open, 'BALANCED'],
    ],
  );
  assert.deepEqual(stage.journal.store.unreadBatches(stage.edc.id), []);
});

test('a sale that was unfinished in the copy, and later told SUCCESS, is not reversed', async () => {
  // The copy is made while the host has the request.
  stage.edc.onRequest = () => {
    copyFileSync(file(), copy());
    copyFileSync(`${file()}-wal`, `${copy()}-wal`);
    return approves;
  };
  const { id, conclusion } = ended(await stage.paid(sale('M-1')));
  assert.equal(conclusion?.result, 'SUCCESS');
  await stage.restart(() => {
    copyFileSync(copy(), file());
    copyFileSync(`${copy()}-wal`, `${file()}-wal`);
  });
  await settled();
  assert.deepEqual(stage.edc.reversals, []);
  assert.equal(stage.edc.posted, 1);
  assert.ok(stage.forwarder.isUnsendable(id));
});
