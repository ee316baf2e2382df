import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletScheme } from '../../../src/base/domain/payment-scheme.ts';
import { hongKong, payload, withObject } from '../../codecs/qr/payload.ts';
import { answeredWith, approval, bench, deadline, presentedOrder } from './terminal.ts';

const page = 'https://qr.alipay.com/bax03190uxd47wbekffy6033';
const good = payload(hongKong);
const shown = (text: string) => ({ kind: 'code', payload: text });
const garbled = { kind: 'unknown', reason: 'garbled-answer' };

async function presentation(t: test.TestContext, scheme: WalletScheme, answer: object) {
  const parts = await bench(t);
  const presenting = parts.acquirer.present({ ...presentedOrder, scheme });
  return answeredWith(parts, presenting, { ...approval, syssn: '20200423066200020000976054', chnlsn: '', ...answer });
}

test('an EMVCo payload for this amount is shown, by every wallet', deadline, async (t) => {
  for (const scheme of ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'] as const) {
    assert.deepEqual(await presentation(t, scheme, { qrcode: good }), shown(good));
    const open = payload(withObject(hongKong, '54', undefined));
    assert.deepEqual(await presentation(t, scheme, { qrcode: open }), shown(open));
  }
});

test('the address of a page is shown by the wallets that have one', deadline, async (t) => {
  for (const [scheme, outcome] of [
    ['ALIPAY', shown(page)],
    ['WECHAT', shown(page)],
    ['FPS', garbled],
    ['UPI_QR', garbled],
  ] as const) {
    assert.deepEqual(await presentation(t, scheme, { qrcode: page }), outcome, scheme);
  }
});

for (const [what, qrcode] of [
  ['none', undefined],
  ['an empty one', ''],
  ['a number', 5],
  ['a list', [good]],
  ['one without end', 'x'.repeat(513)],
  ['one with a space', 'weixin://a b'],
  ['one with a control character', 'weixin://a\u0007'],
  ['a payload of another amount', payload(withObject(hongKong, '54', '30.01'))],
  ['a payload of another currency', payload(withObject(hongKong, '53', '156'))],
  ['a payload with a fee', payload([...hongKong, ['56', '1.00']])],
  ['a payload that was cut', good.slice(0, -1)],
  ['a payload with a wrong checksum', good.replace('5802HK', '5802CN')],
] as const) {
  test(`no code is shown: ${what}`, deadline, async (t) => {
    for (const scheme of ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'] as const) {
      assert.deepEqual(await presentation(t, scheme, { qrcode }), garbled, scheme);
    }
  });
}

test('no code comes with anything but success for this order', deadline, async (t) => {
  for (const [answer, outcome] of [
    [{ respcd: '1201' }, { kind: 'declined', reason: 'insufficientBalance', responseCode: '1201' }],
    [{ respcd: '1143' }, { kind: 'unknown', reason: 'unknown-at-host', responseCode: '1143' }],
    [{ respcd: '2011' }, { kind: 'unknown', reason: 'unknown-at-host', responseCode: '2011' }],
    [{ txamt: '3001' }, garbled],
    [{ out_trade_no: 'another' }, garbled],
    [{ txcurrcd: 'CNY' }, garbled],
    [{ txamt: undefined }, garbled],
  ] as const) {
    assert.deepEqual(await presentation(t, 'ALIPAY', { qrcode: page, ...answer }), outcome);
  }
});
