import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { respcds } from '../../../../hw-sim/host/qfpay/respcd.ts';
import { isSigned } from './client.ts';
import { fixture } from './fixture.ts';
import { findings, orders, payTypes, scannedPayTypes, started, txdtm } from './started.ts';

const phoneWallets = ['ALIPAY', 'WECHAT', 'UPI_QR'] as const;
const wallets = [...phoneWallets, 'FPS'] as const;
const deadline = { timeout: 20_000 };

describe('a scanned payment', deadline, () => {
  it('is paid at once, answered whole, and in the books', async (t) => {
    const { host, client } = await started(t);
    const answer = await client.call('payment', {
      txamt: '3000',
      txcurrcd: 'HKD',
      txdtm,
      pay_type: '800008',
      out_trade_no: 'T1-000001',
      auth_code: '289431869362714645',
      udid: '12345678',
    });
    assert.ok(isSigned(answer));
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    assert.deepEqual(answer.body, {
      respcd: '0000',
      resperr: 'success',
      respmsg: '',
      syssn: '20260825000200000000000001',
      out_trade_no: 'T1-000001',
      pay_type: '800008',
      txcurrcd: 'HKD',
      txamt: 3000,
      txdtm,
      sysdtm: '2026-08-25 10:15:30',
      paydtm: '2026-08-25 10:15:30',
      udid: '12345678',
      chnlsn: answer.body['chnlsn'],
      cardcd: '',
      surcharge_fee: 0,
      surcharge_rate: 0,
    });
    assert.match(String(answer.body['chnlsn']), /^2026082522001\d{15}$/);
    assert.deepEqual(host.ledger(), [
      {
        tradeNo: 'T1-000001',
        syssn: '20260825000200000000000001',
        kind: 'SALE',
        wallet: 'ALIPAY',
        status: 'POSTED',
        amountMinor: '3000',
        amount: '30.00',
        currency: 'HKD',
        payType: '800008',
        respcd: '0000',
        udid: '12345678',
        at: '2026-08-25T02:15:30.000Z',
        sysdtm: '2026-08-25 10:15:30',
      },
    ]);
    assert.deepEqual(host.unexpected, []);
    assert.equal(host.state().saleRequests, 1);
  });

  for (const wallet of phoneWallets) {
    it(`of ${wallet} is known by the code, or by the payment type as well`, async (t) => {
      const { host, scan } = await started(t);
      const byCode = await scan({ auth_code: host.walletCode(wallet) });
      const byType = await scan({ auth_code: host.walletCode(wallet), pay_type: scannedPayTypes[wallet] });
      assert.deepEqual([byCode.respcd, byType.respcd], ['0000', '0000']);
      assert.deepEqual(
        host.ledger().map((entry) => entry.wallet),
        [wallet, wallet],
      );
      assert.notEqual(byCode.body['syssn'], byType.body['syssn']);
    });

    it(`of ${wallet} takes no code of another wallet`, async (t) => {
      const { host, scan } = await started(t);
      for (const other of phoneWallets) {
        if (other === wallet) continue;
        const answer = await scan({ auth_code: host.walletCode(other), pay_type: scannedPayTypes[wallet] });
        assert.equal(answer.respcd, '1202');
      }
      assert.deepEqual(host.ledger(), []);
      assert.deepEqual(host.unexpected, [], 'a customer may show what he likes');
    });
  }

  it('takes a code once, even where the first time failed', async (t) => {
    const { host, scan } = await started(t, { mode: 'up', decline: '1201' });
    const code = host.walletCode('WECHAT');
    assert.equal((await scan({ auth_code: code })).respcd, '1201');
    await host.setMode({ mode: 'up' });
    assert.equal((await scan({ auth_code: code })).respcd, '2005');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 FAILED']);
    assert.deepEqual(host.unexpected, []);
  });

  it('takes no code that is none, or too old', async (t) => {
    const { host, scan, clock } = await started(t);
    for (const code of ['163456789012345678', '61234567890', 'hello']) {
      assert.equal((await scan({ auth_code: code })).respcd, '1202');
    }
    const code = host.walletCode('ALIPAY');
    clock.advance({ minutes: 24 * 60 });
    assert.equal((await scan({ auth_code: code })).respcd, '1202');
    assert.deepEqual(host.ledger(), []);
  });
});

describe('a presented payment', deadline, () => {
  for (const wallet of wallets) {
    it(`of ${wallet} shows a code, and is paid by it`, async (t) => {
      const { host, client, present } = await started(t);
      const answer = await present({ pay_type: payTypes[wallet] });
      assert.equal(answer.respcd, '0000');
      assert.equal(answer.body['txamt'], '3000');
      assert.equal(answer.body['chnlsn'], '');
      assert.equal(answer.body['paydtm'], undefined);
      assert.deepEqual(host.state().onShow, {
        qr: answer.body['qrcode'],
        wallet,
        tradeNo: 'T1-000001',
        amountMinor: '3000',
        expiresAt: '2026-08-25T02:45:30.000Z',
      });
      assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 PENDING']);
      assert.equal((await client.enquire({ out_trade_no: 'T1-000001' }))[0]?.['respcd'], '1143');
      const paid = host.pay();
      assert.ok(paid.done);
      assert.equal(paid.order.status, 'POSTED');
      assert.equal(host.state().onShow, null);
      const [found] = await client.enquire({ out_trade_no: 'T1-000001' });
      assert.equal(found?.['respcd'], '0000');
      assert.match(String(found?.['chnlsn']), /^\d{28}$/);
      assert.deepEqual(host.pay(), { done: false, why: 'no code is on show' });
    });
  }

  it('is paid by the code that the customer scans, the newest where none is named', async (t) => {
    const { host, present } = await started(t);
    const codes: string[] = [];
    for (let i = 0; i < 3; i++) codes.push(String((await present()).body['qrcode']));
    assert.equal(new Set(codes).size, 3);
    assert.ok(host.pay({ qr: codes[0] ?? '' }).done);
    assert.deepEqual(host.pay({ qr: codes[0] ?? '' }), { done: false, why: 'the code is paid' });
    assert.deepEqual(host.pay({ qr: 'https://example.com' }), { done: false, why: 'no such code' });
    assert.ok(host.pay().done);
    assert.deepEqual(
      host.ledger().map(({ status }) => status),
      ['POSTED', 'PENDING', 'POSTED'],
    );
  });

  it('has a long number in its code by the host’s own', async (t) => {
    const { present } = await started(t);
    const tradeNo = '01JGFJJZ00ABCDEFGHJKMNPQRS-000123';
    const { body } = await present({ out_trade_no: tradeNo });
    assert.ok(String(body['qrcode']).includes(`62290525${String(body['syssn']).slice(-25)}6304`));
  });

  it('expires when its time is over, and not before', async (t) => {
    const { host, client, clock, present } = await started(t);
    const { body } = await present({ pay_type: payTypes.ALIPAY, expired_time: '5' });
    clock.advance({ minutes: 5, ms: -1 });
    assert.notEqual(host.state().onShow, null);
    clock.advance({ ms: 1 });
    assert.equal(host.state().onShow, null);
    assert.deepEqual(host.pay({ qr: String(body['qrcode']) }), { done: false, why: 'the code has expired' });
    const [found] = await client.enquire({ out_trade_no: 'T1-000001' });
    assert.deepEqual([found?.['respcd'], found?.['cancel']], ['1181', '0']);
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 CLOSED']);
  });

  it('of FPS lives half an hour, whatever is asked for', async (t) => {
    const { host, clock, present } = await started(t);
    await present({ expired_time: '5' });
    clock.advance({ minutes: 30, ms: -1 });
    assert.notEqual(host.state().onShow, null);
    clock.advance({ ms: 1 });
    assert.equal(host.state().onShow, null);
  });

  it('that is paid does not expire any more', async (t) => {
    const { host, clock, present } = await started(t);
    await present();
    host.pay();
    clock.advance({ minutes: 60 });
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
  });
});

describe('a payment', deadline, () => {
  it('comes once under its number: 1102 for the same again, 2011 for another', async (t) => {
    const { host, present, scan, refund } = await started(t);
    const sale = await present({ out_trade_no: 'N' });
    assert.equal((await present({ out_trade_no: 'N' })).respcd, '1102');
    assert.equal((await present({ out_trade_no: 'N', txamt: '3001' })).respcd, '2011');
    assert.equal((await scan({ out_trade_no: 'N' })).respcd, '2011');
    host.pay();
    assert.equal((await refund(sale, { out_trade_no: 'N' })).respcd, '2011');
    assert.deepEqual(orders(host), ['N SALE 30.00 POSTED']);
    assert.deepEqual(host.unexpected, []);
  });

  it('twice at the same time is one', async (t) => {
    const { host, scan } = await started(t);
    const fields = { out_trade_no: 'N', auth_code: host.walletCode('ALIPAY') };
    const answers = await Promise.all([scan(fields), scan(fields)]);
    assert.deepEqual(new Set(answers.map(({ respcd }) => respcd)), new Set(['0000', '1102']));
    assert.equal(host.ledger().length, 1);
  });

  it('of FPS is booked and enquired in renminbi, and no refund in dollars is paid from it', async (t) => {
    const { host, client, clock, present, scan, refund } = await started(t);
    const dollars = await scan();
    clock.advance({ minutes: 24 * 60 });
    const { body } = await present({ txcurrcd: 'CNY', txamt: '12345' });
    assert.deepEqual([body['respcd'], body['txcurrcd']], ['0000', 'CNY']);
    host.pay();
    const { currency, amount, status } = host.ledger()[1] ?? assert.fail('no second order');
    assert.deepEqual([currency, amount, status], ['CNY', '123.45', 'POSTED']);
    const asked = await client.call('query', { syssn: String(body['syssn']) });
    const [found] = asked.body['data'] as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual([found?.['txcurrcd'], found?.['cash_fee_type']], ['CNY', 'CNY']);
    // Nothing was sold in dollars on this day.
    assert.equal((await refund(dollars)).respcd, '1269');
    assert.deepEqual(findings(host), []);
  });

  it('of a kind or in a currency that this merchant does not have is answered 1242', async (t) => {
    const { host, present, scan } = await started(t);
    for (const pay_type of ['805801', '805808', '803701', '800101', '801008']) {
      const code = pay_type.endsWith('8') ? { auth_code: host.walletCode('ALIPAY') } : {};
      assert.equal((await present({ pay_type, ...code })).respcd, '1242');
    }
    assert.equal((await present({ txcurrcd: 'USD' })).respcd, '1242');
    // FPS alone clears renminbi.
    assert.equal((await present({ txcurrcd: 'CNY', pay_type: payTypes.WECHAT })).respcd, '1242');
    assert.equal((await scan({ txcurrcd: 'CNY' })).respcd, '1242');
    assert.deepEqual(findings(host), []);
    assert.deepEqual(host.ledger(), []);
  });
});

describe('the response codes', deadline, () => {
  it('are the published ones, all of them', async () => {
    const { codes } = await fixture<{ codes: { all: string } }>('messages/qfpay.json');
    assert.deepEqual([...respcds.keys()], codes.all.split(' '));
  });

  it('decline a payment of either flow, each of them that declines', async (t) => {
    const { host, client, scan, present } = await started(t);
    const undecided = ['0000', '1143', '1145', '1295', '1296', '1298'];
    for (const decline of respcds.keys()) {
      if (undecided.includes(decline)) {
        await assert.rejects(host.setMode({ mode: 'up', decline }), RangeError);
        continue;
      }
      await host.setMode({ mode: 'up', decline });
      const answers = [await scan(), await present()];
      for (const { respcd, body } of answers) {
        assert.equal(respcd, decline);
        assert.equal(body['qrcode'], undefined);
        const [found] = await client.enquire({ out_trade_no: String(body['out_trade_no']) });
        assert.equal(found?.['respcd'], decline);
        assert.equal(found?.['chnlsn'], '');
      }
    }
    assert.ok(host.ledger().every(({ status }) => status === 'FAILED'));
    assert.equal(host.ledger().length, 2 * (respcds.size - undecided.length));
    assert.equal(host.state().onShow, null);
  });
});
