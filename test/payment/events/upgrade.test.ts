import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedReason } from '../../../src/main/composition/recorded-reasons.ts';
import type { Conclusion } from '../../../src/payment/events/conclusion.ts';
import { upgradeEvent } from '../../../src/payment/events/format.ts';

const at = '2026-11-21T09:30:00.000Z';

/** The reason of an end that an older version wrote in words alone. */
function reasonOf(result: Conclusion['result'], message: string, code = 1): string | undefined {
  const outcome = result === 'SUCCESS' ? 'approved' : 'error';
  const { event } = upgradeEvent({ at, event: { kind: 'ended', outcome, result, code, message } }, recordedReason);
  return event.kind === 'ended' ? event.reason : undefined;
}

test('an end that an older version wrote has the reason that its code or its words tell', () => {
  assert.equal(reasonOf('SUCCESS', ''), undefined);
  assert.equal(reasonOf('DECLINED', 'insufficient funds (host code 51)', 1051), 'insufficientFunds');
  assert.equal(reasonOf('DECLINED', 'do not honour (host code 05)', 1005), 'doNotHonour');
  assert.equal(reasonOf('DECLINED', 'the card can’t be used here'), 'unspecified');
  assert.equal(reasonOf('TIMEOUT', 'the customer did not pay in time'), 'customerTimeout');
  for (const [by, reason] of [
    ['cancelled by the POS', 'cancelledByPos'],
    ['cancelled by the merchant', 'cancelledByMerchant'],
    ['cancelled by the customer', 'cancelledByCustomer'],
    ['the terminal is being restarted: the payment was not taken', 'terminalRestarting'],
  ] as const) {
    assert.equal(reasonOf('TRANSACTION_ALREADY_CANCEL', by), reason);
  }
  assert.equal(reasonOf('ERROR', 'the host did not answer'), 'unspecified');
});

test('an end with its reason is left as it is', () => {
  const event = {
    kind: 'ended',
    outcome: 'error',
    result: 'ERROR',
    code: 2,
    message: 'the payment was not sent to the host (host-down)',
    reason: 'hostDown',
  } as const;
  assert.deepEqual(upgradeEvent({ at, event }, recordedReason), { at, event });
});
