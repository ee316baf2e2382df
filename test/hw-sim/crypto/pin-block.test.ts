import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  encryptedPinBlockFormat4,
  panFieldFormat4,
  pinBlockFormat0,
  pinFieldFormat4,
} from '../../../hw-sim/crypto/pin-block.ts';

interface Vectors {
  readonly format0: readonly { readonly pin: string; readonly pan: string; readonly block: string }[];
  readonly format4: readonly Readonly<Record<'key' | 'pin' | 'pan' | 'filling' | 'block', string>>[];
  readonly format4PanField: readonly { readonly pan: string; readonly field: string }[];
}

const { format0, format4, format4PanField } = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/pin-block.json', import.meta.url), 'utf8'),
) as Vectors;

describe('PIN blocks of format 0, published vectors', () => {
  test('all five are there', () => assert.equal(format0.length, 5));
  for (const { pin, pan, block } of format0) {
    test(`${pin} of ${pan}`, () => {
      assert.equal(pinBlockFormat0(pin, pan).toString('hex').toUpperCase(), block);
    });
  }
});

describe('PIN blocks of format 4, published vectors', () => {
  test('one block and one field are there', () => assert.deepEqual([format4.length, format4PanField.length], [1, 1]));
  for (const { key, pin, pan, filling, block } of format4) {
    test(`${pin} of ${pan}`, () => {
      const made = encryptedPinBlockFormat4(Buffer.from(key, 'hex'), pin, pan, Buffer.from(filling, 'hex'));
      assert.equal(made.toString('hex').toUpperCase(), block);
    });
  }
  for (const { pan, field } of format4PanField) {
    test(`the field of ${pan}`, () => assert.equal(panFieldFormat4(pan).toString('hex'), field));
  }

  test('a short number is twelve digits wide', () => {
    assert.equal(panFieldFormat4('12345').toString('hex'), '00000000123450000000000000000000');
  });

  test('no PIN, no number and no filling of another length', () => {
    assert.throws(() => pinFieldFormat4('123', Buffer.alloc(8)), RangeError);
    assert.throws(() => pinFieldFormat4('1234', Buffer.alloc(7)), RangeError);
    assert.throws(() => panFieldFormat4('12345678901234567890'), RangeError);
  });
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
