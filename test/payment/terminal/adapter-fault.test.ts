import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { UnsendableOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, durable, enquired } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { paysAndIsSilent } from './scripted-wallet.ts';
import { everything, Stage, timeouts, waits } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

const patienceMs = waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs;

/** Scanned, and told of. */
async function scanned(messageId: string): Promise<string> {
  const { answer } = await begun(stage, 'QR_SCAN', messageId);
  stage.scanner.read(codes.ALIPAY);
  await settled();
  await stage.clock.advance(patienceMs);
  await answer;
  return enquired(stage, messageId);
}

test('an adapter that can’t express the order: nothing was sent, and the next payment goes', async () => {
  stage.wallet.onPay = () => {
    throw new UnsendableOrder('not an amount of 1 to 11 digits');
  };
  assert.equal(await scanned('M-1'), 'ERROR NONE');
  assert.match(durable(stage).conclusion?.message ?? '', /not sent/);
  stage.wallet.onPresent = () => {
    throw new UnsendableOrder('not an amount of 1 to 11 digits');
  };
  const shown = await begun(stage, 'QR_PRESENT', 'M-2');
  await settled();
  await shown.answer;
  assert.equal(await enquired(stage, 'M-2'), 'ERROR NONE');
  stage.wallet.onPay = ({ tradeNo }) => ({ ...paysAndIsSilent, outcome: stage.wallet.approvalOf(tradeNo) });
  assert.match(await scanned('M-3'), /^SUCCESS/);
  assertClean(stage);
});

test('an adapter that fails in another way may have sent it: unknown, and reversed', async () => {
  stage.wallet.onPay = ({ tradeNo }) => {
    stage.wallet.books.set(tradeNo, { number: `2026-${tradeNo}`, state: 'paid' });
    throw new TypeError('x is not a function');
  };
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  assert.equal(await scanned('M-1'), 'ERROR REVERSAL_PENDING');
  stage.wallet.onEnquire = () => undefined;
  await stage.clock.advance(10 * 60_000);
  assert.equal(await enquired(stage), 'ERROR REVERSED');
  assert.equal(stage.posted, 0);
  assertClean(stage);
});

for (const [what, error] of [
  ['that makes no request', new UnsendableOrder('not an amount')],
  ['that the adapter fails at', new TypeError('x is not a function')],
] as const) {
  test(`an order in the queue ${what} holds up no other for ever`, async () => {
    stage.wallet.onPay = () => paysAndIsSilent;
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    assert.equal(await scanned('M-1'), 'ERROR REVERSAL_PENDING');
    const stuck = durable(stage).id;
    stage.wallet.onEnquire = ({ tradeNo }) => {
      if (tradeNo.startsWith(stuck)) throw error;
      return undefined;
    };
    await stage.clock.advance(60 * 60_000);
    stage.wallet.onPay = ({ tradeNo }) => ({ ...paysAndIsSilent, outcome: stage.wallet.approvalOf(tradeNo) });
    assert.match(await scanned('M-2'), /^SUCCESS/);
    assert.equal(await enquired(stage), 'ERROR REVERSAL_PENDING', 'it waits for the operator');
    assert.ok(stage.forwarder.isUnsendable(stuck));
  });
}
