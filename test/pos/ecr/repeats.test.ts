import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { holdMs, holdPollMs } from '../../../src/pos/ecr/payments.ts';
import { JsonNumber } from '../../../src/pos/contracts/pos-calls.ts';
import { EcrStage } from './ecr-stage.ts';
import { answerOf, cancelledByPos, declined, open, reversed } from './scripted-calls.ts';

const dataOf = ({ data }: { readonly data?: Readonly<Record<string, string>> }) => data ?? assert.fail('no data');

test('a trade that is repeated gets the same answer, while it runs and after it, and is begun once', async (t) => {
  const stage = await EcrStage.open(t);
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  const first = stage.trade('n-1');
  await stage.calls.askedTimes('payment', 1);
  const second = stage.trade('n-1');
  pay({});
  const answers = [await first, await second, await stage.trade('n-1'), await stage.trade('n-1')];
  assert.deepEqual(
    answers.map(({ respcd }) => respcd),
    ['6000', '6000', '6000', '6000'],
  );
  assert.equal(new Set(answers.map((each) => dataOf(each)['syssn'])).size, 1);
  assert.equal(stage.calls.begun.length, 1);
});

test('two trades of one number that come at once begin one payment', async (t) => {
  const stage = await EcrStage.open(t);
  const answers = await Promise.all(Array.from({ length: 6 }, () => stage.trade('n-1')));
  assert.equal(new Set(answers.map((each) => dataOf(each)['syssn'])).size, 1);
  assert.equal(stage.calls.begun.length, 1);
});

test('after a decline, a cancel and a reversal the same number is a new payment', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push(declined, cancelledByPos, reversed);
  const codes: string[] = [];
  for (let attempt = 0; attempt < 5; attempt++) codes.push((await stage.trade('n-1')).respcd);
  assert.deepEqual(codes, ['6002', '6001', '6002', '6000', '6000']);
  assert.equal(stage.calls.begun.length, 4);
  const ids = stage.calls.begun.map(({ messageId }) => messageId);
  assert.equal(new Set(ids).size, 4);
});

test('a restart forgets no attempt: the number that has paid is not paid again', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push(declined);
  await stage.trade('n-1');
  const { syssn } = dataOf(await stage.trade('n-1'));
  await stage.restart();
  assert.equal(dataOf(await stage.trade('n-1'))['syssn'], syssn);
  assert.equal(stage.calls.begun.length, 2);
});

test('a decline that did not reach its till is heard once more, before a new payment begins', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push(declined);
  assert.equal((await stage.trade('n-1', {}, { isWritten: false })).respcd, '6002');
  assert.equal((await stage.trade('n-1')).respcd, '6002');
  assert.equal(stage.calls.begun.length, 1);
  assert.equal((await stage.trade('n-1')).respcd, '6000');
  assert.equal(stage.calls.begun.length, 2);
});

test('the number of a payment with another amount or channel is refused, and nothing begins', async (t) => {
  const stage = await EcrStage.open(t);
  await stage.trade('n-1');
  for (const other of [{ amt: 31 }, { channel: 'octopus' }]) {
    assert.equal((await stage.trade('n-1', other)).respcd, '4006');
  }
  const { promise, resolve } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(promise);
  const running = stage.trade('n-2');
  await stage.calls.askedTimes('payment', 4);
  assert.equal((await stage.trade('n-2', { amt: 31 })).respcd, '4006');
  resolve({});
  assert.equal((await running).respcd, '6000');
  assert.equal(stage.calls.begun.length, 2);
});

test('another amount after a decline is a new payment', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push(declined);
  await stage.trade('n-1', {}, { isWritten: false });
  assert.equal((await stage.trade('n-1', { amt: 12.5 })).respcd, '6000');
  const { requestAmount } = stage.calls.begun[1] ?? {};
  assert.deepEqual(requestAmount, new JsonNumber('12.50'));
});

test('one number of two POS is two payments', async (t) => {
  const stage = await EcrStage.open(t);
  await stage.trade('n-1');
  await stage.trade('n-1', {}, { till: 1 });
  assert.deepEqual(
    stage.calls.begun.map(({ posId }) => posId),
    ['POS-1', 'POS-2'],
  );
});

test('without a number an equal trade is a new payment, unless the till did not get the answer', async (t) => {
  const stage = await EcrStage.open(t);
  await stage.trade(undefined);
  await stage.trade(undefined);
  assert.equal(stage.calls.begun.length, 2);
  const lost = dataOf(await stage.trade(undefined, {}, { isWritten: false }));
  await stage.restart();
  assert.equal(dataOf(await stage.trade(undefined))['syssn'], lost['syssn']);
  assert.equal(stage.calls.begun.length, 3);
});

test('an open outcome is waited for, and then heard: never as cancelled', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push(open);
  const answer = stage.trade('n-1');
  await stage.clock.running(holdPollMs);
  const [entry] = stage.calls.entries.values();
  assert.ok(entry);
  entry.answer = answerOf(200, { ...reversed });
  stage.clock.pass(holdPollMs);
  assert.equal((await answer).respcd, '6002');
  assert.equal((await stage.trade('n-1')).respcd, '6000');
});

test('while an outcome stays open nothing is begun under its number, and the cashier is heard not to charge', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push(open);
  for (let attempt = 0; attempt < 2; attempt++) {
    const answer = stage.trade('n-1');
    for (let waitedMs = 0; waitedMs < holdMs; waitedMs += holdPollMs) {
      await stage.clock.running(holdPollMs);
      stage.clock.pass(holdPollMs);
    }
    const { respcd, message } = await answer;
    assert.equal(respcd, '6002');
    assert.match(message, /Do not charge again/);
  }
  assert.equal(stage.calls.begun.length, 1);
  assert.deepEqual(stage.queued, []);
});

test('a refusal leaves nothing: the same request is begun once it is possible', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.outcomes.push('refused');
  assert.equal((await stage.trade('n-1', {}, { isWritten: false })).respcd, '6002');
  assert.deepEqual(stage.ledger.calls, []);
  assert.equal((await stage.trade('n-1')).respcd, '6000');
});

test('a second part of the same amount is a second refund, and a repeat of the first is none', async (t) => {
  const stage = await EcrStage.open(t);
  const { syssn = '' } = dataOf(await stage.trade('n-1'));
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  const first = stage.refund(syssn, '10.00');
  await stage.calls.askedTimes('payment', 2);
  const repeat = stage.refund(syssn, '10.00');
  pay({});
  assert.equal(dataOf(await first)['syssn'], dataOf(await repeat)['syssn']);
  const second = dataOf(await stage.refund(syssn, '10.00'));
  assert.notEqual(second['syssn'], dataOf(await first)['syssn']);
  assert.deepEqual([second['txamt'], second['originTxamt'], second['orig_syssn']], ['1000', '3000', syssn]);
  assert.equal(stage.calls.begun.length, 3);
  assert.equal((await stage.refund(syssn, '10.01')).respcd, '6002');
  assert.equal(stage.calls.begun.length, 3);
});

test('calls without a number that come at once are one: a refund, and a trade', async (t) => {
  const stage = await EcrStage.open(t);
  const trades = await Promise.all([1, 2, 3].map(() => stage.trade(undefined)));
  assert.equal(new Set(trades.map((each) => dataOf(each)['syssn'])).size, 1);
  const { syssn = '' } = dataOf(trades[0] ?? {});
  const refunds = await Promise.all([1, 2, 3].map(() => stage.refund(syssn, '10.00')));
  assert.equal(new Set(refunds.map((each) => dataOf(each)['syssn'])).size, 1);
  assert.equal(stage.calls.begun.length, 2);
});

test('a refund whose answer was lost is not carried out again, also after a restart', async (t) => {
  const stage = await EcrStage.open(t);
  const { syssn = '' } = dataOf(await stage.trade('n-1'));
  const lost = dataOf(await stage.refund(syssn, '10.00', { isWritten: false }));
  await stage.restart();
  const again = dataOf(await stage.refund(syssn, '10.00', { isWritten: false }));
  assert.equal(again['syssn'], lost['syssn']);
  await stage.restart();
  assert.equal(dataOf(await stage.refund(syssn, '10.00'))['syssn'], lost['syssn']);
  assert.equal(stage.calls.begun.length, 2);
  assert.notEqual(dataOf(await stage.refund(syssn, '10.00'))['syssn'], lost['syssn']);
});

test('the whole amount is voided; if its batch is closed it is refunded, and the repeat is the same refund', async (t) => {
  const stage = await EcrStage.open(t);
  const { syssn = '' } = dataOf(await stage.trade('n-1'));
  stage.calls.outcomes.push('settled');
  const lost = dataOf(await stage.refund(syssn, undefined, { isWritten: false }));
  await stage.restart();
  assert.equal(dataOf(await stage.refund(syssn))['syssn'], lost['syssn']);
  assert.deepEqual(
    stage.calls.begun.map(({ transactionType }) => transactionType),
    ['SALE', 'REFUND'],
  );
  assert.deepEqual(stage.calls.begun[1]?.['requestAmount'], new JsonNumber('30.00'));
  const { syssn: other = '' } = dataOf(await stage.trade('n-2'));
  await stage.refund(other, '30.00');
  assert.equal(stage.calls.begun.at(-1)?.['transactionType'], 'VOID');
});

test('only a payment is given back: the refund of a refund would charge the customer', async (t) => {
  const stage = await EcrStage.open(t);
  const { syssn = '' } = dataOf(await stage.trade('n-1'));
  const { syssn: refund = '' } = dataOf(await stage.refund(syssn, '10.00'));
  for (const part of [undefined, '10.00', '5.00']) assert.equal((await stage.refund(refund, part)).respcd, '6002');
  assert.equal(stage.calls.begun.length, 2);
  assert.equal((await stage.refund('T99')).respcd, '6002');
});

test('while the journal can’t be asked, a trade is tracked all the same', async (t) => {
  const stage = await EcrStage.open(t);
  stage.calls.overridden.enquiry = async () =>
    answerOf(503, { responseResult: 'DATABASE_ERROR', reason: 'recordUnreadable', financialImpact: 'UNKNOWN' });
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  const running = stage.trade('n-1');
  await stage.calls.askedTimes('payment', 1);
  assert.equal(stage.ledger.calls.length, 1);
  pay({});
  assert.equal((await running).respcd, '6000');
  assert.deepEqual(stage.queued, ['payment']);
});

test('a cancel ends only what runs for its POS, and comes in time for a payment that is being begun', async (t) => {
  const stage = await EcrStage.open(t);
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  const running = stage.trade('n-1');
  await stage.calls.askedTimes('payment', 1);
  assert.equal((await stage.ask('cancel_request', {}, { till: 1 })).respcd, '6002');
  assert.equal(stage.calls.of('cancel').length, 0);
  stage.calls.overridden.cancel = async () => {
    pay(cancelledByPos);
    return answerOf(200, { responseResult: 'SUCCESS' });
  };
  assert.equal((await stage.ask('cancel_request', {})).respcd, '6000');
  assert.equal((await running).respcd, '6001');
  // A repeat of the cancel is answered like the first; after another payment there is nothing to cancel.
  assert.equal((await stage.ask('cancel_request', {})).respcd, '6000');
  await stage.trade('n-2');
  assert.equal((await stage.ask('cancel_request', {})).respcd, '6002');
});

test('a cancel that comes before its payment was begun: nothing is begun', async (t) => {
  const stage = await EcrStage.open(t);
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  t.mock.method(stage.ledger, 'flush', () => written);
  const running = stage.answered('trade', { amt: 30, channel: 'card_payment', out_trade_no: 'n-1' });
  while (stage.ecr.payments.underWay === 0) await new Promise((resolve) => setImmediate(resolve));
  const cancelled = stage.answered('cancel_request', {});
  await stage.calls.askedTimes('cancel', 1);
  write();
  assert.equal((await running).answer.respcd, '6001');
  assert.equal((await cancelled).answer.respcd, '6000');
  assert.deepEqual([stage.calls.begun, stage.ledger.calls], [[], []]);
});

test('a cancel is repeated until the terminal has accepted the payment', async (t) => {
  const stage = await EcrStage.open(t);
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  const running = stage.trade('n-1');
  await stage.calls.askedTimes('payment', 1);
  const cancelled = stage.ask('cancel_request', {});
  for (let count = 1; count < 3; count++) {
    await stage.calls.askedTimes('cancel', count);
    await stage.clock.running(100);
    if (count === 2) {
      stage.calls.overridden.cancel = async () => {
        pay(cancelledByPos);
        return answerOf(200, { responseResult: 'SUCCESS' });
      };
    }
    stage.clock.pass(100);
  }
  assert.deepEqual([(await cancelled).respcd, (await running).respcd], ['6000', '6001']);
  assert.equal(stage.calls.of('cancel').length, 3);
});

test('a cancel that is too late says so, and the payment is heard as it ended', async (t) => {
  const stage = await EcrStage.open(t);
  const { promise: paid, resolve: pay } = Promise.withResolvers<Readonly<Record<string, unknown>>>();
  stage.calls.outcomes.push(paid);
  const running = stage.trade('n-1');
  await stage.calls.askedTimes('payment', 1);
  const text = { en: 'It is too late: the bank has been asked.' };
  stage.calls.overridden.cancel = async () => answerOf(409, { reason: 'hostAsked', text });
  const { respcd, message } = await stage.ask('cancel_request', {});
  assert.deepEqual([respcd, message], ['6002', text.en]);
  pay({});
  assert.equal((await running).respcd, '6000');
});

test('each call names the POS of its key as the verified caller', async (t) => {
  const stage = await EcrStage.open(t);
  const { syssn = '' } = dataOf(await stage.trade('n-1'));
  await stage.refund(syssn, '10.00');
  await stage.ask('query_transaction', { out_trade_no: 'n-1' });
  await stage.ask('print_receipt', { orderId: syssn });
  await stage.ask('transaction_info', {});
  for (const { call, caller } of stage.calls.asked) assert.equal(caller.posId, 'POS-1', call);
});

test('a disk that can’t be written begins nothing', async (t) => {
  const stage = await EcrStage.open(t);
  const saved = t.mock.method(stage.ledger, 'flush', () => Promise.reject(new Error('planted')));
  const { answer } = await stage.answered('trade', { amt: 30, channel: 'card_payment', out_trade_no: 'n-1' });
  assert.equal(answer.respcd, '6002');
  assert.deepEqual([stage.calls.begun.length, stage.ledger.calls.length], [0, 0]);
  saved.mock.restore();
  assert.equal((await stage.trade('n-1')).respcd, '6000');
});

test('a damaged file is reported without its content, and payments go on', async (t) => {
  const stage = await EcrStage.open(t);
  await stage.trade('n-1', {}, { isWritten: false });
  const file = path.join(stage.dir, 'ecr.json');
  assert.match(readFileSync(file, 'utf8'), /"calls":\[\{/);
  for (const damaged of ['{"version":1,"calls":[{"posId":"secret"}]', '{"version":2}', '[]', '']) {
    writeFileSync(file, damaged, { mode: 0o600 });
    stage.failures.length = 0;
    await stage.restart();
    assert.deepEqual(stage.ledger.calls, []);
    assert.equal(stage.failures.length, 1, damaged);
    assert.doesNotMatch(String(stage.failures[0]), /secret/);
  }
  assert.equal((await stage.trade('n-1')).respcd, '6000');
  assert.equal(stage.calls.begun.length, 1);
});
