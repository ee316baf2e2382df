import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, percentile } from './percentiles.ts';

test('nearest rank, whatever the order', () => {
  const values = [50, 15, 40, 20, 35];
  assert.deepEqual(
    [0, 0.05, 0.3, 0.4, 0.5, 0.999, 1].map((share) => percentile(values, share)),
    [15, 15, 20, 20, 35, 50, 50],
  );
  assert.deepEqual(values, [50, 15, 40, 20, 35]);
});

test('numbers, not texts, are put in order', () => assert.equal(median([9, 100, 10]), 10));

test('of a thousand values the 99.9th percentile is the last but one', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => index + 1);
  assert.equal(percentile(values, 0.999), 999);
});

test('no values have no percentile', () => assert.throws(() => percentile([], 0.5), RangeError));
