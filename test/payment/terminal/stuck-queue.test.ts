import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { type ReversalOutcome, UnsendableOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import type { SetAside } from '../../../src/payment/events/answer.ts';
import { waitingOnes } from '../../../src/operator/waiting.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { UnreadableRecord } from '../../../src/payment/records/record.ts';
import { settled } from '../../support/manual-clock.ts';
import { acknowledges, approves, postsAndIsSilent, takesAdvice } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const refusal = (responseCode: string): ReversalOutcome => ({ kind: 'refused', responseCode });
const pending = () => stage.journal.store.pending().map(({ id }) => id);
const kinds = (id: TerminalTransactionId) => stage.journal.store.read(id).map(({ event }) => event.kind);
const countOf = (id: TerminalTransactionId, kind: JournalEvent['kind']) =>
  kinds(id).filter((each) => each === kind).length;

/** A sale that the host has posted and not answered, and whose reversal it answers so. */
async function unknown(messageId: string, outcome: ReversalOutcome): Promise<TerminalTransactionId> {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => outcome;
  const paid = stage.paid(sale(messageId));
  await stage.trace.seen('commit: reversalSent');
  const { id } = ended(await paid);
  stage.edc.onRequest = () => approves;
  return id;
}

async function aside(id: TerminalTransactionId, outcome: SetAside['outcome']): Promise<void> {
  await stage.journal.append(id, [{ kind: 'setAside', outcome }]);
  assert.equal(await stage.forwarder.flush(stage.edc.id), true);
}

async function settledBatch() {
  const request = { posId: 'POS-1', messageId: `S-${(settlements += 1)}`, digest: `${settlements}` };
  const answer = await stage.terminal.settle({ ...request, acquirerId: stage.edc.id });
  return answer.kind === 'ended' ? answer.settlement.results?.[0] : assert.fail(answer.kind);
}
let settlements = 0;

describe('a host that refuses for ever', () => {
  test('its code is kept, over a restart, and written anew only where it is another', async () => {
    const id = await unknown('M-1', refusal('96'));
    await stage.clock.advance(60_000);
    assert.equal(countOf(id, 'hostRefused'), 1);
    stage.edc.onReversal = () => refusal('91');
    await stage.clock.advance(120_000);
    assert.equal(countOf(id, 'hostRefused'), 2);
    await stage.restart();
    await settled();
    const record = await stage.terminal.enquire('POS-1', 'M-1');
    assert.ok(record.kind === 'ended' && record.record.refusedWith === '91');
    assert.equal(countOf(id, 'hostRefused'), 2);
  });

  test('a reversal answered with another amount is repeated, and both amounts are kept for the operator', async () => {
    const otherAmount = {
      sent: { amountMinor: '3000', currency: 'HKD' },
      answered: { amountMinor: '2000', currency: 'HKD' },
    };
    const id = await unknown('M-1', { kind: 'contradicted', responseCode: '00', otherAmount });
    await stage.clock.advance(60_000);
    assert.equal(countOf(id, 'hostRefused'), 1);
    assert.deepEqual(pending(), [id], 'money that may still be taken stays in the queue');
    const waiting = { journal: stage.journal, acquirers: ['EDC'], isUnsendable: () => false };
    const [listed] = await waitingOnes(waiting);
    assert.partialDeepStrictEqual(listed, { message: 'reversal', responseCode: '00', answeredAmount: '20.00 HKD' });
    assert.equal(listed?.refusal, undefined, 'the operator may enter the bank’s answer at once');

    stage.edc.onReversal = () => refusal('00');
    await stage.clock.advance(60_000);
    assert.equal(countOf(id, 'hostRefused'), 2);
    assert.equal((await waitingOnes(waiting))[0]?.answeredAmount, undefined);
    stage.edc.onReversal = () => acknowledges;
    await stage.clock.advance(60_000);
    assert.deepEqual(pending(), []);
  });

  for (const [outcome, impact, sales] of [
    ['NOT_POSTED', 'REVERSED', 1],
    ['POSTED', 'UNKNOWN', 2],
  ] as const) {
    test(`set aside as ${outcome}: the lane goes on, the POS hears ${impact}, and ${sales} are settled`, async () => {
      const id = await unknown('M-1', refusal('96'));
      assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'ERROR');
      assert.equal((await settledBatch())?.result, 'FAILED');
      await aside(id, outcome);
      assert.deepEqual(pending(), []);
      const tried = stage.edc.reversals.length;
      const answer = await stage.terminal.enquire('POS-1', 'M-1');
      assert.ok(answer.kind === 'ended');
      assert.equal(financialImpact(answer.record), impact);
      assert.equal(answer.record.conclusion?.result, 'ERROR');
      assert.equal(ended(await stage.paid(sale('M-3'))).conclusion?.result, 'SUCCESS');
      assert.equal((await settledBatch())?.result, 'BALANCED');
      assert.deepEqual(stage.edc.settlements.at(-1)?.totals.sales, { count: sales, minor: BigInt(sales) * 3000n });
      await stage.restart();
      await stage.clock.advance(600_000);
      assert.equal(stage.edc.reversals.length, tried, 'nothing more is sent for it');
    });
  }

  test('an acknowledgement that was on its way meanwhile is the last word', async () => {
    const answers: ((outcome: ReversalOutcome) => void)[] = [];
    const id = await unknown('M-1', refusal('96'));
    stage.edc.onReversal = () => new Promise((resolve) => answers.push(resolve));
    const flushed = stage.forwarder.flush(stage.edc.id);
    await stage.trace.seen('EDC: reverse 1 again');
    await stage.journal.append(id, [{ kind: 'setAside', outcome: 'POSTED' }]);
    for (const answer of answers) answer(acknowledges);
    await flushed;
    const enquired = await stage.terminal.enquire('POS-1', 'M-1');
    assert.ok(enquired.kind === 'ended' && financialImpact(enquired.record) === 'REVERSED');
    assert.deepEqual(await stage.journal.setAside(stage.edc.id), []);
    assert.equal((await settledBatch())?.totals.length, 0);
  });
});

/** The journal's file as a bad disk, or another version, left it. */
async function spoilt(id: TerminalTransactionId, body: string): Promise<void> {
  await stage.forwarder.close();
  stage.journal.store.close();
  const database = new DatabaseSync(path.join(stage.dir, 'journal.db'));
  const last = database.prepare('SELECT max(seq) AS seq FROM event WHERE txn_id = ?').get(id)?.['seq'];
  database.prepare('UPDATE event SET body = ? WHERE seq = ?').run(body, Number(last));
  database.close();
  // `restart` closes the store of before, as every end of a process does.
  stage.journal.store.close = () => undefined;
  await stage.restart();
}

for (const [what, body] of [
  ['is no JSON', '{"kind":"reversalSe'],
  ['is of an unknown kind', '{"kind":"fromTheFuture"}'],
  ['is no object', 'null'],
] as const) {
  describe(`a queued record of which an event ${what}`, () => {
    test('blocks nothing: it is named, payments go on, and its batch is not closed before it is set aside', async () => {
      const id = await unknown('M-1', { kind: 'unanswered' });
      stage.edc.onReversal = () => acknowledges;
      await spoilt(id, body);
      await settled();
      assert.equal(stage.forwarder.isUnsendable(id), true);
      assert.ok(stage.failures.some((error) => error instanceof UnreadableRecord));
      assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'SUCCESS');
      const failed = await settledBatch();
      assert.equal(failed?.result, 'FAILED');
      assert.match(failed.reason ?? '', new RegExp(id));
      assert.equal(stage.failures.filter((error) => error instanceof UnreadableRecord).length, 1, 'told once');
      await aside(id, 'NOT_POSTED');
      assert.deepEqual(pending(), []);
      const balanced = await settledBatch();
      assert.deepEqual([balanced?.result, balanced?.totals[0]?.count], ['BALANCED', 1]);
    });
  });
}

test('an unfinished record that can’t be read does not stop the start, but keeps its batch open', async () => {
  stage.edc.onRequest = () => new Promise(() => undefined);
  void stage.paid(sale('M-1'));
  await stage.trace.seen('EDC: sale');
  const [id = assert.fail()] = stage.journal.store.unfinished();
  await spoilt(id, 'null');
  stage.edc.onRequest = () => approves;
  assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'SUCCESS');
  assert.deepEqual(stage.journal.store.unfinished(), [id]);
  const failed = await settledBatch();
  assert.match(failed?.reason ?? '', new RegExp(id));
  assert.deepEqual(stage.edc.settlements, []);
  await aside(id, 'NOT_POSTED');
  assert.equal((await settledBatch())?.result, 'BALANCED');
});

describe('an order that can’t be put into a message', () => {
  test('of an advice: what waits behind it goes out, and it can be set aside', async () => {
    stage.edc.onAdvice = () => Promise.reject(new UnsendableOrder('field 38'));
    const { id } = ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
    await settled();
    assert.equal(stage.forwarder.isUnsendable(id), true);
    stage.edc.onAdvice = () => takesAdvice;
    assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'SUCCESS');
    await stage.clock.advance(600_000);
    assert.equal(stage.edc.advices.length, 1, 'it is not tried again');
    assert.equal((await settledBatch())?.result, 'FAILED');
    await aside(id, 'NOT_POSTED');
    assert.deepEqual(await stage.journal.rejectedAdvices(stage.edc.id), []);
    assert.deepEqual(await stage.journal.setAside(stage.edc.id), [id]);
    assert.equal((await settledBatch())?.result, 'BALANCED');
    assert.deepEqual(stage.edc.settlements.at(-1)?.totals.sales, { count: 1, minor: 3000n });
  });

  test('is tried again by the next start, which may be of another version', async () => {
    stage.edc.onAdvice = () => Promise.reject(new UnsendableOrder('field 38'));
    ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
    await settled();
    stage.edc.onAdvice = () => takesAdvice;
    await stage.restart();
    await settled();
    assert.deepEqual(pending(), []);
  });

  test('any other fault of a host’s adapter is temporary: nothing overtakes the reversal', async () => {
    const id = await unknown('M-1', { kind: 'unanswered' });
    stage.edc.onReversal = () => Promise.reject(new Error('a defect'));
    assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'ERROR');
    assert.equal(stage.forwarder.isUnsendable(id), false);
    assert.deepEqual(pending(), [id]);
  });
});
