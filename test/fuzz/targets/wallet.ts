import assert from 'node:assert/strict';
import * as answers from '../../../src/hosts/qfpay/answer.ts';
import { isFields } from '../../../src/hosts/qfpay/fields.ts';
import { fitsAnswer } from '../../../src/hosts/qfpay/signature.ts';
import type { PresentedOrder, WalletRefundOrder } from '../../../src/payment/contracts/wallet-host.ts';
import { fixture, json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const order: PresentedOrder & WalletRefundOrder = {
  scheme: 'ALIPAY',
  tradeNo: '2026010100000001',
  amount: { minor: 3000n, currency: 'HKD' },
  at: new Date(0),
  originalNumber: '20260101000000000001',
};
const row = {
  respcd: '0000',
  out_trade_no: order.tradeNo,
  txamt: '3000',
  txcurrcd: 'HKD',
  syssn: order.originalNumber,
  chnlsn: '4200001',
  sysdtm: '2026-01-01 12:00:00',
  cancel: '0',
};
const seeds = [
  row,
  { ...row, qrcode: 'https://qr.alipay.com/abc' },
  { ...row, qrcode: fixture('qr/codes').merchantPresented[1].payload },
  { ...row, orig_syssn: order.originalNumber },
  { ...row, respcd: '1145' },
  { respcd: '0000', data: [row, row] },
  { respcd: '0000', data: [row] },
  { respcd: '1143', resperr: 'processing' },
];
const words = ['"0000"', '"1145"', '"1142"', '"5"', '3000', '"3000"', '"HKD"', '"syssn":', '"data":[', '"sysdtm":'];

export const walletAnswers: Target = {
  name: 'wallet-answers',
  share: 8,
  inputs: hostile({ seeds: seeds.map(json), tokens: [...jsonTokens, ...words.map(text)], nests: jsonNests }),
  check(input) {
    const signature = Buffer.from(input.subarray(0, 32)).toString('hex');
    const fields = read(input);
    if (!isFields(fields)) return;
    assert.equal(fitsAnswer(signature, input, fields, 'abcd1234'), false);
    fitsAnswer(Buffer.from(input).toString('latin1'), input, fields, 'abcd1234');
    const payment = answers.walletPayment(order, fields);
    if (payment.kind === 'approved') {
      assert.equal(fields['respcd'], '0000', 'approved by no approval');
      assert.equal(String(fields['txamt']), '3000', 'approved for another amount');
      assert.equal(fields['out_trade_no'], order.tradeNo, 'approved for another order');
      assert.match(payment.hostNumber, /^[\w-]+$/);
    } else assertSilent(JSON.stringify(payment));
    answers.walletPresentation(order, fields, false);
    answers.walletPresentation(order, fields, true);
    answers.walletFinding(order, fields);
    assertSilent(JSON.stringify(answers.walletClosing(order, fields, true)));
    answers.walletRefund(order, fields);
  },
};

function read(input: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(input).toString());
  } catch {
    return undefined;
  }
}
