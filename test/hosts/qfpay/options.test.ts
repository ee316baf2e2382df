import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { qfpayHost } from '../../../src/hosts/qfpay/host.ts';
import type { QfpayOptions } from '../../../src/hosts/qfpay/options.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { walletsOf } from '../../support/wallets.ts';
import { authCode, bench, clientKey, optionsFor, scannedOrder } from './terminal.ts';

const made = (options: Partial<QfpayOptions>) =>
  qfpayHost({ ...optionsFor(1), ...options }, { clock: new ManualClock() });

for (const options of [
  { url: 'wallets.example' },
  { url: 'ftp://wallets.example' },
  { url: 'http://wallets.example' },
  { url: 'http://127.0.0.1.wallets.example' },
  { url: 'http://10.0.0.1' },
  { url: 'http://[fd00::1]' },
  { url: 'https://user:secret@wallets.example' },
  { url: 'https://wallets.example/?key=secret' },
  { url: 'https://wallets.example/#secret' },
  { appCode: '' },
  { appCode: 'two\r\nlines' },
  { clientKey: '' },
  { clientKey: 'with a space' },
  { mchid: '' },
  { mchid: 'x'.repeat(17) },
  { tid: '' },
  { tid: 'x'.repeat(41) },
  { wallets: walletsOf({ scanned: { ALIPAY: '80010' } }) },
  { wallets: walletsOf({ presented: { FPS: 'FPS' } }) },
  { codeMinutes: 4 },
  { codeMinutes: 121 },
  { codeMinutes: 5.5 },
  { timeZone: 'Asia/Kowloon Tong' },
] satisfies Partial<QfpayOptions>[]) {
  test(`refused when the terminal starts: ${inspect(options, { depth: 0 })}`, () => {
    assert.throws(
      () => made(options),
      (error: Error) => error instanceof RangeError && !/secret|lines|with a space/.test(error.message),
    );
  });
}

test('plain http reaches this machine only', () => {
  for (const url of [
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://[::1]:1',
    'http://localhost',
    'http://0x7f.1/',
  ]) {
    assert.equal(made({ url }).link, 'idle', url);
  }
});

test('who this is to the host', () => {
  const host = made({});
  assert.deepEqual([host.id, host.mid, host.tid, host.link], ['QR', 'ZaMVg12345', '12345678', 'idle']);
  assert.deepEqual(host.presented, ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR']);
  assert.deepEqual(host.scanned, ['ALIPAY', 'WECHAT', 'UPI_QR']);
  assert.equal(made({ mchid: undefined }).mid, '');
  assert.deepEqual(made({ wallets: walletsOf({ scanned: {} }) }).scanned, []);
});

test('neither the key nor a code can be seen in what a log would print', async (t) => {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  await side.request();
  side.reset();
  const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const json = JSON.stringify([acquirer], asText);
  const printed = inspect([acquirer, await outcome], { depth: 20, showHidden: true }) + json;
  assert.ok(!printed.includes(clientKey) && !printed.includes(authCode));
});
