import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { ClosedOrderRequery } from '../../../src/methods/wallet/closed-order-requery.ts';
import { setAside } from '../../../src/operator/waiting.ts';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { transactionRecord } from '../../../src/payment/records/record.ts';
import { setAsideEvents, triesBefore } from '../../../src/payment/transaction/set-aside.ts';
import { printParts } from '../../pos/api/served.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';
import { settled } from '../../support/manual-clock.ts';
import { lagMs, lookingAt } from './looking.ts';
import { assertClean, begun, durable } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { waitsAndIsSilent } from './scripted-wallet.ts';
import { about, ended, everything, Stage, timeouts, waits } from './stage.ts';

/** The operator enters "not paid" for an order that its customer can still pay. */

const QR = acquirerId('QR');
const unanswered = { closes: false, outcome: { kind: 'unanswered' } } as const;

let stage: Stage;
let look: ClosedOrderRequery;
let failures: unknown[];
beforeEach(() => {
  failures = [];
  stage = new Stage(undefined, everything);
  look = lookingAt(stage, failures);
});
afterEach(async () => {
  await look.close();
  stage.close();
  assert.deepEqual([failures, stage.failures], [[], []]);
});

const calls = (name: string) => stage.wallet.calls.filter(({ call }) => call === name).length;
const closed = () => stage.journal.store.closedOrders().length;
const tradeNo = () => `${durable(stage).id}-1`;

function goSilent(): void {
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  stage.wallet.onClose = () => unanswered;
}

function comeBack(): void {
  stage.wallet.onEnquire = () => undefined;
  stage.wallet.onClose = () => ({ closes: true });
}

const readRecord = (id: TerminalTransactionId) => transactionRecord(id, stage.journal.store.read(id));

function decide() {
  const { journal, forwarder, terminal, acquirers } = stage;
  return setAside(durable(stage).id, 'NOT_POSTED', {
    journal,
    acquirers: [...acquirers.acquirers.keys()],
    isUnsendable: (id) => forwarder.isUnsendable(id),
    takesBatch: terminal.room.takesBatch,
    decide: decidesAtOnce,
  });
}

/** A shown code whose closing the host has not confirmed, until the operator may decide. */
async function unconfirmed(wallet: 'ALIPAY' | 'FPS' = 'ALIPAY'): Promise<void> {
  const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: wallet });
  goSilent();
  stage.act({ kind: 'cancel' });
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
  ended(await answer);
  await stage.clock.advance(27 * 60_000);
}

async function calledUnpaid(wallet: 'ALIPAY' | 'FPS' = 'ALIPAY'): Promise<void> {
  await unconfirmed(wallet);
  assert.ok('id' in (await decide()));
}

async function restarts(): Promise<void> {
  await look.close();
  await stage.forwarder.close();
  await stage.restart();
  look = lookingAt(stage, failures);
}

let settlements = 0;

async function settles() {
  const messageId = `S-${(settlements += 1)}`;
  const request = { posId: 'POS-1', messageId, digest: messageId, acquirerId: QR };
  const answer = await stage.terminal.settle(request);
  const [result] = answer.kind === 'ended' ? (answer.settlement.results ?? []) : [];
  assert.equal(result?.result, 'BALANCED');
  return result?.totals;
}

/** The answer to an enquiry, as a POS reads it. */
async function enquiry() {
  const answer = await stage.terminal.enquire('POS-1', 'M-1');
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  const { responseResult, financialImpact, message, reason } = posResponse(answer.record, printParts, answer);
  return {
    responseResult,
    financialImpact,
    reason,
    isAskedAgain: /the wallet is asked once more/.test(String(message)),
  };
}

const overNow = {
  responseResult: 'ERROR',
  financialImpact: 'REVERSED',
  reason: 'confirmedNotPosted',
  isAskedAgain: false,
};

describe('an order that the operator has entered as unpaid', () => {
  test('is closed when its host answers, and is in doubt until it is enquired for the last time', async () => {
    await calledUnpaid();
    const doubt = { ...overNow, financialImpact: 'REVERSAL_PENDING', isAskedAgain: true };
    assert.deepEqual(await enquiry(), doubt);
    assertQueued(0);
    assert.equal(stage.wallet.waiting.length, 1);
    comeBack();
    await stage.clock.advance(2 * lagMs);
    assertClean(stage);
    assert.deepEqual(await enquiry(), doubt);
    await stage.clock.advance(5 * lagMs);
    await settles();
    assert.deepEqual(await enquiry(), doubt);
    const asked = calls('close');
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual([await enquiry(), closed(), calls('close')], [overNow, 0, asked]);
  });

  for (const [when, before] of [
    ['before an enquiry', async () => stage.clock.advance(2 * lagMs)],
    ['before the settlement', settles],
  ] as const) {
    test(`that is paid ${when} is refunded`, async () => {
      await calledUnpaid();
      comeBack();
      assert.ok(stage.wallet.paid());
      await before();
      await stage.clock.advance(lagMs);
      assert.deepEqual(await enquiry(), { ...overNow, reason: 'codeNotClosed' });
      assert.deepEqual([stage.wallet.books.get(tradeNo())?.state, stage.posted, closed()], ['refunded', 0, 0]);
      assertClean(stage);
    });
  }

  test('that is paid while it is closed is refunded', async () => {
    await calledUnpaid();
    comeBack();
    stage.wallet.onClose = () => {
      stage.wallet.paid();
      return { closes: true };
    };
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual([stage.wallet.books.get(tradeNo())?.state, stage.posted], ['refunded', 0]);
    assertClean(stage);
  });

  test('that is paid by a wallet that can’t refund is a sale of the batch', async () => {
    await calledUnpaid('FPS');
    assert.equal((await enquiry()).financialImpact, 'UNKNOWN');
    comeBack();
    assert.ok(stage.wallet.paid());
    const totals = await settles();
    assert.deepEqual(totals, [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3000' }]);
    assert.equal((await enquiry()).responseResult, 'SUCCESS');
    assert.deepEqual([calls('refund'), closed()], [0, 0]);
    assertClean(stage);
  });

  test('is closed again while its closing is not answered', async () => {
    await calledUnpaid();
    comeBack();
    stage.wallet.onClose = () => unanswered;
    await stage.clock.advance(20 * lagMs);
    assert.deepEqual([stage.wallet.waiting.length, closed()], [1, 1]);
    assertQueued(0);
    comeBack();
    await stage.clock.advance(lagMs);
    assert.deepEqual(stage.wallet.waiting, []);
  });

  test('that has not reached its host yet does not count as over', async () => {
    stage.wallet.onPay = () => ({ outcome: waitsAndIsSilent.outcome });
    const { answer } = await begun(stage, 'QR_SCAN');
    goSilent();
    stage.scanner.read(codes.ALIPAY);
    await settled();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
    ended(await answer);
    await stage.clock.advance(27 * 60_000);
    assert.ok('id' in (await decide()));
    comeBack();
    stage.wallet.onEnquire = () => ({ kind: 'notFound' });
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'refused', responseCode: '1260' } });
    await stage.clock.advance(20 * lagMs);
    assert.equal((await enquiry()).financialImpact, 'REVERSAL_PENDING');
    stage.wallet.books.set(tradeNo(), { number: `2026-${tradeNo()}`, state: 'paid' });
    comeBack();
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual([stage.posted, (await enquiry()).financialImpact], [0, 'REVERSED']);
  });

  test('is closed after a restart', async () => {
    await calledUnpaid();
    await restarts();
    comeBack();
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual([stage.wallet.waiting.length, closed()], [0, 1]);
  });
});

test('attempts for payments do not allow the operator’s decision earlier', async () => {
  const { answer } = await begun(stage, 'QR_PRESENT');
  goSilent();
  stage.act({ kind: 'cancel' });
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
  ended(await answer);
  for (let each = 2; each < triesBefore + 10; each++) {
    const { answer: blocked } = await begun(stage, 'QR_PRESENT', `M-${each}`);
    assert.equal(ended(await blocked).conclusion?.reason, 'reversalsPending');
  }
  assert.ok(durable(stage).reversalAttempts > triesBefore);
  assert.deepEqual(await decide(), { refused: 'tooEarly' });
  await restarts();
  assert.deepEqual(await decide(), { refused: 'tooEarly' });
  await stage.clock.advance(27 * 60_000);
  assert.ok('id' in (await decide()));
});

function assertQueued(count: number): void {
  assert.equal(stage.journal.store.pending().length, count);
}

describe('a code whose payment was declined, and that its host refuses to close', () => {
  async function declined(wallet: 'ALIPAY' | 'FPS'): Promise<string> {
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: wallet });
    const [tradeNo = assert.fail()] = stage.wallet.waiting;
    const kept = stage.wallet.books.get(tradeNo) ?? assert.fail();
    kept.state = 'declined';
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'refused', responseCode: '1265' } });
    await stage.clock.advance(waits.walletResolveMs + 2 * waits.walletPollMs);
    assert.equal(ended(await answer).conclusion?.outcome, 'declined');
    return tradeNo;
  }

  for (const wallet of ['ALIPAY', 'FPS'] as const) {
    test(`by ${wallet} is in doubt, and a payment by it is found hours later`, async () => {
      const tradeNo = await declined(wallet);
      await stage.clock.advance(20 * lagMs);
      await settles();
      await stage.clock.advance(20 * lagMs);
      assert.notEqual((await enquiry()).financialImpact, 'NONE');
      assert.ok(stage.journal.store.closedOrders().length > 0);
      const kept = stage.wallet.books.get(tradeNo) ?? assert.fail();
      kept.state = 'paid';
      await stage.clock.advance(3 * lagMs);
      const { responseResult, financialImpact } = await enquiry();
      if (wallet === 'FPS') assert.equal(responseResult, 'SUCCESS');
      else assert.equal(financialImpact, 'REVERSED');
      assert.equal(kept.state, wallet === 'FPS' ? 'paid' : 'refunded');
    });
  }

  test('blocks no other payment, and is given up once its code has expired', async () => {
    await declined('ALIPAY');
    assertQueued(0);
    await stage.clock.advance(125 * lagMs);
    assert.equal(stage.journal.store.closedOrders().length, 0);
    assert.equal((await enquiry()).financialImpact, 'NONE');
  });
});

test('a refund that the operator has called unposted, and that arrives later, is reported and counted', async () => {
  const paying = await begun(stage, 'QR_SCAN');
  stage.scanner.read(codes.ALIPAY);
  const original = ended(await paying.answer);
  stage.wallet.onRefund = () => ({ outcome: { kind: 'unknown', reason: 'no-answer' } });
  goSilent();
  const refunding = stage.terminal.pay(about('REFUND', 'M-2', original));
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
  const { id } = ended(await refunding);
  await stage.journal.append(id, setAsideEvents(readRecord(id), 'NOT_POSTED', true));
  assert.deepEqual(stage.journal.store.pending(), []);
  const own = stage.wallet.calls.findLast(({ call }) => call === 'refund')?.order.tradeNo ?? assert.fail();
  stage.wallet.books.set(own, { number: `2026-${own}`, state: 'paid' });
  comeBack();
  await stage.clock.advance(3 * lagMs);
  const answer = await stage.terminal.enquire('POS-1', 'M-2');
  assert.ok(answer.kind === 'ended' && answer.record.conclusion?.result === 'SUCCESS');
  const again = await stage.terminal.pay(about('REFUND', 'M-3', original));
  assert.ok(again.kind === 'refused' && again.refusal.reason === 'aboveOriginal');
});
