import assert from 'node:assert/strict';
import { test } from 'node:test';

const { modeTexts } = (await import(new URL('../../../hw-sim/page/mode-text.js', import.meta.url).href)) as {
  modeTexts: (mode: object) => readonly string[];
};

test('a host’s mode tells all that is not as usual, field by field', () => {
  assert.deepEqual(modeTexts({ mode: 'up' }), []);
  assert.deepEqual(modeTexts({ mode: 'late', delayMs: 9000, settlement: true }), [
    'late',
    'delayMs 9000',
    'settlement',
  ]);
  assert.deepEqual(modeTexts({ mode: 'up', terminals: ['11', '12'] }), ['terminals 11, 12']);
  assert.deepEqual(modeTexts({ mode: 'up', extraFields: { 44: 'BDBB', 37: null } }), ['extraFields 37: 44:BDBB']);
});
