import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exceedsValues } from '../../../src/pos/api/json-request.ts';

test('values are counted outside of strings, those that contain others included', () => {
  for (const [value, least, most] of [
    ['1', 1, 1],
    ['""', 1, 1],
    ['",[{,"', 1, 1],
    ['"\\",["', 1, 1],
    ['"\\\\"', 1, 1],
    ['[1,2,3]', 4, 4],
    ['[]', 1, 2],
    ['{"a":1,"b,":"[","c":[true,null]}', 6, 6],
    ['{"a":{"b":{"c":{}}}}', 4, 5],
    ['["\\"",1]', 3, 3],
  ] as const) {
    assert.equal(JSON.parse(value) !== undefined, true);
    assert.equal(exceedsValues(value, least - 1), true, value);
    assert.equal(exceedsValues(value, most), false, value);
  }
});

test('texts that are no JSON are counted as well', () => {
  assert.equal(exceedsValues('[[[[', 4), true);
  assert.equal(exceedsValues(',,,,', 4), true);
  assert.equal(exceedsValues('"[[[[', 4), false);
  assert.equal(exceedsValues('', 1), false);
});
