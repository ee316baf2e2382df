import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byScannedCode, byShownCode, type Way } from './customer.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** Wallet hosts that see things otherwise than the terminal: docs/simulator.md. */
let stage: Stage;
let reported: Posting[] = [];

before(async () => {
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 400 }, configuration: { printer: undefined } });
});
after(() => stage.close());
afterEach(async () => {
  const books = reported;
  reported = [];
  try {
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
const yearMs = 365 * 86_400_000;

function keep(way: Way, { body }: HttpAnswer): Json {
  if (body.responseResult === 'SUCCESS') reported.push(booked('SALE', way, 3_000, body));
  return body;
}

async function refunded(original: Json): Promise<void> {
  const { terminalTransactionId: originalTerminalTransactionId } = original;
  const request = { transactionType: 'REFUND', requestAmount: 10, originalTerminalTransactionId };
  const { body } = await stage.payment(stage.saleRequest(request));
  assert.equal(body.responseResult, 'SUCCESS', body.message);
  const sale = reported.find(({ id }) => id === original.terminalTransactionId) ?? assert.fail('no such sale');
  sale.refundedCents += 1_000;
  reported.push(booked('REFUND', sale.way, 1_000, body, { refundOf: sale }));
}

/** It was not told as paid; in the end nothing of it stands, and it says so. */
async function assertUndone(body: Json): Promise<void> {
  assert.notEqual(body.responseResult, 'SUCCESS');
  const { body: found } = await eventually(
    () => stage.enquiry(body),
    (enquiry) => ['REVERSED', 'NONE'].includes(enquiry.body.financialImpact),
  );
  assert.notEqual(found.transactionResult?.tranStatus, 'APPROVED');
}

describe('a query that lags behind the books', () => {
  test('a code that is paid while the POS cancels: told as paid, or given back', async () => {
    const { request, answer } = stage.begun(shown.request);
    const { code } = await stage.view((view) => view.code);
    await stage.host('QR', { queryLagMs: 500 });
    await stage.payCode(code);
    await stage.cancel(request);
    const body = keep(shown, await answer);
    if (body.responseResult !== 'SUCCESS') await assertUndone(body);
  });

  test('a payment whose answer is lost: told as paid, or given back', async () => {
    await stage.host('QR', { mode: 'closeAfterRequest', queryLagMs: 500 });
    const body = keep(scanned, await stage.paid(scanned));
    if (body.responseResult !== 'SUCCESS') await assertUndone(body);
  });

  test('a payment, and a power cut before its answer: given back', async () => {
    await stage.host('QR', { mode: 'silent', queryLagMs: 500 });
    const { request, answer } = stage.begun(scanned.request);
    await stage.scan(await stage.walletCode('ALIPAY'));
    await eventually(
      () => stage.posted('QR'),
      (posted) => posted.length === 1,
    );
    await stage.stopDaemon('SIGKILL');
    await assert.rejects(answer);
    await stage.host('QR', { queryLagMs: 500 });
    await stage.startDaemon();
    const { body } = await eventually(
      () => stage.enquiry(request),
      (enquiry) => enquiry.body.financialImpact === 'REVERSED',
    );
    assert.equal(body.responseResult, 'ERROR');
    assert.equal((await stage.ledger('QR'))[0].refundedMinor, '3000');
  });
});

describe('a clock of its own', () => {
  for (const [name, clock] of Object.entries({
    'six years behind': { clockOffsetMs: -6 * yearMs },
    'a year ahead': { clockOffsetMs: yearMs },
    'in New York': { utcOffsetMinutes: -300 },
    'a month ahead, in London': { clockOffsetMs: 31 * 86_400_000, utcOffsetMinutes: 0 },
  })) {
    test(`${name}: sale, refund and enquiry work`, async () => {
      await stage.host('QR', clock);
      const body = keep(scanned, await stage.paid(scanned));
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      await refunded(body);
      await stage.host('QR', { ...clock, mode: 'closeAfterRequest' });
      const found = keep(scanned, await stage.paid(scanned));
      if (found.responseResult !== 'SUCCESS') await assertUndone(found);
    });

    test(`${name}: a code that is paid unnoticed is refunded`, async () => {
      await stage.host('QR', { ...clock, mode: 'silent', enquiries: true });
      const body = keep(scanned, await stage.paid(scanned));
      await stage.host('QR', clock);
      await assertUndone(body);
      assert.equal((await stage.ledger('QR'))[0].refundedMinor, '3000');
    });
  }
});

describe('signatures of answers', () => {
  for (const mode of [
    { answerSignature: 'data', answerSignType: 'MD5' },
    { answerSignature: 'data', answerSignType: 'SHA256' },
    { answerSignature: 'body', answerSignType: 'MD5' },
    { answerSignature: 'none' },
  ]) {
    test(`${Object.values(mode).join(', ')}: sold, shown, refunded`, async () => {
      await stage.host('QR', mode);
      for (const way of [scanned, shown]) {
        const body = keep(way, await stage.paid(way));
        assert.equal(body.responseResult, 'SUCCESS', body.message);
        await refunded(body);
      }
    });
  }

  test('a list signed in a way that no page has: the unknown payment is found, and wallets go on', async () => {
    await stage.host('QR', { mode: 'closeAfterRequest', answerSignature: 'unpublished' });
    const found = keep(scanned, await stage.paid(scanned));
    assert.equal(found.responseResult, 'SUCCESS', found.message);
    await stage.host('QR', { answerSignature: 'unpublished' });
    for (const way of [scanned, shown]) {
      const body = keep(way, await stage.paid(way));
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      await refunded(body);
    }
  });

  for (const answerSignature of ['data', 'body']) {
    test(`${answerSignature}, with another key: ignored; the list of an enquiry counts as unsigned`, async () => {
      const { enquiryRequests } = (await stage.bench()).hosts.QR;
      await stage.host('QR', { answerSignature, answerSignType: 'MD5', badSignature: true });
      const body = keep(scanned, await stage.paid(scanned));
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      assert.ok(
        (await stage.bench()).hosts.QR.enquiryRequests > enquiryRequests,
        'the payment’s own answer was believed',
      );
    });
  }
});

describe('codes that prove nothing', () => {
  test('1269 for a repeated refund: refunded once, and reported so', async () => {
    await stage.host('QR', { mode: 'closeAfterRequest', enquiries: true, excessRefunds: '1269' });
    const body = keep(scanned, await stage.paid(scanned));
    assert.equal(body.responseResult, 'ERROR', body.message);
    // Its refund is carried out, and its answer is lost as well; by then the query lags.
    await stage.host('QR', { mode: 'closeAfterRequest', excessRefunds: '1269', queryLagMs: 300 });
    await eventually(
      () => stage.ledger('QR'),
      (ledger) => ledger.some(({ kind, status }) => kind === 'REFUND' && status === 'POSTED'),
    );
    await stage.host('QR', { excessRefunds: '1269', queryLagMs: 300 });
    await assertUndone(body);
    assert.equal((await stage.ledger('QR')).length, 2);
  });

  test('1268 for an order that never existed: nothing is charged', async () => {
    await stage.host('QR', { outcome: 'unknownLost', unknownOrder: '1268' });
    const body = keep(scanned, await stage.paid(scanned));
    assert.equal(body.hostCode, '1298');
    await assertUndone(body);
    assert.deepEqual(await stage.ledger('QR'), []);
  });
});
