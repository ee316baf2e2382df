import assert from 'node:assert/strict';
import { readInitialNumbers } from '../../../src/hosts/iso8583/network.ts';
import { SessionKeys } from '../../../src/hosts/iso8583/session-keys.ts';
import { fixture, hex, type Json, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import type { Target } from '../target.ts';

const clock = {
  now: () => new Date(0),
  elapsedMs: () => 0,
  setTimeout: () => undefined,
  clearTimeout: () => undefined,
};
const vectors: Json[] = fixture('crypto/wrapped-keys').vectors;
const keyBytes = 16;
const checkBytes = 3;
const field = 61;
const seeds = vectors.map(({ wrapped, checkValue }) => hex(wrapped + checkValue));
const places = { batch: { field, at: 0, digits: 6 }, invoice: { field, at: 6, digits: 6 } };

/** Parts of a host's answer: a working key with its check value, and first numbers, in bytes or in text. */
export const hostKeys: Target = {
  name: 'host-keys',
  share: 2,
  inputs: hostile({ seeds, tokens: ['000001', '999999', '12345A', '', '\u0000'].map(text) }),
  check(input) {
    const bytes = Buffer.from(input);
    for (const { cipher, testKeyEncryptingKey: keyEncryptingKey, wrapped, checkValue } of vectors) {
      const sent = hex(wrapped + checkValue).subarray(0, keyBytes + checkBytes);
      for (const value of [input, bytes.toString('hex'), bytes.toString('latin1')]) {
        for (const mode of ['ecb', 'cbc'] as const) {
          const keys = new SessionKeys({
            settings: { keyEncryptingKey, afterSignOn: false },
            algorithm: cipher === 'tdes' ? 'iso9797-3' : 'aesCmac',
            place: { field, at: 0, bytes: keyBytes, mode, checkValue: { field, at: keyBytes, bytes: checkBytes } },
            clock,
          });
          const isTaken = keys.take({ mti: '0810', fields: { [field]: value } });
          assert.equal(keys.next()?.request.length, isTaken ? keyBytes : undefined);
          // A single block of AES reads alike in both modes.
          if (typeof value !== 'string' && sent.equals(bytes.subarray(0, sent.length)) && mode === 'ecb')
            assert.ok(isTaken, 'a right key was refused');
        }
      }
    }
    for (const value of [input, bytes.toString('latin1')]) {
      const numbers = readInitialNumbers({ mti: '0810', fields: { [field]: value } }, places);
      for (const number of Object.values(numbers ?? {}))
        assert.ok(Number.isInteger(number) && number > 0 && number <= 999_999);
    }
  },
};
