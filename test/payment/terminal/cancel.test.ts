import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { settled } from '../../support/manual-clock.ts';
import { approves } from './scripted-host.ts';
import { sale, Stage, timeouts } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

function result(answer: PayAnswer): string | undefined {
  return answer.kind === 'ended' ? answer.record.conclusion?.result : answer.kind;
}

test('an unknown identity, and that of another POS', async () => {
  assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-1'), { kind: 'notFound' });
  const answer = stage.paid();
  assert.deepEqual(await stage.terminal.cancel('POS-2', 'M-1'), { kind: 'notFound' });
  assert.equal(result(await answer), 'SUCCESS');
});

test('while collecting: payment and cancel are answered once the reader is disarmed, and the terminal is idle then', async () => {
  stage.reader.holdsDisarm = true;
  const answers: string[] = [];
  const payment = stage.terminal.pay(sale('M-1')).then((answer) => {
    answers.push('payment');
    return answer;
  });
  await stage.trace.seen('reader: armed');
  const cancel = stage.terminal.cancel('POS-1', 'M-1').then((answer) => {
    answers.push('cancel');
    assert.equal(stage.terminal.running, undefined);
    return answer;
  });
  await stage.trace.seen('reader: cancelling');
  await settled();
  assert.deepEqual(answers, []);
  assert.equal((await stage.terminal.pay(sale('M-2'))).kind, 'busy');

  stage.reader.confirmDisarm();
  assert.equal(result(await payment), 'TRANSACTION_ALREADY_CANCEL');
  const { kind } = await cancel;
  assert.equal(kind, 'cancelled');
  assert.ok(stage.trace.at('reader: cancelled') < stage.trace.at('commit: ended'));
  assert.partialDeepStrictEqual(stage.views.at(-1), {
    scene: 'cancelled',
    reported: { happened: 'cancelledAtTill', money: 'charge-NONE' },
  });
  stage.reader.holdsDisarm = false;
  assert.equal(result(await stage.paid(sale('M-3'))), 'SUCCESS');
});

test('a card that crosses with the cancel is not sent', async () => {
  stage.reader.holdsDisarm = true;
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  const cancel = stage.terminal.cancel('POS-1', 'M-1');
  stage.reader.present();
  assert.equal((await cancel).kind, 'cancelled');
  assert.equal(result(await payment), 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(stage.trace.count('EDC: sale'), 0);
});

test('a cancel in the same turn as the card: one of the two wins, and both answers agree with the books', async () => {
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  stage.reader.present();
  const cancel = await stage.terminal.cancel('POS-1', 'M-1');
  const cancelled = cancel.kind === 'cancelled';
  assert.equal(result(await payment), cancelled ? 'TRANSACTION_ALREADY_CANCEL' : 'SUCCESS');
  assert.equal(stage.edc.posted, cancelled ? 0 : 1);
});

test('before the acceptance is durable: disarmed at once, answered after the acceptance', async () => {
  const opening = Promise.withResolvers<void>();
  stage.journal.replies.set('open', opening.promise);
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('commit: accepted');
  const cancel = stage.terminal.cancel('POS-1', 'M-1');
  await settled();
  assert.deepEqual(stage.trace.events, [
    'commit: accepted',
    'reader: armed',
    'reader: cancelling',
    'reader: cancelled',
  ]);
  opening.resolve();
  assert.equal((await cancel).kind, 'cancelled');
  assert.equal(result(await payment), 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(stage.trace.count('reader: armed'), 1);
});

test('a payment that begins while the journal looks for it is cancelled all the same', async () => {
  const held = Promise.withResolvers<void>();
  stage.journal.replies.set('findIdentity', held.promise);
  const cancel = stage.terminal.cancel('POS-1', 'M-1');
  stage.journal.replies.delete('findIdentity');
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  held.resolve();
  assert.equal((await cancel).kind, 'cancelled');
  assert.equal(result(await payment), 'TRANSACTION_ALREADY_CANCEL');
});

test('while authorizing: too late, said at once, and the payment goes on', async () => {
  const host = Promise.withResolvers<typeof approves>();
  stage.edc.onRequest = () => host.promise;
  const payment = stage.paid();
  await stage.trace.seen('EDC: sale');
  assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-1'), { kind: 'tooLate', state: 'authorizing' });
  host.resolve(approves);
  assert.equal(result(await payment), 'SUCCESS');
});

test('after the end: the outcome as it was', async () => {
  const paid = await stage.paid();
  assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-1'), paid);
  await stage.restart();
  assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-1'), paid);
});

test('twice: both are answered with the same', async () => {
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  const both = await Promise.all([stage.terminal.cancel('POS-1', 'M-1'), stage.terminal.cancel('POS-1', 'M-1')]);
  assert.deepEqual(
    both.map(({ kind }) => kind),
    ['cancelled', 'cancelled'],
  );
  await payment;
  assert.equal((await stage.terminal.cancel('POS-1', 'M-1')).kind, 'ended');
});

test('after the time-out, before the reader has confirmed: not cancelled, timed out', async () => {
  stage.reader.holdsDisarm = true;
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  await stage.clock.advance(timeouts.collectMs);
  const cancel = stage.terminal.cancel('POS-1', 'M-1');
  stage.reader.confirmDisarm();
  assert.equal((await cancel).kind, 'ended');
  assert.equal(result(await payment), 'TIMEOUT');
});

test('the end of a cancelled payment can not be written: it is told as cancelled, now and later', async () => {
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  stage.journal.fault = (_call, operation) => operation === 'append';
  assert.equal((await stage.terminal.cancel('POS-1', 'M-1')).kind, 'cancelled');
  assert.equal(result(await payment), 'TRANSACTION_ALREADY_CANCEL');
  stage.journal.fault = () => false;
  await stage.clock.advance(10_000);
  assert.equal(result(await stage.terminal.pay(sale('M-1'))), 'TRANSACTION_ALREADY_CANCEL');
});

test('close while collecting: told as a restart, disarmed, answered; nothing begins after it', async () => {
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  await stage.terminal.close();
  const answer = await payment;
  assert.equal(result(answer), 'TRANSACTION_ALREADY_CANCEL');
  assert.match(
    answer.kind === 'ended' ? (answer.record.conclusion?.message ?? '') : '',
    /^the terminal is being restarted/,
  );
  assert.partialDeepStrictEqual(stage.views.at(-1), {
    scene: 'error',
    reported: { happened: 'restarting', money: 'charge-NONE' },
  });
  assert.equal((await stage.terminal.pay(sale('M-2'))).kind, 'notReady');
  assert.deepEqual(stage.clock.pendingMs, []);
});

test('close before the reader is armed: told as a restart', async () => {
  const opening = Promise.withResolvers<void>();
  stage.journal.replies.set('open', opening.promise);
  const payment = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('commit: accepted');
  const closing = stage.terminal.close();
  opening.resolve();
  await closing;
  const answer = await payment;
  assert.match(
    answer.kind === 'ended' ? (answer.record.conclusion?.message ?? '') : '',
    /^the terminal is being restarted/,
  );
});

test('close while authorizing: it waits for the outcome', async () => {
  const host = Promise.withResolvers<typeof approves>();
  stage.edc.onRequest = () => host.promise;
  const payment = stage.paid();
  await stage.trace.seen('EDC: sale');
  let closed = false;
  const closing = stage.terminal.close().then(() => {
    closed = true;
  });
  await settled();
  assert.equal(closed, false);
  host.resolve(approves);
  assert.equal(result(await payment), 'SUCCESS');
  await closing;
  assert.deepEqual(stage.clock.pendingMs, []);
});

test('close with a recovery due: its timer is cleared, the next start recovers', async () => {
  stage.edc.onRequest = () => {
    stage.journal.fault = () => true;
    return approves;
  };
  await stage.paid();
  await stage.terminal.close();
  assert.deepEqual(stage.clock.pendingMs, []);
  await stage.restart();
  await stage.clock.advance(0);
  await settled();
  assert.equal(stage.edc.posted, 0);
});

test('a cancel of a payment that can not be accepted is told as its payment: the journal failed', async () => {
  stage.journal.fault = (_call, operation) => operation === 'open';
  const payment = stage.terminal.pay(sale('M-1'));
  await Promise.resolve();
  const cancel = await stage.terminal.cancel('POS-1', 'M-1');
  assert.deepEqual(cancel, { kind: 'journalFailed', reason: 'disk I/O error', started: false });
  assert.deepEqual(await payment, cancel);
});
