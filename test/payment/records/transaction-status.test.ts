import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presentStatus, transactionStatus } from '../../../src/payment/records/transaction-status.ts';
import { named, tree } from './trees.ts';

const untouched = {
  voided: false,
  completed: false,
  adjusted: false,
  total: { minor: 3000n, currency: 'HKD' },
  tipMinor: 0n,
  refundedMinor: 0n,
};
const ineffective = ['declined', 'reversed', 'unfinished', 'unknown'] as const;

test('nothing came later', () => {
  assert.deepEqual(transactionStatus(tree('SALE')), untouched);
  assert.equal(transactionStatus(tree('SALE', { minor: 3300n, tipMinor: 300n })).tipMinor, 300n);
});

for (const end of ineffective) {
  test(`what is ${end} counts for nothing`, () => {
    const later = (['VOID_SALE', 'TIP_ADJUST', 'REFUND'] as const).map((kind) => tree(kind, { end, minor: 1n }));
    assert.deepEqual(transactionStatus(tree('SALE', { later })), untouched);
    assert.deepEqual(transactionStatus(tree('AUTH', { later: [tree('AUTH_COMP', { end })] })), untouched);
    assert.equal(presentStatus(tree('SALE', { later })), 'APPROVED');
  });

  test(`a void that is ${end} leaves refund and completion standing`, () => {
    const refund = tree('REFUND', { minor: 100n, later: [tree('VOID_REFUND', { end, minor: 100n })] });
    assert.equal(transactionStatus(tree('SALE', { later: [refund] })).refundedMinor, 100n);
    const completion = tree('AUTH_COMP', { later: [tree('VOID_AUTH_COMP', { end })] });
    assert.equal(transactionStatus(tree('AUTH', { later: [completion] })).completed, true);
  });
}

test('a voided refund gives its amount back, the others stay', () => {
  const voided = tree('REFUND', { minor: 700n, later: [tree('VOID_REFUND', { minor: 700n })] });
  const later = [tree('REFUND', { minor: 100n }), voided, tree('REFUND', { minor: 20n })];
  assert.equal(transactionStatus(tree('SALE', { later })).refundedMinor, 120n);
  assert.equal(presentStatus(tree('SALE', { later })), 'PARTIALLY_REFUNDED');
  assert.equal(presentStatus(tree('SALE', { later: [voided] })), 'APPROVED');
});

test('a voided completion gives the hold back, a second one takes it again', () => {
  const voided = tree('AUTH_COMP', { later: [tree('VOID_AUTH_COMP')] });
  assert.equal(transactionStatus(tree('AUTH', { later: [voided] })).completed, false);
  assert.equal(transactionStatus(tree('AUTH', { later: [voided, tree('AUTH_COMP')] })).completed, true);
});

test('an authorization is COMPLETED by either kind, and RELEASED by its void', () => {
  const capture = tree('OFFLINE_SALE', { originalId: named('AUTH-1') });
  const voided = tree('OFFLINE_SALE', { originalId: named('AUTH-1'), later: [tree('VOID_OFFLINE')] });
  assert.equal(transactionStatus(tree('AUTH', { later: [capture] })).completed, true);
  assert.equal(presentStatus(tree('AUTH')), 'APPROVED');
  assert.equal(presentStatus(tree('AUTH', { later: [capture] })), 'COMPLETED');
  assert.equal(presentStatus(tree('AUTH', { later: [tree('AUTH_COMP')] })), 'COMPLETED');
  assert.equal(presentStatus(tree('AUTH', { later: [voided] })), 'APPROVED');
  assert.equal(presentStatus(tree('AUTH', { later: [voided, tree('VOID_AUTH')] })), 'RELEASED');
  for (const end of ineffective) {
    assert.equal(presentStatus(tree('AUTH', { later: [tree('VOID_AUTH', { end })] })), 'APPROVED');
  }
});

test('an adjusted tip is the total, whatever failed after it', () => {
  const adjusted = tree('TIP_ADJUST', { minor: 3300n, tipMinor: 300n });
  const failed = tree('TIP_ADJUST', { minor: 3500n, tipMinor: 500n, end: 'declined' });
  const sale = tree('SALE', { minor: 3100n, tipMinor: 100n, later: [adjusted, failed] });
  const { total, tipMinor, adjusted: isAdjusted } = transactionStatus(sale);
  assert.deepEqual([total.minor, tipMinor, isAdjusted], [3300n, 300n, true]);
  assert.equal(presentStatus(sale), 'ADJUSTED');
});

test('the status of an enquiry: the last word wins', () => {
  const adjusted = tree('TIP_ADJUST', { minor: 3300n, tipMinor: 300n });
  const refund = tree('REFUND', { minor: 1n });
  assert.equal(presentStatus(tree('SALE')), 'APPROVED');
  assert.equal(presentStatus(tree('SALE', { end: 'declined' })), 'DECLINED');
  assert.equal(presentStatus(tree('SALE', { end: 'unfinished' })), 'ERROR');
  assert.equal(presentStatus(tree('SALE', { end: 'reversed' })), 'REVERSED');
  assert.equal(presentStatus(tree('SALE', { later: [adjusted, refund] })), 'PARTIALLY_REFUNDED');
  // All that was authorized, and not the tip.
  const authorized = tree('REFUND', { minor: 3000n });
  assert.equal(presentStatus(tree('SALE', { later: [adjusted, authorized] })), 'PARTIALLY_REFUNDED');
  const tip = tree('REFUND', { minor: 300n });
  assert.equal(presentStatus(tree('SALE', { later: [adjusted, authorized, tip] })), 'REFUNDED');
  assert.equal(presentStatus(tree('SALE', { later: [adjusted, tree('VOID_SALE', { minor: 3300n })] })), 'VOIDED');
});

test('what was unknown counts from when it is known', () => {
  const refund = (end: 'unknown' | 'resolved') =>
    tree('REFUND', { minor: 700n, later: [tree('VOID_REFUND', { end })] });
  assert.equal(transactionStatus(tree('SALE', { later: [refund('unknown')] })).refundedMinor, 700n);
  assert.equal(transactionStatus(tree('SALE', { later: [refund('resolved')] })).refundedMinor, 0n);
  assert.equal(presentStatus(tree('SALE', { end: 'unknown' })), 'ERROR');
  assert.equal(presentStatus(tree('SALE', { end: 'resolved' })), 'APPROVED');
  assert.equal(
    presentStatus(tree('SALE', { end: 'resolved', later: [tree('REFUND', { minor: 1n })] })),
    'PARTIALLY_REFUNDED',
  );
});
