import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { seed, whole } from './random.ts';

const zeros = new Uint8Array(10);
const ones = new Uint8Array(10).fill(0xff);

test('26 characters of Crockford base 32, time first: the layout of a ULID', () => {
  assert.equal(terminalTransactionId(new Date(0), zeros), '0'.repeat(26));
  assert.equal(terminalTransactionId(new Date(2 ** 48 - 1), ones), `7${'Z'.repeat(25)}`);
  assert.equal(terminalTransactionId(new Date(0), ones), `${'0'.repeat(10)}${'Z'.repeat(16)}`);
  // 1469918176385 is the time of the example in the ULID specification: 01ARYZ6S41.
  assert.equal(terminalTransactionId(new Date(1_469_918_176_385), zeros), `01ARYZ6S41${'0'.repeat(16)}`);
});

test(`sorts as text by time, whatever the chance (seed ${seed})`, () => {
  const next = whole(seed);
  const bytes = () => Uint8Array.from({ length: 10 }, () => next(256));
  let ms = Date.UTC(2026, 0, 1);
  let previous = terminalTransactionId(new Date(ms), ones);
  for (let round = 0; round < 5_000; round++) {
    ms += 1 + next(10_000);
    const id = terminalTransactionId(new Date(ms), bytes());
    assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.ok(previous < id, `seed ${seed}: ${previous} before ${id}`);
    previous = id;
  }
});

test('every random bit counts: 80 of them, each seen in the text', () => {
  const at = new Date(Date.UTC(2026, 0, 1));
  const seen = new Set<string>([terminalTransactionId(at, zeros)]);
  for (let bit = 0; bit < 80; bit++) {
    const random = new Uint8Array(10);
    random[bit >> 3] = 1 << (bit & 7);
    seen.add(terminalTransactionId(at, random));
  }
  assert.equal(seen.size, 81);
});
