import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { AdviceOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { settled } from '../../support/manual-clock.ts';
import { takesAdvice } from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const unanswered: AdviceOutcome = { kind: 'unanswered' };
const offline = (messageId: string, fields = {}) => sale(messageId, { type: 'OFFLINE_SALE', ...fields });
const pending = () => stage.journal.store.pending();
const sent = () => stage.edc.advices.map(({ order, repeat }) => `${order.trace.stan}${repeat ? ' again' : ''}`);

test('an offline sale is approved while the host is down, in one commit, and reaches it when it is up', async () => {
  stage.edc.onAdvice = () => unanswered;
  const record = ended(await stage.paid(offline('M-1', { approvalCode: 'AB1234', tipMinor: 100n })));
  assert.equal(record.conclusion?.result, 'SUCCESS');
  assert.equal(stage.trace.count('commit: intent+answered+adviceQueued+ended'), 1);
  assert.ok(stage.trace.at('commit: intent+answered+adviceQueued+ended') < stage.trace.at('EDC: offlineSale'));
  await settled();
  assert.equal(pending().length, 1);
  stage.edc.onAdvice = () => takesAdvice;
  await stage.clock.advance(1_000);
  assert.deepEqual(pending(), []);
  assert.deepEqual(sent(), ['1', '1 again']);
  const { order } = stage.edc.advices[0] ?? assert.fail();
  assert.ok(order.operation === 'offlineSale');
  assert.equal(order.approvalCode, 'AB1234');
  assert.equal(order.tipMinor, 100n);
  assert.deepEqual(order.at, record.createdAt);
  assert.deepEqual(order.trace, { stan: 1, invoice: 1, batch: 1 });
  assert.deepEqual(Buffer.from(order.card.emv.get('9F26') ?? []).toString('hex'), '0102030405060708');
});

test('without an approval code of the issuer the terminal makes one of six characters', async () => {
  ended(await stage.paid(offline('M-1')));
  await settled();
  const { order } = stage.edc.advices[0] ?? assert.fail();
  assert.match(order.operation === 'offlineSale' ? order.approvalCode : '', /^[0-9A-Z]{6}$/);
});

test('a tip adjust names its sale, carries its invoice, the whole tip and the new total', async () => {
  const original = ended(await stage.paid());
  const amount = { minor: 3300n, currency: 'HKD' } as const;
  const record = ended(await stage.terminal.pay(about('TIP_ADJUST', 'M-2', original, { amount })));
  assert.equal(record.conclusion?.result, 'SUCCESS');
  await settled();
  const { order } = stage.edc.advices[0] ?? assert.fail();
  assert.ok(order.operation === 'tipAdjust');
  assert.deepEqual(order.trace, { stan: 2, invoice: 1, batch: 1 });
  assert.deepEqual([order.amount.minor, order.tipMinor, order.original.amount.minor], [3300n, 300n, 3000n]);
  assert.equal(order.original.rrn, '000000000001');
  assert.equal(order.original.approvalCode, '123456');
  const voided = ended(await stage.terminal.pay(about('VOID', 'M-3', original, { amount })));
  assert.equal(voided.conclusion?.result, 'SUCCESS');
  assert.equal(stage.edc.requests.at(-1)?.amount.minor, 3300n);
});

test('a completion names its auth, has an invoice of its own, and its void names the host’s answer', async () => {
  const auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'unionpay'));
  const amount = { minor: 3450n, currency: 'HKD' } as const;
  const completion = ended(await stage.terminal.pay(about('AUTH_COMP', 'M-2', auth, { amount })));
  await settled();
  const { order } = stage.cup.advices[0] ?? assert.fail();
  assert.ok(order.operation === 'completion');
  assert.deepEqual(order.trace, { stan: 2, invoice: 2, batch: 1 });
  assert.deepEqual([order.amount.minor, order.original.amount.minor], [3450n, 3000n]);
  assert.deepEqual(order.original.trace, { stan: 1, invoice: 1, batch: 1 });
  ended(await stage.terminal.pay(about('VOID', 'M-3', completion)));
  const voiding = stage.cup.requests.at(-1);
  assert.ok(voiding?.operation === 'void');
  assert.deepEqual(voiding.original.trace, { stan: 2, invoice: 2, batch: 1 });
  assert.equal(voiding.original.rrn, '000000000002', 'of the advice, not of the auth');
  assert.equal(voiding.original.approvalCode, '123456');
  assert.equal(voiding.trace.invoice, 2);
});

test('advices go out in the order of their transactions, across a restart, once each, the first as a repeat', async () => {
  stage.edc.onAdvice = () => unanswered;
  for (const messageId of ['M-1', 'M-2', 'M-3']) ended(await stage.paid(offline(messageId)));
  await settled();
  assert.ok(sent().length > 0 && stage.edc.advices.every(({ order }) => order.trace.stan === 1));
  const before = sent().length;
  stage.edc.onAdvice = () => takesAdvice;
  await stage.restart();
  await stage.trace.seen('commit: adviceAnswered', 3);
  assert.deepEqual(sent().slice(before), ['1 again', '2', '3']);
  assert.deepEqual(pending(), []);
  assert.equal(stage.edc.posted, 3);
  await stage.restart();
  await settled();
  assert.equal(sent().length, before + 3);
});

test('an advice that a crash interrupted is sent as a repeat after the restart', async () => {
  stage.edc.onAdvice = () => new Promise(() => undefined);
  ended(await stage.paid(offline('M-1')));
  await stage.trace.seen('EDC: offlineSale');
  stage.edc.onAdvice = () => takesAdvice;
  await stage.restart();
  await stage.trace.seen('commit: adviceAnswered');
  assert.deepEqual(sent(), ['1', '1 again']);
});

test('no sale overtakes an advice; another acquirer is free', async () => {
  stage.edc.onAdvice = () => unanswered;
  ended(await stage.paid(offline('M-1')));
  const second = ended(await stage.paid(sale('M-2')));
  assert.equal(second.conclusion?.result, 'ERROR');
  assert.equal(stage.trace.count('EDC: sale'), 0);
  assert.equal(ended(await stage.paid(sale('M-3'), 'unionpay')).conclusion?.result, 'SUCCESS');
});

test('a void of an advice that the host does not have yet waits for that advice', async () => {
  stage.edc.onAdvice = () => unanswered;
  const original = ended(await stage.paid(offline('M-1', { approvalCode: 'AB1234' })));
  const refused = ended(await stage.terminal.pay(about('VOID', 'M-2', original)));
  assert.equal(refused.conclusion?.result, 'ERROR');
  assert.equal(stage.trace.count('EDC: void'), 0);
  stage.edc.onAdvice = () => takesAdvice;
  const voided = ended(await stage.terminal.pay(about('VOID', 'M-3', original)));
  assert.equal(voided.request.type, 'VOID_OFFLINE');
  const order = stage.edc.requests.at(-1);
  assert.ok(order?.operation === 'void');
  assert.equal(order.original.rrn, '000000000002');
  assert.equal(order.original.approvalCode, 'AB1234');
});

test('a rejected advice ends: it is recorded and reported, and the queue behind it goes on', async () => {
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const record = ended(await stage.paid(offline('M-1')));
  await settled();
  assert.deepEqual(pending(), []);
  const { event } = stage.journal.store.read(record.id).at(-1) ?? assert.fail();
  assert.deepEqual(event, {
    kind: 'adviceAnswered',
    answer: 'rejected',
    reason: 'invalidTransaction',
    responseCode: '12',
    rrn: '',
    hostTime: '',
    hostDate: '',
  });
  assert.deepEqual(stage.news, ['advice rejected']);
  assert.deepEqual(await stage.journal.rejectedAdvices(stage.edc.id), [record.id]);
  assert.deepEqual(await stage.journal.rejectedAdvices(stage.cup.id), []);
  await stage.clock.advance(120_000);
  assert.deepEqual(sent(), ['1']);
  assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'SUCCESS');
});

test('an advice that the host can not process now comes again', async () => {
  stage.edc.onAdvice = () => ({ kind: 'refused', reason: 'hostTrouble', responseCode: '96' });
  ended(await stage.paid(offline('M-1')));
  await stage.clock.advance(1_000);
  assert.deepEqual(sent(), ['1', '1 again']);
  stage.edc.onAdvice = () => takesAdvice;
  await stage.clock.advance(2_000);
  assert.deepEqual(pending(), []);
});

test('a commit that stands though it was reported as failed: the advice is sent all the same', async () => {
  const card = stage.trace.seen('reader: armed');
  const answer = stage.terminal.pay(offline('M-1'));
  await card;
  stage.journal.misreport = (_call, operation) => operation === 'intend';
  stage.reader.present();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  stage.journal.misreport = () => false;
  await stage.clock.advance(60_000);
  await settled();
  assert.deepEqual(pending(), []);
  assert.equal(stage.edc.posted, 1);
});

test('a refund is not sent if the host rejects its original while the customer looks for the card', async () => {
  let reject: (outcome: AdviceOutcome) => void = () => assert.fail('no advice was sent');
  stage.edc.onAdvice = () => new Promise((resolve) => (reject = resolve));
  const original = ended(await stage.paid(offline('M-1')));
  await stage.trace.seen('EDC: offlineSale');
  const armed = stage.trace.count('reader: armed') + 1;
  const refund = stage.terminal.pay(about('REFUND', 'M-2', original));
  await stage.trace.seen('reader: armed', armed);
  reject({ kind: 'rejected', reason: 'notPermittedToCardholder', responseCode: '57' });
  await settled();
  stage.reader.present('visa');
  const { conclusion, intent } = ended(await refund);
  assert.notEqual(conclusion?.result, 'SUCCESS');
  assert.equal(intent, undefined);
  assert.deepEqual(stage.edc.requests, []);
});
