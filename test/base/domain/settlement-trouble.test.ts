import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settlementTroubleOf, settlementTroubles } from '../../../src/base/domain/settlement-trouble.ts';

test('each cause is found by its sentence, whatever follows, and by no other', () => {
  for (const [trouble, sentence] of Object.entries(settlementTroubles)) {
    assert.equal(settlementTroubleOf(sentence), trouble);
    assert.equal(settlementTroubleOf(`${sentence} (code 95)`), trouble);
  }
});

test('a sentence of another version has no cause', () => {
  assert.equal(settlementTroubleOf('the moon is full'), undefined);
});
