import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { payTypes, started, txdtm } from './started.ts';

const deadline = { timeout: 20_000 };
const numbers = (found: readonly Readonly<Record<string, unknown>>[]) => found.map((order) => order['out_trade_no']);

describe('an enquiry', deadline, () => {
  it('tells everything of a sale and of its refund', async (t) => {
    const { host, client, present, refund } = await started(t);
    const sale = await present({ pay_type: payTypes.WECHAT, udid: '12345678' });
    host.pay();
    const back = await refund(sale, { txamt: '1000' });
    const [newer, older, ...more] = await client.enquire({ out_trade_no: 'T1-000002,T1-000001' });
    assert.deepEqual(more, []);
    const common = { pay_type: payTypes.WECHAT, txcurrcd: 'HKD', txdtm, sysdtm: '2026-08-25 10:15:30', cardcd: '' };
    const done = { respcd: '0000', errmsg: 'success', cash_fee_type: 'HKD' };
    assert.match(String(older?.['chnlsn']), /^\d{28}$/);
    assert.deepEqual(older, {
      ...common,
      ...done,
      syssn: sale.body['syssn'],
      out_trade_no: 'T1-000001',
      txamt: '3000',
      udid: '12345678',
      chnlsn: older?.['chnlsn'],
      order_type: 'payment',
      cancel: '5',
      cash_fee: '3000',
    });
    assert.deepEqual(newer, {
      ...common,
      ...done,
      syssn: back.body['syssn'],
      origssn: sale.body['syssn'],
      out_trade_no: 'T1-000002',
      txamt: '1000',
      udid: '',
      chnlsn: back.body['chnlsn'],
      order_type: 'refund',
      cancel: '0',
      cash_fee: '0',
      cash_refund_fee: '1000',
      cash_refund_fee_type: 'HKD',
    });
  });

  it('finds nothing of what the host never had', async (t) => {
    const { client } = await started(t);
    assert.deepEqual(await client.enquire({ out_trade_no: 'T1-000009' }), []);
    assert.deepEqual(await client.enquire({ syssn: '1' }), []);
    assert.deepEqual(await client.enquire({}), []);
  });

  it('finds by either number, by lists of them, and only what fits both', async (t) => {
    const { client, scan } = await started(t);
    const answers = [await scan(), await scan(), await scan()];
    const syssns = answers.map(({ body }) => String(body['syssn']));
    assert.deepEqual(numbers(await client.enquire({ out_trade_no: 'T1-000001,T1-000003,T1-000009' })), [
      'T1-000003',
      'T1-000001',
    ]);
    assert.deepEqual(numbers(await client.enquire({ syssn: syssns.slice(1).join(',') })), ['T1-000003', 'T1-000002']);
    assert.deepEqual(numbers(await client.enquire({ syssn: syssns[1] ?? '', out_trade_no: 'T1-000002' })), [
      'T1-000002',
    ]);
    assert.deepEqual(numbers(await client.enquire({ syssn: syssns[1] ?? '', out_trade_no: 'T1-000001' })), []);
  });

  it('filters by payment type and response code, and turns pages', async (t) => {
    const { host, client, scan, present } = await started(t);
    for (let i = 0; i < 11; i++) await scan();
    await present();
    assert.equal((await client.enquire({})).length, 10);
    assert.deepEqual(numbers(await client.enquire({ page: '2' })), ['T1-000002', 'T1-000001']);
    assert.deepEqual(numbers(await client.enquire({ page: '4', page_size: '3' })), [
      'T1-000003',
      'T1-000002',
      'T1-000001',
    ]);
    assert.deepEqual(await client.enquire({ page: '3' }), []);
    assert.deepEqual(numbers(await client.enquire({ pay_type: `${payTypes.FPS},${payTypes.ALIPAY}` })), ['T1-000012']);
    assert.deepEqual(numbers(await client.enquire({ respcd: '1143' })), ['T1-000012']);
    assert.deepEqual(await client.enquire({ respcd: '1142' }), []);
    assert.equal(host.state().enquiryRequests, 7);
  });

  it('looks beyond this month only where it is told to', async (t) => {
    const { client, clock, scan } = await started(t);
    clock.set('2026-08-31T15:59:59.000Z');
    await scan({ txdtm: '2026-08-31 23:59:58' });
    const named = { out_trade_no: 'T1-000001' };
    assert.equal((await client.enquire(named)).length, 1);
    clock.set('2026-08-31T16:00:00.000Z');
    assert.equal((await client.enquire(named)).length, 0);
    const window = { start_time: '2026-08-31 00:00:00', end_time: '2026-09-01 23:59:59' };
    assert.equal((await client.enquire({ ...named, ...window })).length, 1);
    assert.equal((await client.enquire({ ...named, ...window, end_time: '2026-08-31 23:59:57' })).length, 0);
    assert.equal((await client.enquire({ ...named, ...window, start_time: '2026-09-01 00:00:00' })).length, 0);
  });

  it('two at the same time are both answered, and both count', async (t) => {
    const { host, client, scan } = await started(t, { mode: 'up', customer: 'processing', processingEnquiries: 2 });
    assert.equal((await scan()).respcd, '1145');
    const enquire = async () => (await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'];
    assert.deepEqual(await Promise.all([enquire(), enquire()]), ['1145', '1145']);
    assert.deepEqual(await Promise.all([enquire(), enquire()]), ['0000', '0000']);
    assert.equal(host.ledger().length, 1);
  });
});

describe('the flag cancel', deadline, () => {
  it('goes from 0 to 5 to 1 for a scanned sale, to 3 for a presented one', async (t) => {
    const { host, client, scan, present, refund } = await started(t);
    const flag = async (sale: { body: Readonly<Record<string, unknown>> }) =>
      (await client.enquire({ syssn: String(sale.body['syssn']) }))[0]?.['cancel'];
    const scanned = await scan();
    const presented = await present({ pay_type: payTypes.WECHAT });
    host.pay();
    for (const [sale, whole] of [
      [scanned, '1'],
      [presented, '3'],
    ] as const) {
      assert.equal(await flag(sale), '0');
      await refund(sale, { txamt: '1' });
      assert.equal(await flag(sale), '5');
      const rest = await refund(sale, { txamt: '2999' });
      assert.equal(await flag(sale), whole);
      assert.equal(await flag(rest), '0');
      const { out_trade_no: tradeNo } = rest.body;
      const back = { out_trade_no: String(tradeNo), txamt: '2999', txdtm };
      assert.equal((await client.call('reversal', back)).respcd, '0000');
      assert.equal(await flag(rest), '1');
      assert.equal(await flag(sale), '5');
    }
  });

  it('is 1 for a scanned sale that was ended, 2 for a presented one', async (t) => {
    const { client, scan, present } = await started(t, { mode: 'up', customer: 'password' });
    await scan();
    await present();
    for (const [out_trade_no, cancel] of [
      ['T1-000001', '1'],
      ['T1-000002', '2'],
    ] as const) {
      assert.equal((await client.call('reversal', { out_trade_no, txamt: '3000', txdtm })).respcd, '0000');
      const [found] = await client.enquire({ out_trade_no });
      assert.deepEqual([found?.['respcd'], found?.['cancel']], ['1142', cancel]);
    }
  });
});
