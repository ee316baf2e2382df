import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { SettlementOrder, SettlementOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { LateAnswers } from '../../../src/methods/card/late-answers.ts';
import { decideBatch, waitingBatches } from '../../../src/operator/waiting-batch.ts';
import { type QueueParts, readQueues } from '../../../src/observability/queue-status.ts';
import { unsettledMoney } from '../../../src/payment/records/unsettled.ts';
import { settled } from '../../support/manual-clock.ts';
import { ended, sale, Stage } from './stage.ts';

const EDC = acquirerId('EDC');
const unanswered = { kind: 'unanswered' } as const;
const balanced = { kind: 'balanced' } as const;
const mismatch = { kind: 'mismatch' } as const;

let stage: Stage;
let late: LateAnswers;
let news: string[];
beforeEach(() => {
  stage = new Stage();
  news = [];
  const { journal, forwarder, clock, random } = stage;
  const acquirers = stage.acquirers.cardAcquirers;
  late = new LateAnswers({ journal, forwarder, acquirers, clock, random, onHeard: (what) => news.push(what) });
});
afterEach(() => stage.close());

/** The host answers what it was asked long ago, as its wire would know it again. */
function heard(asked: SettlementOrder | undefined, outcome: SettlementOutcome): Promise<void> {
  assert.ok(asked);
  late.hear({
    acquirerId: EDC,
    mti: '0510',
    stan: String(asked.stan),
    responseCode: '00',
    isOurs: true,
    reversing: false,
    isApproval: false,
    approves: () => false,
    adviceOutcome: () => unanswered,
    reversalOutcome: () => unanswered,
    settlementOutcome: (order) =>
      JSON.stringify(order, digits) === JSON.stringify(asked, digits) ? outcome : unanswered,
  });
  return settled();
}

const digits = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
const pay = async (messageId: string) => ended(await stage.paid(sale(messageId)));
const asked = () => stage.edc.settlements;

async function settle(messageId: string) {
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  assert.ok(answer.kind === 'ended');
  return answer.settlement.results?.map(({ batch, result }) => `${batch} ${result}`);
}

async function enquired(messageId: string): Promise<unknown> {
  const settlement = await stage.terminal.enquireSettlement('POS-1', messageId);
  if (typeof settlement !== 'object') return settlement;
  return settlement.results?.map(({ batch, result, reason }) => [batch, result, reason === undefined]);
}

for (const outcome of ['SETTLED', 'NOT_SETTLED'] as const) {
  test(`agreed to after the bank had denied it: the operator is told, until the bank has said ${outcome}`, async () => {
    await pay('M-1');
    stage.edc.onSettlement = () => unanswered;
    assert.deepEqual(await settle('S-1'), ['1 FAILED']);
    await stage.journal.reopenBatch(EDC, 1);
    const { takesBatch } = stage.terminal.room;
    const parts = { journal: stage.journal, acquirers: ['EDC'], takesBatch };
    assert.deepEqual(await waitingBatches(parts), []);
    await heard(asked()[0], mismatch);
    assert.deepEqual(news, []);
    await heard(asked()[0], balanced);
    assert.deepEqual(news, ['late answer to a settlement']);
    await heard(asked()[0], balanced);
    const [reported, ...none] = await waitingBatches(parts);
    assert.partialDeepStrictEqual(reported, { acquirer: 'EDC', batch: 1, currency: 'HKD', sales: { count: 1 } });
    assert.match(reported?.reason ?? '', /settled it after all, and its payments are in the open batch too/);
    assert.deepEqual([none, reported?.refusal], [[], undefined]);
    await decideBatch({ acquirer: 'EDC', batch: 1, currency: 'HKD' }, outcome, parts);
    assert.deepEqual(await waitingBatches(parts), []);
    assert.deepEqual(await decideBatch({ acquirer: 'EDC', batch: 1, currency: 'HKD' }, outcome, parts), {
      refused: 'notWaiting',
    });
  });
}

test('what was denied is forgotten a day after, with the next settlement', async () => {
  await pay('M-1');
  stage.edc.onSettlement = () => unanswered;
  await settle('S-1');
  await stage.journal.reopenBatch(EDC, 1);
  assert.equal((await stage.journal.deniedBatches(EDC)).length, 1);
  await stage.clock.advance(25 * 3_600_000);
  stage.edc.onSettlement = () => balanced;
  assert.deepEqual(await settle('S-2'), ['2 BALANCED']);
  assert.deepEqual(await stage.journal.deniedBatches(EDC), []);
});

test('an enquiry of a settlement tells what became of it since, its repeat what it was answered', async () => {
  await pay('M-1');
  assert.equal(await enquired('S-1'), undefined);
  stage.edc.onSettlement = () => unanswered;
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.deepEqual(await enquired('S-1'), [[1, 'FAILED', false]]);
  await heard(asked()[0], balanced);
  assert.deepEqual(await enquired('S-1'), [[1, 'BALANCED', true]]);
  stage.edc.onSettlement = () => balanced;
  await pay('M-2');
  assert.deepEqual(await settle('S-2'), ['1 BALANCED', '2 BALANCED']);
  assert.deepEqual(await enquired('S-1'), [[1, 'BALANCED', true]]);
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
});

test('what was settled with a later settlement is told of the earlier one, by its number', async () => {
  await pay('M-1');
  stage.edc.onSettlement = ({ trailer }) => (trailer ? unanswered : mismatch);
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  stage.edc.onSettlement = ({ trailer }) => (trailer ? balanced : mismatch);
  assert.deepEqual(await settle('S-2'), ['1 UPLOADED']);
  assert.deepEqual(await enquired('S-1'), [[1, 'UPLOADED', false]]);
});

for (const [what, between] of [
  ['after the clock was set back by a day', () => Promise.resolve(stage.clock.jump(-86_400_000))],
  ['after fifty repeats of it', () => repeatedly((at) => settle(`again ${at}`))],
  [
    'after fifty settlements of another bank',
    () =>
      repeatedly((at) => {
        const request = { posId: 'poid', messageId: `CUP ${at}`, digest: 'CUP', acquirerId: acquirerId('CUP') };
        return stage.terminal.settle(request);
      }),
  ],
] as const) {
  test(`a failed settlement whose batch is settled later is reported as settled: ${what}`, async () => {
    await pay('M-1');
    stage.edc.onSettlement = () => unanswered;
    assert.deepEqual(await settle('S-1'), ['1 FAILED']);
    await between();
    stage.edc.onSettlement = () => balanced;
    assert.equal((await settle('S-2'))?.[0], '1 BALANCED');
    assert.deepEqual(await enquired('S-1'), [[1, 'BALANCED', true]]);
  });
}

async function repeatedly(act: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < 50; at++) {
    await stage.clock.advance(1_800_000);
    await act(at);
  }
}

test('a settlement that runs, or that a restart has cut off, is under way', async () => {
  await pay('M-1');
  const answer = Promise.withResolvers<SettlementOutcome>();
  stage.edc.onSettlement = () => answer.promise;
  const done = settle('S-1');
  await stage.trace.seen('EDC: settle');
  assert.equal(await enquired('S-1'), 'running');
  answer.resolve(balanced);
  await done;
  assert.deepEqual(await enquired('S-1'), [[1, 'BALANCED', true]]);
});

test('agreed to, in an answer that comes too late: it is not asked again, and the next batch is', async () => {
  await pay('M-1');
  stage.edc.onSettlement = () => unanswered;
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  await heard(asked()[0], balanced);
  assert.deepEqual(news, ['late answer to a settlement']);
  // It stays in the journal until the next settlement reports it, but is in no list of unsettled batches.
  assert.equal((await stage.journal.settlingBatches(EDC)).length, 1);
  assert.deepEqual(await unsettledMoney(stage.journal), []);
  const parts: QueueParts = { journal: stage.journal, acquirers: new Map([[EDC, {}]]), isUnsendable: () => false };
  const { acquirers } = await readQueues(parts);
  assert.deepEqual(
    acquirers.map(({ waitingBatches: waiting }) => waiting),
    [[]],
  );
  await pay('M-2');
  stage.edc.onSettlement = () => balanced;
  assert.deepEqual(await settle('S-2'), ['1 BALANCED', '2 BALANCED']);
  assert.deepEqual(
    asked().map(({ batch }) => batch),
    [1, 2],
  );
});

test('of the trailer: uploaded', async () => {
  await pay('M-1');
  stage.edc.onSettlement = ({ trailer }) => (trailer ? unanswered : mismatch);
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  await heard(asked()[1], balanced);
  assert.deepEqual(await settle('S-2'), ['1 UPLOADED']);
  assert.equal(asked().length, 2);
});

test('while the same is asked again: nothing more is said of it', async () => {
  await pay('M-1');
  stage.edc.onSettlement = () => unanswered;
  await settle('S-1');
  stage.edc.onSettlement = async () => {
    await heard(asked()[0], balanced);
    return mismatch;
  };
  assert.deepEqual(await settle('S-2'), ['1 BALANCED']);
  assert.equal(stage.edc.uploads.length, 0);
});

test('while it is uploaded again: no trailer', async () => {
  await pay('M-1');
  stage.edc.onSettlement = ({ trailer }) => (trailer ? unanswered : mismatch);
  await settle('S-1');
  stage.edc.onUpload = async () => {
    await heard(asked()[1], balanced);
    return { kind: 'refused', responseCode: '12' };
  };
  assert.deepEqual(await settle('S-2'), ['1 UPLOADED']);
  assert.equal(asked().length, 3);
});

test('other totals, a refusal and a number that asked for nothing conclude nothing', async () => {
  await pay('M-1');
  stage.edc.onSettlement = () => unanswered;
  await settle('S-1');
  const [first] = asked();
  assert.ok(first);
  await heard(first, mismatch);
  await heard(first, { kind: 'refused', responseCode: '96' });
  await heard({ ...first, totals: { ...first.totals, sales: { count: 2, minor: 1n } } }, balanced);
  await heard({ ...first, stan: first.stan + 1 }, balanced);
  assert.deepEqual(news, []);
  assert.equal(stage.journal.store.settlingBatches(EDC)[0]?.currencies[0]?.result, undefined);
});

test('what was asked before a restart is known after it, and of an answered one nothing more is heard', async () => {
  await pay('M-1');
  stage.edc.onSettlement = () => unanswered;
  await settle('S-1');
  await stage.restart();
  const { journal, forwarder, clock, random } = stage;
  const acquirers = stage.acquirers.cardAcquirers;
  late = new LateAnswers({ journal, forwarder, acquirers, clock, random, onHeard: (what) => news.push(what) });
  await heard(asked()[0], balanced);
  await heard(asked()[0], balanced);
  assert.deepEqual(news, ['late answer to a settlement']);
});

test('a journal that fails for a while loses nothing of it', async () => {
  await pay('M-1');
  stage.edc.onSettlement = () => unanswered;
  await settle('S-1');
  stage.journal.fault = (_call, operation) => operation === 'recordResult';
  await heard(asked()[0], balanced);
  assert.deepEqual(news, []);
  stage.journal.fault = () => false;
  await stage.clock.advance(10_000);
  assert.deepEqual(news, ['late answer to a settlement']);
});

test('answered in time, and the journal could not take it: it is written at the next try, and not asked for again', async () => {
  await pay('M-1');
  stage.journal.fault = (_call, operation) => operation === 'recordResult';
  await assert.rejects(
    stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'S-1', acquirerId: EDC }).then(failed),
  );
  stage.journal.fault = () => false;
  assert.deepEqual(await settle('S-1'), ['1 BALANCED']);
  assert.equal(asked().length, 1);
});

function failed(answer: { readonly kind: string }): never {
  throw new Error(answer.kind);
}
