import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeObjects, encodeObject } from '../../../hw-sim/card/tlv.ts';

describe('data objects', () => {
  test('of the published 02-40 command', () => {
    const list = Buffer.from('9c01009f02060000000001009f0306000000000000dfef370107dfef3c03010060', 'hex');
    assert.deepEqual(
      decodeObjects(list)?.map(({ tag, value }) => `${tag} ${value.toString('hex')}`),
      ['9C 00', '9F02 000000000100', '9F03 000000000000', 'DFEF37 07', 'DFEF3C 010060'],
    );
  });

  test('of the published 02-40 command, every truncation', () => {
    const list = Buffer.from('9c01009f02060000000001009f0306000000000000dfef370107dfef3c03010060', 'hex');
    const whole = new Set([0, 3, 12, 21, 26]);
    for (let length = 0; length < list.length; length++) {
      assert.equal(decodeObjects(list.subarray(0, length)) !== undefined, whole.has(length), `${length} bytes`);
    }
  });

  for (const [length, head] of [
    [0, '5000'],
    [127, '507F'],
    [128, '508180'],
    [255, '5081FF'],
    [256, '50820100'],
  ] as const) {
    test(`with a value of ${length} bytes`, () => {
      const encoded = encodeObject('50', Buffer.alloc(length, 0xab));
      assert.equal(
        encoded
          .subarray(0, head.length / 2)
          .toString('hex')
          .toUpperCase(),
        head,
      );
      assert.deepEqual(decodeObjects(encoded), [{ tag: '50', value: Buffer.alloc(length, 0xab) }]);
    });
  }

  test('with an indefinite length, or a tag without end, are none', () => {
    assert.equal(decodeObjects(Buffer.from('50800000', 'hex')), undefined);
    assert.equal(decodeObjects(Buffer.from('9F8182838401', 'hex')), undefined);
  });

  test('with half a tag are not encoded', () => {
    assert.throws(() => encodeObject('9F0', Buffer.alloc(1)), RangeError);
  });
});
