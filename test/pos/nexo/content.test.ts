import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type CurrencyCode, exponent } from '../../../src/base/domain/currency.ts';
import { identifier, parseJson } from '../../../src/pos/api/input.ts';
import { JsonNumber } from '../../../src/pos/contracts/pos-calls.ts';
import { readAmount } from '../../../src/pos/nexo/amounts.ts';
import { encodePairs, readPairs } from '../../../src/pos/nexo/form-pairs.ts';
import { digestOf, posIdOf } from '../../../src/pos/nexo/identity.ts';

const minor = (source: string, currency: CurrencyCode = 'HKD') => readAmount(new JsonNumber(source), currency)?.minor;

test('amounts are read by their digits; what a float misses them by is less than a millionth of a cent', () => {
  assert.deepEqual(
    ['30', '30.10', '3e1', '0'].map((each) => minor(each)),
    [3_000n, 3_010n, 3_000n, 0n],
  );
  assert.deepEqual(
    ['88.30000000000001', '88.29999999999999', '0.30000000000000004'].map((each) => minor(each)),
    [8_830n, 8_830n, 30n],
  );
  assert.deepEqual(
    ['30.001', '30.005', '30.00999', '1e-9', '-1', '9999999999999', 'x'].map((each) => minor(each)),
    Array.from({ length: 7 }, () => undefined),
  );
  assert.deepEqual([minor('300.0000000001', 'JPY'), minor('300.5', 'JPY')], [300n, undefined]);
});

test('every sum of two amounts that a till computes with floats is the sum of their cents', () => {
  const cents = fc.integer({ min: 0, max: 99_999_999 });
  fc.assert(
    fc.property(cents, cents, (one, other) => {
      const sum = JSON.stringify(one / 100 + other / 100);
      assert.equal(minor(sum), BigInt(one + other));
      assert.equal(exponent('HKD'), 2);
    }),
  );
});

test('a SaleID is always a posId, and a short one without control characters stays as it is', () => {
  assert.equal(posIdOf('Shop (ID: 3)'), 'Shop (ID: 3)');
  assert.equal(posIdOf('\u{1F600}'.repeat(40)).length, 64);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }), (saleId) => {
      const posId = posIdOf(saleId);
      assert.ok(identifier.safeParse(posId).success, JSON.stringify(posId));
    }),
  );
});

test('a message has the same digest in any order of its fields, and another with another value', () => {
  const digest = (text: string) => digestOf(parseJson(text));
  assert.equal(digest('{"a":1,"b":[{"c":"x","d":null}]}'), digest('{ "b": [{"d":null, "c":"x"}], "a":1 }'));
  const others = ['{"a":2,"b":[{"c":"x","d":null}]}', '{"a":"1","b":[{"c":"x","d":null}]}', '{"a":1,"b":[]}'];
  assert.equal(new Set(['{"a":1,"b":[{"c":"x","d":null}]}', ...others].map(digest)).size, 4);
});

test('SaleToAcquirerData: pairs, or an object in Base64; what is neither has no pairs that matter', () => {
  const object = { tenderOption: 'AskGratuity', metadata: { a: 1, deep: { x: 1 } }, list: [1] };
  const read = readPairs(Buffer.from(JSON.stringify(object)).toString('base64'));
  assert.deepEqual(
    [...read],
    [
      ['tenderOption', 'AskGratuity'],
      ['metadata.a', '1'],
      ['list.0', '1'],
    ],
  );
  assert.deepEqual(
    [...readPairs('a=b%20c&d=e')],
    [
      ['a', 'b c'],
      ['d', 'e'],
    ],
  );
  assert.equal(readPairs('x='.repeat(10_000)).size <= 64, true);
  assert.equal(readPairs('%%%').get('tenderOption'), undefined);
  assert.equal(encodePairs({ a: 'b c&d', none: undefined, empty: '', half: '\ud800' }), 'a=b%20c%26d&half=%EF%BF%BD');
});
