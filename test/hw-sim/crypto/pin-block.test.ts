import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { pinBlockFormat0 } from '../../../hw-sim/crypto/pin-block.ts';

const { format0 } = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/pin-block.json', import.meta.url), 'utf8'),
) as { readonly format0: readonly { readonly pin: string; readonly pan: string; readonly block: string }[] };

describe('PIN blocks of format 0, published vectors', () => {
  test('all five are there', () => assert.equal(format0.length, 5));
  for (const { pin, pan, block } of format0) {
    test(`${pin} of ${pan}`, () => {
      assert.equal(pinBlockFormat0(pin, pan).toString('hex').toUpperCase(), block);
    });
  }
});

describe('what is no PIN block', () => {
  for (const [why, pin, pan] of [
    ['three digits', '123', '5555555551234567'],
    ['thirteen digits', '1234567890123', '5555555551234567'],
    ['a letter', '123A', '5555555551234567'],
    ['a card number of twelve digits', '1234', '555555551234'],
    ['a card number with a letter', '1234', '555555555123456A'],
  ] as const) {
    test(why, () => assert.throws(() => pinBlockFormat0(pin, pan), RangeError));
  }
});
