import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { WalletClosing, WalletFinding } from '../../../src/payment/contracts/wallet-host.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, enquired } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { paysAndIsSilent } from './scripted-wallet.ts';
import { about, ended, everything, Stage, timeouts, waits } from './stage.ts';
import { queryLagMs } from './stage-methods.ts';

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
const lost = { closes: true, outcome: { kind: 'unanswered' } } as const;
const unsure = { kind: 'unanswered', request: 'arrived' } as const;
const bookOf = () => stage.wallet.books.get(endings()[0]?.order.tradeNo ?? '')?.state;
const refundId = (): TerminalTransactionId => {
  const [id = ''] = stage.wallet.calls.findLast(({ call }) => call === 'refund')?.order.tradeNo.split('-') ?? [];
  return id as TerminalTransactionId;
};
const bookOfRefund = () => stage.wallet.books.get(`${refundId()}-2`)?.state;
const shown = (tradeNo: string): WalletFinding => stage.wallet.approvalOf(tradeNo);

/**
 * `query`: what it shows of the refund. `first`: the answer to the first attempt to end it, and whether the host has
 * carried that out. It carries later ones out, and answers them.
 */
async function refundEnded(
  query: (tradeNo: string) => WalletFinding | undefined,
  first: { readonly closes: boolean; readonly outcome: WalletClosing } = lost,
): Promise<void> {
  const { answer } = await begun(stage, 'QR_SCAN');
  stage.scanner.read(codes.ALIPAY);
  const sale = ended(await answer);
  stage.wallet.onRefund = () => paysAndIsSilent;
  stage.wallet.onEnquire = ({ tradeNo }) => query(tradeNo);
  stage.wallet.onReverseRefund = () => (endings().length === 1 ? first : { closes: true });
  const refund = stage.terminal.pay(about('REFUND', 'M-2', sale));
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
  await stage.clock.advance(timeouts.reversalWaitMs);
  await refund;
}

async function assertNotGivenBack(): Promise<void> {
  await stage.clock.advance(retriesMs);
  assert.ok(endings().length >= 2, 'its ending is asked for until it is answered');
  assert.equal(bookOf(), 'closed');
  assert.equal(await enquired(stage, 'M-2'), 'ERROR NONE');
  assertClean(stage);
}

test('a refund that the query shows right after its ending was not answered is not told as done', async () => {
  await refundEnded((tradeNo) => (endings().length === 0 ? { kind: 'notFound' } : shown(tradeNo)));
  await assertNotGivenBack();
});

test('a refund that an earlier attempt has ended is not reported as made, though a query still shows it', async () => {
  let looks = 0;
  await refundEnded((tradeNo) => {
    if (endings().length > 0) looks += 1;
    return looks < 2 ? { kind: 'notFound' } : shown(tradeNo);
  });
  await assertNotGivenBack();
  assert.ok(looks >= 2);
});

async function message(): Promise<string> {
  const answer = await stage.terminal.enquire('POS-1', 'M-2');
  return answer.kind === 'ended' ? (answer.record.conclusion?.message ?? '') : assert.fail(answer.kind);
}

const emptyAtFirst = (tradeNo: string) => (endings().length === 0 ? { kind: 'notFound' as const } : shown(tradeNo));

test('a refund that was shown as made before its host ended it: the message says that it was taken back', async () => {
  await refundEnded(emptyAtFirst);
  await assertNotGivenBack();
  assert.match(await message(), /was made, and its host has taken it back/);
});

test('a refund that was never shown as made: the message does not say whether it was carried out', async () => {
  await refundEnded(() => ({ kind: 'notFound' }));
  await stage.clock.advance(retriesMs);
  assert.equal(await enquired(stage, 'M-2'), 'ERROR NONE');
  assert.match(await message(), /does not stand: its host has ended it/);
});

const withoutEffect: readonly (readonly [string, WalletClosing])[] = [
  ['that there is no such order', { kind: 'noSuchOrder', responseCode: '1268' }],
  ['that it has no such order, soon after it was sent', unsure],
  ['that there is nothing to end', { kind: 'notOperational', responseCode: '1136' }],
];

for (const [answer, outcome] of withoutEffect) {
  test(`a refund whose ending was answered ${answer} stands once an enquiry newer than that shows it`, async () => {
    await refundEnded((tradeNo) => (endings().length === 0 ? { kind: 'notFound' } : shown(tradeNo)), {
      closes: false,
      outcome,
    });
    assert.equal(await enquired(stage, 'M-2'), 'UNKNOWN UNKNOWN');
    await stage.clock.advance(2 * queryLagMs);
    assert.equal(await enquired(stage, 'M-2'), 'SUCCESS');
    assert.equal(endings().length, 1, 'a refund that is shown is not ended');
    assert.equal(bookOf(), 'paid');
    assertClean(stage);
  });
}

test('a refund whose ending was carried out, and answered without a decision, is not reported as made', async () => {
  let endedMs = 0;
  await refundEnded(
    (tradeNo) => {
      if (endings().length === 0) return { kind: 'notFound' };
      endedMs ||= stage.clock.elapsedMs();
      return stage.clock.elapsedMs() - endedMs < queryLagMs ? shown(tradeNo) : undefined;
    },
    { closes: true, outcome: unsure },
  );
  await stage.clock.advance(retriesMs);
  assert.equal(await enquired(stage, 'M-2'), 'ERROR NONE');
  assert.equal(bookOf(), 'closed');
  assertClean(stage);
});

test('a refund whose ending was not sent stands as soon as it is shown', async () => {
  await refundEnded(emptyAtFirst, { closes: false, outcome: { kind: 'unanswered', request: 'notSent' } });
  await stage.clock.advance(queryLagMs / 2);
  assert.equal(await enquired(stage, 'M-2'), 'SUCCESS');
  assert.equal(endings().length, 1);
  assertClean(stage);
});

test('a refund whose ending was not answered is not reported as made, however old that attempt is', async () => {
  await refundEnded((tradeNo) => (endings().length === 0 ? { kind: 'notFound' } : shown(tradeNo)), {
    closes: false,
    outcome: { kind: 'unanswered' },
  });
  await assertNotGivenBack();
});

async function restarts(): Promise<void> {
  await stage.forwarder.close();
  await stage.restart();
}

test('after a restart, an attempt to end the refund may be in flight: it is reversed, and the message says so', async () => {
  await refundEnded(emptyAtFirst, { closes: false, outcome: { kind: 'unanswered' } });
  await restarts();
  await assertNotGivenBack();
  assert.match(await message(), /taken it back/);
});

test('after a restart, a refund whose attempts have only enquired stands as soon as it is shown', async () => {
  let isShown = false;
  await refundEnded((tradeNo) => (isShown ? shown(tradeNo) : { kind: 'unknown' }));
  await stage.clock.advance(retriesMs);
  isShown = true;
  await restarts();
  await stage.clock.advance(waits.walletPollMs);
  assert.equal(await enquired(stage, 'M-2'), 'SUCCESS');
  assert.equal(endings().length, 0, 'it is not ended');
  assert.equal(bookOfRefund(), 'paid');
  assertClean(stage);
});

for (const [answer, outcome] of withoutEffect) {
  test(`after a restart, a refund whose ending was answered ${answer} stands once it is shown`, async () => {
    await refundEnded(emptyAtFirst, { closes: false, outcome });
    await restarts();
    assert.equal(await enquired(stage, 'M-2'), 'UNKNOWN UNKNOWN', 'the enquiry lags');
    await stage.clock.advance(2 * queryLagMs);
    assert.equal(await enquired(stage, 'M-2'), 'SUCCESS');
    assert.equal(endings().length, 1, 'a refund that is shown is not ended');
    assertClean(stage);
  });
}

test('after a restart, a refund that was ended, with an answer that does not say so, is not reported as made', async () => {
  let endedMs = 0;
  await refundEnded(
    (tradeNo) => {
      if (endings().length === 0) return { kind: 'notFound' };
      endedMs ||= stage.clock.elapsedMs();
      return stage.clock.elapsedMs() - endedMs < queryLagMs ? shown(tradeNo) : undefined;
    },
    { closes: true, outcome: unsure },
  );
  await restarts();
  await stage.clock.advance(retriesMs);
  assert.equal(await enquired(stage, 'M-2'), 'ERROR NONE');
  assert.equal(bookOf(), 'closed');
});

test('after a restart, an attempt that an earlier version has journalled may be on its way', async () => {
  let isShown = false;
  await refundEnded((tradeNo) => (isShown ? shown(tradeNo) : { kind: 'unknown' }), { closes: true, outcome: unsure });
  await stage.forwarder.close();
  await stage.journal.append(refundId(), [{ kind: 'reversalSent', attempt: 2 }]);
  isShown = true;
  await stage.restart();
  await stage.clock.advance(retriesMs);
  assert.equal(await enquired(stage, 'M-2'), 'ERROR NONE');
  assert.equal(bookOf(), 'closed');
});

test('the journal has each attempt to end the refund before it is sent', async () => {
  const counts: number[] = [];
  await refundEnded(() => ({ kind: 'notFound' }), { closes: false, outcome: { kind: 'unanswered' } });
  const events = await stage.journal.read(refundId());
  for (const { event } of events) if (event.kind === 'reversalSent') counts.push(event.isEnquiry ? 0 : 1);
  assert.deepEqual(counts.slice(0, 2), [0, 1]);
});
