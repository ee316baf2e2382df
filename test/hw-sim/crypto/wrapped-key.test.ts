import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { keyCheckValue, wrapKey } from '../../../hw-sim/crypto/wrapped-key.ts';

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/wrapped-keys.json', import.meta.url), 'utf8'),
) as { vectors: readonly Readonly<Record<string, string>>[] };

const bytes = (hex: string | undefined) => Buffer.from(hex ?? '', 'hex');

for (const { cipher, testKeyEncryptingKey, wrapped, testKey, checkValue = '' } of vectors) {
  test(`${cipher}: a key is wrapped, and has its check value`, () => {
    const algorithm = cipher === 'aes' ? 'aesCmac' : 'iso9797-3';
    assert.deepEqual(wrapKey(algorithm, bytes(testKeyEncryptingKey), bytes(testKey)), bytes(wrapped));
    const whole = keyCheckValue(algorithm, bytes(testKey)).toString('hex').toUpperCase();
    assert.equal(whole.slice(0, checkValue.length), checkValue);
  });
}
