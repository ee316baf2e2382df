import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardBrand } from '../../src/emv/aid.ts';
import { authenticationMethod } from '../../src/emv/cvm.ts';
import { sensitiveTags, tagNames } from '../../src/emv/tags.ts';

test('the scheme of an application identifier', () => {
  assert.equal(cardBrand('A0000000031010'), 'VISA');
  assert.equal(cardBrand('A0000000032020'), 'VISA');
  assert.equal(cardBrand('A0000000041010'), 'MASTER');
  assert.equal(cardBrand('A0000000043060'), 'MASTER');
  assert.equal(cardBrand('A00000002501'), 'AMEX');
  assert.equal(cardBrand('A0000000651010'), 'JCB');
  assert.equal(cardBrand('A000000333010101'), 'UNIONPAY');
  assert.equal(cardBrand('A0000001523010'), undefined);
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
