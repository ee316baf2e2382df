import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { presentStatus, transactionStatus } from '../../../src/payment/records/transaction-status.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, ending, enquired, kindsOf } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { isDown, type PayScript, paysAndIsSilent } from './scripted-wallet.ts';
import { about, ended, everything, Stage, timeouts, waits } from './stage.ts';

let stage: Stage;
let original: TransactionRecord;
beforeEach(async () => {
  stage = new Stage(undefined, everything);
  const { answer } = await begun(stage, 'QR_SCAN', 'M-0');
  stage.scanner.read(codes.ALIPAY);
  original = ended(await answer);
  stage.wallet.calls.length = 0;
});
afterEach(() => stage.close());

const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
const calls = () => stage.wallet.calls.map(({ call }) => call);
const treeOf = async ({ id }: TransactionRecord) => (await stage.terminal.recall(id)) ?? assert.fail('gone');
const statusOf = async (record: TransactionRecord) => presentStatus(await treeOf(record));

function refusal(answer: PayAnswer): string {
  return answer.kind === 'refused' ? `${answer.refusal.result} ${answer.refusal.pointer}` : assert.fail(answer.kind);
}

/** Waits as long as an unknown answer is enquired, and the queue is given its chance. */
async function outwaited(answer: Promise<PayAnswer>): Promise<TransactionRecord> {
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
  await stage.clock.advance(timeouts.reversalWaitMs);
  return ended(await answer);
}

describe('a refund', () => {
  test('names the original by the host’s number, and needs no customer', async () => {
    const record = ended(await stage.terminal.pay(about('REFUND', 'M-1', original)));
    assert.equal(ending(record), 'SUCCESS');
    const [refund] = stage.wallet.calls;
    assert.partialDeepStrictEqual(refund, {
      call: 'refund',
      order: {
        tradeNo: `${record.id}-2`,
        amount: { minor: 3000n, currency: 'HKD' },
        originalNumber: `2026-${original.id}-1`,
      },
    });
    assert.equal(stage.trace.count('scanner: armed'), 1);
    assert.equal(stage.trace.count('reader: armed'), 0);
    assert.ok(stage.trace.events.lastIndexOf('commit: intent') < stage.trace.at('QR: refund'));
    assert.equal(await statusOf(original), 'REFUNDED');
    assertClean(stage);
  });

  test('in parts: each is an order of its own, and what is over the rest is refused', async () => {
    for (const [messageId, minor] of [
      ['M-1', 1000n],
      ['M-2', 1500n],
    ] as const) {
      const record = ended(await stage.terminal.pay(about('REFUND', messageId, original, hkd(minor))));
      assert.equal(ending(record), 'SUCCESS');
    }
    assert.equal(transactionStatus(await treeOf(original)).refundedMinor, 2500n);
    const over = await stage.terminal.pay(about('REFUND', 'M-3', original, hkd(501n)));
    assert.equal(refusal(over), 'INVALID_PARAMETER /requestAmount');
    assert.equal(calls().filter((call) => call === 'refund').length, 2, 'the host is not asked');
    assert.equal(ending(ended(await stage.terminal.pay(about('REFUND', 'M-4', original, hkd(500n))))), 'SUCCESS');
    const more = await stage.terminal.pay(about('REFUND', 'M-5', original, hkd(1n)));
    assert.equal(refusal(more), 'INVALID_PARAMETER /requestAmount');
    const numbers = stage.wallet.calls.map(({ order }) => order.tradeNo);
    assert.equal(new Set(numbers).size, numbers.length);
  });

  test('is possible after the batch of its sale was settled; a void is not', async () => {
    const settling = { posId: 'POS-1', messageId: 'S-1', digest: 's' };
    assert.equal((await stage.terminal.settle(settling)).kind, 'ended');
    const voiding = await stage.terminal.pay(about('VOID_SALE', 'M-1', original));
    assert.equal(refusal(voiding), 'INVALID_TRANSACTION_STATUS /originalTerminalTransactionId');
    assert.equal(ending(ended(await stage.terminal.pay(about('REFUND', 'M-2', original)))), 'SUCCESS');
  });
});

describe('a void of a sale', () => {
  test('gives everything back, and can’t follow a refund or another void', async () => {
    const record = ended(await stage.terminal.pay(about('VOID', 'M-1', original)));
    assert.equal(ending(record), 'SUCCESS');
    assert.equal(record.request.type, 'VOID_SALE');
    assert.deepEqual(calls(), ['refund']);
    assert.equal(stage.wallet.books.get(`${original.id}-1`)?.state, 'refunded');
    assert.equal(await statusOf(original), 'VOIDED');
    const again = await stage.terminal.pay(about('VOID', 'M-2', original));
    assert.equal(refusal(again), 'TRANSACTION_ALREADY_CANCEL /originalTerminalTransactionId');
    const refund = await stage.terminal.pay(about('REFUND', 'M-3', original));
    assert.equal(refusal(refund), 'TRANSACTION_ALREADY_CANCEL /originalTerminalTransactionId');
    assertClean(stage);
  });

  test('of a sale that was refunded in part is refused, and so is one of a part', async () => {
    const part = await stage.terminal.pay(about('VOID', 'M-1', original, hkd(1000n)));
    assert.equal(refusal(part), 'INVALID_PARAMETER /requestAmount');
    await stage.terminal.pay(about('REFUND', 'M-2', original, hkd(1n)));
    const after = await stage.terminal.pay(about('VOID', 'M-3', original));
    assert.equal(refusal(after), 'INVALID_TRANSACTION_STATUS /originalTerminalTransactionId');
  });
});

for (const type of ['REFUND', 'VOID_SALE'] as const) {
  describe(`a ${type}`, () => {
    const asked = (messageId = 'M-1') => stage.terminal.pay(about(type, messageId, original));
    const declined: PayScript = {
      state: 'declined',
      outcome: { kind: 'declined', reason: 'declined', responseCode: '1269' },
    };

    for (const [what, script, reported] of [
      ['is declined', declined, 'DECLINED NONE'],
      ['is not sent', isDown, 'ERROR NONE'],
      ['is done and not answered: the enquiry tells', paysAndIsSilent, 'SUCCESS'],
      ['is declined and not answered', { ...paysAndIsSilent, state: 'declined' }, 'DECLINED NONE'],
    ] as const satisfies (readonly [string, PayScript, string])[]) {
      test(`that ${what}: ${reported}`, async () => {
        stage.wallet.onRefund = () => script;
        const answer = asked();
        const record = await outwaited(answer);
        assert.equal(ending(record), reported);
        const stands = reported === 'SUCCESS';
        assert.equal(await statusOf(original), stands ? (type === 'REFUND' ? 'REFUNDED' : 'VOIDED') : 'APPROVED');
        assertClean(stage);
      });
    }

    test('that the host is processing is waited for', async () => {
      stage.wallet.onRefund = () => ({ state: 'waiting', outcome: { kind: 'waiting', responseCode: '1145' } });
      const answer = asked();
      await settled();
      await stage.clock.advance(waits.walletPollMs);
      assert.ok(stage.wallet.paid());
      await stage.clock.advance(waits.walletPollMs);
      assert.equal(ending(ended(await answer)), 'SUCCESS');
    });

    test('of which the host says nothing: unknown, and done when the host tells of it', async () => {
      stage.wallet.onRefund = () => paysAndIsSilent;
      stage.wallet.onEnquire = () => ({ kind: 'unknown' });
      const record = await outwaited(asked());
      assert.equal(ending(record), 'UNKNOWN UNKNOWN');
      assert.equal(ending(ended(await asked('M-2'))), 'ERROR NONE', 'nothing goes before it');
      stage.wallet.onEnquire = () => undefined;
      await stage.clock.advance(60_000);
      assert.equal(await enquired(stage), 'SUCCESS');
      assert.equal(calls().filter((call) => call === 'reverseRefund').length, 0);
      assert.equal(stage.wallet.books.get(`${record.id}-2`)?.state, 'paid');
      assertClean(stage);
      assert.equal(await statusOf(original), type === 'REFUND' ? 'REFUNDED' : 'VOIDED');
    });

    test('that can’t be taken back, and is cut off by a restart, holds up nothing', async () => {
      stage.wallet.onRefund = () => paysAndIsSilent;
      stage.wallet.onEnquire = () => ({ kind: 'unknown' });
      stage.wallet.onReverseRefund = () => ({ closes: false, outcome: { kind: 'refused', responseCode: '1264' } });
      void asked();
      await stage.trace.seen('QR: refund');
      await stage.restart();
      assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
      stage.wallet.onEnquire = () => undefined;
      await stage.clock.advance(60_000);
      assert.equal(await enquired(stage), 'SUCCESS');
      assertClean(stage);
    });

    test('can’t be cancelled', async () => {
      const held = Promise.withResolvers<void>();
      stage.wallet.onAnswer = () => held.promise;
      const answer = asked();
      await stage.trace.seen('QR: refund');
      assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-1'), { kind: 'tooLate', state: 'authorizing' });
      held.resolve();
      assert.equal(ending(ended(await answer)), 'SUCCESS');
    });
  });
}

describe('a void of a refund', () => {
  let refund: TransactionRecord;
  beforeEach(async () => {
    refund = ended(await stage.terminal.pay(about('REFUND', 'R-1', original, hkd(1000n))));
    stage.wallet.calls.length = 0;
  });
  const asked = (messageId = 'M-1') => stage.terminal.pay(about('VOID_REFUND', messageId, refund));

  test('takes the refund’s own order back, and the sale has its rest again', async () => {
    const record = ended(await asked());
    assert.equal(ending(record), 'SUCCESS');
    assert.partialDeepStrictEqual(stage.wallet.calls, [
      { call: 'reverseRefund', order: { tradeNo: `${refund.id}-2`, amount: { minor: 1000n, currency: 'HKD' } } },
    ]);
    assert.equal(transactionStatus(await treeOf(original)).refundedMinor, 0n);
    assert.equal(await statusOf(refund), 'VOIDED');
    assert.equal(ending(ended(await stage.terminal.pay(about('REFUND', 'M-2', original)))), 'SUCCESS');
  });

  test('whose intent may be on disk is not told as failed: it is carried out once the disk is well', async () => {
    stage.journal.misreport = (_call, operation) => operation === 'intend';
    stage.journal.fault = (_call, operation) => operation === 'append';
    const answer = await asked();
    assert.equal(ending(ended(answer)), 'UNKNOWN UNKNOWN');
    stage.journal.misreport = () => false;
    stage.journal.fault = () => false;
    await stage.clock.advance(10_000);
    assert.equal(ending(ended(await asked())), 'SUCCESS');
    assert.equal(await statusOf(refund), 'VOIDED');
  });

  test('that the host refuses is declined, and the refund stands', async () => {
    stage.wallet.onReverseRefund = () => ({ closes: false, outcome: { kind: 'refused', responseCode: '1264' } });
    assert.equal(ending(ended(await asked())), 'DECLINED NONE');
    assert.equal(transactionStatus(await treeOf(original)).refundedMinor, 1000n);
    assertClean(stage);
  });

  /** Not answered, and not at the first try of the queue either. */
  async function unanswered(closes: boolean): Promise<void> {
    stage.wallet.onReverseRefund = () => ({ closes, outcome: { kind: 'unanswered' } });
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    const record = ended(await asked());
    assert.equal(ending(record), 'UNKNOWN UNKNOWN');
    assert.match(record.conclusion?.message ?? '', /enquire/);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    stage.wallet.onEnquire = () => undefined;
  }

  test('that is not answered is told as UNKNOWN; that it was done is found out, and the enquiry tells it', async () => {
    await unanswered(true);
    stage.wallet.onReverseRefund = () => ({ closes: false });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    assert.equal(kindsOf(stage).at(-1), 'resolved');
    assert.equal(transactionStatus(await treeOf(original)).refundedMinor, 0n);
    assertClean(stage);
  });

  test('that is not answered and was not done is asked for again, under the same order', async () => {
    await unanswered(false);
    stage.wallet.onReverseRefund = () => ({ closes: true });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    const orders = stage.wallet.calls.filter(({ call }) => call === 'reverseRefund').map(({ order }) => order.tradeNo);
    assert.ok(orders.length >= 2);
    assert.equal(new Set(orders).size, 1);
    assertClean(stage);
  });

  test('that is not answered, and is refused afterwards: declined, the refund stands', async () => {
    await unanswered(false);
    stage.wallet.onReverseRefund = () => ({ closes: false, outcome: { kind: 'refused', responseCode: '1264' } });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'DECLINED NONE');
    assert.equal(transactionStatus(await treeOf(original)).refundedMinor, 1000n);
    assertClean(stage);
  });

  test('stays UNKNOWN while the host is silent', async () => {
    await unanswered(false);
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    await stage.clock.advance(10 * 60_000);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    assert.equal(transactionStatus(await treeOf(original)).refundedMinor, 1000n, 'nothing of it counts');
  });

  test('that was carried out and can’t be written: UNKNOWN, no reversal, and the outcome is found later', async () => {
    stage.wallet.onReverseRefund = () => {
      stage.journal.fault = (_call, operation) => operation === 'append';
      return { closes: true };
    };
    const answer = asked();
    await settled();
    await stage.clock.advance(timeouts.reversalWaitMs);
    const record = ended(await answer);
    assert.equal(ending(record), 'UNKNOWN UNKNOWN');
    assert.doesNotMatch(record.conclusion?.message ?? '', /reversed/);
    stage.journal.fault = () => false;
    stage.wallet.onReverseRefund = () => ({ closes: false });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    assertClean(stage);
  });

  test('killed at the host: UNKNOWN after the restart, then the outcome is found', async () => {
    stage.wallet.onAnswer = (call) => (call === 'reverseRefund' ? new Promise(() => undefined) : undefined);
    void asked();
    await stage.trace.seen('QR: reverseRefund');
    stage.wallet.onAnswer = () => undefined;
    stage.wallet.onReverseRefund = () => ({ closes: false, outcome: { kind: 'unanswered' } });
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    await stage.restart();
    await settled();
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    stage.wallet.onEnquire = () => undefined;
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    assertClean(stage);
  });

  test('whose outcome is found while it is being answered: the found outcome stands', async () => {
    const found = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    stage.wallet.onReverseRefund = () => ({ closes: true, outcome: { kind: 'unanswered' } });
    stage.wallet.onEnquire = async () => {
      await found.promise;
      return undefined;
    };
    const answer = asked();
    await settled();
    // The journal's answer to the last look before the end is on its way when the queue writes what it has found.
    stage.journal.replies.set('read', read.promise);
    await stage.clock.advance(timeouts.reversalWaitMs);
    stage.journal.replies.delete('read');
    found.resolve();
    await settled();
    read.resolve();
    const reported = ended(await answer);
    assert.equal(ending(reported), 'SUCCESS');
    assert.equal(await enquired(stage), 'SUCCESS');
    assertClean(stage);
  });
});
