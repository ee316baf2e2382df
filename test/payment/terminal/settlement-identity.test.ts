import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { SettlementOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import type { SettlementRequest } from '../../../src/payment/terminal/request.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { settled } from '../../support/manual-clock.ts';
import { ended, sale, Stage } from './stage.ts';

const EDC = acquirerId('EDC');
const request: SettlementRequest = { posId: 'POS-1', messageId: 'S-1', digest: 'all' };
const owner = { posId: 'POS-1', messageId: 'S-1' };

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

function held(): (outcome: SettlementOutcome) => void {
  const { promise, resolve } = Promise.withResolvers<SettlementOutcome>();
  stage.edc.onSettlement = () => promise;
  return resolve;
}

test('the same settlement at once, later and after a restart: one message, one answer', async () => {
  ended(await stage.paid());
  const answers = await Promise.all([stage.terminal.settle(request), stage.terminal.settle(request)]);
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(await stage.terminal.settle(request), answers[0]);
  await stage.restart();
  assert.deepEqual(await stage.terminal.settle(request), answers[0]);
  assert.equal(stage.edc.settlements.length, 1);
});

test('another settlement under the same identity is refused while it runs and ever after', async () => {
  ended(await stage.paid());
  const other = { ...request, digest: 'EDC', acquirerId: EDC };
  const release = held();
  const running = stage.terminal.settle(request);
  await stage.trace.seen('EDC: settle');
  assert.deepEqual(await stage.terminal.settle(other), { kind: 'otherRequest' });
  release({ kind: 'balanced' });
  await running;
  assert.deepEqual(await stage.terminal.settle(other), { kind: 'otherRequest' });
  await stage.restart();
  assert.deepEqual(await stage.terminal.settle(other), { kind: 'otherRequest' });
});

test('a payment’s identity can’t name a settlement, and the other way round: running, ended and after a restart', async () => {
  ended(await stage.paid(sale('S-1')));
  assert.deepEqual(await stage.terminal.settle(request), { kind: 'otherRequest' });
  const release = held();
  const running = stage.terminal.settle({ ...request, messageId: 'S-2' });
  await stage.trace.seen('EDC: settle');
  assert.deepEqual(await stage.paid(sale('S-2')), { kind: 'otherRequest' });
  release({ kind: 'balanced' });
  await running;
  assert.deepEqual(await stage.paid(sale('S-2')), { kind: 'otherRequest' });
  await stage.restart();
  assert.deepEqual(await stage.paid(sale('S-2')), { kind: 'otherRequest' });
  assert.deepEqual(await stage.terminal.settle(request), { kind: 'otherRequest' });
  assert.equal(ended(await stage.paid(sale('S-1'))).conclusion?.result, 'SUCCESS');
});

test('while it runs payments go on, in the next batch; another settlement comes after it', async () => {
  ended(await stage.paid());
  const release = held();
  const running = stage.terminal.settle(request);
  await stage.trace.seen('EDC: settle');
  assert.deepEqual(stage.terminal.running, { ...owner, state: 'settling' });
  assert.equal(ended(await stage.paid(sale('M-2'))).intent?.trace.batch, 2);
  assert.deepEqual(stage.terminal.running, { ...owner, state: 'settling' });
  const other = stage.terminal.settle({ ...request, messageId: 'S-2' });
  await settled();
  assert.equal(stage.journal.store.findSettlement('POS-1', 'S-2'), undefined);
  release({ kind: 'balanced' });
  assert.equal((await running).kind, 'ended');
  const later = await other;
  assert.ok(later.kind === 'ended');
  assert.partialDeepStrictEqual(later.settlement.results?.[0], { batch: 2, result: 'BALANCED' });
  assert.equal(stage.terminal.running, undefined);
});

test('another settlement waits up to its limit, and is then told that the terminal is busy', async () => {
  ended(await stage.paid());
  held();
  void stage.terminal.settle(request);
  await stage.trace.seen('EDC: settle');
  const other = stage.terminal.settle({ ...request, messageId: 'S-2' });
  await settled();
  await stage.clock.advance(120_000);
  assert.deepEqual(await other, { kind: 'busy', owner });
});

test('a payment that runs when its batch is to be closed ends first, in that batch', async () => {
  ended(await stage.paid());
  ended(await stage.paid(sale('M-2'), 'unionpay'));
  const release = held();
  const settling = stage.terminal.settle(request);
  await stage.trace.seen('EDC: settle');
  const payment = stage.terminal.pay(sale('M-3'));
  await stage.trace.seen('reader: armed', 3);
  release({ kind: 'balanced' });
  await settled();
  assert.equal(stage.cup.settlements.length, 0);
  assert.equal(stage.terminal.running?.state, 'collecting');
  stage.reader.present('unionpay');
  assert.equal(ended(await payment).intent?.trace.batch, 1);
  const answer = await settling;
  assert.ok(answer.kind === 'ended');
  assert.equal(answer.settlement.results?.[1]?.totals[0]?.count, 2);
});

test('while a payment runs no settlement does', async () => {
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  const paying = { posId: 'POS-1', messageId: 'M-1' };
  assert.deepEqual(await stage.terminal.settle(request), { kind: 'busy', owner: paying });
  stage.reader.present();
  ended(await payment);
  assert.equal(stage.journal.store.findSettlement('POS-1', 'S-1'), undefined);
  assert.equal((await stage.terminal.settle(request)).kind, 'ended');
});

test('a restart in the middle: it is taken up beside the payments, and told once', async () => {
  ended(await stage.paid());
  held();
  void stage.terminal.settle(request);
  await stage.trace.seen('EDC: settle');
  assert.equal(stage.journal.store.openBatch(EDC), 2);
  const [cutOff] = stage.journal.store.unfinishedSettlements();
  assert.ok(cutOff);
  assert.equal(cutOff.results, undefined);
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  await stage.restart();
  await stage.clock.advance(0);
  assert.deepEqual(stage.journal.store.unfinishedSettlements(), []);
  const answer = await stage.terminal.settle(request);
  assert.ok(answer.kind === 'ended');
  assert.equal(answer.settlement.id, cutOff.id);
  assert.equal(answer.settlement.results?.[0]?.result, 'BALANCED');
  assert.deepEqual(
    stage.edc.settlements.map(({ batch, totals }) => [batch, totals.sales.minor]),
    [
      [1, 3000n],
      [1, 3000n],
    ],
  );
  assert.equal(stage.journal.store.openBatch(EDC), 2);
});

test('the journal fails at each single operation: the batch is closed once, in the end', async () => {
  for (let failAt = 1; ; failAt++) {
    const own = new Stage();
    ended(await own.paid());
    const before = own.journal.calls;
    own.journal.fault = (call) => call === before + failAt;
    const answer = await own.terminal.settle(request).catch((error: Error) => error.name);
    const failed = own.trace.events.some((event) => event.startsWith('journal failed'));
    own.journal.fault = () => false;
    await own.clock.advance(60_000);
    if (
      typeof answer !== 'string' &&
      answer.kind === 'ended' &&
      answer.settlement.results?.[0]?.result === 'BALANCED'
    ) {
      assert.equal(own.journal.store.openBatch(EDC), 2, `at ${failAt}: told and not written`);
    } else {
      // Taken up meanwhile, where it had begun: then the same request is told of it.
      const results = own.journal.store.findSettlement('POS-1', 'S-1')?.results ?? [];
      const isTakenUp = results.find(({ acquirerId: id }) => id === EDC)?.result === 'BALANCED';
      assert.equal(own.journal.store.openBatch(EDC), isTakenUp ? 2 : 1, `at ${failAt}: closed and not to be told`);
      assert.equal(own.journal.store.unfinishedSettlements().length, 0, `at ${failAt}: without an end`);
      if (!isTakenUp) await own.terminal.settle({ ...request, messageId: 'S-2' });
    }
    assert.equal(own.journal.store.openBatch(EDC), 2, `at ${failAt}`);
    assert.equal(own.terminal.running, undefined);
    own.close();
    if (!failed) {
      assert.ok(failAt > 5, 'a settlement takes some calls');
      return;
    }
  }
});

/** The result reaches the host, and not the journal. */
async function cutOff(): Promise<void> {
  ended(await stage.paid());
  stage.journal.fault = (_call, operation) => operation === 'endSettlement';
  assert.equal((await stage.terminal.settle(request)).kind, 'journalFailed');
  assert.equal(stage.terminal.running, undefined);
}

test('a result that could not be written is written when the journal works again, asked by nobody', async () => {
  await cutOff();
  await stage.clock.advance(10_000);
  assert.equal(stage.journal.store.unfinishedSettlements().length, 1, 'the journal fails still');
  stage.journal.fault = () => false;
  await stage.clock.advance(10_000);
  assert.deepEqual(
    stage.journal.store.findSettlement('POS-1', 'S-1')?.results?.map(({ batch, result }) => [batch, result]),
    [
      [1, 'BALANCED'],
      [1, 'BALANCED'],
    ],
  );
  assert.equal(ended(await stage.paid(sale('M-2'))).intent?.trace.batch, 2);
  await stage.clock.advance(10_000);
  assert.equal(stage.edc.settlements.length, 1, 'it has answered');
});

test('nothing is added to a batch that the host has settled: payments go on in the next one', async () => {
  await cutOff();
  assert.equal(ended(await stage.paid(sale('M-2'))).intent?.trace.batch, 2);
});

test('the same request takes it up itself, and payments are free at once', async () => {
  await cutOff();
  stage.journal.fault = () => false;
  assert.equal((await stage.terminal.settle(request)).kind, 'ended');
  assert.equal(ended(await stage.paid(sale('M-2'))).intent?.trace.batch, 2);
});

test('where another settlement runs at that moment, it is taken up after it', async () => {
  await cutOff();
  stage.journal.fault = () => false;
  ended(await stage.paid(sale('M-2')));
  const release = held();
  const other = stage.terminal.settle({ ...request, messageId: 'S-2' });
  await stage.trace.seen('EDC: settle', 2);
  await stage.clock.advance(10_000);
  assert.deepEqual(
    stage.journal.store.unfinishedSettlements().map(({ messageId }) => messageId),
    ['S-1', 'S-2'],
  );
  release({ kind: 'balanced' });
  assert.equal((await other).kind, 'ended');
  await stage.trace.seen('commit: settled BALANCED+BALANCED');
  assert.deepEqual(stage.journal.store.unfinishedSettlements(), []);
});

test('a settlement that was not even begun holds up nobody', async () => {
  stage.journal.fault = (_call, operation) => operation === 'openSettlement';
  assert.equal((await stage.terminal.settle(request)).kind, 'journalFailed');
  stage.journal.fault = () => false;
  assert.equal(ended(await stage.paid()).conclusion?.result, 'SUCCESS');
  await stage.clock.advance(10_000);
  assert.equal(stage.edc.settlements.length, 0);
});

test('close waits for the settlement that runs, and nothing begins after it', async () => {
  ended(await stage.paid());
  const release = held();
  const running = stage.terminal.settle(request);
  await stage.trace.seen('EDC: settle');
  let closed = false;
  const closing = stage.terminal.close().then(() => {
    closed = true;
  });
  assert.equal(closed, false);
  release({ kind: 'balanced' });
  assert.equal((await running).kind, 'ended');
  await closing;
  assert.equal((await stage.terminal.settle({ ...request, messageId: 'S-2' })).kind, 'notReady');
});
