import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignature, pointsMax, signatureGrid, strokesMax } from '../../../src/base/domain/signature.ts';

const { width, height } = signatureGrid;
const line = [0, 0, width - 1, height - 1];
const points = (count: number) => Array.from({ length: 2 * count }, (_, at) => at % 100);

test('strokes within the grid are a signature, up to the most strokes and points', () => {
  for (const signature of [
    [line],
    [[1, 1], line],
    [
      [1, 1],
      [2, 2],
    ],
    Array.from({ length: strokesMax }, () => line),
    [points(pointsMax)],
    [points(pointsMax - 1), [5, 5]],
  ]) {
    assert.ok(isSignature(signature), JSON.stringify(signature).slice(0, 80));
  }
});

test('anything else is none', () => {
  for (const [what, value] of Object.entries<unknown>({
    nothing: undefined,
    'no array': { length: 1, 0: line },
    text: '0,0,1,1',
    'no stroke': [],
    'a stroke that is no array': [line, 7],
    'a stroke without points': [line, []],
    'half a point': [[0, 0, 1]],
    'one point alone': [[3, 3]],
    'right of the grid': [[0, 0, width, 1]],
    'below the grid': [[0, 0, 1, height]],
    'left of the grid': [[0, 0, -1, 1]],
    'between the points': [[0, 0, 0.5, 1]],
    'no number': [[0, 0, Number.NaN, 1]],
    endless: [[0, 0, Number.POSITIVE_INFINITY, 1]],
    'numbers as text': [['0', '0', '1', '1']],
    'an empty place': [[0, null, 1, 1]],
    'too many strokes': Array.from({ length: strokesMax + 1 }, () => line),
    'too many points': [points(pointsMax + 1)],
    'too many points in two strokes': [points(pointsMax), [5, 5]],
  })) {
    assert.equal(isSignature(value), false, what);
  }
});

test('the longest signature stays below 10 KB', () => {
  const widest = Array.from({ length: pointsMax }, () => [width - 1, height - 1]).flat();
  assert.ok(isSignature([widest]));
  assert.ok(JSON.stringify([widest]).length < 10_000);
});
