import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertHostsAgree, booked, bookVoid, drained, type Posting } from './books.ts';
import { byScannedCode, byShownCode, type Way } from './customer.ts';
import { type Begun, eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

let stage: Stage;
let told: Posting[] = [];
before(async () => {
  const timeouts = { walletMs: 1_500 };
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 200 }, configuration: { printer: undefined, timeouts } });
});
after(() => stage.close());
afterEach(async () => {
  const books = told;
  told = [];
  await stage.host('QR', { mode: 'up' });
  try {
    // Whatever was told by then: it stands in the host's books, and nothing else does.
    await drained(stage);
    await assertHostsAgree(stage, books);
    await stage.assertDisarmed();
    assert.deepEqual(await stage.unexpected(), []);
  } finally {
    await stage.sim('POST', '/api/reset', {});
  }
});

const scanned = byScannedCode('ALIPAY');
const shown = byShownCode('WECHAT');

/** Keeps what was told of a sale. */
function keep(way: Way, { body }: HttpAnswer): Json {
  if (body.responseResult === 'SUCCESS') told.push(booked('SALE', way, 3_000, body));
  return body;
}

/** A sale that stands. */
async function sold(way: Way): Promise<Posting> {
  const body = keep(way, await stage.paid(way));
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  return told.at(-1) ?? assert.fail('nothing was kept');
}

function refer(transactionType: string, { id, cents }: Posting): Promise<HttpAnswer> {
  return stage.payment(
    stage.saleRequest({ transactionType, requestAmount: cents / 100, originalTerminalTransactionId: id }),
  );
}

function bookRefund(original: Posting, body: Json): Posting {
  original.refundedCents = original.cents;
  const refund = booked('REFUND', original.way, original.cents, body, { refundOf: original });
  told.push(refund);
  return refund;
}

/** Not paid, and in the end nobody's money has moved. */
async function assertNothing(body: Json, result: string, impacts: readonly string[] = ['NONE']): Promise<void> {
  assert.equal(body.responseResult, result, body.message);
  assert.ok(impacts.includes(body.financialImpact), body.financialImpact);
  await stage.host('QR', { mode: 'up' });
  const undone = impacts.includes('NONE') ? 'NONE' : 'REVERSED';
  await eventually(
    () => stage.enquiry(body),
    (enquiry) => enquiry.body.financialImpact === undone,
  );
}

describe('a customer who is asked for the password', () => {
  async function asked(): Promise<Begun> {
    await stage.host('QR', { customer: 'password' });
    const begun = stage.begun(scanned.request);
    await stage.scan(await stage.walletCode('ALIPAY'));
    const view = await stage.view(({ hint }) => hint === 'confirmOnPhone');
    assert.deepEqual([view.scene, view.cancellable, view.modes], ['processing', true, undefined]);
    assert.partialDeepStrictEqual((await stage.enquiry(begun.request)).body, {
      responseResult: 'PROCESSING',
      state: 'authorizing',
      step: 'awaitingCustomer',
    });
    return begun;
  }

  test('enters it: paid', async () => {
    const { answer } = await asked();
    await stage.does('/api/wallet/confirm');
    assert.equal(keep(scanned, await answer).responseResult, 'SUCCESS');
  });

  test('puts the phone away: declined', async () => {
    const { answer } = await asked();
    await stage.does('/api/wallet/refuse');
    await assertNothing((await answer).body, 'DECLINED');
  });

  test('and a POS that cancels: answered once the terminal is idle, and the order is closed', async () => {
    const { request, answer } = await asked();
    const cancel = await stage.cancel(request);
    assert.equal(cancel.status, 200, JSON.stringify(cancel.body));
    assert.equal((await stage.status()).state, 'idle');
    await assertNothing((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
    assert.equal((await stage.sim('POST', '/api/wallet/confirm', { holdMs: 1 })).status, 409);
  });

  test('and a merchant who cancels on the page', async () => {
    const { answer } = await asked();
    await stage.act('processing', { kind: 'cancel' });
    await assertNothing((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
  });

  test('never answers: timed out, and the order is closed', async () => {
    const { answer } = await asked();
    await assertNothing((await answer).body, 'TIMEOUT');
    assert.equal((await stage.sim('POST', '/api/wallet/confirm', { holdMs: 1 })).status, 409);
  });

  test('enters it while the POS cancels: paid and told, or neither', async () => {
    for (const pauseMs of [0, 1, 3, 6]) {
      const { request, answer } = await asked();
      const cancelling = stage.cancel(request);
      await pause(pauseMs);
      const { status } = await stage.sim('POST', '/api/wallet/confirm', { holdMs: 1 });
      const cancel = await cancelling;
      const { responseResult } = keep(scanned, await answer);
      assert.equal(responseResult, status === 200 ? 'SUCCESS' : 'TRANSACTION_ALREADY_CANCEL');
      assert.equal(cancel.status, status === 200 ? 409 : 200, JSON.stringify(cancel.body));
    }
  });
});

test('a payment in processing is enquired until it is decided', async () => {
  await stage.host('QR', { customer: 'processing', processingEnquiries: 4 });
  assert.equal(keep(scanned, await stage.paid(scanned)).responseResult, 'SUCCESS');
});

for (const [what, mode] of [
  ['the customer has refused', { customer: 'refuses' }],
  ['there is too little in the wallet', { decline: '1201' }],
] as const) {
  for (const way of [scanned, shown]) {
    if (way === shown && 'customer' in mode) continue;
    test(`${way.name}: ${what}: declined`, async () => {
      await stage.host('QR', mode);
      if (way === scanned) await assertNothing((await stage.paid(way)).body, 'DECLINED');
      else await assertNothing((await stage.begun(way.request).answer).body, 'DECLINED');
    });
  }
}

test('the same code twice: the second payment is declined', async () => {
  const code = await stage.walletCode('WECHAT');
  const first = stage.begun(scanned.request);
  await stage.scan(code);
  keep(byScannedCode('WECHAT'), await first.answer);
  const second = stage.begun(scanned.request);
  await stage.scan(code);
  await assertNothing((await second.answer).body, 'DECLINED');
});

describe('a host that does not report the outcome', () => {
  test('1298, and it was paid: an enquiry finds it', async () => {
    await stage.host('QR', { outcome: 'unknown' });
    assert.equal(keep(scanned, await stage.paid(scanned)).responseResult, 'SUCCESS');
  });

  test('1298, and it was not carried out: ERROR, and nothing is charged', async () => {
    await stage.host('QR', { outcome: 'unknownLost' });
    const { body } = await stage.paid(scanned);
    await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
  });

  for (const outcome of ['unknown', 'unknownLost']) {
    test(`1298 in place of a code to show (${outcome}): ERROR, and nobody can pay it`, async () => {
      await stage.host('QR', { outcome });
      const { body } = await stage.begun(shown.request).answer;
      await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
    });
  }

  for (const mode of ['silent', 'closeAfterRequest', 'garbage', 'late']) {
    const delayMs = mode === 'late' ? { delayMs: 600 } : {};
    test(`${mode}: a scanned payment is found out by an enquiry`, async () => {
      await stage.host('QR', { mode, ...delayMs });
      assert.equal(keep(scanned, await stage.paid(scanned)).responseResult, 'SUCCESS');
    });

    test(`${mode}, for enquiries too: ERROR, and what was paid is given back`, async () => {
      await stage.host('QR', { mode, enquiries: true, ...delayMs });
      const { body } = await stage.paid(scanned);
      await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
      const [sale, refund] = await stage.ledger('QR');
      assert.deepEqual([sale.status, sale.refundedMinor, refund?.status], ['POSTED', '3000', 'POSTED']);
      assert.equal((await stage.ledger('QR')).length, 2, 'it was given back more than once');
    });

    test(`${mode}: a code that was never shown can’t be paid`, async () => {
      await stage.host('QR', { mode, ...delayMs });
      const { body } = await stage.begun(shown.request).answer;
      await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
    });

    test(`${mode} while a code is on show: paid by then, told when the host is back`, async () => {
      const { answer } = stage.begun(shown.request);
      const { code } = await stage.view((view) => view.code);
      await stage.host('QR', { mode, enquiries: true, ...delayMs });
      await stage.payCode(code);
      await stage.host('QR', { mode: 'up' });
      assert.equal(keep(shown, await answer).responseResult, 'SUCCESS');
    });

    test(`${mode} while a code is on show, and cancelled: what was paid by then is given back, or told`, async () => {
      const { request, answer } = stage.begun(shown.request);
      const { code } = await stage.view((view) => view.code);
      await stage.host('QR', { mode, enquiries: true, reversals: true, ...delayMs });
      await stage.payCode(code);
      await stage.cancel(request);
      const body = keep(shown, await answer);
      if (body.responseResult !== 'SUCCESS') await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
    });
  }

  for (const [name, mode] of Object.entries({
    'with another key': { badSignature: true },
    'about another amount': { wrongAmount: true },
  })) {
    for (const way of [scanned, shown]) {
      test(`${way.name} answered ${name}: ERROR, and nothing in the end`, async () => {
        await stage.host('QR', mode);
        const { body } = await (way === scanned ? stage.paid(way) : stage.begun(way.request).answer);
        await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
      });
    }
  }

  test('a code of UPI_QR that is damaged is never shown', async () => {
    await stage.host('QR', { badCode: true });
    const { body } = await stage.begun(byShownCode('UPI_QR').request).answer;
    await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
  });

  /** What FPS has taken nobody gives back: nothing is promised, and the enquiry tells in the end. */
  async function foundOut({ body }: HttpAnswer): Promise<Json> {
    assert.ok(['UNKNOWN', 'ERROR'].includes(body.responseResult), body.message);
    assert.equal(body.financialImpact, body.responseResult === 'UNKNOWN' ? 'UNKNOWN' : 'NONE');
    await stage.host('QR', { mode: 'up' });
    await drained(stage);
    // An order that its host has called over is looked at once more before it counts as not paid.
    const enquiry = await eventually(
      () => stage.enquiry(body),
      (answer) => answer.body.financialImpact !== 'UNKNOWN',
    );
    return enquiry.body;
  }

  test('a code of FPS that is damaged is never shown', async () => {
    await stage.host('QR', { badCode: true });
    const found = await foundOut(await stage.begun(byShownCode('FPS').request).answer);
    assert.deepEqual([found.responseResult, found.financialImpact], ['ERROR', 'NONE']);
  });

  for (const isPaid of [true, false]) {
    test(`FPS ${isPaid ? 'paid' : 'not paid'} while nobody answers, and cancelled: the enquiry tells in the end`, async () => {
      const way = byShownCode('FPS');
      const { request, answer } = stage.begun(way.request);
      const { code } = await stage.view((view) => view.code);
      await stage.host('QR', { mode: 'silent', enquiries: true, reversals: true });
      if (isPaid) await stage.payCode(code);
      await stage.cancel(request);
      const found = await foundOut(await answer);
      assert.equal(found.responseResult, isPaid ? 'SUCCESS' : 'ERROR');
      keep(way, { status: 200, body: found });
    });
  }

  test('it can’t be reached: ERROR and NONE at once', async () => {
    await stage.host('QR', { mode: 'down' });
    const { body } = await stage.paid(scanned);
    await assertNothing(body, 'ERROR');
    const again = await stage.paid(scanned);
    assert.equal(keep(scanned, again).responseResult, 'SUCCESS');
  });

  test('it will not close: the reversal waits until it does', async () => {
    const { request, answer } = stage.begun(shown.request);
    await stage.view((view) => view.code);
    await stage.host('QR', { close: false });
    await stage.cancel(request);
    const { body } = await answer;
    assert.equal(body.financialImpact, 'REVERSAL_PENDING', body.message);
    // No other wallet payment passes it.
    const second = await stage.paid(scanned);
    assert.match(second.body.message, /reversals-pending/);
    assert.equal(second.body.financialImpact, 'NONE');
    await assertNothing(body, body.responseResult, ['REVERSAL_PENDING']);
  });
});

describe('given back', () => {
  for (const mode of ['silent', 'closeAfterRequest', 'garbage', 'duplicate']) {
    for (const type of ['REFUND', 'VOID']) {
      test(`${type} with the host ${mode}: found out by an enquiry`, async () => {
        const sale = await sold(scanned);
        await stage.host('QR', { mode });
        const { body } = await refer(type, sale);
        assert.equal(body.responseResult, 'SUCCESS', body.message);
        if (type === 'VOID') bookVoid(sale, body);
        else bookRefund(sale, body);
      });

      if (mode === 'duplicate') continue;
      test(`${type} with the host ${mode}, for enquiries too: ERROR, and the sale stands in the end`, async () => {
        const sale = await sold(shown);
        await stage.host('QR', { mode, enquiries: true });
        const { body } = await refer(type, sale);
        await assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
      });
    }
  }

  async function refunded(): Promise<Posting> {
    const sale = await sold(scanned);
    return bookRefund(sale, (await refer('REFUND', sale)).body);
  }

  test('declined by the wallet: the sale stands', async () => {
    const sale = await sold(scanned);
    await stage.host('QR', { declineRefunds: '1265' });
    await assertNothing((await refer('REFUND', sale)).body, 'DECLINED');
  });

  test('a refund that is taken back while the host does not say so: found out by an enquiry', async () => {
    const refund = await refunded();
    await stage.host('QR', { mode: 'silent', reversals: true });
    const { body } = await refer('VOID_REFUND', refund);
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    bookVoid(refund, body);
  });

  test('a refund that is taken back while the host says nothing: UNKNOWN, and then the enquiry tells', async () => {
    const refund = await refunded();
    await stage.host('QR', { mode: 'silent', reversals: true, enquiries: true });
    const { body } = await refer('VOID_REFUND', refund);
    assert.equal(body.responseResult, 'UNKNOWN', body.message);
    assert.equal(body.financialImpact, 'UNKNOWN');
    await stage.host('QR', { mode: 'up' });
    await drained(stage);
    assert.equal((await stage.enquiry(body)).body.responseResult, 'SUCCESS');
    bookVoid(refund, body);
  });

  test('in parts, and never more than was paid', async () => {
    const sale = await sold(shown);
    const part = (requestAmount: number) =>
      stage.payment(
        stage.saleRequest({ transactionType: 'REFUND', requestAmount, originalTerminalTransactionId: sale.id }),
      );
    const { body } = await part(12.5);
    told.push(booked('REFUND', shown, 1_250, body, { refundOf: sale }));
    assert.equal((await part(17.51)).status, 422);
    told.push(booked('REFUND', shown, 1_750, (await part(17.5)).body, { refundOf: sale }));
    sale.refundedCents = 3_000;
    assert.equal((await part(0.01)).status, 422);
    assert.equal((await refer('VOID', sale)).status, 422);
  });
});
