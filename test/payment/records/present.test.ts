import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presentOf } from '../../../src/payment/records/present.ts';
import { named, tree } from './trees.ts';

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' });
const refund = (minor: bigint, fields: object = {}) => tree('REFUND', { minor, ...fields });

test('what nothing has changed has neither amount', () => {
  assert.deepEqual(presentOf(tree('SALE')), { status: 'APPROVED' });
  for (const end of ['declined', 'reversed', 'unfinished', 'unknown'] as const)
    assert.deepEqual(presentOf(tree('SALE', { later: [refund(100n, { end })] })), { status: 'APPROVED' }, end);
});

test('refunds add up to the whole, and a voided one is taken off', () => {
  const voided = refund(700n, { later: [tree('VOID_REFUND', { minor: 700n })] });
  const parts = [refund(100n), voided, refund(20n)];
  assert.deepEqual(presentOf(tree('SALE', { later: parts })), { status: 'PARTIALLY_REFUNDED', refunded: hkd(120n) });
  const whole = [...parts, refund(2880n)];
  assert.deepEqual(presentOf(tree('SALE', { later: whole })), { status: 'REFUNDED', refunded: hkd(3000n) });
  assert.deepEqual(presentOf(tree('SALE', { later: [voided] })), { status: 'APPROVED' });
});

test('an adjusted tip is in the final amount, also once that is refunded; a void leaves neither', () => {
  const adjusted = tree('TIP_ADJUST', { minor: 3300n, tipMinor: 300n });
  assert.deepEqual(presentOf(tree('SALE', { later: [adjusted] })), { status: 'ADJUSTED', final: hkd(3300n) });
  assert.deepEqual(presentOf(tree('SALE', { later: [adjusted, refund(3000n)] })), {
    status: 'PARTIALLY_REFUNDED',
    final: hkd(3300n),
    refunded: hkd(3000n),
  });
  const later = [adjusted, tree('VOID_SALE', { minor: 3300n })];
  assert.deepEqual(presentOf(tree('SALE', { later })), { status: 'VOIDED' });
});

test('an authorization has what its completion took, and the completion what was refunded of it', () => {
  for (const [kind, more] of [
    ['AUTH_COMP', {}],
    ['OFFLINE_SALE', { originalId: named('AUTH-1') }],
  ] as const) {
    const completion = tree(kind, { minor: 2500n, later: [refund(500n)], ...more });
    assert.deepEqual(presentOf(tree('AUTH', { later: [completion] })), { status: 'COMPLETED', final: hkd(2500n) });
    assert.deepEqual(presentOf(completion), { status: 'PARTIALLY_REFUNDED', refunded: hkd(500n) });
  }
  const voided = tree('AUTH_COMP', { minor: 2500n, later: [tree('VOID_AUTH_COMP', { minor: 2500n })] });
  assert.deepEqual(presentOf(tree('AUTH', { later: [voided] })), { status: 'APPROVED' });
});
