import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId, type TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { noteReason } from '../../support/reported-reasons.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { Merchants } from '../../../src/payment/transaction/merchants.ts';
import { isPlanRefusal, planPayment } from '../../../src/payment/transaction/plan.ts';
import type { PaymentTerms } from '../../../src/payment/transaction/terminal-capabilities.ts';
import { terminalCapabilitiesOf } from './terminal-capabilities.ts';

const [EDC, CUP, CASH] = [acquirerId('EDC'), acquirerId('CUP'), acquirerId('CASH')];
const profiles: readonly AcquirerProfile[] = [
  { id: EDC, brands: ['VISA', 'MASTER'] },
  { id: CUP, brands: ['VISA', 'UNIONPAY'] },
  { id: CASH, brands: ['CASH'] },
];
const merchants: Merchants = {
  all: [
    { id: 'tea', name: 'Harbour Tea House' },
    { id: 'books', name: 'Harbour Books' },
    { id: 'empty', name: 'Without an acquirer' },
  ],
  ofAcquirer: new Map([
    [EDC, 'tea'],
    [CUP, 'books'],
  ]),
};
const sale: PaymentTerms = { type: 'SALE', amount: { minor: 3000n, currency: 'HKD' } };

function plan(terms: Partial<PaymentTerms>, own: Merchants | undefined = merchants) {
  const capabilities = terminalCapabilitiesOf(profiles, { scanner: false, pinPad: false });
  const planned = planPayment({ ...sale, ...terms }, own ? { ...capabilities, merchants: own } : capabilities);
  if (!isPlanRefusal(planned)) return planned.takers.map(({ id }) => id);
  noteReason(planned.reason);
  return { pointer: planned.pointer, reason: planned.reason, message: planned.message };
}

test('only the acquirers of the named merchant, and those of none, may take a payment', () => {
  assert.deepEqual(plan({ merchantId: 'tea' }), [EDC, CASH]);
  assert.deepEqual(plan({ merchantId: 'books' }), [CUP, CASH]);
});

test('the default is the first; without merchants every acquirer may take it', () => {
  assert.deepEqual(plan({}), [EDC, CASH]);
  assert.deepEqual(plan({}, { all: [], ofAcquirer: new Map() }), [EDC, CUP, CASH]);
});

test('a merchant that is not there, on a terminal with some and on one without', () => {
  const some = { pointer: '/merchantId', reason: 'merchantUnknown', message: 'this terminal has tea, books, empty' };
  assert.deepEqual(plan({ merchantId: 'shoes' }), some);
  const none = { pointer: '/merchantId', reason: 'merchantUnknown', message: 'this terminal has no merchants' };
  assert.deepEqual(plan({ merchantId: 'tea' }, { all: [], ofAcquirer: new Map() }), none);
});

test('an acquirer, or an instrument, of another merchant is refused', () => {
  const forced = plan({ merchantId: 'tea', forcedAcquirer: CUP });
  assert.deepEqual(forced, {
    pointer: '/forceAcquirer',
    reason: 'acquirerUnknown',
    message: 'its merchant has EDC, CASH',
  });
  const preferred = plan({ merchantId: 'tea', preferredInstrument: 'UNIONPAY' });
  assert.partialDeepStrictEqual(preferred, { pointer: '/preferredInstrument' });
});

test('a merchant without an acquirer takes what all share', () => {
  assert.deepEqual(plan({ merchantId: 'empty' }), [CASH]);
  assert.partialDeepStrictEqual(plan({ merchantId: 'empty', preferredInstrument: 'CARD' }), {
    reason: 'instrumentNotTaken',
  });
});

test('a request by reference is left to its original, whose acquirer may be another merchant’s', () => {
  const originalId = '01M850XWYMZ8HNEYCK3PDV79HV' as TerminalTransactionId;
  assert.deepEqual(plan({ type: 'VOID', originalId, merchantId: 'books' }), []);
  assert.deepEqual(plan({ type: 'REFUND', originalId }), []);
});
