import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settlementFaultOf, settlementFaults } from '../../../src/base/domain/settlement-fault.ts';

test('each cause is found by its sentence, whatever follows, and by no other', () => {
  for (const [trouble, sentence] of Object.entries(settlementFaults)) {
    assert.equal(settlementFaultOf(sentence), trouble);
    assert.equal(settlementFaultOf(`${sentence} (code 95)`), trouble);
  }
});

test('a sentence of another version has no cause', () => {
  assert.equal(settlementFaultOf('the moon is full'), undefined);
});
