import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseWallets } from '../../../../hw-sim/host/qfpay/wallet-file.ts';
import { started } from './started.ts';

const testPay = {
  name: 'TestPay',
  presented: { payType: '809901' },
  scanned: { payType: '809908', prefixes: ['158', '88'], digits: [20, 20], endedBy: ['close'] },
};
const tagged = { name: 'Hong Kong', presented: { payType: '801501', payTag: 'ALIPAYHK' } };
const read = (wallets: object) => parseWallets(JSON.stringify(wallets), 'the file');

describe('a further wallet of the host', { timeout: 20_000 }, () => {
  it('is on a phone, which pays by its own code and by no other wallet’s', async (t) => {
    const { host, scan } = await started(t, undefined, { wallets: read({ TESTPAY: { ...testPay, refunds: false } }) });
    assert.deepEqual(host.state().wallets.at(-1), { code: 'TESTPAY', name: 'TestPay', showsCode: true });
    const code = host.walletCode('TESTPAY');
    assert.match(code, /^(?:158|88)\d+$/);
    assert.equal((await scan({ auth_code: code, pay_type: '800208' })).respcd, '1202');
    assert.equal((await scan({ auth_code: code, pay_type: '809908' })).respcd, '0000');
    assert.equal((await scan({ auth_code: code, pay_type: '809908' })).respcd, '2005');
    assert.deepEqual(
      host.ledger().map(({ wallet, status }) => [wallet, status]),
      [['TESTPAY', 'POSTED']],
    );
    assert.deepEqual(host.unexpected, []);
  });

  it('pays in its currencies, and gives nothing back where it does not refund', async (t) => {
    const { host, present, refund } = await started(t, undefined, {
      wallets: read({ TESTPAY: { ...testPay, currencies: ['CNY'], refunds: false } }),
    });
    assert.equal((await present({ pay_type: '809901' })).respcd, '1242');
    const sale = await present({ pay_type: '809901', txcurrcd: 'CNY' });
    assert.equal(sale.respcd, '0000');
    assert.equal(host.pay().done, true);
    assert.equal((await refund(sale)).respcd, '1155');
  });

  it('is ended by its own call alone', async (t) => {
    const { host, client, present } = await started(t, undefined, { wallets: read({ TESTPAY: testPay }) });
    const { body } = await present({ pay_type: '809901' });
    const named = { txamt: '3000', txdtm: String(body['txdtm']), syssn: String(body['syssn']) };
    assert.equal((await client.call('close', named)).respcd, '1101');
    assert.equal((await client.call('reversal', named)).respcd, '0000');
    assert.equal(host.pay().done, false);
  });

  it('with a tag is told from the untagged one; without it both Alipays are ALIPAY', async (t) => {
    const { host, present } = await started(t, undefined, { wallets: read({ ALIPAY_HK: tagged }) });
    for (const pay_tag of ['ALIPAYHK', 'ALIPAYCN']) await present({ pay_type: '801501', pay_tag });
    await present({ pay_type: '801501' });
    assert.deepEqual(
      host.ledger().map(({ wallet }) => wallet),
      ['ALIPAY_HK', 'ALIPAY', 'ALIPAY'],
    );
    assert.equal((await present({ pay_type: '801501', pay_tag: 'OTHER' })).respcd, '1104');
    assert.equal(host.unexpected.length, 1);
  });

  it('has no phone that shows a code where it has none, nor one that nobody has', async (t) => {
    const { host } = await started(t, undefined, { wallets: read({ ALIPAY_HK: tagged }) });
    assert.throws(() => host.walletCode('ALIPAY_HK'), RangeError);
    assert.throws(() => host.walletCode('NOBODY'), /^RangeError: no such wallet; there are ALIPAY,/);
  });
});

describe('a file of wallets is refused', () => {
  const cases: readonly (readonly [what: string, text: string, why: RegExp])[] = [
    ['no JSON', '{', /the file is not JSON/],
    ['neither way', '{"A1":{"name":"A"}}', /presented or scanned/],
    ['an unknown field', JSON.stringify({ A1: { ...tagged, colour: 'red' } }), /is wrong at A1/],
    ['a code of the host', JSON.stringify({ WECHAT: tagged }), /another wallet has code WECHAT/],
    [
      'a pay type of another',
      JSON.stringify({ A1: { name: 'A', presented: { payType: '800201' } } }),
      /pay type 800201/,
    ],
    [
      'a prefix of another',
      JSON.stringify({ A1: { ...testPay, scanned: { ...testPay.scanned, prefixes: ['25'] } } }),
      /25/,
    ],
    [
      'a prefix as long as a code',
      JSON.stringify({
        A1: { ...testPay, scanned: { ...testPay.scanned, prefixes: ['8'.repeat(16)], digits: [16, 20] } },
      }),
      /prefixes shorter than codes/,
    ],
  ];
  for (const [what, text, why] of cases) {
    it(what, () => assert.throws(() => parseWallets(text, 'the file'), why));
  }
});
