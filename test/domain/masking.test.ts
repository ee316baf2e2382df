import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { issuerIdentification, lastFourOnly, scrub } from '../../src/domain/masking.ts';
import { seed, whole } from './random.ts';

const cards = new URL('../../fixtures/cards/', import.meta.url);
const pans = readdirSync(cards)
  .filter((name) => name.endsWith('.json'))
  .map((name) => (JSON.parse(readFileSync(new URL(name, cards), 'utf8')) as { pan: string }).pan);

test('there are test cards', () => {
  assert.ok(pans.length >= 5);
});

test('the last four of what a reader has masked, at the same length', () => {
  assert.equal(lastFourOnly('476173******0119'), '************0119');
  assert.equal(lastFourOnly('374245*****1006'), '***********1006');
  assert.equal(lastFourOnly('476173**0119'), '********0119');
  assert.equal(lastFourOnly('476173*********0119'), '***************0119');
  assert.equal(issuerIdentification('476173******0119'), '476173');
});

test('whatever else comes, no digit gets through', () => {
  const others = [
    '',
    '*',
    '476173*0119',
    '476173**********0119',
    '4761730******0119',
    '47617*******0119',
    '476173CCCCCC0119',
  ];
  for (const text of [
    ...pans,
    ...others,
    ' 476173******0119',
    '476173******0119\n',
    '476173******０119',
    '476173**0***0119',
  ]) {
    assert.doesNotMatch(lastFourOnly(text), /\d/, text);
    assert.equal(issuerIdentification(text), undefined, text);
  }
});

test('a card number is hidden wherever it stands in a text', () => {
  for (const pan of pans) {
    const grouped = pan.replace(/(\d{4})(?=\d)/g, '$1 ');
    const places = [
      pan,
      `pan=${pan}`,
      `"${pan}"`,
      `${pan}D31122011758892800000`,
      `${pan}=31122011758892800000`,
      grouped,
      grouped.replaceAll(' ', '-'),
      `amount 30 ${pan}`,
      `stan 000123 ${pan} 0210`,
      `${pan} 3112`,
      `30-${grouped}-12`,
      `2026-01-01 ${grouped}`,
      `${pan} ${pan}`,
      `a ${pan}, b ${pans[0]}`,
      `${pan.length}${pan}`,
      `5713${pan}3112201`,
      `${'0'.repeat(40)}${pan}${'0'.repeat(40)}`,
    ];
    for (const text of places) {
      const clean = scrub(text).replace(/[ -]/g, '');
      assert.ok(!clean.includes(pan), text);
      assert.ok(!clean.includes(pan.slice(0, -4)), text);
    }
  }
});

test('the last four stay, and so does everything else', () => {
  assert.equal(scrub('pan 4761739001010119, sorry'), 'pan ************0119, sorry');
  const innocent =
    'stan 000123, rrn 123456789013, at 2026-11-21T09:30:00.000Z, id 01KDVDNA000000008000000000, /dev/ttyACM0';
  assert.equal(scrub(innocent), innocent);
  assert.equal(scrub('123456789012'), '123456789012', 'the check digit is wrong, no card has this number');
});

test(`no Luhn-valid run of 12 to 19 digits gets through, whatever numbers stand beside it (seed ${seed})`, () => {
  const next = whole(seed);
  for (let round = 0; round < 2_000; round++) {
    const digits = Array.from({ length: 11 + next(8) }, () => next(10)).join('');
    const pan = digits + checkDigit(digits);
    const text = `x${next(1000)} ${pan} ${next(100_000)}y`;
    assert.ok(!scrub(text).includes(pan), `seed ${seed}: ${text}`);
  }
});

/** ISO/IEC 7812-1, annex B. */
function checkDigit(digits: string): number {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, place) => {
      const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
      return total + Math.floor(value / 10) + (value % 10);
    }, 0);
  return (10 - (sum % 10)) % 10;
}

// A pattern that backtracks would not end within the test's limit.
test('a long text costs little', { timeout: 10_000 }, () => {
  for (const text of ['1 '.repeat(10_000), '9'.repeat(20_000), '1234-'.repeat(5_000)]) {
    assert.equal(scrub(text).length, text.length);
  }
});
