import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slope } from './line.ts';

test('the slope of points on a line is that of the line', () => {
  const points = [0, 1, 2, 5, 9].map((x) => ({ x, y: 3 * x - 4 }));
  assert.ok(Math.abs(slope(points) - 3) < 1e-12);
});

test('of points beside a line, that with the least squares', () => {
  // Anscombe's first quartet (The American Statistician 27, 1973): y = 3.00 + 0.500 x.
  const xs = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
  const ys = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
  const points = xs.map((x, index) => ({ x, y: ys[index] ?? 0 }));
  assert.equal(slope(points).toFixed(3), '0.500');
});

test('points above each other have none', () => {
  assert.ok(
    Number.isNaN(
      slope([
        { x: 1, y: 1 },
        { x: 1, y: 1 },
      ]),
    ),
  );
});
