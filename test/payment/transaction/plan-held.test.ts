import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { PaymentTerms } from '../../../src/payment/transaction/terminal-capabilities.ts';
import { isPlanRefusal, type Plan, planPayment } from '../../../src/payment/transaction/plan.ts';
import { terminalCapabilitiesOf } from './terminal-capabilities.ts';

const held = 'EDC takes no payments';
const edc: AcquirerProfile = { id: acquirerId('EDC'), brands: ['VISA'], held };
const cup: AcquirerProfile = { id: acquirerId('CUP'), brands: ['UNIONPAY'] };
const cash: AcquirerProfile = { id: acquirerId('CASH'), brands: ['CASH'] };

function planOf(profiles: readonly AcquirerProfile[], more: Partial<PaymentTerms> = {}): Plan {
  const terms: PaymentTerms = { type: 'SALE', amount: { minor: 3000n, currency: 'HKD' }, ...more };
  const plan = planPayment(terms, terminalCapabilitiesOf(profiles, { scanner: true, pinPad: true }));
  assert.ok(!isPlanRefusal(plan));
  return plan;
}
const idsOf = (profiles: readonly AcquirerProfile[] = []) => profiles.map(({ id }) => id as string);

test('an acquirer that is held takes no new payment; others do, and the held ones are known', () => {
  const plan = planOf([edc, cup, cash]);
  assert.deepEqual([idsOf(plan.takers), idsOf(plan.held)], [['CUP', 'CASH'], ['EDC']]);
  assert.equal(plan.collects.notReady, undefined);
});

test('where only it could take the payment, the reason is its own', () => {
  const notReady = { reason: 'acquirerHeld', message: held };
  for (const [profiles, more] of [
    [[edc], {}],
    [[edc, cash], { preferredEntryMode: 'CARD' }],
    [[edc, cup], { forcedAcquirer: edc.id }],
    [[edc, cup, cash], { preferredInstrument: 'VISA', preferredEntryMode: 'CARD' }],
    [[edc, cash], { type: 'AUTH' }],
    [[edc, cash], { type: 'REFUND' }],
  ] as const)
    assert.deepEqual(planOf(profiles, more).collects.notReady, notReady, JSON.stringify(more));
});

test('what refers to an earlier payment goes on', () => {
  const originalId = '01M8D0KFZJEY9223ZM2TQRG2JY' as never;
  for (const type of ['VOID', 'TIP_ADJUST'] as const)
    assert.equal(planOf([edc], { type, originalId }).collects.notReady, undefined);
});
