import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseMajor } from '../../src/base/domain/amount.ts';
import { pageModule } from './page-module.ts';

const { decimalsOf, grouped, majorOf, minorOf, roundAmounts, typed } = await pageModule<{
  decimalsOf: (text: string) => number;
  grouped: (text: string) => string;
  majorOf: (minor: bigint, decimals: number) => string;
  minorOf: (text: string, decimals: number) => bigint;
  roundAmounts: (text: string) => string[];
  typed: (text: string, key: string, decimals: number) => string;
}>('money');

describe('an amount on the page', () => {
  for (const [text, currency] of [
    ['30.00', 'HKD'],
    ['0.01', 'HKD'],
    // A double can't tell these two apart from their neighbours once they are multiplied by 100.
    ['9999999999.99', 'HKD'],
    ['1.15', 'HKD'],
    ['12340', 'JPY'],
    ['0.005', 'KWD'],
    ['1.2345', 'CLF'],
  ] as const) {
    test(`${text} ${currency} is what the terminal takes it for, and back`, () => {
      const decimals = decimalsOf(text);
      const amount = parseMajor(text, currency);
      assert.ok(typeof amount === 'object');
      assert.equal(minorOf(text, decimals), amount.minor);
      assert.equal(majorOf(amount.minor, decimals), text);
    });
  }

  test('is grouped before the point only', () => {
    for (const [text, shown] of Object.entries({
      '': '',
      0: '0',
      999: '999',
      1000: '1,000',
      '1234567.89': '1,234,567.89',
      '9999999999.99': '9,999,999,999.99',
      '1.2345': '1.2345',
      '-1234.50': '-1,234.50',
    })) {
      assert.equal(grouped(text), shown);
    }
  });
});

test('round amounts: more than is due, what a purse would give, at most three', () => {
  for (const [due, offered] of Object.entries({
    '30.00': ['40', '50', '100'],
    '123.45': ['130', '140', '150'],
    '99.99': ['100', '500', '1000'],
    '1000.00': [],
    '9999999999.99': [],
    3000: ['5000', '10000'],
    '0.005': ['1', '5', '10'],
  })) {
    assert.deepEqual(roundAmounts(due), offered, due);
  }
});

describe('what is typed', () => {
  const after = (keys: string, decimals = 2) =>
    (keys.match(/00|<|./g) ?? []).reduce((text, key) => typed(text, key === '<' ? 'erase' : key, decimals), '');

  for (const [keys, text] of [
    ['5', '5'],
    ['500', '500'],
    ['05', '5'],
    ['00', '0'],
    ['.5', '0.5'],
    ['5.', '5.'],
    ['5..5', '5.5'],
    ['1.234', '1.23'],
    ['1.<5', '15'],
    ['1.2<<<', ''],
    ['<', ''],
    // The last digit is one too many.
    ['12345678901', '1234567890'],
    ['9999999999.99', '9999999999.99'],
  ] as const) {
    test(`${keys} is ${text === '' ? 'nothing' : text}`, () => assert.equal(after(keys), text));
  }

  test('a currency without cents has no point', () => assert.equal(after('12.5', 0), '125'));
});
