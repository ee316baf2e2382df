import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hasCheckValue, unwrapKey } from '../../../src/codecs/iso8583/wrapped-key.ts';

interface Vector {
  readonly cipher: 'tdes' | 'aes';
  readonly testKeyEncryptingKey: string;
  readonly wrapped: string;
  readonly testKey: string;
  readonly checkValue: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/wrapped-keys.json', import.meta.url), 'utf8'),
) as { vectors: readonly Vector[] };

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex').toUpperCase();

for (const { cipher, testKeyEncryptingKey, wrapped, testKey, checkValue } of vectors) {
  const algorithm = cipher === 'tdes' ? 'iso9797-3' : 'aesCmac';
  test(`${cipher}: a wrapped key and its check value`, () => {
    const key = unwrapKey(algorithm, bytes(testKeyEncryptingKey), bytes(wrapped), 'ecb');
    assert.equal(hex(key), testKey);
    for (const length of [3, checkValue.length / 2]) {
      const sent = bytes(checkValue).subarray(0, length);
      assert.equal(hasCheckValue(algorithm, key, sent), true);
      assert.equal(hasCheckValue(algorithm, key, sent.with(0, (sent[0] ?? 0) ^ 1)), false);
    }
    assert.equal(hasCheckValue(algorithm, key, new Uint8Array(17)), false);
  });

  test(`${cipher}: CBC with a zero vector begins as ECB does, and goes on otherwise`, () => {
    const twice = bytes(wrapped + wrapped);
    const [ecb, cbc] = (['ecb', 'cbc'] as const).map((mode) =>
      hex(unwrapKey(algorithm, bytes(testKeyEncryptingKey), twice, mode)),
    );
    const block = cipher === 'tdes' ? 16 : 32;
    assert.equal(cbc?.slice(0, block), ecb?.slice(0, block));
    assert.notEqual(cbc?.slice(block, 2 * block), ecb?.slice(block, 2 * block));
  });

  test(`${cipher}: a part of a block is no key`, () => {
    assert.throws(
      () => unwrapKey(algorithm, bytes(testKeyEncryptingKey), bytes(wrapped).subarray(1), 'ecb'),
      RangeError,
    );
  });
}
