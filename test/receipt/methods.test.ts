import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PaymentScheme, paymentSchemes } from '../../src/base/domain/payment-scheme.ts';
import { cells, cellsPerLine, receiptColumns, receiptText } from '../../src/receipt/line.ts';
import type { ReceiptDocument } from '../../src/receipt/document.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { samples, visaSale } from './documents.ts';
import { cashSale, epsSale, methodSamples, octopusSale, walletSale } from './method-documents.ts';

const shown = (document: ReceiptDocument, columns = 48): string =>
  receiptText(receiptLines(document, columns), columns);

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' }) as const;
const jpy = (minor: bigint) => ({ minor, currency: 'JPY' }) as const;

test('every method has a name for people, and a sample of how it is told', () => {
  const reported = new Set(Object.values({ ...samples, ...methodSamples }).map(({ paymentMethod }) => paymentMethod));
  const missing: readonly PaymentScheme[] = ['MASTER', 'AMEX', 'JCB', 'DINERS', 'DISCOVER'];
  assert.deepEqual(
    paymentSchemes.filter((method) => !reported.has(method)),
    missing,
  );
  const names = paymentSchemes.map((paymentMethod) => {
    const lines = receiptLines(visaSale({ paymentMethod }), 48);
    const line = lines[lines.findLastIndex(({ kind }) => kind === 'rule') + 1];
    return line?.kind === 'pair' ? line.left : '';
  });
  assert.deepEqual(names, [
    'VISA',
    'Mastercard',
    'American Express',
    'JCB',
    'UnionPay',
    'Diners Club',
    'Discover',
    'Alipay',
    'WeChat Pay',
    'FPS',
    'UnionPay QR',
    'Octopus',
    'EPS',
    'Cash',
  ]);
});

test('a wallet’s order is named as both sides know it, and a number that is not there not at all', () => {
  const text = shown(walletSale({ wallet: { hostNumber: 'H1', walletNumber: 'W1' } }));
  assert.match(text, /\nAlipay +QR SCANNED\nORDER NO\. +H1\nWALLET ORDER NO\. +W1\n\nTOTAL/);
  assert.doesNotMatch(shown(walletSale({ wallet: { hostNumber: 'H1', walletNumber: '' } })), /WALLET/);
  assert.doesNotMatch(shown(walletSale({ wallet: { hostNumber: '', walletNumber: '' } })), /ORDER/);
  const refund = walletSale({ transactionType: 'REFUND', original: { hostNumber: 'H0' } });
  assert.match(shown(refund), /\nORIGINAL ORDER NO\. +H0\n-/);
});

test('what a host has no merchant or terminal number for has no label without one', () => {
  const host = { mid: '', tid: '', batch: 2 };
  assert.match(shown(octopusSale({ host })), /15:30:08\nBATCH +000002\n-/);
  assert.match(shown(octopusSale({ host: { ...host, tid: 'T1' } })), /\nTID +T1\nBATCH/);
  assert.match(shown(octopusSale({ host: { ...host, mid: 'M1' } })), /\nMID +M1\nBATCH/);
  assert.match(shown(octopusSale({ host: { ...host, mid: 'M1', tid: 'T1' } })), /\nMID M1 +TID T1\nBATCH/);
  const wide = { ...host, mid: 'M'.repeat(30), tid: 'T'.repeat(15) };
  assert.match(shown(octopusSale({ host: wide })), /\nMID +M{30}\nTID +T{15}\nBATCH/);
});

test('of an Octopus number the last four are shown, and of anything else none', () => {
  assert.match(shown(octopusSale()), /\nOCTOPUS NO\. +\*{4}5678\n/);
  for (const cardLastFour of ['12345678', '678', '5678 ', '', '٥٦٧٨', '****5678']) {
    const text = shown(octopusSale({ octopus: { cardLastFour, receipt: '' } }));
    assert.match(text, /\nOCTOPUS NO\. +\*{8}\n/, cardLastFour);
  }
});

test('what is left on an Octopus card is told, below zero too, and not where nobody knows', () => {
  assert.match(shown(octopusSale()), /\nTOTAL +HKD 30\.00\nREMAINING VALUE +HKD 93\.40\n\n +APPROVED\n/);
  const octopus = { cardLastFour: '5678', receipt: '' };
  const below = shown(octopusSale({ outcome: 'DECLINED', octopus: { ...octopus, balance: hkd(-3_490n) } }));
  assert.match(below, /\nAMOUNT +HKD 30\.00\nREMAINING VALUE +HKD -34\.90\n/);
  const unknown = shown(octopusSale({ octopus }));
  assert.doesNotMatch(unknown, /REMAINING|RECEIPT NO|DEVICE|undefined/);
  assert.match(unknown, /\nTOTAL +HKD 30\.00\n\n +APPROVED\n/);
});

test('an Octopus deduction that nobody can tell of: a slip for the staff, with the card and what to do', () => {
  const slip = octopusSale({ outcome: 'UNKNOWN', copy: 'MERCHANT', octopus: { cardLastFour: '5678', receipt: '' } });
  const text = shown(slip);
  assert.match(text, /\nOCTOPUS NO\. +\*{4}5678\n/);
  assert.match(
    text,
    /HKD 30\.00\n\n +NOT COMPLETED\n\n +THE AMOUNT MAY HAVE BEEN TAKEN\n +PRESENT THE SAME CARD AGAIN\n/,
  );
  assert.doesNotMatch(text, /APPROVED|ERROR|REMAINING/);
  assert.match(shown({ ...slip, language: 'zh-Hant' }), /交易未完成\n\n +款項可能已被扣除\n +請再次出示同一張卡\n/);
});

test('cash says what was given and what came back', () => {
  assert.match(
    shown(cashSale()),
    /15:30:08\n-+\nCash\n\nTOTAL +HKD 30\.00\nCASH RECEIVED +HKD 50\.00\nCHANGE +HKD 20\.00\n\n +APPROVED\n\n +\w{26}\n$/,
  );
  assert.match(shown(cashSale({ cash: { tendered: hkd(3_000n), change: hkd(0n) } })), /\nCHANGE +HKD 0\.00\n/);
});

test('cash that does not make the amount is refused', () => {
  for (const cash of [
    { tendered: hkd(5_000n), change: hkd(2_001n) },
    { tendered: hkd(2_999n), change: hkd(-1n) },
    { tendered: jpy(5_000n), change: hkd(2_000n) },
    { tendered: hkd(5_000n), change: jpy(2_000n) },
    { tendered: hkd(2_000n), change: hkd(0n) },
  ]) {
    assert.throws(() => receiptLines(cashSale({ cash }), 48), RangeError);
  }
});

test('EPS names the account, and needs a PIN and no pen on either copy', () => {
  for (const [account, line] of [
    ['SAVINGS', /\nACCOUNT +SAVINGS\n\nTOTAL/],
    ['CURRENT', /\nACCOUNT +CURRENT\n\nTOTAL/],
  ] as const) {
    for (const copy of ['MERCHANT', 'CUSTOMER'] as const) {
      const text = shown(epsSale({ copy, eps: { account } }));
      assert.match(text, line);
      assert.match(text, /\n +PIN VERIFIED\n/);
      assert.doesNotMatch(text, /SIGNATURE|__|PURCHASE|CASH/);
    }
  }
});

test('purchase and cash stand above the total that they make', () => {
  const eps = { account: 'SAVINGS', cashback: hkd(50_000n) } as const;
  const text = shown(epsSale({ amount: hkd(53_000n), eps }));
  assert.match(text, /\nPURCHASE +HKD 30\.00\nCASH BACK +HKD 500\.00\nTOTAL +HKD 530\.00\n/);
  const declined = shown(epsSale({ amount: hkd(53_000n), eps, outcome: 'DECLINED' }));
  assert.match(declined, /\nCASH BACK +HKD 500\.00\nAMOUNT +HKD 530\.00\n/);
  assert.doesNotMatch(declined, /TOTAL|PIN/);
  const tipped = shown(epsSale({ amount: hkd(53_500n), tip: hkd(500n), eps }));
  assert.match(tipped, /\nPURCHASE +HKD 30\.00\nTIP +HKD 5\.00\nCASH BACK +HKD 500\.00\nTOTAL +HKD 535\.00\n/);
});

test('cash back that is no part of the amount is refused', () => {
  for (const [cashback, tip] of [
    [hkd(3_001n), undefined],
    [hkd(-1n), undefined],
    [jpy(1n), undefined],
    [hkd(2_000n), hkd(1_001n)],
  ] as const) {
    const eps = { account: 'SAVINGS', cashback } as const;
    assert.throws(() => receiptLines(epsSale({ eps, ...(tip ? { tip } : {}) }), 48), RangeError);
  }
});

test('a card that said no has its cryptogram named so', () => {
  const declined = methodSamples['chip-declined'];
  assert.ok(declined);
  assert.match(shown(declined), /\nAAC +5B0E61D2C94477A1\n/);
  assert.doesNotMatch(shown(declined), /PIN VERIFIED|TOTAL|APPROV/);
});

test('no line of any method is wider than the paper, and nothing of a wallet’s long numbers is cut', () => {
  const long = walletSale({ wallet: { hostNumber: 'H'.repeat(128), walletNumber: 'W'.repeat(128) } });
  for (const columns of receiptColumns) {
    for (const document of [long, ...Object.values(methodSamples)]) {
      for (const line of receiptLines(document, columns)) {
        if (line.kind === 'rule' || line.kind === 'picture') continue;
        const taken = line.kind === 'text' ? cells(line.text) : cells(line.left) + 1 + cells(line.right);
        assert.ok(taken <= cellsPerLine(line.size, columns), `${columns}: ${JSON.stringify(line)}`);
      }
    }
    const inked = shown(long, columns).replace(/\s/g, '');
    assert.ok(inked.includes('H'.repeat(128)) && inked.includes('W'.repeat(128)));
  }
});
