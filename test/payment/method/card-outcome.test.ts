import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectingWithout } from '../../../src/methods/card/session.ts';

for (const [reason, hint] of [
  ['collision', 'oneCardOnly'],
  ['card-lost', 'holdCard'],
  ['read-error', 'presentAgain'],
  ['use-chip', 'insertCard'],
  ['use-magstripe', 'swipeCard'],
] as const) {
  test(`the reader says ${reason}: the customer is told what to do, and presents again`, () => {
    assert.deepEqual(collectingWithout({ kind: 'tryAgain', reason }), { kind: 'again', hint });
  });
}

for (const [outcome, result, words] of [
  [{ kind: 'timeout' }, 'TIMEOUT', /time/],
  [{ kind: 'cancelled' }, 'TRANSACTION_ALREADY_CANCEL', /customer/],
  [{ kind: 'refused', reason: 'expired' }, 'DECLINED', /expired/],
] as const) {
  test(`the reader says ${outcome.kind}: collecting is over`, () => {
    const collecting = collectingWithout(outcome);
    assert.ok(collecting.kind === 'ended');
    assert.equal(collecting.conclusion.result, result);
    assert.match(collecting.conclusion.message, words);
  });
}
