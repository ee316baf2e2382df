import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Intent } from '../../../src/payment/events/intent.ts';
import { cardIntentOf, entryModeOf, maskedNumberOf, paymentSchemeOf } from '../../../src/payment/records/payment.ts';
import { cash, chip, eps, intent, octopus, wallet } from '../../support/events.ts';

const reported: Readonly<Record<string, readonly [Intent, method: string, entryMode: string, number: string]>> = {
  card: [intent, 'VISA', 'CONTACTLESS', '************0119'],
  chip: [chip, 'VISA', 'CHIP', '************0119'],
  EPS: [eps, 'EPS', 'MAGSTRIPE', '************0119'],
  wallet: [wallet, 'ALIPAY', 'QR_PRESENT', ''],
  Octopus: [octopus, 'OCTOPUS', 'OCTOPUS', '****5678'],
  cash: [cash, 'CASH', 'CASH', ''],
};

for (const [name, [paid, method, entryMode, number]] of Object.entries(reported)) {
  test(`${name}: method, entry mode and masked number`, () => {
    assert.equal(paymentSchemeOf(paid), method);
    assert.equal(entryModeOf(paid), entryMode);
    assert.equal(maskedNumberOf(paid), number);
    assert.equal(cardIntentOf(paid), 'card' in paid ? paid : undefined);
  });
}

test('no intent is no card', () => assert.equal(cardIntentOf(undefined), undefined));
