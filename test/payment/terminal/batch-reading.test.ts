import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { JournalError } from '../../../src/payment/contracts/journal.ts';
import { settled } from '../../support/manual-clock.ts';
import { ended, sale, Stage } from './stage.ts';

/** The open batches are read before the first payment asks for their room. */

const most = 999_999_999_999n;
const card = (messageId: string, minor: bigint) =>
  sale(messageId, { forcedAcquirer: acquirerId('EDC'), amount: { minor, currency: 'HKD' } });

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

/** The terminal after a restart, with all but 5 cents in its open batch. */
async function restartFull(): Promise<void> {
  assert.equal(ended(await stage.paid(card('M-1', most - 5n))).conclusion?.result, 'SUCCESS');
  await settled();
  await stage.restart();
}

const pages = () => stage.journal.operations.filter((each) => each === 'batchPage').length;

test('the first payment after a start reads no batch any more', async () => {
  await restartFull();
  await stage.terminal.room.read();
  const from = stage.journal.operations.length;
  assert.equal(ended(await stage.paid(card('M-2', 5n))).conclusion?.result, 'SUCCESS');
  assert.deepEqual(stage.journal.operations.slice(from), ['open', 'intend', 'append']);
});

test('a payment that comes while a batch is read waits, and counts', async () => {
  await restartFull();
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.journal.replies.set('batchPage', promise);
  const reading = stage.terminal.room.read();
  await settled();
  const paying = stage.paid(card('M-2', 5n));
  await settled();
  assert.equal(stage.trace.count('reader: armed'), 1, 'armed before the room was known');
  stage.journal.replies.delete('batchPage');
  resolve();
  assert.equal(ended(await paying).conclusion?.result, 'SUCCESS');
  await reading;
  const read = pages();
  const answer = await stage.paid(card('M-3', 1n));
  assert.equal(answer.kind, 'refused', 'the payment that came meanwhile was not counted');
  assert.ok(pages() > read, 'refused by what was known, without another look');
});

test('what was read before others changed the batch is read again', async () => {
  await restartFull();
  const before = pages();
  await stage.terminal.room.read();
  const undisturbed = pages() - before;
  await stage.restart();
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.journal.replies.set('batchPage', promise);
  const reading = stage.terminal.room.read();
  await settled();
  stage.journal.replies.delete('batchPage');
  const settlement = { posId: 'POS-1', messageId: 'S-1', digest: 'S-1', acquirerId: acquirerId('EDC') };
  const answer = await stage.terminal.settle(settlement);
  assert.equal(answer.kind, 'ended');
  const read = pages();
  resolve();
  await reading;
  // One page was read before; the batch after the settlement is empty, and one page tells that.
  const again = pages() - read - (undisturbed - 1);
  assert.equal(again, 1, 'the batch before the settlement was taken for the one after it');
});

test('a journal that fails meanwhile fails the payment that asks, not the next', async () => {
  await restartFull();
  stage.journal.fault = (_call, operation) => operation === 'batchPage';
  await assert.rejects(stage.terminal.room.read(), JournalError);
  assert.equal((await stage.terminal.pay(card('M-2', 5n))).kind, 'journalFailed');
  stage.journal.fault = () => false;
  assert.equal(ended(await stage.paid(card('M-3', 5n))).conclusion?.result, 'SUCCESS');
});
