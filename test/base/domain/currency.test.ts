import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencyCodes, exponent, isCurrencyCode, numericCode } from '../../../src/base/domain/currency.ts';

test('three letters, three digits, no number twice', () => {
  for (const code of currencyCodes) {
    assert.match(code, /^[A-Z]{3}$/);
    assert.match(numericCode(code), /^\d{3}$/, code);
  }
  assert.equal(new Set(currencyCodes.map(numericCode)).size, currencyCodes.length);
  assert.ok(currencyCodes.length > 150);
});

test('the ones this terminal meets', () => {
  const facts = {
    HKD: '344',
    MOP: '446',
    CNY: '156',
    USD: '840',
    EUR: '978',
    GBP: '826',
    JPY: '392',
    TWD: '901',
    AUD: '036',
  };
  for (const [code, numeric] of Object.entries(facts)) {
    assert.ok(isCurrencyCode(code));
    assert.equal(numericCode(code), numeric);
  }
});

test('minor units that are no hundredths', () => {
  const withExponent = (wanted: number) => currencyCodes.filter((code) => exponent(code) === wanted).sort();
  const none = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ');
  assert.deepEqual(withExponent(0), none);
  assert.deepEqual(withExponent(3), 'BHD IQD JOD KWD LYD OMR TND'.split(' '));
  assert.deepEqual(withExponent(4), ['CLF', 'UYW']);
  assert.equal(withExponent(2).length, currencyCodes.length - none.length - 9);
});

test('nothing else is a currency', () => {
  for (const text of ['', 'hkd', 'HKD ', 'HK', 'XAU', 'XTS', 'XXX', '344', 'toString', 'constructor', '__proto__']) {
    assert.equal(isCurrencyCode(text), false, text);
  }
});
