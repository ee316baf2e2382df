import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { retailMac, zeroPadded } from '../../../hw-sim/crypto/des.ts';

const { key, text, vectors } = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/mac.json', import.meta.url), 'utf8'),
) as { key: string; text: string; vectors: { bytes: number; mac: string }[] };

// Algorithm 3 with twice the same key is algorithm 1: its last two steps undo each other.
for (const { bytes, mac } of vectors) {
  test(`the published MAC of ${bytes} bytes`, () => {
    const single = Buffer.from(key, 'hex');
    const data = Buffer.from(text, 'latin1').subarray(0, bytes);
    const whole = retailMac(Buffer.concat([single, single]), zeroPadded(data));
    assert.equal(whole.subarray(0, 4).toString('hex').toUpperCase(), mac);
  });
}
