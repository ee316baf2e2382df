import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilities, methodGroup, offeredKinds } from '../../../src/base/domain/capability.ts';
import { cardBrands, paymentSchemes, methodGroups } from '../../../src/base/domain/payment-scheme.ts';
import {
  originalKinds,
  presentsCard,
  type TransactionKind,
  voidOf,
  transactionTypes,
} from '../../../src/base/domain/transaction-kind.ts';

/** Payments and voids of each method, as the interface's own table counts them. */
const counts = {
  CARD: [5, 3],
  UNIONPAY: [5, 4],
  QR: [2, 2],
  OCTOPUS: [1, 0],
  EPS: [1, 0],
  CASH: [1, 0],
} as const;

for (const group of methodGroups) {
  test(`${group}: ${counts[group].join(' payments and ')} voids, each named once`, () => {
    const kinds = capabilities[group];
    const voids = kinds.filter((kind) => kind.startsWith('VOID_'));
    assert.deepEqual([kinds.length - voids.length, voids.length], counts[group]);
    assert.equal(new Set(kinds).size, kinds.length);
    for (const kind of kinds) assert.ok(transactionTypes.includes(kind));
  });
}

test('every void that a method offers takes back something that it offers', () => {
  for (const group of methodGroups) {
    const kinds = capabilities[group];
    for (const kind of kinds.filter((each) => each.startsWith('VOID_'))) {
      assert.ok(
        originalKinds(kind).some((original) => kinds.includes(original)),
        `${group} ${kind}`,
      );
    }
  }
});

test('every payment method belongs to one of the six', () => {
  assert.equal(methodGroups.length, 6);
  for (const method of paymentSchemes) assert.ok(methodGroups.includes(methodGroup(method)));
  assert.deepEqual(new Set(paymentSchemes.map(methodGroup)), new Set(methodGroups));
  assert.equal(methodGroup('UNIONPAY'), 'UNIONPAY');
});

test('a void names the kind that it takes back, and no other', () => {
  for (const kind of ['SALE', 'AUTH', 'OFFLINE_SALE', 'AUTH_COMP', 'REFUND'] as const) {
    const voiding = voidOf(kind) ?? assert.fail(kind);
    assert.match(voiding, new RegExp(`^VOID_${kind === 'OFFLINE_SALE' ? 'OFFLINE' : kind}$`));
    assert.deepEqual(originalKinds(voiding), [kind]);
    assert.equal(voidOf(voiding), undefined, 'a void is never voided');
  }
  assert.equal(voidOf('TIP_ADJUST'), undefined);
  assert.deepEqual(originalKinds('SALE'), []);
  assert.deepEqual(originalKinds('AUTH'), []);
});

test('a card is presented for what starts with the customer, and for nothing that names an original alone', () => {
  const presenting = transactionTypes.filter(presentsCard);
  assert.deepEqual(presenting, ['SALE', 'AUTH', 'OFFLINE_SALE', 'REFUND']);
});

test('an acquirer takes away and never adds; several together offer what one of them does', () => {
  const brands = [...cardBrands];
  const kinds = (...lists: (readonly TransactionKind[] | undefined)[]) =>
    offeredKinds(
      'VISA',
      lists.map((each) => ({ brands, kinds: each })),
    );
  assert.deepEqual(kinds(undefined), capabilities.CARD);
  assert.deepEqual(kinds(['AUTH_COMP', 'SALE']), ['SALE']);
  assert.deepEqual(kinds(['REFUND'], ['SALE']), ['SALE', 'REFUND']);
  assert.deepEqual(kinds([]), []);
  assert.deepEqual(kinds(), []);
  assert.deepEqual(offeredKinds('VISA', [{ brands: ['UNIONPAY'] }]), []);
  assert.deepEqual(offeredKinds('CASH', [{ brands }]), []);
});
