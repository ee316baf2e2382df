import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { WalletFinding } from '../../../src/payment/contracts/wallet-host.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, enquired } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { paysAndIsSilent } from './scripted-wallet.ts';
import { about, ended, everything, Stage, timeouts, waits } from './stage.ts';

/**
 * A refund was carried out, its answer is lost, and the terminal ends it because the query shows nothing of it yet. The
 * query lags: it still shows the refund when its host has long ended it.
 */

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

const retriesMs = 10 * 60_000;
const endings = () => stage.wallet.calls.filter(({ call }) => call === 'reverseRefund');
const shown = (tradeNo: string): WalletFinding => stage.wallet.approvalOf(tradeNo);

/** `query`: what it shows of the refund. The host carries its ending out, and its first answer is lost. */
async function refundEnded(query: (tradeNo: string) => WalletFinding): Promise<void> {
  const { answer } = await begun(stage, 'QR_SCAN');
  stage.scanner.read(codes.ALIPAY);
  const sale = ended(await answer);
  stage.wallet.onRefund = () => paysAndIsSilent;
  stage.wallet.onEnquire = ({ tradeNo }) => query(tradeNo);
  stage.wallet.onReverseRefund = () =>
    endings().length === 1 ? { closes: true, outcome: { kind: 'unanswered' } } : { closes: true };
  const refund = stage.terminal.pay(about('REFUND', 'M-2', sale));
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
  await stage.clock.advance(timeouts.reversalWaitMs);
  await refund;
}

async function assertNotGivenBack(): Promise<void> {
  await stage.clock.advance(retriesMs);
  assert.ok(endings().length >= 2, 'its ending is asked for until it is answered');
  assert.equal(stage.wallet.books.get(endings()[0]?.order.tradeNo ?? '')?.state, 'closed');
  assert.equal(await enquired(stage, 'M-2'), 'ERROR NONE');
  assertClean(stage);
}

test('a refund that the query shows right after its ending was not answered is not told as done', async () => {
  await refundEnded((tradeNo) => (endings().length === 0 ? { kind: 'notFound' } : shown(tradeNo)));
  await assertNotGivenBack();
});

test('a refund that an earlier attempt has ended is not told as done, though the query shows it at the next', async () => {
  let looks = 0;
  await refundEnded((tradeNo) => {
    if (endings().length > 0) looks += 1;
    return looks < 2 ? { kind: 'notFound' } : shown(tradeNo);
  });
  await assertNotGivenBack();
  assert.ok(looks >= 2);
});
