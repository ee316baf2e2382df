import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AmountRefusal,
  groupedText,
  majorNumber,
  majorText,
  parseMajor,
} from '../../../src/base/domain/amount.ts';
import { type CurrencyCode, currencyCodes, exponent } from '../../../src/base/domain/currency.ts';
import { seed, whole } from './random.ts';

/** Minor units, or the refusal. */
function minor(text: string, currency: CurrencyCode = 'HKD'): bigint | AmountRefusal {
  const amount = parseMajor(text, currency);
  if (typeof amount === 'string') return amount;
  assert.equal(amount.currency, currency);
  return amount.minor;
}

test('30, 30.0, 30.00, 3e1 and their like are one amount', () => {
  for (const text of ['30', '30.0', '30.00', '30.000', '3e1', '3E1', '3e+1', '300e-1', '0.30e2', '3000.00e-2']) {
    assert.equal(minor(text), 3000n, text);
  }
});

test('what the currency can not express is refused, not rounded', () => {
  for (const text of ['30.001', '0.001', '1e-3', '3000001e-5', '0.00999999999999999999', '30.0000000000000001']) {
    assert.equal(minor(text), 'too-many-decimals', text);
  }
  assert.equal(minor('30.5', 'JPY'), 'too-many-decimals');
  assert.equal(minor('30.0', 'JPY'), 30n);
  assert.equal(minor('0.005', 'KWD'), 5n);
  assert.equal(minor('0.0005', 'KWD'), 'too-many-decimals');
  assert.equal(minor('0.0005', 'CLF'), 5n);
});

test('12 digits of minor units and no more', () => {
  assert.equal(minor('9999999999.99'), 999_999_999_999n);
  assert.equal(minor('10000000000'), 'too-large');
  assert.equal(minor('999999999999', 'JPY'), 999_999_999_999n);
  assert.equal(minor('1000000000000', 'JPY'), 'too-large');
  assert.equal(minor('999999999.999', 'KWD'), 999_999_999_999n);
  assert.equal(minor('1000000000', 'KWD'), 'too-large');
});

test('people read thousands apart, in whole major units only', () => {
  const cases = [
    [99_999n, 'HKD', '999.99'],
    [100_000n, 'HKD', '1,000.00'],
    [-123_450n, 'HKD', '-1,234.50'],
    [-12_345n, 'HKD', '-123.45'],
    [999_999_999_999n, 'HKD', '9,999,999,999.99'],
    [1_234n, 'JPY', '1,234'],
    [1_234_567_890n, 'KWD', '1,234,567.890'],
  ] as const;
  for (const [minor, currency, text] of cases) assert.equal(groupedText({ minor, currency }), text);
});

test('negative is refused, and a zero has no sign', () => {
  for (const text of ['-1', '-0.01', '-3e1']) assert.equal(minor(text), 'negative', text);
  for (const text of ['0', '-0', '-0.00', '0e5', '0e-99', '0.000000', '-0e99']) assert.equal(minor(text), 0n, text);
});

test('no number is no amount', () => {
  for (const text of [
    '',
    ' 30',
    '30 ',
    '30\n',
    '+30',
    '30.',
    '.5',
    '1e',
    '1e+',
    '0x1e',
    '1_000',
    '1,5',
    'NaN',
    'Infinity',
    '３０',
    '30HKD',
  ]) {
    assert.equal(minor(text), 'not-a-number', JSON.stringify(text));
  }
});

test('huge exponents and endless digits are refused in no time', () => {
  const huge = [
    '1e99',
    '1e-99',
    '1e999999999',
    '1e-999999999',
    `1${'0'.repeat(1e6)}`,
    `0.${'0'.repeat(1e6)}1`,
    `1e${'9'.repeat(1e6)}`,
  ];
  for (const text of huge) assert.equal(typeof minor(text), 'string');
  for (const text of ['9'.repeat(40), `${'9'.repeat(40)}.${'9'.repeat(40)}e99`])
    assert.equal(typeof minor(text), 'string');
});

/** Another way to the same: the number as a fraction of integers. */
function oracle(
  sign: string,
  integer: string,
  fraction: string,
  power: number,
  decimals: number,
): bigint | AmountRefusal {
  const numerator = BigInt(integer + fraction) * 10n ** BigInt(Math.max(power, 0) + decimals);
  const denominator = 10n ** BigInt(fraction.length + Math.max(-power, 0));
  if (numerator % denominator !== 0n) return 'too-many-decimals';
  const value = numerator / denominator;
  if (sign === '-' && value > 0n) return 'negative';
  return value > 999_999_999_999n ? 'too-large' : value;
}

test(`like an integer fraction, for random numbers (seed ${seed})`, () => {
  const next = whole(seed);
  const digits = (count: number) => Array.from({ length: count }, () => (next(3) ? next(10) : 0)).join('');
  const verdicts = new Set<string>();
  for (let round = 0; round < 20_000; round++) {
    const currency = currencyCodes[next(currencyCodes.length)] ?? 'HKD';
    const sign = next(8) ? '' : '-';
    const integer = digits(1 + next(12));
    const fraction = digits(next(6));
    const power = next(2) ? next(21) - 10 : 0;
    const e = ['e', 'E', power < 0 ? 'e' : 'e+'][next(3)] ?? 'e';
    const text = `${sign}${integer}${fraction && '.'}${fraction}${power || next(2) ? `${e}${power}` : ''}`;
    const expected = oracle(sign, integer, fraction, power, exponent(currency));
    assert.equal(minor(text, currency), expected, `seed ${seed}: ${text} ${currency}`);
    verdicts.add(typeof expected === 'bigint' ? 'amount' : expected);
  }
  assert.deepEqual([...verdicts].sort(), ['amount', 'negative', 'too-large', 'too-many-decimals']);
});

test('in words: all decimals of the currency', () => {
  assert.equal(majorText({ minor: 3000n, currency: 'HKD' }), '30.00');
  assert.equal(majorText({ minor: 5n, currency: 'HKD' }), '0.05');
  assert.equal(majorText({ minor: 0n, currency: 'HKD' }), '0.00');
  assert.equal(majorText({ minor: 30n, currency: 'JPY' }), '30');
  assert.equal(majorText({ minor: 5n, currency: 'KWD' }), '0.005');
  assert.equal(majorText({ minor: -5n, currency: 'HKD' }), '-0.05');
  assert.equal(majorText({ minor: -12_345n, currency: 'HKD' }), '-123.45');
});

test(`out and in again is the same amount, as text and as a JSON number (seed ${seed})`, () => {
  const next = whole(seed);
  for (let round = 0; round < 20_000; round++) {
    const currency = currencyCodes[next(currencyCodes.length)] ?? 'HKD';
    const value = BigInt(next(1_000_000)) * BigInt(1 + next(1_000_000));
    const at = `seed ${seed}: ${value} ${currency}`;
    assert.equal(minor(majorText({ minor: value, currency }), currency), value, at);
    assert.equal(minor(JSON.stringify(majorNumber({ minor: value, currency })), currency), value, at);
  }
  for (const value of [999_999_999_999n, 1n, 100_000_000_001n]) {
    for (const currency of currencyCodes) {
      assert.equal(minor(JSON.stringify(majorNumber({ minor: value, currency })), currency), value, currency);
    }
  }
});
