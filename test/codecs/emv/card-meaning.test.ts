import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOfNumber, cardBrand } from '../../../src/codecs/emv/aid.ts';
import { authenticationMethod } from '../../../src/codecs/emv/cvm.ts';
import { sensitiveTags, tagNames } from '../../../src/codecs/emv/tags.ts';

test('the scheme of an application identifier', () => {
  assert.equal(cardBrand('A0000000031010'), 'VISA');
  assert.equal(cardBrand('A0000000032020'), 'VISA');
  assert.equal(cardBrand('A0000000041010'), 'MASTER');
  assert.equal(cardBrand('A0000000043060'), 'MASTER');
  assert.equal(cardBrand('A00000002501'), 'AMEX');
  assert.equal(cardBrand('A0000000651010'), 'JCB');
  assert.equal(cardBrand('A000000333010101'), 'UNIONPAY');
  assert.equal(cardBrand('A0000001523010'), 'DISCOVER');
  assert.equal(cardBrand('A0000001523010', '361480****0018'), 'DINERS');
  assert.equal(cardBrand('A0000001523010', '601100******9424'), 'DISCOVER');
  assert.equal(cardBrand('A0000003241010'), 'DISCOVER');
  assert.equal(cardBrand('A0000002771010'), undefined);
});

test('what is no application identifier has no scheme', () => {
  for (const aid of [
    '',
    'A00000000',
    'a0000000031010',
    'A000000003101',
    'A0000000031010 ',
    'A000000003'.padEnd(34, '0'),
  ]) {
    assert.equal(cardBrand(aid), undefined, aid);
  }
});

/** First six, asterisks, last four. */
const masked = (number: string) => `${number.slice(0, 6)}${'*'.repeat(number.length - 10)}${number.slice(-4)}`;

test('the scheme of a card number: published test numbers', () => {
  // PayPal Payflow 'Test Credit Card Account Numbers'; Stripe 'Testing'; 8171…: UnionPay's in public test suites.
  const numbers: [string, string | undefined][] = [
    ['4111111111111111', 'VISA'],
    ['4761739001010119', 'VISA'],
    ['5555555555554444', 'MASTER'],
    ['5105105105105100', 'MASTER'],
    ['2223003122003222', 'MASTER'],
    ['378282246310005', 'AMEX'],
    ['340353278080900', 'AMEX'],
    ['3530111333300000', 'JCB'],
    ['3566002020360505', 'JCB'],
    ['6200000000000005', 'UNIONPAY'],
    ['6205500000000000004', 'UNIONPAY'],
    ['8171999900000018', 'UNIONPAY'],
    ['6011111111111117', 'DISCOVER'],
    ['30569309025904', 'DINERS'],
    ['38520000023237', 'DINERS'],
    ['5000000000000009', undefined],
  ];
  for (const [number, brand] of numbers) assert.equal(brandOfNumber(masked(number)), brand, number);
});

test('the ends of the ranges of card numbers', () => {
  const ends: [string, string | undefined][] = [
    ['299999', undefined],
    ['300000', 'DINERS'],
    ['305999', 'DINERS'],
    ['306000', undefined],
    ['379999', 'AMEX'],
    ['380000', 'DINERS'],
    ['399999', 'DINERS'],
    ['601099', undefined],
    ['601100', 'DISCOVER'],
    ['601199', 'DISCOVER'],
    ['601200', undefined],
    ['643999', undefined],
    ['644000', 'DISCOVER'],
    ['659999', 'DISCOVER'],
    ['660000', undefined],
    ['400000', 'VISA'],
    ['499999', 'VISA'],
    ['509999', undefined],
    ['510000', 'MASTER'],
    ['559999', 'MASTER'],
    ['560000', undefined],
    ['222099', undefined],
    ['222100', 'MASTER'],
    ['272099', 'MASTER'],
    ['272100', undefined],
    ['339999', undefined],
    ['349999', 'AMEX'],
    ['350000', undefined],
    ['359999', undefined],
    ['360000', 'DINERS'],
    ['369999', 'DINERS'],
    ['370000', 'AMEX'],
    ['352799', undefined],
    ['352800', 'JCB'],
    ['358999', 'JCB'],
    ['359000', undefined],
    ['619999', undefined],
    ['620000', 'UNIONPAY'],
    ['629999', 'UNIONPAY'],
    ['630000', undefined],
    ['809999', undefined],
    ['810000', 'UNIONPAY'],
    ['817199', 'UNIONPAY'],
    ['817200', undefined],
  ];
  for (const [first, brand] of ends) assert.equal(brandOfNumber(`${first}******0119`), brand, first);
});

test('a mask that shows too little, and what is no mask', () => {
  assert.equal(brandOfNumber('4***********0119'), 'VISA');
  for (const digits of ['2', '22', '27', '272', '81']) {
    assert.equal(brandOfNumber(`${digits.padEnd(12, '*')}0119`), undefined, digits);
  }
  for (const text of [
    '',
    '************0119',
    '4761739001010119',
    '476173******',
    '476173CCCCCC0119',
    'A********0119',
  ]) {
    assert.equal(brandOfNumber(text), undefined, text);
  }
});

const cvm = (objects: Record<string, readonly number[]>) =>
  authenticationMethod(new Map(Object.entries(objects).map(([tag, value]) => [tag, Uint8Array.from(value)])));

test('CVM results', () => {
  assert.equal(cvm({ '9F34': [0x41, 0x03, 0x02] }), 'OFFLINE_PIN');
  assert.equal(cvm({ '9F34': [0x42, 0x03, 0x00] }), 'ONLINE_PIN');
  assert.equal(cvm({ '9F34': [0x43, 0x03, 0x02] }), 'OFFLINE_PIN_AND_SIGNATURE');
  assert.equal(cvm({ '9F34': [0x44, 0x03, 0x02] }), 'OFFLINE_PIN');
  assert.equal(cvm({ '9F34': [0x05, 0x03, 0x02] }), 'OFFLINE_PIN_AND_SIGNATURE');
  assert.equal(cvm({ '9F34': [0x1e, 0x03, 0x00] }), 'SIGNATURE');
  assert.equal(cvm({ '9F34': [0x5f, 0x03, 0x02] }), 'NO_CVM');
  assert.equal(cvm({ '9F34': [0x3f, 0x00, 0x00] }), 'UNKNOWN_METHOD');
  assert.equal(cvm({ '9F34': [0x00, 0x00, 0x02] }), 'UNKNOWN_METHOD');
  assert.equal(cvm({ '9F34': [0x01, 0x03, 0x01] }), 'UNKNOWN_METHOD', 'failed');
  assert.equal(cvm({ '9F34': [0x1f, 0x03] }), 'UNKNOWN_METHOD');
  assert.equal(cvm({}), 'UNKNOWN_METHOD');
});

test('the word of a contactless reader goes before the CVM results', () => {
  assert.equal(cvm({ DF52: [0x00], '9F34': [0x42, 0x03, 0x00] }), 'NO_CVM');
  assert.equal(cvm({ DF52: [0x01] }), 'SIGNATURE');
  assert.equal(cvm({ DF52: [0x02] }), 'ONLINE_PIN');
  assert.equal(cvm({ DF52: [0x03], '9F34': [0x1f, 0x03, 0x02] }), 'CONSUMER_DEVICE');
  assert.equal(cvm({ DF52: [0x04], '9F34': [0x1f, 0x03, 0x02] }), 'UNKNOWN_METHOD');
});

test('every sensitive tag has a name', () => {
  for (const tag of sensitiveTags) assert.ok(Object.hasOwn(tagNames, tag), tag);
  for (const tag of ['57', '5A', '56', '5F20', '9F1F', '9F20', '99']) assert.ok(sensitiveTags.has(tag), tag);
});
