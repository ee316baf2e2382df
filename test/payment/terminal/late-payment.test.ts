import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { extraPaymentEvents, posResponse } from '../../../src/pos/api/pos-response.ts';
import type { ClosedOrderRequery } from '../../../src/methods/wallet/closed-order-requery.ts';
import { printParts } from '../../pos/api/served.ts';
import { settled } from '../../support/manual-clock.ts';
import { lagMs, lookingAt } from './looking.ts';
import { begun, durable, ending, enquired, kindsOf } from './method-stage.ts';
import { approves } from './scripted-host.ts';
import { ended, everything, sale, Stage, waits } from './stage.ts';

/** A code was shown, another payment method was chosen, and the payment by the code still arrives. */

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
  assert.deepEqual(failures, []);
});

const tradeNo = () => `${durable(stage).id}-1`;
const posted = () => ({ wallet: stage.wallet.posted, all: stage.posted, octopus: stage.octopus.deducted });

/** The payment enters the host's books after the host has reported the order as over. */
function paidLate(): void {
  const kept = stage.wallet.books.get(tradeNo()) ?? assert.fail('no such order');
  kept.state = 'paid';
}

async function codeThen(mode: string) {
  const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
  stage.act({ kind: 'choose', mode });
  await settled();
  assert.equal(stage.wallet.books.get(tradeNo())?.state, 'closed');
  return { answer };
}

/** What the customer does for each payment method, once it is chosen. */
const pays: Readonly<Record<string, () => Promise<void>>> = {
  CARD: async () => void stage.reader.present(),
  EPS: async () => {
    stage.reader.present();
    await settled();
    stage.act({ kind: 'account', account: 'SAVINGS' });
    await stage.trace.seen('pin pad: armed');
    stage.pinPad.enter();
  },
  OCTOPUS: async () => stage.octopus.tap(),
  CASH: async () => stage.act({ kind: 'tender', amount: '50' }),
};

describe('a payment by the code that is found before another method is charged', () => {
  for (const [mode, pay] of Object.entries(pays)) {
    test(`is the outcome, and nothing is charged: ${mode}`, async () => {
      const { answer } = await codeThen(mode);
      paidLate();
      await pay();
      const record = ended(await answer);
      assert.equal(ending(record), 'SUCCESS');
      assert.partialDeepStrictEqual(record, {
        intent: { wallet: { scheme: 'FPS' }, isFinal: true },
        hostOutcome: { kind: 'approved', rrn: `2026-${tradeNo()}` },
      });
      assert.deepEqual(posted(), { wallet: 1, all: 1, octopus: 0 });
      assert.deepEqual(
        stage.trace.events.filter((event) => /^E(DC|PS): (sale|reverse)|drawer/.test(event)),
        [],
      );
      assert.deepEqual(stage.journal.store.closedOrders(), []);
      assert.equal(await enquired(stage), 'SUCCESS');
      await stage.clock.advance(10 * lagMs);
      assert.deepEqual(stage.journal.store.later(record.id), [], 'no payment of the terminal’s own');
      const messageId = 'S-1';
      const settlement = { posId: 'POS-1', messageId, digest: messageId, acquirerId: stage.wallet.id };
      const settling = await stage.terminal.settle(settlement);
      assert.partialDeepStrictEqual(settling.kind === 'ended' && settling.settlement.results?.[0], {
        result: 'BALANCED',
        totals: [{ kind: 'SALE', count: 1, totalMinor: '3000' }],
      });
    });
  }

  test('is the outcome, and no other wallet’s code is shown', async () => {
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
    stage.wallet.onClose = () => {
      stage.wallet.onClose = () => ({ closes: true });
      return { closes: true };
    };
    stage.wallet.onAnswer = (call) => {
      // The enquiry that closes the order is answered "closed"; the transfer arrives right after it.
      if (call === 'enquire' && stage.wallet.books.get(tradeNo())?.state === 'closed') queueMicrotask(paidLate);
    };
    stage.act({ kind: 'wallet', scheme: 'ALIPAY' });
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.equal(stage.trace.count('QR: present'), 1);
    assert.deepEqual(posted(), { wallet: 1, all: 1, octopus: 0 });
  });

  test('and that an enquiry finds at the same time is left to the transaction', async () => {
    await look.close();
    look = lookingAt(stage, failures, lagMs / 10);
    const { answer } = await codeThen('CARD');
    paidLate();
    await stage.clock.advance(lagMs);
    assert.deepEqual(stage.journal.store.later(durable(stage).id), []);
    stage.reader.present();
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.deepEqual(posted(), { wallet: 1, all: 1, octopus: 0 });
  });

  test('and can’t be written: nothing is charged, and a later enquiry finds it', async () => {
    const { answer } = await codeThen('CARD');
    paidLate();
    stage.journal.fault = (_call, operation) => operation === 'append';
    stage.reader.present();
    await Promise.allSettled([answer]);
    assert.deepEqual(stage.edc.requests, []);
    stage.journal.fault = () => false;
    await stage.clock.advance(2 * lagMs);
    await stage.terminal.recover();
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(stage.edc.requests, []);
    assert.deepEqual(stage.journal.store.pending(), []);
    const own = stage.journal.store.later(durable(stage).id);
    const results = [durable(stage).conclusion?.result, ...own.map(({ events }) => events.at(-1)?.event.kind)];
    assert.ok(results.includes('SUCCESS') || results.includes('resolved'), results.join());
  });
});

describe('another method is charged', () => {
  for (const [what, finding] of [
    ['does not show the payment yet', undefined],
    ['does not answer', { kind: 'unknown' }],
  ] as const) {
    test(`when the code’s host ${what}`, async () => {
      const { answer } = await codeThen('CARD');
      stage.wallet.onEnquire = () => finding;
      stage.reader.present();
      const record = ended(await answer);
      assert.equal(ending(record), 'SUCCESS');
      assert.equal(record.intent?.acquirerId, 'EDC');
      const kinds = ['accepted', 'intent', 'withdrawn', 'orderClosed', 'intent', 'answered', 'ended'];
      assert.deepEqual(kindsOf(stage), kinds);
      assert.equal(stage.journal.store.closedOrders().length, 1);
    });
  }

  test('after a limited time when the code’s host is slow', async () => {
    const { answer } = await codeThen('CARD');
    stage.wallet.onEnquire = () => new Promise(() => undefined);
    stage.reader.present();
    await settled();
    await stage.clock.advance(waits.walletResolveMs - 1);
    assert.deepEqual(stage.edc.requests, []);
    await stage.clock.advance(1);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.edc.requests.length, 1);
    stage.wallet.onEnquire = () => undefined;
  });

  test('without any enquiry if no code was shown', async () => {
    assert.equal(ending(ended(await stage.paid(sale('M-1', { preferredEntryMode: 'CARD' })))), 'SUCCESS');
    assert.deepEqual(stage.wallet.calls, []);
  });
});

describe('a payment by the code that is found afterwards', () => {
  async function nameExtraPayments(wallet: 'FPS' | 'ALIPAY', fields: { readonly allowPartial?: true } = {}) {
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: wallet, ...fields });
    stage.act({ kind: 'choose', mode: 'CARD' });
    await settled();
    void stage.reader.present();
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    paidLate();
  }

  async function cancelledAndPaid(wallet: 'FPS' | 'ALIPAY') {
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: wallet });
    await stage.terminal.cancel('POS-1', 'M-1');
    await answer;
    paidLate();
    await stage.clock.advance(2 * lagMs);
  }

  const extra = () => stage.journal.store.later(durable(stage).id)[0]?.id ?? assert.fail('no extra payment');

  function giveBackInCash(): void {
    stage.journal.store.append(extra(), [{ kind: 'givenBackInCash', who: 'OPERATOR', session: 'one' }]);
  }

  /** The answer as a POS reads it. */
  async function enquiry() {
    const answer = await stage.terminal.enquire('POS-1', 'M-1');
    if (answer.kind !== 'ended') return assert.fail(answer.kind);
    const body = posResponse(answer.record, printParts, answer);
    const { responseResult, financialImpact, message, reason, retryable, extraPayments } = body;
    return { responseResult, financialImpact, message, reason, retryable, extraPayments };
  }

  const payment = (paymentMethod: string, state: string) => ({
    paymentMethod,
    amount: 30,
    currency: 'HKD',
    state,
    terminalTransactionId: extra(),
  });

  test('that its wallet can’t refund is reported as paid twice until it is given back', async () => {
    await nameExtraPayments('FPS');
    await stage.clock.advance(2 * lagMs);
    assert.partialDeepStrictEqual(await enquiry(), {
      responseResult: 'SUCCESS',
      financialImpact: undefined,
      message: 'paid twice: HKD 30.00 by FPS is to be given back',
      extraPayments: [payment('FPS', 'TO_BE_RETURNED')],
    });
    giveBackInCash();
    assert.partialDeepStrictEqual(await enquiry(), {
      responseResult: 'SUCCESS',
      message: 'paid twice: HKD 30.00 by FPS was given back',
      extraPayments: [payment('FPS', 'RETURNED')],
    });
    assert.deepEqual(posted(), { wallet: 1, all: 2, octopus: 0 });
  });

  test('that its wallet refunds is reported as being given back, then as given back', async () => {
    await nameExtraPayments('ALIPAY');
    stage.wallet.onRefund = () => ({ outcome: { kind: 'unknown', reason: 'no-answer' } });
    await stage.clock.advance(2 * lagMs);
    assert.partialDeepStrictEqual(await enquiry(), {
      message: 'paid twice: HKD 30.00 by ALIPAY is being given back',
      extraPayments: [payment('ALIPAY', 'BEING_RETURNED')],
    });
    stage.wallet.onRefund = ({ tradeNo: no }) => ({ state: 'paid', outcome: stage.wallet.approvalOf(no) });
    await stage.clock.advance(lagMs);
    assert.partialDeepStrictEqual(await enquiry(), {
      message: 'paid twice: HKD 30.00 by ALIPAY was given back',
      extraPayments: [payment('ALIPAY', 'RETURNED')],
    });
  });

  test('is asked for by the amount of its order though a card then covered a part', async () => {
    stage.edc.onRequest = () => ({
      posted: true,
      outcome: { ...approves.outcome, responseCode: '10', coveredMinor: 2000n },
    });
    const enquired: bigint[] = [];
    await nameExtraPayments('FPS', { allowPartial: true });
    const { onEnquire } = stage.wallet;
    stage.wallet.onEnquire = (order) => {
      enquired.push(order.amount.minor);
      return onEnquire(order);
    };
    await stage.clock.advance(2 * lagMs);
    assert.partialDeepStrictEqual(await enquiry(), { extraPayments: [payment('FPS', 'TO_BE_RETURNED')] });
    assert.deepEqual([...new Set(enquired)], [3000n]);
    assert.equal(durable(stage).amount.minor, 2000n);
  });

  test('of a cancelled payment has a reason of its own until it is given back', async () => {
    await cancelledAndPaid('FPS');
    const reported = await enquiry();
    assert.partialDeepStrictEqual(reported, {
      responseResult: 'TRANSACTION_ALREADY_CANCEL',
      financialImpact: 'UNKNOWN',
      reason: 'paidLate',
      retryable: 'CALL_OPERATOR',
      extraPayments: [payment('FPS', 'TO_BE_RETURNED')],
    });
    assert.match(String(reported.message), /; paid late: HKD 30.00 by FPS is to be given back$/);
    giveBackInCash();
    const after = await enquiry();
    assert.partialDeepStrictEqual(after, {
      financialImpact: 'REVERSED',
      reason: 'cancelledByPos',
      extraPayments: [payment('FPS', 'RETURNED')],
    });
    assert.match(String(after.message), /; paid late: HKD 30.00 by FPS was given back$/);
  });

  test('of a payment that its wallet takes back is reported with it', async () => {
    await cancelledAndPaid('ALIPAY');
    assert.partialDeepStrictEqual(await enquiry(), {
      financialImpact: 'REVERSED',
      reason: 'cancelledByPos',
      extraPayments: [payment('ALIPAY', 'RETURNED')],
    });
  });

  test('is an event for the POS of the sale: when it is found, and when it is given back', async () => {
    await nameExtraPayments('FPS');
    await stage.clock.advance(2 * lagMs);
    const { id } = durable(stage);
    const events = (state: string) => [
      { posId: 'POS-1', messageId: 'M-1', terminalTransactionId: id, extraPayment: payment('FPS', state) },
    ];
    assert.deepEqual(await extraPaymentEvents(extra(), stage.journal), events('TO_BE_RETURNED'));
    assert.deepEqual(await extraPaymentEvents(id, stage.journal), events('TO_BE_RETURNED'));
    giveBackInCash();
    assert.deepEqual(await extraPaymentEvents(extra(), stage.journal), events('RETURNED'));
  });

  test('sends no event for a transaction without one', async () => {
    const { id } = ended(await stage.paid(sale('M-1', { preferredEntryMode: 'CARD' })));
    assert.deepEqual(await extraPaymentEvents(id, stage.journal), []);
  });

  test('given back in cash stays counted in its batch, because the host’s books have it', async () => {
    await nameExtraPayments('FPS');
    await stage.clock.advance(2 * lagMs);
    giveBackInCash();
    const settlement = { posId: 'POS-1', messageId: 'S-1', digest: 'S-1', acquirerId: stage.wallet.id };
    const settling = await stage.terminal.settle(settlement);
    assert.partialDeepStrictEqual(settling.kind === 'ended' && settling.settlement.results?.[0], {
      result: 'BALANCED',
      totals: [{ kind: 'SALE', count: 1, totalMinor: '3000' }],
    });
  });
});
