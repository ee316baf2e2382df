import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { bookVoid, drained, type Posting } from './books.ts';
import { byScannedCode, byShownCode } from './customer.ts';
import { eventually, type HttpAnswer, type Json, type Stage } from './stage.ts';
import { WalletTill } from './wallet-till.ts';

let till: WalletTill;
let stage: Stage;
before(async () => {
  till = await WalletTill.open();
  stage = till.stage;
});
after(() => stage.close());
afterEach(() => till.assertBooks());

const scanned = byScannedCode('ALIPAY');
const shown = byShownCode('WECHAT');

describe('a host that does not report the outcome', () => {
  test('1298, and it was paid: an enquiry finds it', async () => {
    await stage.host('QR', { outcome: 'unknown' });
    assert.equal(till.keep(scanned, await stage.paid(scanned)).responseResult, 'SUCCESS');
  });

  test('1298, and it was not carried out: ERROR, and nothing is charged', async () => {
    await stage.host('QR', { outcome: 'unknownLost' });
    const { body } = await stage.paid(scanned);
    await till.assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
  });

  for (const outcome of ['unknown', 'unknownLost']) {
    test(`1298 in place of a code to show (${outcome}): ERROR, and nobody can pay it`, async () => {
      await stage.host('QR', { outcome });
      const { body } = await stage.begun(shown.request).answer;
      await till.assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
    });
  }

  for (const mode of ['silent', 'closeAfterRequest', 'garbage', 'late']) {
    const delayMs = mode === 'late' ? { delayMs: 600 } : {};
    test(`${mode}: a scanned payment is found out by an enquiry`, async () => {
      await stage.host('QR', { mode, ...delayMs });
      assert.equal(till.keep(scanned, await stage.paid(scanned)).responseResult, 'SUCCESS');
    });

    test(`${mode}, for enquiries too: ERROR, and what was paid is given back`, async () => {
      await stage.host('QR', { mode, enquiries: true, ...delayMs });
      const { body } = await stage.paid(scanned);
      await till.assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
      const [sale, refund] = await stage.ledger('QR');
      assert.deepEqual([sale.status, sale.refundedMinor, refund?.status], ['POSTED', '3000', 'POSTED']);
      assert.equal((await stage.ledger('QR')).length, 2, 'it was given back more than once');
    });

    test(`${mode}: a code that was never shown can’t be paid`, async () => {
      await stage.host('QR', { mode, ...delayMs });
      const { body } = await stage.begun(shown.request).answer;
      await till.assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
    });

    test(`${mode} while a code is on show: paid by then, told when the host is back`, async () => {
      const { answer } = stage.begun(shown.request);
      const { code } = await stage.view((view) => view.code);
      await stage.host('QR', { mode, enquiries: true, ...delayMs });
      await stage.payCode(code);
      await stage.host('QR', { mode: 'up' });
      assert.equal(till.keep(shown, await answer).responseResult, 'SUCCESS');
    });

    test(`${mode} while a code is on show, and cancelled: what was paid by then is given back, or told`, async () => {
      const { request, answer } = stage.begun(shown.request);
      const { code } = await stage.view((view) => view.code);
      await stage.host('QR', { mode, enquiries: true, reversals: true, ...delayMs });
      await stage.payCode(code);
      await stage.cancel(request);
      const body = till.keep(shown, await answer);
      if (body.responseResult !== 'SUCCESS') await till.assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
    });
  }

  for (const [name, mode] of Object.entries({
    'with another key': { badSignature: true },
    'about another amount': { wrongAmount: true },
  })) {
    // The list of an enquiry counts, whatever signs it: so a scanned payment is found (wallet-manners.long.ts).
    for (const way of 'badSignature' in mode ? [shown] : [scanned, shown]) {
      test(`${way.name} answered ${name}: ERROR, and nothing in the end`, async () => {
        await stage.host('QR', mode);
        const { body } = await (way === scanned ? stage.paid(way) : stage.begun(way.request).answer);
        await till.assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
      });
    }
  }

  test('a code of UPI_QR that is damaged is never shown', async () => {
    await stage.host('QR', { badCode: true });
    const { body } = await stage.begun(byShownCode('UPI_QR').request).answer;
    await till.assertNothing(body, 'ERROR', ['REVERSED', 'REVERSAL_PENDING']);
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
      till.keep(way, { status: 200, body: found });
    });
  }

  test('it can’t be reached: ERROR and NONE at once', async () => {
    await stage.host('QR', { mode: 'down' });
    const { body } = await stage.paid(scanned);
    await till.assertNothing(body, 'ERROR');
    const again = await stage.paid(scanned);
    assert.equal(till.keep(scanned, again).responseResult, 'SUCCESS');
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
    await till.assertNothing(body, body.responseResult, ['REVERSAL_PENDING']);
  });
});

describe('given back', () => {
  for (const mode of ['silent', 'closeAfterRequest', 'garbage', 'duplicate']) {
    for (const type of ['REFUND', 'VOID']) {
      test(`${type} with the host ${mode}: found out by an enquiry`, async () => {
        const sale = await till.sold(scanned);
        await stage.host('QR', { mode });
        const { body } = await till.refer(type, sale);
        assert.equal(body.responseResult, 'SUCCESS', body.message);
        if (type === 'VOID') bookVoid(sale, body);
        else till.bookRefund(sale, body);
      });

      if (mode === 'duplicate') continue;
      test(`${type} with the host ${mode}, for enquiries too: UNKNOWN, and then the enquiry tells that it is done`, async () => {
        const sale = await till.sold(shown);
        await stage.host('QR', { mode, enquiries: true });
        const { body } = await till.refer(type, sale);
        assert.deepEqual([body.responseResult, body.financialImpact], ['UNKNOWN', 'UNKNOWN'], body.message);
        await stage.host('QR', { mode: 'up' });
        await drained(stage);
        assert.equal((await stage.enquiry(body)).body.responseResult, 'SUCCESS');
        if (type === 'VOID') bookVoid(sale, body);
        else till.bookRefund(sale, body);
      });
    }
  }

  async function refunded(): Promise<Posting> {
    const sale = await till.sold(scanned);
    return till.bookRefund(sale, (await till.refer('REFUND', sale)).body);
  }

  test('a refund that is taken back while the host does not say so: found out by an enquiry', async () => {
    const refund = await refunded();
    await stage.host('QR', { mode: 'silent', reversals: true });
    const { body } = await till.refer('VOID_REFUND', refund);
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    bookVoid(refund, body);
  });

  test('a refund that is taken back while the host says nothing: UNKNOWN, and then the enquiry tells', async () => {
    const refund = await refunded();
    await stage.host('QR', { mode: 'silent', reversals: true, enquiries: true });
    const { body } = await till.refer('VOID_REFUND', refund);
    assert.equal(body.responseResult, 'UNKNOWN', body.message);
    assert.equal(body.financialImpact, 'UNKNOWN');
    await stage.host('QR', { mode: 'up' });
    await drained(stage);
    assert.equal((await stage.enquiry(body)).body.responseResult, 'SUCCESS');
    bookVoid(refund, body);
  });
});
