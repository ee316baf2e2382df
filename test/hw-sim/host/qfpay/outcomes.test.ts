import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QfpayHostMode } from '../../../../hw-sim/host/qfpay/host.ts';
import { isSigned } from './client.ts';
import { orders, payTypes, started, txdtm } from './started.ts';

const deadline = { timeout: 20_000 };
const first = { out_trade_no: 'T1-000001', txamt: '3000', txdtm };

describe('the customer', deadline, () => {
  it('who enters a password pays then, and not before', async (t) => {
    const { host, client, scan } = await started(t, { mode: 'up', customer: 'password' });
    assert.deepEqual(host.confirm(), { done: false, why: 'nobody is asked for a password' });
    const answer = await scan();
    assert.equal(answer.respcd, '1143');
    assert.notEqual(answer.body['syssn'], undefined);
    assert.equal(host.state().askedForPassword, 'T1-000001');
    for (let i = 0; i < 5; i++) {
      assert.equal((await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '1143');
    }
    assert.deepEqual(host.pay(), { done: false, why: 'no code is on show' });
    assert.ok(host.confirm().done);
    assert.equal((await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '0000');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
    assert.equal(host.confirm().done, false);
  });

  it('who changes his mind has not paid', async (t) => {
    const { host, client, scan } = await started(t, { mode: 'up', customer: 'password' });
    await scan();
    assert.ok(host.refuse().done);
    assert.equal((await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '1205');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 FAILED']);
    assert.equal(host.refuse().done, false);
  });

  it('whose wallet is empty is declined after the password', async (t) => {
    const { host, scan } = await started(t, { mode: 'up', customer: 'password', decline: '1201' });
    assert.equal((await scan()).respcd, '1143');
    const outcome = host.confirm();
    assert.ok(outcome.done);
    assert.deepEqual([outcome.order.status, outcome.order.respcd], ['FAILED', '1201']);
  });

  it('whose payment was ended can’t pay any more', async (t) => {
    const { host, client, scan } = await started(t, { mode: 'up', customer: 'password' });
    await scan();
    assert.equal((await client.call('reversal', first)).respcd, '0000');
    assert.equal(host.confirm().done, false);
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 REVERSED']);
  });

  for (const processingEnquiries of [undefined, 0, 3]) {
    it(`whose wallet is slow has paid after ${processingEnquiries ?? 'some'} enquiries`, async (t) => {
      const mode: QfpayHostMode = {
        mode: 'up',
        customer: 'processing',
        ...(processingEnquiries !== undefined && { processingEnquiries }),
      };
      const { host, client, scan } = await started(t, mode);
      assert.equal((await scan()).respcd, '1145');
      assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 PENDING']);
      await host.setMode({ mode: 'up' });
      for (let i = 0; i < (processingEnquiries ?? 2); i++) {
        assert.equal((await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '1145');
        assert.equal(host.ledger()[0]?.status, 'PENDING');
      }
      assert.equal((await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '0000');
      assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
    });
  }

  it('who refuses is answered 1205, or what was asked for', async (t) => {
    const { host, scan } = await started(t, { mode: 'up', customer: 'refuses' });
    assert.equal((await scan()).respcd, '1205');
    await host.setMode({ mode: 'up', customer: 'refuses', decline: '1201' });
    assert.equal((await scan()).respcd, '1201');
    assert.ok(host.ledger().every(({ status }) => status === 'FAILED'));
  });

  it('does nothing to a code that is shown to him', async (t) => {
    const { host, present } = await started(t, { mode: 'up', customer: 'refuses' });
    assert.equal((await present()).respcd, '0000');
    assert.ok(host.pay().done);
  });
});

describe('an unknown outcome', deadline, () => {
  it('unknown: 1298, and it was done', async (t) => {
    const { host, client, scan, present, refund } = await started(t, { mode: 'up', outcome: 'unknown' });
    const answer = await scan();
    assert.deepEqual(Object.keys(answer.body), ['respcd', 'resperr', 'respmsg', 'out_trade_no']);
    assert.equal(answer.respcd, '1298');
    const [sale] = await client.enquire({ out_trade_no: 'T1-000001' });
    assert.equal(sale?.['respcd'], '0000');
    assert.equal((await refund({ body: sale })).respcd, '1298');
    assert.equal((await present()).respcd, '1298');
    assert.equal(host.state().onShow, null);
    assert.deepEqual(orders(host), [
      'T1-000001 SALE 30.00 POSTED',
      'T1-000002 REFUND 30.00 POSTED',
      'T1-000003 SALE 30.00 PENDING',
    ]);
    assert.equal((await scan({ out_trade_no: 'T1-000001' })).respcd, '2011', 'what was refused is not unknown');
  });

  it('unknownLost: the same answer, and nothing was done', async (t) => {
    const { host, client, scan, refund } = await started(t);
    const sale = await scan();
    await host.setMode({ mode: 'up', outcome: 'unknownLost' });
    const code = host.walletCode('ALIPAY');
    const answer = await scan({ auth_code: code });
    assert.equal(answer.respcd, '1298');
    assert.deepEqual(Object.keys(answer.body), ['respcd', 'resperr', 'respmsg', 'out_trade_no']);
    assert.equal((await refund(sale)).respcd, '1298');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
    assert.deepEqual(await client.enquire({ out_trade_no: 'T1-000002' }), []);
    await host.setMode({ mode: 'up' });
    assert.equal(
      (await scan({ auth_code: code, out_trade_no: 'T1-000002' })).respcd,
      '0000',
      'the code was never used',
    );
  });
});

describe('answers that are wrong', deadline, () => {
  it('close: false ends nothing', async (t) => {
    const { host, client, present } = await started(t, { mode: 'up', close: false });
    await present({ pay_type: payTypes.ALIPAY });
    assert.equal((await client.call('reversal', first)).respcd, '1296');
    assert.equal((await client.call('close', first)).respcd, '1296');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 PENDING']);
    assert.ok(host.pay().done);
  });

  it('badCode: a payload whose checksum is wrong, which no phone takes', async (t) => {
    const { host, present } = await started(t);
    const sound = String((await present()).body['qrcode']);
    await host.setMode({ mode: 'up', badCode: true });
    const damaged = String((await present({ out_trade_no: 'T1-000002' })).body['qrcode']);
    assert.equal(damaged.slice(0, -8).replace('T1-000002', 'T1-000001'), sound.slice(0, -8));
    assert.deepEqual(host.pay(), { done: false, why: 'the code is damaged' });
    assert.deepEqual(host.pay({ qr: damaged }), { done: false, why: 'the code is damaged' });
    const address = await present({ pay_type: payTypes.ALIPAY });
    assert.match(String(address.body['qrcode']), /^https:/);
    assert.ok(host.pay().done);
  });

  it('badSignature: every answer is signed with another key', async (t) => {
    const { host, client, scan } = await started(t, { mode: 'up', badSignature: true });
    for (const answer of [await scan(), await client.call('query', {}), await client.call('close', first)]) {
      assert.match(String(answer.headers['x-qf-sign']), /^[0-9A-F]{64}$/);
      assert.ok(!isSigned(answer));
    }
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
  });

  it('wrongAmount: every amount is one cent more, in the books it is not', async (t) => {
    const { host, client, scan, present, refund } = await started(t, { mode: 'up', wrongAmount: true });
    const sale = await scan();
    assert.equal(sale.body['txamt'], 3001);
    assert.equal((await present({ pay_type: payTypes.ALIPAY })).body['txamt'], '3001');
    assert.equal((await refund(sale)).body['txamt'], '3001');
    const [found] = await client.enquire({ out_trade_no: 'T1-000001' });
    assert.equal(found?.['txamt'], '3001');
    const ended = await client.call('close', { ...first, out_trade_no: 'T1-000002' });
    assert.equal(ended.body['txamt'], '3001');
    assert.ok(host.ledger().every(({ amountMinor }) => amountMinor === '3000'));
  });
});
