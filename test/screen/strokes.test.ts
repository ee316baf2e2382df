import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignature, pointsMax, signatureGrid, strokesMax } from '../../src/base/domain/signature.ts';
import { pageModule } from './page-module.ts';

interface Strokes {
  readonly limits: object;
  readonly addPoint: (strokes: number[][], x: number, y: number, isOpen: boolean) => boolean;
  readonly pointsOf: (strokes: readonly number[][]) => number;
  readonly lineOf: (strokes: readonly number[][]) => string;
}
const { limits, addPoint, pointsOf, lineOf } = await pageModule<Strokes>('strokes');

/** Draws with one finger, which is never lifted. */
function drawn(points: Iterable<readonly [number, number]>): number[][] {
  const strokes: number[][] = [];
  let isOpen = false;
  for (const [x, y] of points) isOpen = addPoint(strokes, x, y, isOpen);
  return strokes;
}

test('the page and the terminal have the same limits', () => {
  assert.deepEqual(limits, { ...signatureGrid, strokesMax, pointsMax, pointsMin: 2 });
});

test('a finger that goes nowhere adds nothing', () => {
  assert.deepEqual(
    drawn([
      [10, 10],
      [11, 11],
      [12, 12],
      [13, 13],
      [13, 13],
    ]),
    [[10, 10, 13, 13]],
  );
});

test('outside the field a stroke ends, inside again another begins', () => {
  assert.deepEqual(
    drawn([
      [10, 10],
      [20, 10],
      [20, -1],
      [384, 50],
      [30, 128],
      [-1, 0],
      [40, 10],
      [50, 10],
    ]),
    [
      [10, 10, 20, 10],
      [40, 10, 50, 10],
    ],
  );
  assert.deepEqual(drawn([[Number.NaN, 1]]), []);
});

test('whatever is drawn, the terminal takes it', () => {
  const strokes = drawn(Array.from({ length: 5_000 }, (_, at) => [(at * 7) % 380, (at * 11) % 120] as const));
  assert.equal(pointsOf(strokes), pointsMax);
  assert.ok(isSignature(strokes));
  const dots = drawn(
    Array.from({ length: 500 }, (_, at) => (at % 2 === 0 ? ([at % 384, 7] as const) : ([-1, -1] as const))),
  );
  assert.equal(dots.length, strokesMax);
  assert.ok(isSignature(dots));
});

test('a drawing is a line for each stroke, and a dot for a point alone', () => {
  assert.equal(
    lineOf([
      [1, 2, 30, 40, 5, 6],
      [7, 8],
    ]),
    'M1 2L30 40 5 6M7 8h0',
  );
  assert.equal(lineOf([]), '');
});
