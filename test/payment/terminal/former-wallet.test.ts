import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { presentStatus } from '../../../src/payment/records/transaction-status.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, durable, ending, enquired } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { about, ended, everything, Stage, waits } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

async function sold(messageId: string): Promise<TransactionRecord> {
  const { answer } = await begun(stage, 'QR_SCAN', messageId);
  stage.scanner.read(codes.WECHAT);
  return ended(await answer);
}

async function soldByFps(messageId: string): Promise<TransactionRecord> {
  const { answer } = await begun(stage, 'QR_PRESENT', messageId, { preferredInstrument: 'FPS' });
  stage.wallet.paid();
  await stage.clock.advance(waits.walletPollMs);
  return ended(await answer);
}

/** Starts again with a configuration that has neither WeChat Pay nor FPS. */
function withoutThem(): Promise<void> {
  return stage.restart(() => {
    stage.wallet.scanned = ['ALIPAY'];
    stage.wallet.presented = ['ALIPAY'];
  });
}

function refusal(answer: PayAnswer): string {
  return answer.kind === 'refused' ? answer.refusal.reason : assert.fail(answer.kind);
}

const statusOf = async ({ id }: TransactionRecord) =>
  presentStatus((await stage.terminal.recall(id)) ?? assert.fail('gone'));

describe('a wallet that is not configured any more', () => {
  test('is refunded, that refund is voided, and another sale of it is voided', async () => {
    const [one, other] = [await sold('M-1'), await sold('M-2')];
    await withoutThem();
    const refund = ended(await stage.terminal.pay(about('REFUND', 'M-3', one)));
    assert.deepEqual([ending(refund), await statusOf(one)], ['SUCCESS', 'REFUNDED']);
    const undone = ended(await stage.terminal.pay(about('VOID', 'M-4', refund)));
    assert.deepEqual([ending(undone), await statusOf(one)], ['SUCCESS', 'APPROVED']);
    const voided = ended(await stage.terminal.pay(about('VOID', 'M-5', other)));
    assert.deepEqual([ending(voided), await statusOf(other)], ['SUCCESS', 'VOIDED']);
    assertClean(stage);
  });

  test('is settled with the others, and its sale is still told by its code', async () => {
    const sale = await sold('M-1');
    await withoutThem();
    const answer = await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 's' });
    const { results = [] } = answer.kind === 'ended' ? answer.settlement : assert.fail(answer.kind);
    const [batch] = results.filter(({ acquirerId }) => acquirerId === 'QR');
    assert.deepEqual(
      [batch?.result, batch?.totals.map(({ kind, count }) => [kind, count])],
      ['BALANCED', [['SALE', 1]]],
    );
    const { intent } = durable(stage, 'M-1');
    assert.ok(intent && 'wallet' in intent && intent.wallet.scheme === 'WECHAT');
    assert.equal(await statusOf(sale), 'APPROVED');
  });

  test('killed while its host was silent: what was paid is given back', async () => {
    stage.wallet.onAnswer = (call) => (call === 'pay' ? new Promise(() => undefined) : undefined);
    const { answer } = await begun(stage, 'QR_SCAN', 'M-1');
    answer.catch(() => undefined);
    stage.scanner.read(codes.WECHAT);
    await settled();
    assert.equal(stage.wallet.posted, 1);
    await withoutThem();
    await settled();
    assert.equal(stage.wallet.posted, 0);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
  });

  test('is not taken, and its code is told from what is no wallet’s', async () => {
    await withoutThem();
    const { answer } = await begun(stage, 'QR_SCAN', 'M-1');
    stage.scanner.read(codes.WECHAT);
    const record = ended(await answer);
    assert.deepEqual([ending(record), record.conclusion?.reason], ['DECLINED NONE', 'notAccepted']);
  });
});

describe('FPS gives nothing back, and is refused by that reason', () => {
  for (const kind of ['REFUND', 'VOID', 'VOID_SALE'] as const) {
    for (const isConfigured of [true, false]) {
      test(`${kind}, ${isConfigured ? 'configured' : 'not configured any more'}`, async () => {
        const sale = await soldByFps('M-1');
        if (!isConfigured) await withoutThem();
        stage.wallet.calls.length = 0;
        assert.equal(refusal(await stage.terminal.pay(about(kind, 'M-2', sale))), 'walletGivesNothingBack');
        assert.deepEqual(stage.wallet.calls, [], 'the host is not asked');
        assert.equal(await statusOf(sale), 'APPROVED');
      });
    }
  }
});
