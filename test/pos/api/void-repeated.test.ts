import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { payment } from '../../../src/pos/api/payment.ts';
import { parsePosRequest, requestDigest } from '../../../src/pos/api/pos-request.ts';
import { isRefusal } from '../../../src/pos/api/input.ts';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { JsonNumber } from '../../../src/pos/contracts/pos-calls.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { takesAdvice } from '../../payment/terminal/scripted-host.ts';
import { about, ended, everything, sale, Stage } from '../../payment/terminal/stage.ts';
import { printParts } from './served.ts';

/**
 * A void without an amount: the same POST again is the same request (I4), whatever its original amounts to by then.
 * Here the original is a sale of 30.00 whose total was adjusted to 33.00, until its host rejects the tip.
 */

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
  assert.deepEqual(stage.failures, []);
});

const rejected = {
  kind: 'adviceAnswered',
  answer: 'rejected',
  reason: 'invalidTransaction',
  responseCode: '12',
  rrn: '',
  hostTime: '',
  hostDate: '',
} as const satisfies JournalEvent;

async function adjusted(): Promise<{ readonly sold: TransactionRecord; readonly tip: TransactionRecord }> {
  const sold = ended(await stage.paid(sale('M-1')));
  const tip = await stage.terminal.pay(about('TIP_ADJUST', 'M-2', sold, { amount: { minor: 3300n, currency: 'HKD' } }));
  await stage.clock.advance(10);
  return { sold, tip: ended(tip) };
}

/** Posts a void, and returns the answer. */
async function post({ id }: TransactionRecord, fields: Readonly<Record<string, unknown>> = {}) {
  const body = { posId: 'POS-1', messageId: 'V-1', transactionType: 'VOID', originalTerminalTransactionId: id };
  // The parts that a payment uses.
  const parts = {
    ...printParts,
    terminal: stage.terminal,
    waiting: new WaitingCalls(),
    answerFor: () => ({ shape: 'A', printedBy: 'terminal' }),
    capabilities: { profiles: stage.profiles, modes: [], options: [] },
    collectTimes: { usualMs: 1, leastMs: 1, mostMs: 1 },
  } as unknown as ApiParts;
  const { status, body: answer } = await payment({ ...body, ...fields }, parts);
  const { responseResult, reason } = answer as Readonly<Record<string, unknown>>;
  return [status, responseResult, reason];
}

test('its tip is rejected after the void was done', async () => {
  stage.edc.onAdvice = () => ({ ...takesAdvice, reason: 'duplicate', responseCode: '94' });
  const { sold, tip } = await adjusted();
  assert.deepEqual(await post(sold), [200, 'SUCCESS', undefined]);
  await stage.journal.append(tip.id, [rejected]);
  assert.deepEqual(await post(sold), [200, 'SUCCESS', undefined]);
});

test('its tip is rejected while the void waits for it', async () => {
  stage.edc.onAdvice = () => ({ kind: 'unanswered' });
  const { sold } = await adjusted();
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const first = await post(sold);
  assert.deepEqual(first, [200, 'INVALID_TRANSACTION_STATUS', 'notWholeAmount']);
  assert.deepEqual(await post(sold), first);
});

test('its tip is rejected while the void is at the host: both calls get its answer', async () => {
  stage.edc.onAdvice = () => ({ ...takesAdvice, reason: 'duplicate', responseCode: '94' });
  const { sold, tip } = await adjusted();
  const { onRequest } = stage.edc;
  const release = Promise.withResolvers<void>();
  stage.edc.onRequest = async (...asked) => {
    await release.promise;
    return onRequest(...asked);
  };
  const sent = stage.edc.requests.length;
  const first = post(sold);
  while (stage.edc.requests.length === sent) await stage.clock.advance(1);
  await stage.journal.append(tip.id, [rejected]);
  const second = post(sold);
  await stage.clock.advance(1);
  release.resolve();
  assert.deepEqual(await Promise.all([first, second]), [
    [200, 'SUCCESS', undefined],
    [200, 'SUCCESS', undefined],
  ]);
});

test('a void with an amount is another request than one with another amount', async () => {
  const { sold } = await adjusted();
  const amount = (major: string) => ({ requestAmount: new JsonNumber(major), currency: 'HKD' });
  assert.deepEqual(await post(sold, amount('33')), [200, 'SUCCESS', undefined]);
  assert.deepEqual(await post(sold, amount('30')), [409, 'ALREADY_EXISTS', 'messageIdReused']);
  assert.deepEqual(await post(sold, { cashierId: 'Ah Ming' }), [409, 'ALREADY_EXISTS', 'messageIdReused']);
  assert.deepEqual(await post(sold), [200, 'SUCCESS', undefined]);
});

test('the journal has the digest of the void with its amount, as in the releases before', async () => {
  const { sold } = await adjusted();
  await post(sold);
  const written = parsePosRequest({
    posId: 'POS-1',
    messageId: 'V-1',
    transactionType: 'VOID',
    originalTerminalTransactionId: sold.id,
    requestAmount: new JsonNumber('33'),
    currency: 'HKD',
  });
  assert.ok(!isRefusal(written));
  const { transaction } = await stage.journal.findIdentity('POS-1', 'V-1');
  const [accepted] = transaction ? await stage.journal.read(transaction) : [];
  assert.partialDeepStrictEqual(accepted?.event, { kind: 'accepted', digest: requestDigest(written) });
});
