import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ReversalOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, ending, enquired, kindsOf } from './method-stage.ts';
import { acknowledges, approves } from './scripted-host.ts';
import { card } from './scripted-reader.ts';
import { ended, everything, Stage } from './stage.ts';

const part = { ...approves.outcome, responseCode: '10', coveredMinor: 2000n };

let stage: Stage;
let reversed: ReversalOrder[];
beforeEach(() => {
  stage = new Stage(undefined, everything);
  reversed = [];
  stage.edc.onRequest = () => ({ posted: true, outcome: part });
  stage.edc.onReversal = (order) => {
    reversed.push(order);
    return acknowledges;
  };
});
afterEach(() => stage.close());

async function inserted(allowPartial?: true) {
  const { answer } = await begun(stage, 'CARD', 'M-1', allowPartial ? { allowPartial } : {});
  stage.reader.answer({ kind: 'card', card: { ...card(), entryMode: 'CHIP', awaitsDecision: true } });
  await settled();
  return ended(await answer);
}

test('the chip refuses a part: it is reversed by the amount that was asked for', async () => {
  stage.equipped.onComplete = async () => ({ kind: 'refused', emv: new Map([['9F27', Uint8Array.of(0)]]) });
  const record = await inserted(true);
  assert.match(ending(record), /^DECLINED/);
  assert.deepEqual(kindsOf(stage).slice(0, 5), ['accepted', 'intent', 'partlyApproved', 'answered', 'cardCompleted']);
  await settled();
  assert.equal(await enquired(stage), 'DECLINED REVERSED');
  assert.deepEqual(
    reversed.map(({ amount }) => amount.minor),
    [3000n],
  );
  assertClean(stage);
});

test('a part that is not allowed: the chip hears of no approval', async () => {
  const record = await inserted();
  assert.equal(record.conclusion?.reason, 'cardCoversOnly');
  assert.match(record.conclusion?.message ?? '', /only HKD 20\.00/);
  assert.equal(record.amount.minor, 3000n);
  assert.ok(stage.equipped.decisions.every(({ kind }) => kind !== 'approved'));
});
