import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { TransactionType } from '../../../src/base/domain/transaction-kind.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { setAside } from '../../../src/operator/waiting.ts';
import { settled } from '../../support/manual-clock.ts';
import { approves, declines, postsAndIsSilent, takesAdvice } from './scripted-host.ts';
import { about, ended, everything, sale, Stage } from './stage.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';

/** A batch is settled in a message of so many digits; an offline sale is a risk until its host has it. */

const most = 999_999_999_999n;
const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
/** EDC or nobody. */
const card = (messageId: string, minor: bigint, fields: Partial<PaymentRequest> = {}) =>
  sale(messageId, { forcedAcquirer: acquirerId('EDC'), ...hkd(minor), ...fields });
const offline = (messageId: string, minor: bigint) => card(messageId, minor, { type: 'OFFLINE_SALE' });

function refusal(answer: PayAnswer): string {
  return answer.kind === 'refused' ? `${answer.refusal.pointer} ${answer.refusal.message}` : assert.fail(answer.kind);
}

let stage: Stage;
afterEach(() => stage.close());

const decided = (id: string, outcome: 'POSTED' | 'NOT_POSTED') => {
  const { journal, terminal } = stage;
  const { takesBatch } = terminal.room;
  return setAside(id, outcome, {
    journal,
    acquirers: ['EDC'],
    isUnsendable: () => false,
    takesBatch,
    decide: decidesAtOnce,
  });
};

async function settle(messageId: string) {
  return (await settleAll(messageId))[0];
}

async function settleAll(messageId: string) {
  const answer = await stage.terminal.settle({
    posId: 'POS-1',
    messageId,
    digest: messageId,
    acquirerId: stage.edc.id,
  });
  return answer.kind === 'ended' ? (answer.settlement.results ?? []) : assert.fail(answer.kind);
}

describe('a batch', () => {
  beforeEach(() => {
    stage = new Stage();
  });

  for (const [how, type] of [
    ['offline', 'OFFLINE_SALE'],
    ['online', 'SALE'],
  ] as const satisfies readonly (readonly [string, TransactionType])[]) {
    test(`takes ${how} sales until its sum has 12 digits; what passes that is refused before anything starts`, async () => {
      assert.equal(ended(await stage.paid(card('M-1', most - 5n, { type }))).conclusion?.result, 'SUCCESS');
      await settled();
      const commits = stage.trace.events.length;
      assert.match(refusal(await stage.paid(card('M-2', 6n, { type }))), /^\/requestAmount .*settle first$/);
      assert.deepEqual(
        stage.trace.events.slice(commits).filter((event) => /commit|EDC|armed/.test(event)),
        [],
      );
      assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-2'), { kind: 'notFound' });
      assert.equal(ended(await stage.paid(card('M-3', 5n, { type }))).conclusion?.result, 'SUCCESS');
      await settled();
      assert.equal((await settle('S-1'))?.result, 'BALANCED');
      assert.equal(ended(await stage.paid(card('M-2', 6n, { type }))).conclusion?.result, 'SUCCESS');
    });
  }

  test('counts what is in it after a restart, and each currency and the refunds apart', async () => {
    const original = ended(await stage.paid(card('M-1', most)));
    await stage.restart();
    assert.match(refusal(await stage.paid(card('M-2', 1n))), /settle first/);
    const yen = { amount: { minor: most, currency: 'JPY' } as const };
    assert.equal(ended(await stage.paid(card('M-3', 1n, yen))).conclusion?.result, 'SUCCESS');
    assert.equal(ended(await stage.paid(about('REFUND', 'M-4', original))).conclusion?.result, 'SUCCESS');
    assert.match(refusal(await stage.paid(card('M-5', 1n, { type: 'REFUND' }))), /settle first/);
  });

  test('counts neither what was declined, nor what was voided, nor what was reversed', async () => {
    stage.edc.onRequest = () => declines('51');
    assert.equal(ended(await stage.paid(card('M-1', most))).conclusion?.result, 'DECLINED');
    stage.edc.onRequest = () => postsAndIsSilent;
    assert.equal(ended(await stage.paid(card('M-2', most))).conclusion?.result, 'ERROR');
    stage.edc.onRequest = () => approves;
    const original = ended(await stage.paid(card('M-3', most)));
    assert.match(refusal(await stage.paid(card('M-4', 1n))), /settle first/);
    assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-5', original))).conclusion?.result, 'SUCCESS');
    assert.equal(ended(await stage.paid(card('M-6', most))).conclusion?.result, 'SUCCESS');
  });

  test('takes no tip and no completion that passes it', async () => {
    const small = ended(await stage.paid(card('M-1', 100n)));
    ended(await stage.paid(card('M-2', most - 109n)));
    const tip = (messageId: string, minor: bigint) =>
      stage.terminal.pay(about('TIP_ADJUST', messageId, small, hkd(minor)));
    assert.match(refusal(await tip('M-3', 110n)), /settle first/);
    assert.equal(ended(await tip('M-4', 109n)).conclusion?.result, 'SUCCESS');
    const auth = ended(await stage.paid(sale('M-5', { type: 'AUTH', ...hkd(most) }), 'unionpay'));
    ended(await stage.paid(sale('M-6', hkd(1n)), 'unionpay'));
    assert.match(refusal(await stage.terminal.pay(about('AUTH_COMP', 'M-7', auth))), /batch of CUP: settle first/);
    const less = about('AUTH_COMP', 'M-8', auth, hkd(most - 1n));
    assert.equal(ended(await stage.terminal.pay(less)).conclusion?.result, 'SUCCESS');
  });

  test('has room for as many as its host can be told', async () => {
    stage.edc.batchMax = { count: 2, minor: most };
    for (const messageId of ['M-1', 'M-2']) ended(await stage.paid(card(messageId, 1n)));
    assert.match(refusal(await stage.paid(card('M-3', 1n))), /settle first/);
  });

  test('that was closed, and whose host was not reached, does not return to one that was filled meanwhile', async () => {
    ended(await stage.paid(card('M-1', most - 5n)));
    stage.edc.onSettlement = async () => {
      // Beside the settlement: into the next batch.
      ended(await stage.paid(card('M-2', 6n)));
      return { kind: 'notSent' };
    };
    assert.equal((await settle('S-1'))?.result, 'FAILED');
    stage.edc.onSettlement = () => ({ kind: 'balanced' });
    assert.deepEqual(
      (await settleAll('S-2')).map(({ batch, result, totals }) => [batch, result, totals[0]?.totalMinor]),
      [
        [1, 'BALANCED', `${most - 5n}`],
        [2, 'BALANCED', '6'],
      ],
    );
  });

  test('has room for an offline sale that its host rejected: the bank may have posted it', async () => {
    stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'notPermittedToCardholder', responseCode: '57' });
    const rejected = ended(await stage.paid(offline('M-1', most)));
    await settled();
    assert.match(refusal(await stage.paid(card('M-2', 1n))), /settle first/);
    assert.ok('id' in (await decided(rejected.id, 'NOT_POSTED')));
    assert.equal(ended(await stage.paid(card('M-2', 1n))).conclusion?.result, 'SUCCESS');
  });

  test('takes what the bank has posted of an earlier batch only if it fits: settled first, it does', async () => {
    stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'notPermittedToCardholder', responseCode: '57' });
    const rejected = ended(await stage.paid(offline('M-1', most)));
    await settled();
    assert.equal((await settle('S-1'))?.result, 'BALANCED');
    assert.equal(ended(await stage.paid(card('M-2', 1n))).conclusion?.result, 'SUCCESS');
    assert.deepEqual(await decided(rejected.id, 'POSTED'), { refused: 'batchFull' });
    assert.equal((await settle('S-2'))?.result, 'BALANCED');
    assert.ok('id' in (await decided(rejected.id, 'POSTED')));
    const { result, totals } = (await settle('S-3')) ?? assert.fail();
    assert.deepEqual([result, totals[0]?.totalMinor], ['BALANCED', `${most}`]);
  });

  test('of one acquirer that is full keeps no other from taking it; the card of the full one is told, and nothing is sent', async () => {
    ended(await stage.paid(card('M-1', most)));
    const open = (messageId: string) => sale(messageId, hkd(1n));
    const { conclusion, intent } = ended(await stage.paid(open('M-2')));
    assert.deepEqual([conclusion?.result, intent], ['ERROR', undefined]);
    assert.match(conclusion?.message ?? '', /batch of EDC: settle first; nothing was sent/);
    assert.equal(ended(await stage.paid(open('M-3'), 'unionpay')).conclusion?.result, 'SUCCESS');
  });
});

describe('offline sales', () => {
  beforeEach(() => {
    stage = new Stage(undefined, { ...everything, offline: { amountMinorMax: 100n, countMax: 3, sumMinorMax: 250n } });
    stage.edc.onAdvice = () => ({ kind: 'unanswered' });
  });

  const taken = async (messageId: string, minor: bigint) => {
    assert.equal(ended(await stage.paid(offline(messageId, minor))).conclusion?.result, 'SUCCESS');
    await settled();
  };

  test('are at most of the amount that is configured; an online sale may be more', async () => {
    assert.match(refusal(await stage.paid(offline('M-1', 101n))), /at most 1\.00 HKD for an offline sale at EDC/);
    await taken('M-2', 100n);
    stage.edc.onAdvice = () => takesAdvice;
    assert.equal(ended(await stage.paid(card('M-3', 101n))).conclusion?.result, 'SUCCESS');
  });

  test('are at most so many, until their host has them', async () => {
    for (const messageId of ['M-1', 'M-2', 'M-3']) await taken(messageId, 1n);
    assert.match(refusal(await stage.paid(offline('M-4', 1n))), /3 offline sales wait for EDC/);
    await stage.restart();
    assert.match(refusal(await stage.paid(offline('M-4', 1n))), /3 offline sales wait for EDC/);
    stage.edc.onAdvice = () => takesAdvice;
    await stage.forwarder.flush(stage.edc.id);
    await taken('M-4', 1n);
  });

  test('sum up to at most so much, until their host has them', async () => {
    for (const messageId of ['M-1', 'M-2']) await taken(messageId, 100n);
    assert.match(refusal(await stage.paid(offline('M-3', 51n))), /at most 2\.50 HKD/);
    await taken('M-4', 50n);
    stage.edc.onAdvice = () => takesAdvice;
    await stage.forwarder.flush(stage.edc.id);
    await taken('M-5', 100n);
  });
});
