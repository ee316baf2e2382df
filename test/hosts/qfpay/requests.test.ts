import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QfpayOptions } from '../../../src/hosts/qfpay/options.ts';
import { requestSignature } from '../../../src/hosts/qfpay/signature.ts';
import { walletProfiles } from '../../../src/methods/wallet/settings/profiles.ts';
import type { WalletHost } from '../../../src/payment/contracts/wallet-host.ts';
import { walletsOf } from '../../support/wallets.ts';
import {
  approval,
  authCode,
  bench,
  deadline,
  fixture,
  httpAnswer,
  presentedOrder,
  refundOrder,
  scannedOrder,
} from './terminal.ts';

test('the published signature', () => {
  for (const { parameters, key, SHA256, MD5 } of fixture.signatures) {
    assert.equal(requestSignature(parameters, key, 'SHA256'), SHA256);
    assert.equal(requestSignature(parameters, key, 'MD5'), MD5);
    const backwards = Object.fromEntries(Object.entries(parameters).toReversed());
    assert.equal(requestSignature(backwards, key, 'SHA256'), SHA256);
  }
});

test('every request of the fixture is signed as computed', () => {
  const { key, scanned, presented, enquiry, refund, reversal, close } = fixture.requests;
  for (const { parameters, SHA256 } of [scanned, presented, enquiry, refund, reversal, close]) {
    assert.equal(requestSignature(parameters, key, 'SHA256'), SHA256);
  }
});

for (const [name, send] of [
  ['scanned', (host: WalletHost) => host.pay(scannedOrder)],
  ['presented', (host: WalletHost) => host.present(presentedOrder)],
  ['enquiry', (host: WalletHost) => host.enquire(scannedOrder)],
  ['refund', (host: WalletHost) => host.refund(refundOrder)],
  ['reversal', (host: WalletHost) => host.close({ ...scannedOrder, scheme: 'ALIPAY' })],
  ['reversal', (host: WalletHost) => host.close({ ...scannedOrder, scheme: 'FPS' })],
  ['reversal', (host: WalletHost) => host.close({ ...scannedOrder, scheme: 'UPI_QR' })],
  ['close', (host: WalletHost) => host.close({ ...scannedOrder, scheme: 'WECHAT' })],
  ['reversal', (host: WalletHost) => host.reverseRefund(refundOrder)],
] as const) {
  test(`on the wire: ${name}`, deadline, async (t) => {
    const { host, acquirer } = await bench(t);
    const sent = send(acquirer);
    const side = await host.accepted();
    const { line, headers, body } = await side.request();
    const expected = fixture.requests[name];
    assert.equal(line, `POST ${expected.path} HTTP/1.1`);
    assert.equal(body, expected.body);
    assert.deepEqual(Object.fromEntries(headers), {
      host: `127.0.0.1:${host.port}`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(expected.body.length),
      'x-qf-appcode': 'TESTAPPCODE',
      'x-qf-sign': expected.SHA256,
      'x-qf-signtype': 'SHA256',
      connection: 'keep-alive',
    });
    await side.write(httpAnswer(approval));
    await sent;
  });
}

/** The one request of a call. */
async function requestOf(t: test.TestContext, send: (host: WalletHost) => unknown, ...settings: Settings) {
  const { host, acquirer } = await bench(t, ...settings);
  const sent = send(acquirer);
  const side = await host.accepted();
  const { line, headers, body } = await side.request();
  await side.write(httpAnswer(approval));
  await sent;
  return { line, headers, body, parameters: new URLSearchParams(body) };
}

type Settings = [options?: Partial<QfpayOptions>, path?: string];

test('without mchid, with MD5, in another zone', deadline, async (t) => {
  const options = { mchid: undefined, signType: 'MD5', timeZone: 'UTC' } as const;
  const { headers, parameters } = await requestOf(t, (host) => host.pay(scannedOrder), options);
  assert.equal(headers.get('x-qf-signtype'), 'MD5');
  assert.equal(parameters.get('mchid'), null);
  assert.equal(parameters.get('txdtm'), '2026-01-15 02:15:30');
  const signature = requestSignature(Object.fromEntries(parameters), fixture.requests.key, 'MD5');
  assert.equal(headers.get('x-qf-sign'), signature);
});

test('the path before that of the call', deadline, async (t) => {
  for (const path of ['/qf', '/qf/']) {
    const { line } = await requestOf(t, (host) => host.pay(scannedOrder), {}, path);
    assert.equal(line, 'POST /qf/trade/v1/payment HTTP/1.1');
  }
});

test('pay types and the life of a code are options', deadline, async (t) => {
  const wallets = walletsOf({ presented: { WECHAT: '800201' }, scanned: { ALIPAY: '800008' } });
  const options = { wallets, codeMinutes: 30 };
  const wechat = { ...presentedOrder, scheme: 'WECHAT' } as const;
  const { parameters } = await requestOf(t, (host) => host.present(wechat), options);
  assert.equal(parameters.get('pay_type'), '800201');
  assert.equal(parameters.get('expired_time'), '30');
  const scanned = await requestOf(t, (host) => host.pay(scannedOrder), options);
  assert.equal(scanned.parameters.get('pay_type'), '800008');
  const { acquirer } = await bench(t, options);
  assert.deepEqual([acquirer.presented, acquirer.scanned], [['WECHAT'], ['ALIPAY']]);
});

test('only the wallets that read it are sent a time of expiry', deadline, async (t) => {
  for (const [scheme, expiry] of [
    ['ALIPAY', '5'],
    ['WECHAT', '5'],
    ['FPS', null],
    ['UPI_QR', null],
  ] as const) {
    const { parameters } = await requestOf(t, (host) => host.present({ ...presentedOrder, scheme }));
    assert.equal(parameters.get('expired_time'), expiry, scheme);
    assert.equal(parameters.get('auth_code'), null);
  }
});

test('a tag tells wallets of one pay type apart', deadline, async (t) => {
  const both = { wallets: walletProfiles({ ALIPAY_HK: {}, ALIPAY_CN: {}, ALIPAY: { offered: false } }) };
  for (const [scheme, tag] of [
    ['ALIPAY_HK', 'ALIPAYHK'],
    ['ALIPAY_CN', 'ALIPAYCN'],
  ] as const) {
    const { parameters } = await requestOf(t, (host) => host.present({ ...presentedOrder, scheme }), both);
    assert.deepEqual([parameters.get('pay_type'), parameters.get('pay_tag')], ['801501', tag]);
  }
  const { parameters } = await requestOf(t, (host) => host.present({ ...presentedOrder, scheme: 'ALIPAY' }));
  assert.equal(parameters.get('pay_tag'), null);
});

test('what is escaped on the wire is signed unescaped', deadline, async (t) => {
  const code = 'hQVDUFYwMWE+/&=%= x';
  const { headers, body, parameters } = await requestOf(t, (host) => host.pay({ ...scannedOrder, authCode: code }));
  assert.match(body, /^auth_code=hQVDUFYwMWE%2B%2F%26%3D%25%3D\+x&mchid=/);
  assert.equal(parameters.get('auth_code'), code);
  const signature = requestSignature(Object.fromEntries(parameters), fixture.requests.key, 'SHA256');
  assert.equal(headers.get('x-qf-sign'), signature);
});

test('an order that can not be one is refused before anything is sent, and its values are not told', async (t) => {
  const { host, acquirer } = await bench(t);
  const refused = async (promise: Promise<unknown>) =>
    assert.rejects(promise, (error: Error) => error instanceof RangeError && !error.message.includes(authCode));
  await refused(acquirer.pay({ ...scannedOrder, scheme: 'FPS' }));
  await refused(acquirer.pay({ ...scannedOrder, authCode: '' }));
  await refused(acquirer.pay({ ...scannedOrder, authCode: `${authCode}\n` }));
  await refused(acquirer.pay({ ...scannedOrder, authCode: authCode.repeat(40) }));
  await refused(acquirer.pay({ ...scannedOrder, tradeNo: '' }));
  await refused(acquirer.pay({ ...scannedOrder, tradeNo: 'x'.repeat(129) }));
  await refused(acquirer.enquire({ ...scannedOrder, tradeNo: 'one,two' }));
  await refused(acquirer.refund({ ...refundOrder, originalNumber: 'one,two' }));
  for (const minor of [0n, -1n, 100_000_000_000n]) {
    await refused(acquirer.pay({ ...scannedOrder, amount: { minor, currency: 'HKD' } }));
  }
  assert.equal(host.connections, 0);
  assert.equal(acquirer.link, 'idle');
});
