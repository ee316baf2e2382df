import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { orders, payTypes, started, txdtm } from './started.ts';

const deadline = { timeout: 20_000 };

describe('a refund', deadline, () => {
  it('gives a sale back, and both are in the books', async (t) => {
    const { host, scan, refund } = await started(t);
    const sale = await scan();
    const answer = await refund(sale, { udid: '12345678' });
    assert.deepEqual(answer.body, {
      respcd: '0000',
      resperr: 'success',
      respmsg: '',
      syssn: answer.body['syssn'],
      orig_syssn: sale.body['syssn'],
      out_trade_no: 'T1-000002',
      pay_type: '800008',
      txcurrcd: 'HKD',
      txamt: '3000',
      txdtm,
      sysdtm: '2026-08-25 10:15:30',
      paydtm: '2026-08-25 10:15:30',
      udid: '12345678',
      chnlsn: answer.body['chnlsn'],
      cardcd: '',
    });
    const [entry, back] = host.ledger();
    assert.equal(entry?.status, 'POSTED');
    assert.equal(entry.refundedMinor, '3000');
    assert.equal(back?.kind, 'REFUND');
    assert.equal(back.status, 'POSTED');
    assert.equal(back.originalTradeNo, 'T1-000001');
    assert.equal(back.wallet, 'ALIPAY');
    assert.deepEqual(host.unexpected, []);
  });

  it('comes in parts, never above the rest: 1272, and 1125 when there is none', async (t) => {
    const { host, scan, refund } = await started(t);
    await scan();
    const sale = await scan();
    assert.equal((await refund(sale, { txamt: '3001' })).respcd, '1272');
    assert.equal((await refund(sale, { txamt: '1000' })).respcd, '0000');
    assert.equal((await refund(sale, { txamt: '2001' })).respcd, '1272');
    assert.equal((await refund(sale, { txamt: '2000' })).respcd, '0000');
    assert.equal((await refund(sale, { txamt: '1' })).respcd, '1125');
    assert.equal(host.ledger()[1]?.refundedMinor, '3000');
    assert.equal(host.ledger()[0]?.refundedMinor, undefined);
    assert.equal(host.ledger().length, 4);
  });

  it('two at the same time never exceed the sale', async (t) => {
    const { host, scan, refund } = await started(t);
    await scan();
    const sale = await scan();
    const answers = await Promise.all([refund(sale, { txamt: '2000' }), refund(sale, { txamt: '2000' })]);
    assert.deepEqual(new Set(answers.map(({ respcd }) => respcd)), new Set(['0000', '1272']));
    assert.equal(host.ledger()[1]?.refundedMinor, '2000');
  });

  it('of something else than a paid sale is refused, each with its own code', async (t) => {
    const { host, client, clock, scan, present, refund } = await started(t);
    const unknown = { respcd: '', body: { syssn: '20260825000200099999999999' } };
    let number = 0;
    const code = async (sale: { body: Readonly<Record<string, unknown>> }) =>
      (
        await client.call('refund', {
          txamt: '3000',
          txdtm,
          syssn: String(sale.body['syssn']),
          out_trade_no: `R${++number}`,
        })
      ).respcd;
    assert.equal(await code(unknown), '1136');
    await host.setMode({ mode: 'up', decline: '1201' });
    const failed = await scan();
    await host.setMode({ mode: 'up' });
    assert.equal(await code(failed), '1136');
    const pending = await present({ pay_type: payTypes.ALIPAY, expired_time: '5' });
    assert.equal(await code(pending), '1261');
    const closed = await present({ pay_type: payTypes.ALIPAY });
    await client.call('close', { syssn: String(closed.body['syssn']), txamt: '3000', txdtm });
    assert.equal(await code(closed), '1264');
    const reversed = await present();
    await client.call('reversal', { syssn: String(reversed.body['syssn']), txamt: '3000', txdtm });
    assert.equal(await code(reversed), '1263');
    clock.advance({ minutes: 5 });
    assert.equal(await code(pending), '1181');
    const sale = await scan();
    const back = await refund(sale);
    assert.equal(await code(back), '1136');
    assert.equal((await refund(await scan(), { txcurrcd: 'USD' })).respcd, '1267');
    assert.deepEqual(host.unexpected, []);
  });

  it('of an FPS payment does not exist', async (t) => {
    const { host, present, refund } = await started(t);
    const sale = await present();
    host.pay();
    assert.equal((await refund(sale)).respcd, '1155');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
  });

  it('gives back no more than was taken on the same day', async (t) => {
    const { host, clock, scan, refund } = await started(t);
    const sale = await scan();
    clock.set('2026-08-25T16:00:00.000Z');
    assert.equal((await refund(sale)).respcd, '1269');
    await scan({ txamt: '2000' });
    assert.equal((await refund(sale)).respcd, '1269');
    assert.equal((await refund(sale, { txamt: '1500' })).respcd, '0000');
    assert.equal((await refund(sale, { txamt: '600' })).respcd, '1269');
    assert.equal((await refund(sale, { txamt: '500' })).respcd, '0000');
    assert.equal(host.ledger().filter(({ kind }) => kind === 'REFUND').length, 2);
  });

  it('can be declined, alone or with the payments', async (t) => {
    const { host, client, scan, refund } = await started(t, { mode: 'up', declineRefunds: '1155' });
    const sale = await scan();
    assert.equal(sale.respcd, '0000');
    assert.equal((await refund(sale)).respcd, '1155');
    await host.setMode({ mode: 'up', decline: '1205' });
    assert.equal((await refund(sale)).respcd, '1205');
    assert.deepEqual(
      host.ledger().map(({ kind, status, respcd }) => [kind, status, respcd]),
      [
        ['SALE', 'POSTED', '0000'],
        ['REFUND', 'FAILED', '1155'],
        ['REFUND', 'FAILED', '1205'],
      ],
    );
    assert.equal(host.ledger()[0]?.refundedMinor, undefined);
    const [found] = await client.enquire({ out_trade_no: 'T1-000002' });
    assert.deepEqual(
      [found?.['order_type'], found?.['respcd'], found?.['origssn']],
      ['refund', '1155', sale.body['syssn']],
    );
  });
});
