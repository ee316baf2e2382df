import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { TransactionType } from '../../../src/base/domain/transaction-kind.ts';
import type { ReversalOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { cardIntentOf } from '../../../src/payment/records/payment.ts';
import { presentStatus, transactionStatus } from '../../../src/payment/records/transaction-status.ts';
import { settled } from '../../support/manual-clock.ts';
import {
  acknowledges,
  approves,
  declines,
  type HostScript,
  isDown,
  isSilent,
  postsAndIsSilent,
} from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const paid = async (type: TransactionType = 'SALE', messageId = 'M-1') =>
  ended(await stage.paid(sale(messageId, { type }), type === 'AUTH' ? 'unionpay' : 'visa'));

const treeOf = async (record: { id: Parameters<typeof stage.terminal.recall>[0] }) =>
  (await stage.terminal.recall(record.id)) ?? assert.fail('gone');

function refusal(answer: PayAnswer): string {
  return answer.kind === 'refused' ? answer.refusal.result : assert.fail(answer.kind);
}

test('a void: no card, the message names the original, carries its invoice, and the journal keeps both', async () => {
  const original = await paid();
  const record = ended(await stage.terminal.pay(about('VOID', 'M-2', original)));
  assert.equal(record.conclusion?.result, 'SUCCESS');
  assert.equal(record.request.type, 'VOID_SALE');
  assert.equal(record.request.originalId, original.id);
  assert.equal(stage.trace.count('reader: armed'), 1);
  const order = stage.edc.requests.at(-1) ?? assert.fail();
  assert.ok(order.operation === 'void');
  assert.deepEqual(order.trace, { stan: 2, invoice: 1, batch: 1 });
  assert.deepEqual(order.amount, { minor: 3000n, currency: 'HKD' });
  assert.deepEqual(order.original, {
    operation: 'sale',
    trace: { stan: 1, invoice: 1, batch: 1 },
    amount: { minor: 3000n, currency: 'HKD' },
    rrn: '000000000001',
    approvalCode: '123456',
    hostTime: '120000',
    hostDate: '0101',
  });
  assert.equal(order.card.panSequenceNumber, '01');
  assert.equal(order.card.entryMode, 'CONTACTLESS');
  assert.deepEqual(Buffer.from(order.card.ksn).toString('hex'), 'ffff9876543210e00001');
  assert.ok(order.card.encryptedPan.length === 16 && order.card.encryptedPan.every((byte) => byte === 0xc2));
  assert.deepEqual(cardIntentOf(record.intent)?.original?.trace, { stan: 1, invoice: 1, batch: 1 });
  assert.equal(presentStatus(await treeOf(original)), 'VOIDED');
  // The next sale has the next invoice: the void took none.
  assert.deepEqual((await paid('SALE', 'M-3')).intent?.trace, { stan: 3, invoice: 2, batch: 1 });
});

test('a void needs no reader, and a refund to the card does', async () => {
  const original = await paid();
  const other = await paid('SALE', 'M-4');
  stage.reader.state = 'absent';
  assert.equal(ended(await stage.terminal.pay(about('VOID_SALE', 'M-2', original))).conclusion?.result, 'SUCCESS');
  assert.equal((await stage.terminal.pay(about('REFUND', 'M-3', other))).kind, 'notReady');
  // Nothing was written: the same request is taken when the reader is back.
  assert.equal((await stage.terminal.enquire('POS-1', 'M-3')).kind, 'notFound');
});

test('two voids of one sale at once: one runs, the other is busy, and refused when it comes again', async () => {
  const original = await paid();
  const answers = await Promise.all(['M-2', 'M-3'].map((each) => stage.terminal.pay(about('VOID', each, original))));
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['ended', 'busy'],
  );
  assert.equal(refusal(await stage.terminal.pay(about('VOID', 'M-3', original))), 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(stage.trace.count('EDC: void'), 1);
  assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-3'), { kind: 'notFound' });
});

test('the void again under its own identity: the same answer, one message', async () => {
  const original = await paid();
  const first = await stage.terminal.pay(about('VOID', 'M-2', original));
  assert.deepEqual(await stage.terminal.pay(about('VOID', 'M-2', original)), first);
  await stage.restart();
  assert.deepEqual(await stage.terminal.pay(about('VOID', 'M-2', original)), first);
  assert.equal(stage.trace.count('EDC: void'), 1);
});

const failing: Readonly<Record<string, readonly [HostScript, string]>> = {
  'posts and is silent': [postsAndIsSilent, 'REVERSED'],
  'is silent': [isSilent, 'REVERSED'],
  'declines 12': [declines('12'), 'NONE'],
  'is down': [isDown, 'NONE'],
};
for (const [name, [script, impact]] of Object.entries(failing)) {
  test(`the host ${name} at a void: the original stands, and it can be voided afterwards`, async () => {
    const original = await paid();
    stage.edc.onRequest = () => script;
    const record = ended(await stage.terminal.pay(about('VOID', 'M-2', original)));
    assert.notEqual(record.conclusion?.result, 'SUCCESS');
    assert.equal(financialImpact(record), impact);
    assert.deepEqual(
      stage.edc.reversals.map(({ stan }) => stan),
      impact === 'REVERSED' ? [2] : [],
    );
    assert.equal(stage.edc.posted, 1);
    assert.equal(transactionStatus(await treeOf(original)).voided, false);
    assert.equal(presentStatus(await treeOf(original)), 'APPROVED');
    stage.edc.onRequest = () => approves;
    assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-3', original))).conclusion?.result, 'SUCCESS');
  });
}

test('a void that a crash interrupted at the host is reversed after the restart, and the original stands', async () => {
  const original = await paid();
  stage.edc.onRequest = ({ trace }) => {
    stage.edc.books.set(trace.stan, 'POSTED');
    return new Promise(() => undefined);
  };
  void stage.terminal.pay(about('VOID', 'M-2', original));
  await stage.trace.seen('EDC: void');
  const orders: ReversalOrder[] = [];
  stage.edc.onReversal = (order) => {
    orders.push(order);
    return acknowledges;
  };
  await stage.restart();
  await stage.trace.seen('commit: reversalAcknowledged');
  assert.deepEqual(
    orders.map(({ operation, trace }) => [operation, trace]),
    [['void', { stan: 2, invoice: 1, batch: 1 }]],
  );
  assert.deepEqual([...stage.edc.books.values()], ['POSTED', 'REVERSED']);
  assert.equal(transactionStatus(await treeOf(original)).voided, false);
});

test('a cancel of a void is too late', async () => {
  const original = await paid();
  const host = Promise.withResolvers<HostScript>();
  stage.edc.onRequest = () => host.promise;
  const answer = stage.terminal.pay(about('VOID', 'M-2', original));
  await stage.trace.seen('EDC: void');
  assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-2'), { kind: 'tooLate', state: 'authorizing' });
  host.resolve(approves);
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
});

test('a refused reference leaves nothing behind, and its identity stays free', async () => {
  const original = await paid();
  const asked = (type: TransactionType, minor: bigint) =>
    stage.terminal.pay(about(type, 'M-2', original, { amount: { minor, currency: 'HKD' } }));
  const commits = stage.trace.events.length;
  assert.equal(refusal(await asked('VOID', 2999n)), 'INVALID_PARAMETER');
  assert.equal(refusal(await asked('VOID_AUTH', 3000n)), 'INVALID_TRANSACTION_STATUS');
  assert.equal(refusal(await asked('TIP_ADJUST', 3601n)), 'INVALID_PARAMETER');
  assert.equal(refusal(await asked('AUTH_COMP', 3000n)), 'INVALID_TRANSACTION_STATUS');
  assert.deepEqual(
    stage.trace.events.slice(commits).filter((event) => /commit|EDC|reader/.test(event)),
    [],
  );
  assert.equal(ended(await asked('VOID', 3000n)).conclusion?.result, 'SUCCESS');
});

test('a refund with another card is refused, with the same card it names the original', async () => {
  const original = await paid();
  const other = ended(await stage.paid(about('REFUND', 'M-2', original), 'unionpay'));
  assert.equal(other.conclusion?.result, 'DECLINED');
  assert.match(other.conclusion.message, /no acquirer/);
  const sameBrand = stage.terminal.pay(about('REFUND', 'M-3', original));
  await stage.trace.seen('reader: armed', 3);
  assert.equal(stage.reader.requests.at(-1)?.type, 'refund');
  stage.reader.present('visa', '476173******0127');
  assert.match(ended(await sameBrand).conclusion?.message ?? '', /not the card of the original/);
  assert.equal(stage.trace.count('EDC: refund'), 0);
  const half = about('REFUND', 'M-4', original, { amount: { minor: 1000n, currency: 'HKD' } });
  const refund = ended(await stage.paid(half));
  assert.equal(refund.conclusion?.result, 'SUCCESS');
  assert.equal(refund.intent?.operation, 'refund');
  assert.equal(transactionStatus(await treeOf(original)).refundedMinor, 1000n);
  assert.equal(refusal(await stage.terminal.pay(about('REFUND', 'M-5', original))), 'INVALID_PARAMETER');
});

test('after the void of its refund a sale can be voided', async () => {
  const original = await paid();
  const refund = ended(await stage.paid(about('REFUND', 'M-2', original)));
  assert.equal(refusal(await stage.terminal.pay(about('VOID', 'M-3', original))), 'INVALID_TRANSACTION_STATUS');
  const voided = ended(await stage.terminal.pay(about('VOID', 'M-3', refund)));
  assert.equal(voided.intent?.operation, 'voidRefund');
  assert.equal(voided.request.type, 'VOID_REFUND');
  assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-4', original))).conclusion?.result, 'SUCCESS');
});

test('an auth and its void go to the acquirer of the auth', async () => {
  const auth = await paid('AUTH');
  assert.equal(auth.intent?.acquirerId, 'CUP');
  const record = ended(await stage.terminal.pay(about('VOID', 'M-2', auth)));
  assert.equal(record.intent?.acquirerId, 'CUP');
  assert.equal(stage.edc.requests.length, 0);
});

test('the original is checked again when its turn comes, not only when the request arrives', async () => {
  const original = await paid();
  const held = Promise.withResolvers<void>();
  stage.journal.replies.set('findIdentity', held.promise);
  const late = stage.terminal.pay(about('VOID', 'M-3', original));
  stage.journal.replies.delete('findIdentity');
  ended(await stage.terminal.pay(about('VOID', 'M-2', original)));
  held.resolve();
  await settled();
  assert.equal(refusal(await late), 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(stage.trace.count('EDC: void'), 1);
});
