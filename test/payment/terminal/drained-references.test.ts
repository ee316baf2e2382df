import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type AdviceOrder, type AdviceOutcome, UnsendableOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { TransactionType } from '../../../src/base/domain/transaction-kind.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { transactionStatus } from '../../../src/payment/records/transaction-status.ts';
import { settled } from '../../support/manual-clock.ts';
import { takesAdvice } from './scripted-host.ts';
import { begun } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { about, ended, everything, sale, Stage } from './stage.ts';

/** What a request refers to is looked at once more when the queue before it is empty: the host may have said no meanwhile. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

const rejects: AdviceOutcome = { kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' };
const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
const byReference = async (type: TransactionType, messageId: string, original: TransactionRecord, minor: bigint) =>
  ended(await stage.terminal.pay(about(type, messageId, original, hkd(minor))));
const refunded = async (messageId: string, original: TransactionRecord, minor: bigint) =>
  ended(await stage.paid(about('REFUND', messageId, original, hkd(minor))));
const operations = () => stage.edc.requests.map(({ operation }) => operation);

/** Advices wait: the host can’t be reached, so that none of them is in its books. */
function hostIsDown(): void {
  stage.edc.onAdvice = () => ({ kind: 'notSent' });
  stage.cup.onAdvice = () => ({ kind: 'notSent' });
}

/** The host says no to what it is told next, of this operation. */
function hostRejects(operation: AdviceOrder['operation']): void {
  const onAdvice = (order: AdviceOrder) => (order.operation === operation ? rejects : takesAdvice);
  stage.edc.onAdvice = onAdvice;
  stage.cup.onAdvice = onAdvice;
}

/** Ended after it was accepted, without a message to anybody. */
function assertNothingSent({ conclusion, intent, ...record }: TransactionRecord, words: RegExp): void {
  assert.deepEqual([conclusion?.result, conclusion?.code, intent], ['INVALID_TRANSACTION_STATUS', 104, undefined]);
  assert.match(conclusion?.message ?? '', words);
  assert.match(conclusion?.message ?? '', /nothing was sent/);
  assert.equal(financialImpact({ conclusion, ...record } as TransactionRecord), 'NONE');
}

describe('a tip that waits for its host', () => {
  let original: TransactionRecord;
  beforeEach(async () => {
    original = ended(await stage.paid(sale('M-1', hkd(10_000n))));
    hostIsDown();
    assert.equal((await byReference('TIP_ADJUST', 'M-2', original, 11_500n)).conclusion?.result, 'SUCCESS');
    await settled();
  });

  test('is not refunded where the host refuses it: no more is given back than was sold', async () => {
    hostRejects('tipAdjust');
    assertNothingSent(await refunded('M-3', original, 11_500n), /at most 100\.00/);
    assert.deepEqual(operations(), ['sale']);
    assert.equal((await refunded('M-4', original, 10_000n)).conclusion?.result, 'SUCCESS');
  });

  test('is refunded with its sale where the host takes it', async () => {
    hostRejects('offlineSale');
    assert.equal((await refunded('M-3', original, 11_500n)).conclusion?.result, 'SUCCESS');
    const tree = (await stage.terminal.recall(original.id)) ?? assert.fail();
    assert.equal(transactionStatus(tree).refundedMinor, 11_500n);
  });

  test('is not voided with its sale where the host refuses it; the sale alone is, by its own total', async () => {
    hostRejects('tipAdjust');
    assertNothingSent(await byReference('VOID', 'M-3', original, 11_500n), /whole amount, 100\.00/);
    assert.deepEqual(operations(), ['sale']);
    assert.equal((await byReference('VOID', 'M-4', original, 10_000n)).conclusion?.result, 'SUCCESS');
    const order = stage.edc.requests.at(-1);
    assert.ok(order?.operation === 'void');
    assert.equal(order.original.amount.minor, 10_000n);
  });

  test('counts for nothing while it can’t be brought to the host', async () => {
    stage.edc.onAdvice = () => {
      throw new UnsendableOrder('no place for it');
    };
    assertNothingSent(await refunded('M-3', original, 11_500n), /waits for the host/);
    assertNothingSent(await byReference('VOID', 'M-4', original, 11_500n), /waits for the host/);
    assert.deepEqual(operations(), ['sale']);
  });

  test('whose host stays silent: nothing is sent', async () => {
    const refund = stage.paid(about('REFUND', 'M-3', original, hkd(11_500n)));
    await settled();
    await stage.clock.advance(10_000);
    assert.deepEqual(ended(await refund).hostOutcome, { kind: 'notSent', reason: 'advices-pending' });
    assert.deepEqual(operations(), ['sale']);
  });
});

const rejectedOriginals: readonly (readonly [TransactionType, bigint])[] = [
  ['TIP_ADJUST', 3300n],
  ['VOID', 3000n],
  ['REFUND', 3000n],
];
for (const [type, minor] of rejectedOriginals) {
  test(`a ${type} of an offline sale that the host rejects: refused while it waits, and for ever after`, async () => {
    hostIsDown();
    const original = ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
    await settled();
    hostRejects('offlineSale');
    assertNothingSent(ended(await stage.paid(about(type, 'M-2', original, hkd(minor)))), /rejected.*code 12/);
    const again = await stage.terminal.pay(about(type, 'M-3', original, hkd(minor)));
    assert.equal(again.kind === 'refused' && again.refusal.result, 'INVALID_TRANSACTION_STATUS');
    assert.match(again.kind === 'refused' ? again.refusal.message : '', /rejected.*code 12/);
    assert.deepEqual(operations(), []);
    assert.equal(
      stage.edc.advices.some(({ order }) => order.operation === 'tipAdjust'),
      false,
    );
  });
}

describe('a completion that the host rejects', () => {
  let auth: TransactionRecord;
  let completion: TransactionRecord;
  beforeEach(async () => {
    auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'unionpay'));
    hostIsDown();
    completion = await byReference('AUTH_COMP', 'M-2', auth, 3000n);
    await settled();
  });

  test('leaves the auth to be voided, or completed again', async () => {
    hostRejects('completion');
    assertNothingSent(await byReference('VOID', 'M-3', completion, 3000n), /rejected.*code 12/);
    stage.cup.onAdvice = () => takesAdvice;
    assert.equal((await byReference('AUTH_COMP', 'M-4', auth, 2000n)).conclusion?.result, 'SUCCESS');
    await settled();
    assert.equal(stage.cup.advices.at(-1)?.order.amount.minor, 2000n);
  });

  test('its auth can be voided', async () => {
    hostRejects('completion');
    await stage.clock.advance(1_000);
    assert.equal((await byReference('VOID', 'M-3', auth, 3000n)).conclusion?.result, 'SUCCESS');
    assert.deepEqual(
      stage.cup.requests.map(({ operation }) => operation),
      ['auth', 'void'],
    );
  });

  test('is not refunded', async () => {
    hostRejects('completion');
    const refund = ended(await stage.paid(about('REFUND', 'M-3', completion, hkd(3000n)), 'unionpay'));
    assertNothingSent(refund, /rejected.*code 12/);
    assert.equal(stage.cup.requests.length, 1);
  });
});

test('the void of a wallet’s refund is not carried out twice: the first turned out to be done', async () => {
  const { answer } = await begun(stage, 'QR_SCAN', 'M-0');
  stage.scanner.read(codes.ALIPAY);
  const original = ended(await answer);
  const refund = await byReference('REFUND', 'M-1', original, 3000n);
  stage.wallet.onReverseRefund = () => ({ closes: true, outcome: { kind: 'unanswered' } });
  stage.wallet.onEnquire = () => ({ kind: 'unknown', reason: 'no-answer' });
  const first = stage.terminal.pay(about('VOID', 'M-2', refund));
  await settled();
  await stage.clock.advance(5_000);
  assert.equal(ended(await first).conclusion?.result, 'UNKNOWN');
  stage.wallet.onReverseRefund = () => ({ closes: true });
  stage.wallet.onEnquire = () => undefined;
  assertNothingSent(ended(await stage.terminal.pay(about('VOID', 'M-3', refund))), /was voided/);
  assert.equal((await stage.terminal.enquire('POS-1', 'M-2')).kind, 'ended');
  const tree = (await stage.terminal.recall(refund.id)) ?? assert.fail();
  assert.equal(tree.later.filter(({ record }) => record.conclusion?.result === 'SUCCESS').length, 1);
});
