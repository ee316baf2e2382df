import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { orders, payTypes, scannedPayTypes, started, txdtm } from './started.ts';

const deadline = { timeout: 20_000 };
const first = { out_trade_no: 'T1-000001', txamt: '3000', txdtm };

describe('a reversal and a close', deadline, () => {
  it('end an order that is not paid, and it is never paid afterwards', async (t) => {
    const { host, client, present } = await started(t);
    const sale = await present({ pay_type: payTypes.ALIPAY });
    const answer = await client.call('reversal', { ...first, udid: '1' });
    assert.deepEqual(answer.body, {
      respcd: '0000',
      resperr: 'success',
      respmsg: '',
      syssn: answer.body['syssn'],
      orig_syssn: sale.body['syssn'],
      out_trade_no: 'T1-000001',
      pay_type: payTypes.ALIPAY,
      txcurrcd: 'HKD',
      txamt: '3000',
      txdtm,
      sysdtm: '2026-08-25 10:15:30',
      udid: '',
      chnlsn: '',
      cardcd: '',
    });
    assert.notEqual(answer.body['syssn'], sale.body['syssn']);
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 REVERSED']);
    assert.deepEqual(host.pay(), { done: false, why: 'no code is on show' });
    assert.deepEqual(host.pay({ qr: String(sale.body['qrcode']) }), { done: false, why: 'the code is closed' });
    assert.equal((await client.call('reversal', first)).respcd, '1142');
    assert.equal((await client.call('close', first)).respcd, '1142');
    assert.equal((await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '1142');
    assert.deepEqual([host.state().reversalRequests, host.state().closeRequests], [2, 1]);
  });

  const supported = [
    ['ALIPAY', 'presented', '0000', '0000'],
    ['WECHAT', 'presented', '0000', '0000'],
    ['FPS', 'presented', '0000', '1101'],
    ['UPI_QR', 'presented', '0000', '1101'],
    ['ALIPAY', 'scanned', '0000', '0000'],
    ['WECHAT', 'scanned', '1101', '0000'],
    ['UPI_QR', 'scanned', '0000', '1101'],
  ] as const;
  for (const [wallet, flow, reversal, close] of supported) {
    it(`of ${wallet}, ${flow}: ${reversal} and ${close}`, async (t) => {
      const { host, client, present, scan } = await started(t, { mode: 'up', customer: 'password' });
      for (const [call, expected] of [
        ['reversal', reversal],
        ['close', close],
      ] as const) {
        const sale =
          wallet === 'FPS' || flow === 'presented'
            ? await present({ pay_type: payTypes[wallet] })
            : await scan({ pay_type: scannedPayTypes[wallet], auth_code: host.walletCode(wallet) });
        const named = { syssn: String(sale.body['syssn']), txamt: '3000', txdtm };
        assert.equal((await client.call(call, named)).respcd, expected);
        const ended = call === 'reversal' ? 'REVERSED' : 'CLOSED';
        assert.equal(host.ledger().at(-1)?.status, expected === '0000' ? ended : 'PENDING');
      }
    });
  }

  it('of what is paid, failed, expired or unknown say so', async (t) => {
    const { host, client, clock, scan, present } = await started(t);
    for (const call of ['reversal', 'close'] as const) {
      assert.equal((await client.call(call, { ...first, out_trade_no: 'T1-000009' })).respcd, '1136');
      assert.equal((await client.call(call, { syssn: '9', txamt: '3000', txdtm })).respcd, '1136');
    }
    await scan();
    assert.equal((await client.call('reversal', first)).respcd, '1260');
    await host.setMode({ mode: 'up', decline: '1201' });
    await scan();
    assert.equal((await client.call('reversal', { ...first, out_trade_no: 'T1-000002' })).respcd, '1136');
    await host.setMode({ mode: 'up' });
    await present({ pay_type: payTypes.ALIPAY, expired_time: '5' });
    clock.advance({ minutes: 5 });
    assert.equal((await client.call('close', { ...first, out_trade_no: 'T1-000003' })).respcd, '1181');
    assert.deepEqual(
      host.ledger().map(({ status }) => status),
      ['POSTED', 'FAILED', 'CLOSED'],
    );
    assert.deepEqual(host.unexpected, []);
  });

  it('must name the order as it is: 1266 for the amount, 1267 for the rest', async (t) => {
    const { host, client, present } = await started(t);
    await present({ pay_type: payTypes.ALIPAY });
    const other = await present({ pay_type: payTypes.ALIPAY });
    for (const call of ['reversal', 'close'] as const) {
      assert.equal((await client.call(call, { ...first, txamt: '2999' })).respcd, '1266');
      assert.equal((await client.call(call, { ...first, txdtm: '2026-08-25 10:15:30' })).respcd, '1267');
      assert.equal((await client.call(call, { ...first, txcurrcd: 'USD' })).respcd, '1267');
      assert.equal((await client.call(call, { ...first, syssn: String(other.body['syssn']) })).respcd, '1267');
      assert.equal((await client.call(call, { ...first, syssn: '9' })).respcd, '1267');
    }
    assert.ok(host.ledger().every(({ status }) => status === 'PENDING'));
    const both = { ...first, out_trade_no: 'T1-000002', syssn: String(other.body['syssn']), txcurrcd: 'HKD' };
    assert.equal((await client.call('close', both)).respcd, '0000');
  });

  it('against a payment at the same moment: one of the two wins', async (t) => {
    const { host, client, present } = await started(t);
    await present({ pay_type: payTypes.ALIPAY });
    const closing = client.call('close', first);
    const paid = host.pay().done;
    assert.equal(paid, true, 'the request is still on its way');
    assert.equal((await closing).respcd, '1260');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
  });
});

describe('a refund', deadline, () => {
  const back = { out_trade_no: 'T1-000002', txamt: '1000', txdtm };

  it('is taken back on its own day, and can be made again', async (t) => {
    const { host, client, scan, refund } = await started(t);
    const sale = await scan();
    const made = await refund(sale, { txamt: '1000' });
    const answer = await client.call('reversal', back);
    assert.equal(answer.respcd, '0000');
    assert.equal(answer.body['orig_syssn'], made.body['syssn']);
    assert.equal(host.ledger()[0]?.refundedMinor, undefined);
    assert.equal(host.ledger()[1]?.status, 'REVERSED');
    assert.equal((await client.call('reversal', back)).respcd, '1142');
    assert.equal(host.ledger()[0]?.refundedMinor, undefined, 'once');
    assert.equal((await refund(sale)).respcd, '0000');
    assert.equal(host.ledger()[0]?.refundedMinor, '3000');
  });

  it('is not taken back on another day, by a close, or when it failed', async (t) => {
    const { host, client, clock, scan, refund } = await started(t);
    const sale = await scan();
    await refund(sale, { txamt: '1000' });
    assert.equal((await client.call('close', back)).respcd, '1136');
    assert.equal((await client.call('reversal', { ...back, txamt: '1001' })).respcd, '1266');
    clock.set('2026-08-25T16:00:00.000Z');
    assert.equal((await client.call('reversal', back)).respcd, '1101');
    await scan();
    await host.setMode({ mode: 'up', declineRefunds: '1269' });
    await refund(sale, { txamt: '1000' });
    assert.equal((await client.call('reversal', { ...back, out_trade_no: 'T1-000004' })).respcd, '1136');
    assert.equal(host.ledger()[0]?.refundedMinor, '1000');
  });
});
