import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, assertDisarmed, begun, durable, ending, enquired, kindsOf } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import {
  approvedOrder,
  asksCustomer,
  isDown,
  isSilent,
  paysAndIsSilent,
  showsAndIsSilent,
  waitsAndIsSilent,
} from './scripted-wallet.ts';
import { ended, everything, Stage, timeouts, waits } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

const declined = {
  state: 'declined',
  outcome: { kind: 'declined', reason: 'declined', responseCode: '1143' },
} as const;

/** A sale by a code that the customer holds to the scanner. */
async function scanned(messageId = 'M-1', text: string = codes.ALIPAY) {
  const sale = await begun(stage, 'QR_SCAN', messageId);
  stage.scanner.read(text);
  await settled();
  return sale;
}

const shown = (messageId = 'M-1') => begun(stage, 'QR_PRESENT', messageId);
const calls = () => stage.wallet.calls.map(({ call }) => call);

async function assertPaidOnce(messageId = 'M-1'): Promise<void> {
  assert.equal(stage.posted, 1);
  assert.equal(await enquired(stage, messageId), 'SUCCESS');
  assertClean(stage);
}

describe('a code of the customer is scanned', () => {
  test('approved: its intent is durable before the host is asked, the answer before anything hears of it', async () => {
    const record = ended(await (await scanned()).answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(
      stage.trace.events.filter((event) => /^commit|QR: pay|screen: approved/.test(event)),
      ['commit: accepted', 'commit: intent', 'QR: pay', 'commit: answered+ended', 'screen: approved'],
    );
    const { id, intent, hostOutcome } = record;
    assert.ok(intent && 'wallet' in intent);
    assert.deepEqual(intent.wallet, { scheme: 'ALIPAY', entryMode: 'QR_SCAN' });
    assert.equal(intent.acquirerId, 'QR');
    const [pay] = stage.wallet.calls;
    assert.deepEqual(pay?.order, {
      tradeNo: `${id}-1`,
      amount: { minor: 3000n, currency: 'HKD' },
      at: new Date(intent.sentAt),
      scheme: 'ALIPAY',
      authCode: codes.ALIPAY,
    });
    assert.partialDeepStrictEqual(hostOutcome, {
      kind: 'approved',
      rrn: `2026-${id}-1`,
      walletNumber: `W2026-${id}-1`,
    });
    await assertPaidOnce();
  });

  test('the code itself is in no journal and on no screen', async () => {
    await (await scanned()).answer;
    const { store } = stage.journal;
    assert.ok(!JSON.stringify(store.read(durable(stage).id)).includes(codes.ALIPAY));
    assert.ok(!JSON.stringify(stage.views).includes(codes.ALIPAY));
  });

  for (const scheme of ['ALIPAY', 'WECHAT', 'UPI_QR'] as const) {
    test(`the wallet is known by its code: ${scheme}`, async () => {
      const record = ended(await (await scanned('M-1', codes[scheme])).answer);
      assert.ok(record.intent && 'wallet' in record.intent);
      assert.equal(record.intent.wallet.scheme, scheme);
    });
  }

  test('what is no wallet’s code is asked for again, and nobody is asked', async () => {
    const { answer } = await begun(stage, 'QR_SCAN');
    stage.scanner.read(codes.none);
    await stage.trace.seen('scanner: armed', 2);
    await settled();
    assert.equal(stage.views.at(-1)?.hint, 'notAWalletCode');
    assert.deepEqual(calls(), []);
    stage.scanner.read(codes.WECHAT);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.posted, 1);
  });

  test('declined: the host’s word, nothing posted, nothing to reverse', async () => {
    stage.wallet.onPay = () => declined;
    const record = ended(await (await scanned()).answer);
    assert.equal(ending(record), 'DECLINED NONE');
    assert.match(record.conclusion?.message ?? '', /1143/);
    assert.equal(stage.posted, 0);
    assert.deepEqual(calls(), ['pay']);
    assertClean(stage);
  });

  test('the host is down: not one byte left, nothing to reverse', async () => {
    stage.wallet.onPay = () => isDown;
    assert.equal(ending(ended(await (await scanned()).answer)), 'ERROR NONE');
    assert.deepEqual(calls(), ['pay']);
    assertClean(stage);
  });
});

describe('the customer is asked on the phone', () => {
  beforeEach(() => {
    stage.wallet.onPay = () => asksCustomer;
  });

  test('and pays: approved once the host says so', async () => {
    const { answer } = await scanned();
    assert.equal(stage.views.at(-1)?.hint, 'confirmOnPhone');
    await stage.clock.advance(3 * waits.walletPollMs);
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent'], 'nothing is known, nothing is written');
    assert.ok(stage.wallet.paid());
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.ok(!calls().includes('close'));
    await assertPaidOnce();
  });

  test('and the wallet refuses: declined', async () => {
    const { answer } = await scanned();
    stage.wallet.onEnquire = () => ({ kind: 'declined', reason: 'insufficientBalance', responseCode: '1201' });
    for (const tradeNo of stage.wallet.waiting) stage.wallet.expired(tradeNo);
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'DECLINED NONE');
    assert.equal(stage.posted, 0);
    assertClean(stage);
  });

  test('and lets it expire: timed out, nothing charged', async () => {
    const { answer } = await scanned();
    stage.wallet.expired();
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'TIMEOUT NONE');
    assertClean(stage);
  });

  test('and does nothing: it is closed at the host when the time is over, and enquired', async () => {
    const { answer } = await scanned();
    await stage.clock.advance(timeouts.walletMs + waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'TIMEOUT NONE');
    assert.deepEqual(calls().slice(-2), ['close', 'enquire']);
    assert.equal(stage.wallet.paid(), false, 'nobody can pay it any more');
    assertClean(stage);
  });

  for (const by of ['pos', 'merchant'] as const) {
    const cancel = () =>
      by === 'pos' ? stage.terminal.cancel('POS-1', 'M-1') : (stage.act({ kind: 'cancel' }), undefined);

    test(`and the ${by} cancels: closed at the host, enquired, then told`, async () => {
      const { answer } = await scanned();
      const cancelling = cancel();
      assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
      if (cancelling) assert.equal((await cancelling).kind, 'cancelled');
      assert.deepEqual(calls().slice(-2), ['close', 'enquire']);
      assert.equal(stage.wallet.paid(), false);
      assertClean(stage);
    });

    test(`and pays while the ${by} cancels: the payment stands`, async () => {
      stage.wallet.onClose = () => {
        assert.ok(stage.wallet.paid());
        return { closes: true };
      };
      const { answer } = await scanned();
      const cancelling = cancel();
      assert.equal(ending(ended(await answer)), 'SUCCESS');
      if (cancelling) assert.equal((await cancelling).kind, 'ended');
      await assertPaidOnce();
    });
  }

  test('and pays when the time is over: the payment stands', async () => {
    stage.wallet.onClose = () => {
      stage.wallet.paid();
      return { closes: true };
    };
    const { answer } = await scanned();
    await stage.clock.advance(timeouts.walletMs + waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    await assertPaidOnce();
  });

  test('and the close is refused or not answered: what the enquiry says holds, not the close', async () => {
    for (const [messageId, outcome] of [
      ['M-1', { kind: 'refused', responseCode: '1264' }],
      ['M-2', { kind: 'unanswered' }],
    ] as const) {
      stage.wallet.onClose = () => ({ closes: true, outcome });
      const { answer } = await scanned(messageId);
      stage.act({ kind: 'cancel' });
      assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
      assertClean(stage);
    }
  });

  test('and a close that is told to be done, and is not, is asked for again until the enquiry says so', async () => {
    let tries = 0;
    stage.wallet.onClose = () => ({ closes: ++tries === 3, outcome: { kind: 'closed' } });
    const { answer } = await scanned();
    stage.act({ kind: 'cancel' });
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'processing');
    await stage.clock.advance(2 * waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
    assert.equal(tries, 3);
    assertClean(stage);
  });

  test('and can’t be closed in time: pending, and undone by the queue', async () => {
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
    const { answer } = await scanned();
    stage.act({ kind: 'cancel' });
    await settled();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
    await stage.clock.advance(timeouts.reversalWaitMs);
    assert.equal(ending(ended(await answer)), 'ERROR REVERSAL_PENDING');
    assert.equal(stage.wallet.waiting.length, 1);
    stage.wallet.onClose = () => ({ closes: true });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    assert.equal(stage.posted, 0);
    assertClean(stage);
  });

  test('and the enquiry that found it paid is older than the cancel: the payment stands, once', async () => {
    const { answer } = await scanned();
    const held = Promise.withResolvers<void>();
    stage.wallet.onAnswer = (call) => (call === 'enquire' ? held.promise : undefined);
    stage.wallet.paid();
    await stage.clock.advance(waits.walletPollMs);
    stage.act({ kind: 'cancel' });
    await settled();
    assert.ok(!calls().includes('close'), 'nothing is asked of the order before it is answered');
    held.resolve();
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(kindsOf(stage).filter((kind) => kind === 'ended').length, 1);
    await assertPaidOnce();
  });
});

describe('the outcome is unknown', () => {
  for (const [what, script, reported] of [
    ['it was paid', paysAndIsSilent, 'SUCCESS'],
    ['it was declined', { ...declined, outcome: paysAndIsSilent.outcome }, 'DECLINED NONE'],
    ['it was closed', { state: 'closed', outcome: paysAndIsSilent.outcome }, 'ERROR NONE'],
    ['it was given back', { state: 'refunded', outcome: paysAndIsSilent.outcome }, 'ERROR NONE'],
  ] as const) {
    test(`and enquired: ${what}: ${reported}`, async () => {
      stage.wallet.onPay = () => script;
      assert.equal(ending(ended(await (await scanned()).answer)), reported);
      assert.deepEqual(calls(), ['pay', 'enquire']);
      assert.equal(stage.posted, reported === 'SUCCESS' ? 1 : 0);
      assertClean(stage);
    });
  }

  test('and it waits for the customer: it is given the time that is left, and then the customer’s', async () => {
    stage.wallet.onPay = () => waitsAndIsSilent;
    const { answer } = await scanned();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
    assert.equal(stage.views.at(-1)?.hint, 'confirmOnPhone');
    stage.wallet.paid();
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    await assertPaidOnce();
  });

  test('and the host never had it: enquired as long as it may still come, then undone', async () => {
    stage.wallet.onPay = () => isSilent;
    const { answer } = await scanned();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'ERROR REVERSED');
    assert.ok(calls().filter((call) => call === 'enquire').length > waits.walletResolveMs / waits.walletPollMs);
    assert.ok(calls().includes('close'), 'what is on its way still comes to an order that is closed');
    assert.equal(stage.posted, 0);
    assertClean(stage);
  });

  test('and the host says nothing for long: pending, and never guessed', async () => {
    stage.wallet.onPay = () => paysAndIsSilent;
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    const { answer } = await scanned();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
    await stage.clock.advance(timeouts.reversalWaitMs);
    assert.equal(ending(ended(await answer)), 'ERROR REVERSAL_PENDING');
    await stage.clock.advance(10 * 60_000);
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
    assert.ok(!calls().includes('refund') && !calls().includes('close'));
    stage.wallet.onEnquire = () => undefined;
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    assert.equal(stage.posted, 0);
    assert.equal(calls().filter((call) => call === 'refund').length, 1);
    assertClean(stage);
  });

  test('no new order goes to the host before the unknown one is undone', async () => {
    stage.wallet.onPay = () => paysAndIsSilent;
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    const { answer } = await scanned();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
    await answer;
    const next = ended(await (await scanned('M-2')).answer);
    assert.equal(ending(next), 'ERROR NONE');
    assert.match(next.conclusion?.message ?? '', /reversals-pending/);
    assert.equal(calls().filter((call) => call === 'pay').length, 1);
    const present = ended(await (await shown('M-3')).answer);
    assert.equal(ending(present), 'ERROR NONE');
    assert.ok(!calls().includes('present'));
  });
});

describe('a code is shown to the customer', () => {
  test('its intent is durable before it is asked for; paid', async () => {
    const { answer } = await shown();
    assert.deepEqual(stage.views.at(-1)?.scene, 'presentCode');
    assert.equal(stage.views.at(-1)?.code, 'https://qr.example/1');
    assert.ok(stage.trace.at('commit: intent') < stage.trace.at('QR: present'));
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent']);
    stage.wallet.paid();
    await stage.clock.advance(waits.walletPollMs);
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.ok(record.intent && 'wallet' in record.intent && record.intent.wallet.entryMode === 'QR_PRESENT');
    await assertPaidOnce();
  });

  test('expired at the host: withdrawn, timed out, nothing charged', async () => {
    const { answer } = await shown();
    stage.wallet.expired();
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'TIMEOUT NONE');
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'withdrawn', 'orderClosed', 'ended']);
    assertClean(stage);
  });

  for (const by of ['pos', 'merchant'] as const) {
    test(`cancelled by the ${by}: closed before the terminal is idle`, async () => {
      const { answer } = await shown();
      const cancelling = by === 'pos' ? stage.terminal.cancel('POS-1', 'M-1') : stage.act({ kind: 'cancel' });
      assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
      if (cancelling) assert.equal((await cancelling).kind, 'cancelled');
      assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'withdrawn', 'orderClosed', 'ended']);
      assertClean(stage);
    });
  }

  test('the time for collecting is over: closed', async () => {
    const { answer } = await shown();
    await stage.clock.advance(timeouts.collectMs + waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'TIMEOUT NONE');
    assertClean(stage);
  });

  test('paid while it is being closed: the payment stands', async () => {
    stage.wallet.onClose = () => {
      stage.wallet.paid();
      return { closes: true };
    };
    const { answer } = await shown();
    stage.act({ kind: 'cancel' });
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    await assertPaidOnce();
  });

  test('a host that does not have it yet could have it later: it is not taken for closed', async () => {
    const { answer } = await shown();
    const known = () => stage.wallet.calls.filter(({ call }) => call === 'close').length > 2;
    stage.wallet.onEnquire = () => (known() ? undefined : { kind: 'notFound' });
    stage.wallet.onClose = () => ({ closes: known() });
    stage.act({ kind: 'cancel' });
    await settled();
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(stage.wallet.waiting.length, 1);
    assert.equal(await enquired(stage), 'running');
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
    assertClean(stage);
  });

  test('cancelled before the host has given it: the order is closed all the same', async () => {
    const held = Promise.withResolvers<void>();
    stage.wallet.onAnswer = (call) => (call === 'present' ? held.promise : undefined);
    const { answer } = await shown();
    assert.equal(stage.views.at(-1)?.hint, 'codeComing');
    stage.act({ kind: 'cancel' });
    await settled();
    assert.equal(stage.wallet.waiting.length, 1);
    held.resolve();
    assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
    assertClean(stage);
  });

  test('cancelled, and then the host’s answer does not come: the queue closes it', async () => {
    const held = Promise.withResolvers<void>();
    stage.wallet.onPresent = () => showsAndIsSilent;
    stage.wallet.onAnswer = (call) => (call === 'present' ? held.promise : undefined);
    const { answer } = await shown();
    stage.act({ kind: 'cancel' });
    await settled();
    held.resolve();
    assert.equal(ending(ended(await answer)), 'ERROR REVERSED');
    assert.equal(stage.posted, 0);
    assertClean(stage);
    // And nothing of it holds up the next.
    stage.wallet.onPresent = () => ({ state: 'waiting', outcome: { kind: 'code', payload: 'https://qr.example/2' } });
    const next = await shown('M-2');
    stage.wallet.paid();
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await next.answer)), 'SUCCESS');
  });

  for (const [what, script, reported] of [
    ['declined', { outcome: { kind: 'declined', reason: 'declined', responseCode: '1101' } }, 'DECLINED NONE'],
    ['not asked', isDown, 'ERROR NONE'],
    ['not answered, and it has none', isSilent, 'ERROR REVERSED'],
    ['not answered, and could be paid', showsAndIsSilent, 'ERROR REVERSED'],
    // A payload that does not say what it should is thrown away by the host's adapter.
    [
      'answered with a code that is none',
      { state: 'waiting', outcome: { kind: 'unknown', reason: 'garbled-answer' } },
      'ERROR REVERSED',
    ],
  ] as const) {
    test(`the host is ${what}: ${reported}, no code is on show`, async () => {
      stage.wallet.onPresent = () => script;
      const { answer } = await shown();
      assert.equal(ending(ended(await answer)), reported);
      assert.ok(stage.views.every(({ code }) => code === undefined));
      assert.equal(stage.posted, 0);
      assertClean(stage);
    });
  }

  test('another wallet’s code: the first is closed before the second is asked for, and one can be paid', async () => {
    const { answer } = await shown();
    stage.act({ kind: 'wallet', scheme: 'FPS' });
    await stage.trace.seen('QR: present', 2);
    await settled();
    assert.equal(stage.wallet.waiting.length, 1);
    const [first, second] = stage.wallet.calls.filter(({ call }) => call === 'present').map(({ order }) => order);
    assert.notEqual(first?.tradeNo, second?.tradeNo);
    assert.equal(stage.wallet.paid(first?.tradeNo), false);
    assert.equal(stage.wallet.paid(second?.tradeNo), true);
    await stage.clock.advance(waits.walletPollMs);
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.ok(record.intent && 'wallet' in record.intent && record.intent.wallet.scheme === 'FPS');
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'withdrawn', 'orderClosed', 'intent', 'answered', 'ended']);
    await assertPaidOnce();
  });

  test('another way to pay, and the customer pays the code while it is closed: that payment stands', async () => {
    stage.wallet.onClose = () => {
      stage.wallet.paid();
      return { closes: true };
    };
    const { answer } = await shown();
    stage.act({ kind: 'choose', mode: 'CASH' });
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.ok(!stage.trace.events.includes('screen: tenderCash'));
    await assertPaidOnce();
  });

  test('another way to pay, and the code can’t be closed: no second payment is begun', async () => {
    stage.wallet.onClose = () => ({ closes: false });
    const { answer } = await shown();
    stage.act({ kind: 'choose', mode: 'CARD' });
    await settled();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
    assert.equal(ending(ended(await answer)), 'ERROR REVERSAL_PENDING');
    assert.equal(stage.trace.count('reader: armed'), 0);
  });
});

describe('the host declines a shown code', () => {
  const declines = () => ({ kind: 'declined', reason: 'insufficientBalance', responseCode: '1201' }) as const;

  /**
   * The code is shown, and the next enquiry returns "declined". `then`: what enquiries return once the order is being
   * closed.
   */
  async function declinedCode(then: typeof stage.wallet.onEnquire = declines) {
    const { answer } = await shown();
    stage.wallet.onEnquire = (order) => (calls().includes('close') ? then(order) : declines());
    await stage.clock.advance(waits.walletPollMs);
    return { answer };
  }

  test('and closes it: the payment is declined, and the order is enquired again later', async () => {
    const record = ended(await (await declinedCode()).answer);
    assert.equal(ending(record), 'DECLINED NONE');
    assert.equal(record.conclusion?.reason, 'insufficientBalance');
    assert.deepEqual(calls().slice(-3), ['enquire', 'close', 'enquire']);
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'answered', 'ended', 'orderClosed']);
    assert.equal(stage.journal.store.closedOrders().length, 1);
    assertClean(stage);
  });

  test('and the customer has paid with another account in the meantime: the payment stands', async () => {
    stage.wallet.onClose = () => {
      stage.wallet.paid();
      return { closes: true };
    };
    assert.equal(ending(ended(await (await declinedCode(() => undefined)).answer)), 'SUCCESS');
    await assertPaidOnce();
  });

  test('and does not answer the closing: the order is closed again before the decline counts', async () => {
    stage.wallet.onClose = () =>
      calls().filter((call) => call === 'close').length > 1
        ? { closes: true }
        : { closes: false, outcome: { kind: 'unanswered' } };
    const { answer } = await declinedCode();
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent']);
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'DECLINED NONE');
    assertClean(stage);
  });

  test('and does not confirm the closing: the outcome is unknown, and the queue closes the order', async () => {
    const { answer } = await declinedCode(() => ({ kind: 'unknown' }));
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
    assert.equal(ending(ended(await answer)), 'ERROR REVERSAL_PENDING');
    stage.wallet.onEnquire = declines;
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
    stage.wallet.onClose = () => ({ closes: true });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    assert.equal(stage.journal.store.closedOrders().length, 1);
    assertClean(stage);
  });

  test('and the merchant cancels while it is being closed: cancelled, and the order is closed', async () => {
    const { answer } = await declinedCode(() => ({ kind: 'unknown' }));
    stage.act({ kind: 'cancel' });
    stage.wallet.onEnquire = () => undefined;
    await stage.clock.advance(waits.walletPollMs);
    assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
    assertClean(stage);
  });
});

test('cut off at the host: the restart undoes what was paid', async () => {
  stage.wallet.onPay = ({ tradeNo }) => ({ state: 'paid', outcome: approvedOrder(tradeNo) });
  stage.wallet.onAnswer = (call) => (call === 'pay' ? new Promise(() => undefined) : undefined);
  await scanned();
  assert.equal(stage.wallet.posted, 1);
  await stage.restart();
  await settled();
  assert.equal(await enquired(stage), 'ERROR REVERSED');
  assert.equal(stage.posted, 0);
  assertClean(stage);
});

test('cut off with a code on show: the restart closes it', async () => {
  await shown();
  assert.equal(stage.wallet.waiting.length, 1);
  await stage.restart();
  await settled();
  assert.equal(await enquired(stage), 'ERROR REVERSED');
  assertDisarmed(stage);
});
