import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dots } from '../../src/receipt/dots.ts';

function shown(dots: Dots): string[] {
  return Array.from({ length: dots.height }, (_, y) =>
    Array.from({ length: dots.width }, (__, x) => (dots.ink(x, y) ? '#' : '.')).join(''),
  );
}

test('ink stays inside the picture', () => {
  const dots = new Dots(5, 3);
  dots.fill(-2, -2, 4, 3);
  dots.fill(4, 2, 9, 9);
  assert.deepEqual(shown(dots), ['##...', '.....', '....#']);
  assert.deepEqual([...dots.rows], [0xc0, 0x00, 0x08]);
  for (const [x, y] of [
    [-1, 0],
    [0, -1],
    [5, 2],
    [4, 3],
  ] as const) {
    assert.equal(dots.ink(x, y), false);
  }
});

test('one picture on another, wherever it lies', () => {
  const stamp = new Dots(11, 2);
  stamp.fill(0, 0, 11, 1);
  stamp.fill(0, 1);
  stamp.fill(10, 1);
  for (let left = -12; left <= 24; left++) {
    for (const top of [-2, -1, 0, 1, 2]) {
      const paper = new Dots(20, 2);
      paper.fill(19, 1);
      paper.draw(stamp, left, top);
      const expected = [0, 1].map((y) =>
        Array.from({ length: 20 }, (_, x) => (stamp.ink(x - left, y - top) || (x === 19 && y === 1) ? '#' : '.')).join(
          '',
        ),
      );
      assert.deepEqual(shown(paper), expected, `${left}, ${top}`);
      // The bits beside the paper are no dots.
      assert.ok(paper.rows.every((byte, at) => at % 3 !== 2 || (byte & 0x0f) === 0));
    }
  }
});
