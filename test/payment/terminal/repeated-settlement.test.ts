import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { SettlementOrder, SettlementOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { ended, sale, Stage } from './stage.ts';

/** A host that answers a repeated settlement (0501) as it answered the first, also after it has closed the batch. */

const EDC = acquirerId('EDC');
const unanswered = { kind: 'unanswered' } as const;

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
  stage.edc.repeatsSettlements = true;
});
afterEach(() => stage.close());

async function settle(messageId: string) {
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  assert.ok(answer.kind === 'ended');
  return answer.settlement.results?.map(({ batch, result }) => `${batch} ${result}`);
}

/** Answers settlements with these outcomes, one after the other, then with the last one. */
function answering(...outcomes: SettlementOutcome[]) {
  stage.edc.onSettlement = () => (outcomes.length > 1 ? outcomes.shift() : outcomes[0]) ?? assert.fail();
}

const sent = () =>
  stage.edc.settlements.map(
    ({ stan, trailer, repeat }) => `${trailer ? 'trailer ' : ''}${stan}${repeat ? ' again' : ''}`,
  );

test('an unanswered settlement is repeated with its trace number and time, also after a restart', async () => {
  ended(await stage.paid(sale('M-1')));
  answering(unanswered);
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.deepEqual(await settle('S-2'), ['1 FAILED']);
  await stage.restart();
  stage.edc.repeatsSettlements = true;
  answering({ kind: 'balanced' });
  const before = sent();
  assert.deepEqual(await settle('S-3'), ['1 BALANCED']);
  assert.deepEqual([before, sent().at(-1)], [['2', '2 again'], '2 again']);
  const times = new Set(stage.edc.settlements.map(({ at }: SettlementOrder) => at?.toISOString()));
  assert.equal(times.size, 1);
  assert.ok(!times.has(undefined));
});

test('one that could not be sent as a repeat stays unanswered', async () => {
  ended(await stage.paid(sale('M-1')));
  answering(unanswered, { kind: 'notSent' }, { kind: 'balanced' });
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.deepEqual(await settle('S-2'), ['1 FAILED']);
  assert.deepEqual(await settle('S-3'), ['1 BALANCED']);
  assert.deepEqual(sent(), ['2', '2 again', '2 again']);
});

test('a refused settlement has its answer: the next one is new', async () => {
  ended(await stage.paid(sale('M-1')));
  answering({ kind: 'refused', responseCode: '96' }, { kind: 'balanced' });
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.deepEqual(await settle('S-2'), ['1 BALANCED']);
  assert.deepEqual(sent(), ['2', '3']);
});

test('the unanswered settlement after an upload is repeated before anything else, also after a restart', async () => {
  ended(await stage.paid(sale('M-1')));
  answering({ kind: 'mismatch' }, unanswered);
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.deepEqual(sent(), ['2', 'trailer 4']);
  await stage.restart();
  stage.edc.repeatsSettlements = true;
  answering({ kind: 'balanced' });
  const uploads = stage.edc.uploads.length;
  assert.deepEqual(await settle('S-2'), ['1 UPLOADED']);
  assert.deepEqual([sent().at(-1), stage.edc.uploads.length], ['trailer 4 again', uploads]);
});

test('another host is asked anew each time', async () => {
  stage.edc.repeatsSettlements = false;
  ended(await stage.paid(sale('M-1')));
  answering(unanswered, { kind: 'balanced' });
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.deepEqual(await settle('S-2'), ['1 BALANCED']);
  assert.deepEqual(sent(), ['2', '3']);
});
