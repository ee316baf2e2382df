import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ratioOf, spreadOf } from './blocks.ts';

test('a ratio of medians has the spread of its fifths', () => {
  const floor = Array.from({ length: 50 }, () => 2);
  const own = floor.map((each, index) => each * (index < 10 ? 1 : index >= 40 ? 3 : 2));
  assert.deepEqual(ratioOf(own, floor), { value: 2, spread: [1, 3] });
});

test('fewer than five figures have a spread too', () => {
  assert.deepEqual(ratioOf([4, 6], [2, 2]), { value: 2, spread: [2, 3] });
  assert.deepEqual(spreadOf([3]), [3, 3]);
});
