import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accounts } from '../../src/base/domain/account.ts';
import { paymentSchemes } from '../../src/base/domain/payment-scheme.ts';
import { transactionTypes } from '../../src/base/domain/transaction-kind.ts';
import { cells, receiptColumns, receiptText } from '../../src/receipt/line.ts';
import type { ReceiptDocument } from '../../src/receipt/document.ts';
import { doubleByte } from '../../drivers/printer/escpos/double-byte.ts';
import { receiptLanguages } from '../../src/base/domain/receipt-language.ts';
import { wordsOf } from '../../src/receipt/language.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { settlementLines } from '../../src/receipt/settlement.ts';
import { samples, settlement, verifiedBy, visaSale } from './documents.ts';
import { cashSale, methodSamples, octopusSale } from './method-documents.ts';

const shown = (document: ReceiptDocument, columns = 48): string =>
  receiptText(receiptLines(document, columns), columns);

const inChinese = (document: ReceiptDocument, columns = 48): string =>
  shown({ ...document, language: 'zh-Hant' }, columns);

/** Every word of a table, by its place. */
function leaves(words: object, place = ''): [place: string, word: string][] {
  return Object.entries(words).flatMap(([name, value]: [string, unknown]): [string, string][] =>
    typeof value === 'object' && value !== null
      ? leaves(value, `${place}/${name}`)
      : [[`${place}/${name}`, String(value)]],
  );
}

test('without a language, and with en, a receipt is English', () => {
  assert.equal(shown(visaSale()), shown(visaSale({ language: 'en' })));
  assert.notEqual(shown(visaSale()), inChinese(visaSale()));
  const columns = 48;
  const english = receiptText(settlementLines(settlement({ language: 'en' }), columns), columns);
  assert.equal(english, receiptText(settlementLines(settlement(), columns), columns));
});

test('the tables have the same words, none empty where another has one', () => {
  const english = leaves(wordsOf('en'));
  for (const language of receiptLanguages) {
    const words = leaves(wordsOf(language));
    assert.deepEqual(words.map(([place]) => place).toSorted(), english.map(([place]) => place).toSorted());
    const byPlace = new Map(words);
    for (const [place, word] of english) assert.equal(byPlace.get(place) === '', word === '', `${language} ${place}`);
    // A word is printed as it stands here.
    for (const [place, word] of words) assert.equal(word.normalize('NFC').trim(), word, `${language} ${place}`);
  }
});

test('no two kinds, methods, outcomes or accounts are called the same', () => {
  for (const language of receiptLanguages) {
    const { kinds, methods, outcomes, accounts: ownAccounts } = wordsOf(language);
    for (const table of [kinds, methods, outcomes, ownAccounts]) {
      const words = Object.values(table);
      assert.equal(new Set(words).size, words.length, language);
    }
    assert.deepEqual(Object.keys(kinds).toSorted(), transactionTypes.toSorted());
    assert.deepEqual(Object.keys(methods).toSorted(), paymentSchemes.toSorted());
    assert.deepEqual(Object.keys(ownAccounts).toSorted(), accounts.toSorted());
  }
});

test('every Chinese word is in the ROM of a Chinese printer, Big5 without its supplement or GB 18030', () => {
  for (const [place, word] of leaves(wordsOf('zh-Hant'))) {
    for (const character of word) {
      if (/[\x20-\x7e]/.test(character)) continue;
      assert.equal(cells(character), 2, `${place} ${character}`);
      for (const charset of ['big5', 'gb18030'] as const)
        assert.ok(doubleByte(character, charset), `${place} ${character}`);
    }
  }
});

test('in Chinese no English is left but names of EMV, brands, currencies and what others wrote', () => {
  const allowed = new Set(['AID', 'TC', 'ARQC', 'AAC', 'ATC', 'TVR', 'TSI', 'VISA', 'FPS', 'EPS', 'HKD', 'X']);
  const shop = { name: '港灣茶餐廳', address: '', phone: '', email: '' };
  for (const document of Object.values({ ...samples, ...methodSamples })) {
    const { card } = document;
    const { appName: _appName, ...plain } = card ?? { maskedPan: '', authenticationMethod: 'NO_CVM' as const };
    const text = inChinese({ ...document, shop, duplicate: true, ...(card ? { card: plain } : {}) });
    const words = text.match(/(?<![\w*])[A-Za-z]+(?!\w)/g) ?? [];
    assert.deepEqual(
      words.filter((word) => !allowed.has(word)),
      [],
      text,
    );
  }
});

test('a Chinese receipt says what the English one says', () => {
  assert.match(inChinese(visaSale({ duplicate: true })), /\n +\*\*\* 重印副本 \*\*\*\n/);
  assert.match(inChinese(verifiedBy('SIGNATURE', 'MERCHANT')), /\nX_{47}\n +顧客簽署\n/);
  assert.match(inChinese(verifiedBy('ONLINE_PIN', 'MERCHANT')), /\n +密碼已核實\n/);
  assert.match(inChinese(verifiedBy('CONSUMER_DEVICE', 'CUSTOMER')), /\n +已由顧客裝置核實\n +無須簽署\n/);
  assert.match(inChinese(octopusSale()), /\n八達通號碼 +\*{4}5678\n/);
  assert.match(inChinese(octopusSale()), /\n總額 +HKD 30\.00\n餘額 +HKD 93\.40\n/);
  assert.match(inChinese(cashSale()), /\n實收現金 +HKD 50\.00\n找續 +HKD 20\.00\n/);
  assert.match(inChinese(visaSale({ transactionType: 'AUTH' })), /\n凍結金額 +HKD 30\.00\n[^]*金額已凍結，尚未扣款/);
  assert.match(inChinese(visaSale({ outcome: 'DECLINED' })), /\n金額 +HKD 30\.00\n\n +交易被拒絕\n/);
  assert.match(inChinese(visaSale({ outcome: 'ERROR' })), /\n金額 +HKD 30\.00\n\n +交易錯誤\n/);
});

test('Chinese labels and their values stand at the two edges, two cells a character', () => {
  for (const columns of receiptColumns) {
    const lines = inChinese(octopusSale(), columns).split('\n');
    for (const label of ['批次編號', '八達通號碼', '機號', '餘額']) {
      const line = lines.find((each) => each.startsWith(label)) ?? '';
      assert.equal(cells(line), columns, line);
    }
    const report = receiptText(settlementLines(settlement({ language: 'zh-Hant' }), columns), columns).split('\n');
    // Counts end in cell 20, whatever the name before them.
    for (const name of ['銷售', '離線銷售', '淨額', '撤銷銷售']) {
      const line = report.find((each) => each.startsWith(name)) ?? '';
      const [, head = ''] = /^(\S+ +\d+) /.exec(line) ?? [];
      assert.deepEqual([cells(head), cells(line)], [20, columns], line);
    }
  }
});
