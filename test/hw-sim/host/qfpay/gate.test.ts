import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { escaped, type Fields, type How, isSigned } from './client.ts';
import { findings, started, txdtm } from './started.ts';

const deadline = { timeout: 20_000 };
const sale = {
  txamt: '3000',
  txcurrcd: 'HKD',
  txdtm,
  pay_type: '800008',
  out_trade_no: 'T1-000001',
  auth_code: '289431869362714645',
};
const { auth_code: _, ...shown } = { ...sale, pay_type: '802001' };
const refund = { txamt: '3000', txdtm, syssn: '20260825000200000000000001', out_trade_no: 'T1-000002' };
const ending = { txamt: '3000', txdtm, out_trade_no: 'T1-000001' };

function without(fields: Fields, name: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

describe('a request of an unknown sender', deadline, () => {
  const cases: readonly (readonly [what: string, how: How, finding: string])[] = [
    ['another key', { key: 'abcd1235' }, 'an X-QF-SIGN that is missing or does not fit'],
    ['no signature', { headers: { 'x-qf-sign': undefined } }, 'an X-QF-SIGN that is missing or does not fit'],
    [
      'a signature of other fields',
      { body: escaped({ ...sale, txamt: '1' }) },
      'an X-QF-SIGN that is missing or does not fit',
    ],
    [
      'a digest of another kind',
      { headers: { 'x-qf-signtype': 'MD5' } },
      'an X-QF-SIGN that is missing or does not fit',
    ],
    [
      'an unknown kind of digest',
      { headers: { 'x-qf-signtype': 'SHA1' } },
      'an X-QF-SIGNTYPE that is neither MD5 nor SHA256',
    ],
    ['no app code', { headers: { 'x-qf-appcode': undefined } }, 'an X-QF-APPCODE that is missing or unknown'],
    ['another app code', { headers: { 'x-qf-appcode': 'D0DE' } }, 'an X-QF-APPCODE that is missing or unknown'],
  ];
  for (const [what, how, finding] of cases) {
    it(`with ${what} is answered 1108, unsigned, and does nothing`, async (t) => {
      const { host, client } = await started(t);
      const answer = await client.call('payment', sale, how);
      assert.equal(answer.status, 200);
      assert.equal(answer.respcd, '1108');
      assert.equal(answer.headers['x-qf-sign'], undefined);
      assert.deepEqual(findings(host), [finding]);
      assert.deepEqual(host.ledger(), []);
      // The payment code is not kept.
      assert.equal(host.unexpected[0]?.hex, '');
    });
  }

  it('is known by MD5 too, which is meant where nothing is said, and by small letters', async (t) => {
    const { host, client } = await started(t);
    const md5 = await client.call('payment', sale, { signType: 'MD5', headers: { 'x-qf-signtype': undefined } });
    assert.equal(md5.respcd, '0000');
    assert.equal(md5.headers['x-qf-signtype'], 'MD5');
    assert.ok(isSigned(md5));
    const sha = await client.call('query', { out_trade_no: 'T1-000001' });
    assert.equal(sha.headers['x-qf-signtype'], 'SHA256');
    assert.ok(isSigned(sha));
    assert.ok(!isSigned(sha, 'abcd1235'));
    assert.deepEqual(host.unexpected, []);
  });

  it('with the credentials of this host is known, with those of another is not', async (t) => {
    const { client } = await started(t, undefined, { appCode: 'CAFE', clientKey: 'k' });
    assert.equal((await client.call('query', {})).respcd, '1108');
    const answer = await client.call('query', {}, { key: 'k', headers: { 'x-qf-appcode': 'CAFE' } });
    assert.equal(answer.respcd, '0000');
    assert.ok(isSigned(answer, 'k'));
  });
});

describe('a request that is no form', deadline, () => {
  const cases: readonly (readonly [what: string, how: How, finding: string])[] = [
    ['JSON', { headers: { 'content-type': 'application/json' } }, 'a body that is said to be no form'],
    ['of no type', { headers: { 'content-type': undefined } }, 'a body that is said to be no form'],
    ['unescaped', { body: `txdtm=${txdtm}` }, 'a form has a character that must be escaped'],
    ['ambiguous', { body: 'txamt=1&txamt=2' }, 'a form has a field twice'],
  ];
  for (const [what, how, finding] of cases) {
    it(`but ${what} is answered 1103`, async (t) => {
      const { host, client } = await started(t);
      assert.equal((await client.call('payment', sale, how)).respcd, '1103');
      assert.deepEqual(findings(host), [finding]);
      assert.deepEqual(host.ledger(), []);
    });
  }
});

describe('a request with wrong fields', deadline, () => {
  const calls = { payment: sale, refund, reversal: ending, close: ending } as const;
  for (const [call, fields] of Object.entries(calls) as [keyof typeof calls, Fields][]) {
    for (const name of Object.keys(fields)) {
      it(`${call} without ${name} is answered 1104`, async (t) => {
        const { host, client } = await started(t);
        assert.equal((await client.call(call, without(fields, name))).respcd, '1104');
        assert.equal(host.unexpected.length, 1);
        assert.match(findings(host)[0] ?? '', /^(payment|refund|reversal|close) .*without /);
        assert.deepEqual(host.ledger(), []);
      });
    }
  }

  const malformed: readonly (readonly [call: 'payment' | 'refund' | 'reversal' | 'close' | 'query', fields: Fields])[] =
    [
      ...['0', '-1', '30.00', '03000', '', '1e3', '123456789012'].map(
        (txamt) => ['payment', { ...sale, txamt }] as const,
      ),
      ['payment', { ...sale, txdtm: '2026-08-25T10:15:30' }],
      ['payment', { ...sale, txdtm: '2026-02-30 10:15:30' }],
      ['payment', { ...sale, txdtm: '2026-08-25 24:15:30' }],
      ['payment', { ...sale, txcurrcd: '344' }],
      ['payment', { ...sale, pay_type: '999999' }],
      ['payment', { ...sale, pay_type: 'FPS' }],
      ['payment', { ...sale, out_trade_no: 'x'.repeat(129) }],
      ['payment', { ...sale, out_trade_no: 'one,two' }],
      ['payment', { ...sale, out_trade_no: '' }],
      ['payment', { ...sale, auth_code: '1'.repeat(129) }],
      ['payment', { ...sale, expired_time: '10' }],
      ['payment', { ...shown, auth_code: '289431869362714645' }],
      ['payment', { ...shown, expired_time: '4' }],
      ['payment', { ...shown, expired_time: '121' }],
      ['payment', { ...shown, pay_tag: 'PAYPAL' }],
      ['payment', { ...shown, limit_pay: 'credit' }],
      ['payment', { ...shown, notify_url: 'file:///etc/passwd' }],
      ['payment', { ...shown, goods_name: 'a-b' }],
      ['payment', { ...shown, goods_name: 'x'.repeat(21) }],
      ['payment', { ...shown, udid: 'x'.repeat(41) }],
      ['payment', { ...shown, mchid: 'M1' }],
      ['payment', { ...shown, amount: '3000' }],
      ['payment', { ...shown, constructor: '1' }],
      ['payment', { ...shown, syssn: '1' }],
      ['refund', { ...refund, syssn: 'T1-000001' }],
      ['refund', { ...refund, pay_type: '802001' }],
      ['refund', { ...refund, txamt: '0' }],
      ['reversal', { ...ending, auth_code: '289431869362714645' }],
      ['close', { ...ending, txdtm: 'yesterday' }],
      ['query', { page: '0' }],
      ['query', { page_size: '101' }],
      ['query', { start_time: '2026-08-25' }],
      ['query', { out_trade_no: 'one,,two' }],
      ['query', { respcd: '00' }],
      ['query', { txamt: '3000' }],
    ];
  for (const [call, fields] of malformed) {
    it(`${call} ${JSON.stringify(fields).slice(0, 150)} is answered 1104`, async (t) => {
      const { host, client } = await started(t);
      const answer = await client.call(call, fields);
      assert.equal(answer.respcd, '1104');
      assert.ok(isSigned(answer));
      assert.equal(host.unexpected.length, 1);
      assert.deepEqual(host.ledger(), []);
    });
  }

  it('no finding repeats a value', async (t) => {
    const { host, client } = await started(t);
    await client.call('payment', { ...sale, txamt: '6223456789012345678' });
    await client.call('payment', { ...shown, txamt: 'secret' });
    assert.deepEqual(findings(host), ['payment with a malformed txamt', 'payment with a malformed txamt']);
    assert.equal(host.unexpected[0]?.hex, '');
    assert.notEqual(host.unexpected[1]?.hex, '');
  });

  it('all optional fields are welcome', async (t) => {
    const { host, client } = await started(t);
    const more = {
      goods_name: '香港 shop 1',
      udid: '12345678',
      notify_url: 'https://shop.example/paid',
      limit_pay: 'no_credit',
    };
    const answer = await client.call('payment', { ...shown, ...more, expired_time: '5', pay_tag: 'ALIPAYHK' });
    assert.equal(answer.respcd, '0000');
    assert.equal(answer.body['udid'], '12345678');
    assert.deepEqual(host.unexpected, []);
  });

  it('a merchant that was assigned an mchid must name it', async (t) => {
    const { host, client } = await started(t, undefined, { mchid: 'ZaMVg12345' });
    assert.equal((await client.call('payment', shown)).respcd, '1104');
    assert.equal((await client.call('payment', { ...shown, mchid: 'ZaMVg12346' })).respcd, '1104');
    assert.equal((await client.call('payment', { ...shown, mchid: 'ZaMVg12345' })).respcd, '0000');
    assert.equal((await client.enquire({ mchid: 'ZaMVg12345' })).length, 1);
    assert.equal(host.unexpected.length, 2);
  });
});

describe('a request that is none', deadline, () => {
  it('for another path is 404, by another method 405', async (t) => {
    const { host, client } = await started(t);
    assert.equal((await client.send('/trade/v1/preauth', {})).status, 404);
    assert.equal((await client.send('/trade/v1/query?page=1', {})).status, 404);
    const get = await client.send(
      '/trade/v1/query',
      {},
      { method: 'GET', headers: { 'content-length': undefined }, body: '' },
    );
    assert.equal(get.status, 405);
    assert.equal(get.headers.allow, 'POST');
    assert.deepEqual(findings(host), [
      'a path that does not exist',
      'a path that does not exist',
      'a method other than POST',
    ]);
  });

  it('with a body beyond the limit is 413, and the host goes on', async (t) => {
    const { host, client } = await started(t);
    const body = `out_trade_no=${'x'.repeat(16 * 1024 - 'out_trade_no='.length)}`;
    assert.equal((await client.call('query', {}, { body })).respcd, '1108', 'the most there may be');
    assert.equal((await client.call('query', {}, { body: `${body}x` })).status, 413);
    assert.equal((await client.call('query', {}, { body: 'x'.repeat(1024 * 1024) })).status, 413);
    assert.equal((await client.call('query', {})).respcd, '0000');
    assert.deepEqual(findings(host).slice(1), Array<string>(2).fill('a body of more than 16384 bytes'));
  });

  it('because it is no HTTP is recorded, and its connection closed', async (t) => {
    const { host, client } = await started(t);
    const socket = connect(host.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('\u0002POST\u0003\r\n\r\n');
    await once(socket, 'close');
    assert.deepEqual(findings(host), ['bytes that are no HTTP']);
    assert.equal((await client.call('query', {})).respcd, '0000');
  });

  it('because it ends in the middle does nothing', async (t) => {
    const { host } = await started(t);
    const recorded = new Promise<void>((resolve) => {
      host.onChange(() => host.unexpected.length > 0 && resolve());
    });
    const socket = connect(host.port, '127.0.0.1');
    socket.write('POST /trade/v1/payment HTTP/1.1\r\nhost: h\r\ncontent-length: 99\r\n\r\ntxamt=1');
    await once(socket, 'connect');
    socket.end();
    await recorded;
    assert.match(findings(host)[0] ?? '', /^(a connection that ended inside a request|bytes that are no HTTP)$/);
    assert.deepEqual(host.ledger(), []);
    socket.destroy();
  });
});
