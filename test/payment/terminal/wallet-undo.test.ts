import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, durable, enquired, kindsOf } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { approvedOrder, isDown, isSilent, paysAndIsSilent, showsCode, waitsAndIsSilent } from './scripted-wallet.ts';
import { about, ended, everything, Stage, timeouts, waits } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

const retriesMs = 10 * 60_000;
const calls = () => stage.wallet.calls.map(({ call }) => call);
const refunds = () => stage.wallet.calls.filter(({ call }) => call === 'refund').map(({ order }) => order);

/** A sale of which the host said nothing while everybody waited; `script` is what has become of it there. */
async function leftUnknown(script = paysAndIsSilent): Promise<void> {
  stage.wallet.onPay = () => script;
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  const { answer } = await begun(stage, 'QR_SCAN');
  stage.scanner.read(codes.ALIPAY);
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
  await answer;
  assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
  assert.deepEqual(refunds(), [], 'what is unknown is not given back');
  assert.ok(!calls().includes('close'), 'nor closed');
  stage.wallet.calls.length = 0;
}

/** The host tells again what its books say. */
async function hostIsBack(): Promise<void> {
  stage.wallet.onEnquire = () => undefined;
  await stage.clock.advance(retriesMs);
}

async function assertUndone(): Promise<void> {
  assert.equal(await enquired(stage), 'ERROR REVERSED');
  assert.equal(stage.posted, 0);
  assertClean(stage);
}

describe('an unknown sale', () => {
  test('that was paid is given back once, under a number of its own', async () => {
    await leftUnknown();
    await hostIsBack();
    const { id } = durable(stage);
    assert.equal(refunds().length, 1);
    const amount = { minor: 3000n, currency: 'HKD' };
    assert.partialDeepStrictEqual(refunds(), [{ tradeNo: `${id}-1-R`, amount, originalNumber: `2026-${id}-1` }]);
    await assertUndone();
    assert.deepEqual(durable(stage).givenBack, { rrn: `2026-${id}-1`, refundRrn: `2026-${id}-1-R` });
    assert.equal(kindsOf(stage).filter((kind) => kind === 'reversalAcknowledged').length, 1);
  });

  test('that waits is closed, and then enquired: the close alone proves nothing', async () => {
    await leftUnknown(waitsAndIsSilent);
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'closed' } });
    await hostIsBack();
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
    stage.wallet.onClose = () => ({ closes: true, outcome: { kind: 'unanswered' } });
    await stage.clock.advance(retriesMs);
    assert.deepEqual(refunds(), []);
    await assertUndone();
  });

  test('that is paid while it is closed is given back', async () => {
    await leftUnknown(waitsAndIsSilent);
    stage.wallet.onClose = () => {
      stage.wallet.paid();
      return { closes: true };
    };
    await hostIsBack();
    assert.equal(refunds().length, 1);
    await assertUndone();
  });

  test('that the host never had is closed before it is taken for nothing', async () => {
    await leftUnknown(isSilent);
    await hostIsBack();
    assert.deepEqual(calls().slice(-3), ['enquire', 'close', 'enquire']);
    assert.deepEqual(refunds(), []);
    await assertUndone();
  });

  test('that the host never had is not taken for nothing while nobody has answered its closing', async () => {
    await leftUnknown(isSilent);
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
    await hostIsBack();
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
    const { id } = durable(stage);
    stage.wallet.books.set(`${id}-1`, { number: `2026-${id}-1`, state: 'paid' });
    await stage.clock.advance(retriesMs);
    assert.equal(refunds().length, 1);
    await assertUndone();
  });

  test('that comes to the host late, while it is taken for nothing, is given back', async () => {
    await leftUnknown(isSilent);
    const { id } = durable(stage);
    stage.wallet.onClose = () => {
      stage.wallet.books.set(`${id}-1`, { number: `2026-${id}-1`, state: 'paid' });
      return { closes: false };
    };
    await hostIsBack();
    assert.equal(refunds().length, 1);
    await assertUndone();
  });

  const paid = { kind: 'refused', responseCode: '1260' } as const;
  const none = { kind: 'noSuchOrder', responseCode: '1268' } as const;
  const notOperational = { kind: 'notOperational', responseCode: '1136' } as const;
  for (const [what, found, answered] of [
    ['"paid already" at its closing, whatever the query shows', 'noSuchOrder', paid],
    ['"paid already" while the query lags', 'notFound', paid],
    ['any other refusal', 'noSuchOrder', { kind: 'refused', responseCode: '1101' }],
    ['"closed", where nobody knows what the query can show', 'notFound', { kind: 'closed' }],
    ['"not operational", where nobody knows what the query can show', 'notFound', notOperational],
  ] as const) {
    test(`is not taken for nothing after ${what}`, async () => {
      await leftUnknown();
      stage.wallet.onEnquire = () => ({ kind: found });
      stage.wallet.onClose = () => ({ closes: false, outcome: answered });
      await stage.clock.advance(retriesMs);
      assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
      assert.ok(calls().includes('close'));
      await hostIsBack();
      assert.equal(refunds().length, 1, 'it was paid, and is given back');
      await assertUndone();
    });
  }

  for (const [found, answered] of [
    ['noSuchOrder', none],
    ['noSuchOrder', notOperational],
    ['noSuchOrder', { kind: 'closed' }],
    ['notFound', none],
  ] as const) {
    test(`is taken for nothing where both say so: ${found}, ${answered.kind}`, async () => {
      await leftUnknown(isSilent);
      stage.wallet.onEnquire = () => ({ kind: found });
      stage.wallet.onClose = () => ({ closes: false, outcome: answered });
      await stage.clock.advance(retriesMs);
      await assertUndone();
    });
  }

  for (const state of ['closed', 'declined', 'refunded'] as const) {
    test(`that was ${state} is through, and nothing is asked of it`, async () => {
      await leftUnknown({ state, outcome: paysAndIsSilent.outcome });
      await hostIsBack();
      assert.ok(calls().every((call) => call === 'enquire'));
      await assertUndone();
    });
  }
});

test('an unknown refund that was carried out is not taken for nothing while the query lags', async () => {
  const { answer } = await begun(stage, 'QR_SCAN');
  stage.scanner.read(codes.ALIPAY);
  const sale = ended(await answer);
  stage.wallet.onRefund = () => paysAndIsSilent;
  stage.wallet.onEnquire = () => ({ kind: 'notFound' });
  stage.wallet.onReverseRefund = () => ({ closes: false, outcome: { kind: 'refused', responseCode: '1260' } });
  const refund = stage.terminal.pay(about('REFUND', 'M-2', sale));
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
  await stage.clock.advance(timeouts.reversalWaitMs);
  await refund;
  await stage.clock.advance(retriesMs);
  assert.equal(await enquired(stage, 'M-2'), 'UNKNOWN UNKNOWN');
  stage.wallet.onEnquire = () => undefined;
  await stage.clock.advance(retriesMs);
  assert.equal(await enquired(stage, 'M-2'), 'SUCCESS');
});

describe('giving back', () => {
  test('that is refused when it is repeated, because it was carried out, is found out by its own number', async () => {
    await leftUnknown();
    const { id } = durable(stage);
    const sale = approvedOrder(`2026-${id}-1`);
    stage.wallet.onEnquire = ({ tradeNo }) => (tradeNo.endsWith('-R') ? { kind: 'notFound' } : sale);
    let tries = 0;
    stage.wallet.onRefund = () => {
      tries += 1;
      return tries === 1
        ? paysAndIsSilent
        : { outcome: { kind: 'declined', reason: 'declined', responseCode: '1269' } };
    };
    await stage.clock.advance(retriesMs);
    assert.ok(tries > 1);
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
    stage.wallet.onEnquire = ({ tradeNo }) => (tradeNo.endsWith('-R') ? undefined : sale);
    await stage.clock.advance(retriesMs);
    await assertUndone();
  });

  test('whose answer is lost is not done twice: it is enquired first', async () => {
    await leftUnknown();
    const { id } = durable(stage);
    stage.wallet.onRefund = () => paysAndIsSilent;
    // The host is slow to show the sale as given back.
    const sale = approvedOrder(`2026-${id}-1`);
    let isReported = false;
    stage.wallet.onEnquire = ({ tradeNo }) => {
      if (!tradeNo.endsWith('-R')) return sale;
      return isReported || refunds().length === 0 ? undefined : { kind: 'unknown' };
    };
    await stage.clock.advance(5 * 60_000);
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
    assert.equal(refunds().length, 1);
    isReported = true;
    await stage.clock.advance(retriesMs);
    assert.equal(refunds().length, 1);
    await assertUndone();
  });

  test('that was done before a power cut is told with both numbers all the same', async () => {
    await leftUnknown();
    const { id } = durable(stage);
    stage.wallet.books.set(`${id}-1`, { number: 'of the sale', state: 'refunded' });
    stage.wallet.books.set(`${id}-1-R`, { number: 'of the refund', state: 'paid' });
    await hostIsBack();
    assert.deepEqual(refunds(), []);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    assert.deepEqual(durable(stage).givenBack, { rrn: 'of the sale', refundRrn: 'of the refund' });
  });

  test('that never came to the host is asked for again under the same number', async () => {
    await leftUnknown();
    let tries = 0;
    stage.wallet.onRefund = ({ tradeNo }) => {
      tries += 1;
      if (tries < 3) return isSilent;
      return { state: 'paid', outcome: approvedOrder(tradeNo) };
    };
    await hostIsBack();
    assert.equal(new Set(refunds().map(({ tradeNo }) => tradeNo)).size, 1);
    assert.equal(tries, 3);
    await assertUndone();
  });

  test('that the host is processing is waited for, not asked for again', async () => {
    await leftUnknown();
    stage.wallet.onRefund = () => ({ state: 'waiting', outcome: { kind: 'waiting', responseCode: '1145' } });
    await hostIsBack();
    assert.equal(refunds().length, 1);
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
    assert.equal(stage.wallet.posted, 1);
    const [refund] = stage.wallet.waiting;
    const [sale] = stage.wallet.books.keys();
    assert.ok(refund && sale && stage.wallet.paid(refund));
    stage.wallet.books.set(sale, { number: `2026-${sale}`, state: 'refunded' });
    await stage.clock.advance(retriesMs);
    assert.equal(refunds().length, 1);
    await assertUndone();
  });

  test('survives a restart at every moment, and happens once', async () => {
    await leftUnknown();
    stage.wallet.onEnquire = () => undefined;
    stage.wallet.onAnswer = (call) => (call === 'refund' ? new Promise(() => undefined) : undefined);
    await stage.restart();
    await settled();
    assert.equal(refunds().length, 1);
    stage.wallet.onAnswer = () => undefined;
    await stage.restart();
    await settled();
    assert.equal(refunds().length, 1);
    await assertUndone();
  });
});

describe('FPS gives nothing back: it is found out, and never claimed to be reversed', () => {
  /** A code that could not be closed. */
  async function leftOpen(): Promise<void> {
    stage.wallet.onPresent = () => showsCode;
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
    stage.act({ kind: 'cancel' });
    await settled();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
    await answer;
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
  }

  test('a paid one stands, and the enquiry says so', async () => {
    await leftOpen();
    stage.wallet.paid();
    await hostIsBack();
    assert.match(await enquired(stage), /^SUCCESS/);
    assert.deepEqual(refunds(), []);
    assert.equal(stage.posted, 1);
    assertClean(stage);
    await stage.restart();
    assert.match(await enquired(stage), /^SUCCESS/);
  });

  test('one that nobody has paid is closed', async () => {
    await leftOpen();
    stage.wallet.onClose = () => ({ closes: true });
    await hostIsBack();
    assert.equal(await enquired(stage), 'ERROR NONE');
    assert.equal(stage.posted, 0);
    assertClean(stage);
  });

  test('and while the host does not tell, its journal does not grow with every try', async () => {
    await leftOpen();
    await stage.clock.advance(500 * 60_000);
    const sent = kindsOf(stage).filter((kind) => kind === 'reversalSent').length;
    assert.equal(sent, 100);
    const before = kindsOf(stage).length;
    await stage.clock.advance(60 * 60_000);
    assert.equal(kindsOf(stage).length, before);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
  });
});

test('a host that is down is tried again with growing pauses, and nothing is claimed meanwhile', async () => {
  await leftUnknown();
  stage.wallet.onRefund = () => isDown;
  stage.wallet.onEnquire = () => undefined;
  await stage.clock.advance(60_000);
  assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING');
  const before = refunds().length;
  await stage.clock.advance(retriesMs);
  assert.ok(refunds().length > before && refunds().length <= before + 11, 'a minute apart at most');
  assert.equal(stage.wallet.posted, 1);
});
