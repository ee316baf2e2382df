import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { benchDocument, documentOf } from './document.ts';
import { atLeast, atMost, type Report, skipped } from './report.ts';

const report: Report = {
  part: 'sale',
  title: 'One sale',
  columns: ['', 'p50'],
  rows: [['terminal', 4]],
  checks: [atMost('sale / floor', 1.7, 1.6, { spread: [1.5, 1.9] }), atLeast('codec', 12, 10)],
  notes: [],
};

test('each goal has its target, what was measured, its spread, and whether it is met', () => {
  const { goals, notMeasured } = documentOf([report, skipped('reader', 'Reader loop', 'there is no C compiler')], 0);
  const [missed, met] = goals;
  assert.deepEqual(missed, {
    part: 'sale',
    name: 'sale / floor',
    target: 1.6,
    bound: 'at most',
    measured: 1.7,
    spread: { low: 1.5, high: 1.9 },
    met: false,
    unit: '×',
  });
  assert.deepEqual([met?.met, met?.spread], [true, { low: 12, high: 12 }]);
  assert.deepEqual(notMeasured, [{ part: 'reader', why: 'skipped: there is no C compiler' }]);
});

test('a figure that is none is refused', () => {
  const checks = [atMost('nothing / nothing', Number.NaN, 1)];
  assert.equal(checks[0]?.verdict, 'missed');
  assert.throws(() => documentOf([{ ...report, checks }], 0), /measured/);
});

test('its schema is JSON Schema, and names each field of a goal', () => {
  const schema = JSON.stringify(z.toJSONSchema(benchDocument));
  for (const name of ['target', 'measured', 'spread', 'met', 'unit']) assert.ok(schema.includes(`"${name}"`), name);
});
