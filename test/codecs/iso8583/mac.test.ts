import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { cmac, messageMac } from '../../../hw-sim/crypto/message-mac.ts';
import type { MacAlgorithm, MacPadding } from '../../../src/base/domain/mac-algorithm.ts';
import { computeMac } from '../../../src/codecs/iso8583/mac.ts';

interface Vector {
  readonly algorithm: MacAlgorithm;
  readonly padding: MacPadding;
  readonly key: string;
  readonly text?: string;
  readonly hex?: string;
  readonly mac: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/mac-vectors.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly Vector[] };

const shown = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
const textOf = ({ text = '', hex }: Vector) =>
  hex === undefined ? Buffer.from(text, 'latin1') : Buffer.from(hex, 'hex');

describe('published codes, and the same computed by another program', () => {
  for (const [at, vector] of vectors.entries()) {
    const { algorithm, padding, key, mac } = vector;
    test(`${at + 1}: ${algorithm}, method ${padding}, ${textOf(vector).length} bytes`, () => {
      const keyBytes = Buffer.from(key, 'hex');
      assert.equal(shown(computeMac(algorithm, keyBytes, textOf(vector), padding)), mac);
    });
  }
});

describe('the simulated host has code of its own, which computes the same', () => {
  const own = vectors.filter(({ padding, key, algorithm, text, hex }) => {
    const isEmpty = (text ?? hex) === '' && algorithm !== 'aesCmac';
    return padding === 1 && key.length === 32 && !isEmpty;
  });
  assert.ok(own.length >= 8);
  for (const vector of own) {
    const { algorithm, key, mac } = vector;
    test(`${algorithm}, ${textOf(vector).length} bytes`, () => {
      const keyBytes = Buffer.from(key, 'hex');
      assert.equal(shown(messageMac(algorithm, keyBytes, textOf(vector))), mac.slice(0, 16));
      if (algorithm === 'aesCmac') assert.equal(shown(cmac(keyBytes, textOf(vector))), mac);
    });
  }
});

test('a key of another length is none of the algorithm', () => {
  for (const [algorithm, length] of [
    ['iso9797-1', 7],
    ['iso9797-3', 8],
    ['iso9797-3', 24],
    ['aesCmac', 8],
  ] as const) {
    assert.throws(() => computeMac(algorithm, new Uint8Array(length), new Uint8Array(8)), RangeError);
  }
});

test('longer AES keys: NIST SP 800-38B, D.2 and D.3', () => {
  const text = Buffer.from('6BC1BEE22E409F96E93D7E117393172A', 'hex');
  const aes192 = Buffer.from('8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B', 'hex');
  const aes256 = Buffer.from('603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4', 'hex');
  assert.equal(shown(computeMac('aesCmac', aes192, text)), '9E99A7BF31E710900662F65E617C5184');
  assert.equal(shown(computeMac('aesCmac', aes256, text)), '28A7023F452E8F82BD4BF28D8C37C35C');
});
