import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { testClientKey } from '../../../../hw-sim/host/qfpay/host.ts';
import { type Answer, isSigned } from './client.ts';
import { findings, orders, payTypes, started, txdtm } from './started.ts';

const deadline = { timeout: 20_000 };
const first = { out_trade_no: 'T1-000001', txamt: '3000', txdtm };
const named = { out_trade_no: 'T1-000001' };

describe('queryLagMs', deadline, () => {
  it('an order is in the books at once, and in an enquiry only then', async (t) => {
    const { host, client, clock, scan } = await started(t, { mode: 'up', queryLagMs: 5000 });
    assert.equal((await scan()).respcd, '0000');
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED']);
    assert.deepEqual(await client.enquire(named), []);
    clock.advance({ ms: 4999 });
    assert.deepEqual(await client.enquire(named), []);
    clock.advance({ ms: 1 });
    assert.equal((await client.enquire(named))[0]?.['respcd'], '0000');
  });

  it('a payment too: whoever closes its code meanwhile hears that it is paid', async (t) => {
    const { host, client, clock, present } = await started(t, { mode: 'up', queryLagMs: 5000 });
    await present({ pay_type: payTypes.ALIPAY });
    clock.advance({ ms: 60_000 });
    host.pay();
    const [found] = await client.enquire(named);
    assert.deepEqual([found?.['respcd'], found?.['cash_fee'], found?.['chnlsn']], ['1143', '0', '']);
    assert.equal((await client.call('reversal', first)).respcd, '1260');
    assert.equal((await client.call('close', first)).respcd, '1260');
    clock.advance({ ms: 5000 });
    assert.equal((await client.enquire(named))[0]?.['respcd'], '0000');
  });

  it('a refund too, and what it gives back', async (t) => {
    const { client, clock, scan, refund } = await started(t, { mode: 'up', queryLagMs: 5000 });
    const sale = await scan();
    clock.advance({ ms: 60_000 });
    assert.equal((await refund(sale)).respcd, '0000');
    const flags = async () =>
      (await client.enquire({ out_trade_no: 'T1-000001,T1-000002' })).map((order) => order['cancel']);
    assert.deepEqual(await flags(), ['0']);
    clock.advance({ ms: 5000 });
    assert.deepEqual(await flags(), ['0', '1']);
  });
});

describe('a clock of its own', deadline, () => {
  const yearsMs = 6 * 365 * 86_400_000;

  it('dates, numbers and tells the time by it', async (t) => {
    const { host, scan } = await started(t, { mode: 'up', clockOffsetMs: -yearsMs });
    const { body, headers } = await scan();
    assert.equal(body['sysdtm'], '2020-08-26 10:15:30');
    assert.match(String(body['syssn']), /^20200826/);
    assert.equal(headers.date, 'Wed, 26 Aug 2020 02:15:30 GMT');
    assert.equal(host.ledger()[0]?.at, '2026-08-25T02:15:30.000Z');
    assert.equal(host.ledger()[0]?.sysdtm, '2020-08-26 10:15:30');
  });

  it('stands in another time zone', async (t) => {
    const { scan } = await started(t, { mode: 'up', utcOffsetMinutes: -300 });
    assert.equal((await scan()).body['sysdtm'], '2026-08-24 21:15:30');
  });

  it('a window is of its time, whatever the terminal has for the time', async (t) => {
    const { host, client, scan } = await started(t);
    await scan({ txdtm: '2020-01-01 00:00:05' });
    const window = { start_time: '2020-01-01 00:00:00', end_time: '2020-01-02 00:00:00' };
    assert.deepEqual(await client.enquire({ ...named, ...window }), []);
    const right = { start_time: '2026-08-25 10:15:00', end_time: '2026-08-25 10:16:00' };
    assert.equal((await client.enquire({ ...named, ...right })).length, 1);
    await host.setMode({ mode: 'up', queryTime: 'txdtm' });
    assert.equal((await client.enquire({ ...named, ...window })).length, 1);
    assert.deepEqual(await client.enquire({ ...named, ...right }), []);
  });

  it('without a window it looks in its own month', async (t) => {
    const { host, client, scan } = await started(t);
    await scan();
    await host.setMode({ mode: 'up', clockOffsetMs: 31 * 86_400_000 });
    assert.deepEqual(await client.enquire(named), []);
    await scan({ out_trade_no: 'T1-000009', txdtm: '2020-01-01 00:00:00' });
    assert.equal((await client.enquire({ out_trade_no: 'T1-000009' })).length, 1);
  });

  it('a window that ends before it begins is no window', async (t) => {
    const { host, client } = await started(t);
    const window = { start_time: '2026-08-25 10:15:30', end_time: '2026-08-25 10:15:29' };
    assert.equal((await client.call('query', { ...named, ...window })).respcd, '1104');
    assert.deepEqual(findings(host), ['an enquiry whose window ends before it begins']);
  });
});

describe('what it signs', deadline, () => {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex').toUpperCase();

  /** By hand, as the page has it: fields by name, joined, and the key. */
  const text = ({ body }: Answer) =>
    `${Object.keys(body)
      .toSorted()
      .map((name) => `${name}=${String(body[name])}`)
      .join('&')}${testClientKey}`;

  it('data: the sorted fields and the key, in the type that it names', async (t) => {
    const { client, scan, present, refund } = await started(t, {
      mode: 'up',
      answerSignature: 'data',
      answerSignType: 'MD5',
    });
    const sale = await scan();
    const answers = [sale, await present(), await refund(sale), await client.call('close', first)];
    for (const answer of answers) {
      assert.equal(answer.headers['x-qf-signtype'], 'MD5');
      assert.equal(answer.headers['x-qf-sign'], md5(text(answer)));
      assert.ok(!isSigned(answer));
    }
    assert.match(text(sale), /^cardcd=&chnlsn=\d+&out_trade_no=T1-000001&.*&txdtm=2026-08-25 10:15:28&udid=abcd1234$/);
    const list = await client.call('query', named);
    assert.deepEqual([list.respcd, list.headers['x-qf-sign']], ['0000', undefined]);
  });

  it('unpublished: as data, and a list by a text that is neither', async (t) => {
    const { client, scan } = await started(t, { mode: 'up', answerSignature: 'unpublished', answerSignType: 'MD5' });
    const sale = await scan();
    assert.equal(sale.headers['x-qf-sign'], md5(text(sale)));
    const list = await client.call('query', named);
    assert.match(String(list.headers['x-qf-sign']), /^[0-9A-F]{32}$/);
    assert.ok(!isSigned(list));
  });

  it('body, none, and another key', async (t) => {
    const { host, client, scan } = await started(t, { mode: 'up', answerSignature: 'body' });
    assert.ok(isSigned(await scan()));
    await host.setMode({ mode: 'up', answerSignature: 'none' });
    const { headers } = await scan();
    assert.deepEqual([headers['x-qf-sign'], headers['x-qf-signtype']], [undefined, undefined]);
    await host.setMode({ mode: 'up', answerSignature: 'data', answerSignType: 'MD5', badSignature: true });
    const wrong = await client.call('close', first);
    assert.match(String(wrong.headers['x-qf-sign']), /^[0-9A-F]{32}$/);
    assert.notEqual(wrong.headers['x-qf-sign'], md5(text(wrong)));
  });
});

describe('codes that a page leaves open', deadline, () => {
  it('unknownOrder: of a reversal and a close', async (t) => {
    const { client } = await started(t, { mode: 'up', unknownOrder: '1268' });
    for (const call of ['reversal', 'close'] as const) assert.equal((await client.call(call, first)).respcd, '1268');
  });

  it('excessRefunds: 1269 for more than is left, and for a refund that was carried out and comes again', async (t) => {
    const { host, scan, refund } = await started(t, { mode: 'up', excessRefunds: '1269' });
    const sale = await scan();
    assert.equal((await refund(sale, { txamt: '3001' })).respcd, '1269');
    assert.equal((await refund(sale, { out_trade_no: 'R', txamt: '2000' })).respcd, '0000');
    assert.equal((await refund(sale, { out_trade_no: 'R', txamt: '2000' })).respcd, '1269');
    assert.equal(
      (await refund(sale, { out_trade_no: 'R', txamt: '1000' })).respcd,
      '2011',
      'it fits: the number does not',
    );
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED', 'R REFUND 20.00 POSTED']);
  });

  it('a refund that is said twice is carried out once', async (t) => {
    const { host, scan, refund } = await started(t);
    const sale = await scan();
    const respcds = [];
    for (let i = 0; i < 2; i++) respcds.push((await refund(sale, { out_trade_no: 'R', txamt: '1000' })).respcd);
    assert.deepEqual(respcds, ['0000', '1102']);
    assert.deepEqual(orders(host), ['T1-000001 SALE 30.00 POSTED', 'R REFUND 10.00 POSTED']);
  });
});

it('a mode that can’t be is refused', deadline, async (t) => {
  const { host } = await started(t);
  for (const wrong of [
    { queryLagMs: -1 },
    { queryLagMs: 0.5 },
    { clockOffsetMs: Number.MAX_SAFE_INTEGER },
    { utcOffsetMinutes: 841 },
    { excessRefunds: '1145' },
  ]) {
    await assert.rejects(host.setMode({ mode: 'up', ...wrong }), RangeError);
  }
});
