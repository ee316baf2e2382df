import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { SetAside } from '../../../src/payment/events/answer.ts';
import type { ClosedOrderRequery } from '../../../src/methods/wallet/closed-order-requery.ts';
import { readStory } from '../../../src/operator/story.ts';
import { setAside, waitingOnes } from '../../../src/operator/waiting.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { TransactionLists } from '../../../src/payment/terminal/transaction-lists.ts';
import { printParts } from '../../pos/api/served.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';
import { settled } from '../../support/manual-clock.ts';
import { lookingAt } from './looking.ts';
import { assertClean, begun, durable, ending, enquired } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { isSilent } from './scripted-wallet.ts';
import { about, ended, everything, rules, Stage, timeouts, waits } from './stage.ts';
import { queryLagMs } from './stage-methods.ts';

/**
 * The request of a refund or void is held on the network. Until it arrives, its host answers that it has no such order,
 * to every enquiry and to every attempt to end it.
 */

const QR = acquirerId('QR');
const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
/** Longer than the operator has to wait before deciding. */
const longMs = 30 * 60_000;

let stage: Stage;
let look: ClosedOrderRequery;
let failures: unknown[];
let original: TransactionRecord;
let settlements: number;
beforeEach(async () => {
  failures = [];
  settlements = 0;
  stage = new Stage(undefined, everything);
  look = lookingAt(stage, failures);
  original = await sells('M-0');
  stage.wallet.calls.length = 0;
});
afterEach(async () => {
  await look.close();
  stage.close();
  assert.deepEqual([failures, stage.failures], [[], []]);
});

async function sells(messageId: string): Promise<TransactionRecord> {
  const { answer } = await begun(stage, 'QR_SCAN', messageId);
  stage.scanner.read(codes.ALIPAY);
  await settled();
  return ended(await answer);
}

/** Asks for a refund or void whose request is held, and waits until the POS has its answer. */
async function held(type: 'REFUND' | 'VOID_SALE', minor = 3000n): Promise<TransactionRecord> {
  stage.wallet.onRefund = () => isSilent;
  const answer = stage.terminal.pay(about(type, 'M-1', original, hkd(minor)));
  await settled();
  await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs);
  await stage.clock.advance(timeouts.reversalWaitMs);
  const record = ended(await answer);
  stage.wallet.onRefund = ({ tradeNo }) => ({ state: 'paid', outcome: stage.wallet.approvalOf(tradeNo) });
  return record;
}

function takesNothingBack(): void {
  stage.wallet.onReverseRefund = () => ({ closes: false });
}

async function refused(type: 'REFUND' | 'VOID_SALE', messageId: string, minor = 3000n): Promise<string> {
  const answer = await stage.terminal.pay(about(type, messageId, original, hkd(minor)));
  if (answer.kind === 'refused') return answer.refusal.reason;
  return `${ending(ended(answer))} ${ended(answer).conclusion?.reason ?? ''}`;
}

async function enquiry(messageId = 'M-1') {
  const answer = await stage.terminal.enquire('POS-1', messageId);
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  const { responseResult, financialImpact, reason, retryable } = posResponse(answer.record, printParts, answer);
  return { responseResult, financialImpact, reason, retryable };
}

const unknownYet = {
  responseResult: 'UNKNOWN',
  financialImpact: 'UNKNOWN',
  reason: 'refundUnknown',
  retryable: 'ENQUIRE',
};

const waitingParts = () => ({
  journal: stage.journal,
  acquirers: [...stage.acquirers.acquirers.keys()],
  isUnsendable: () => false,
});

async function decides(outcome: SetAside['outcome']) {
  const { id } = durable(stage);
  const { takesBatch } = stage.terminal.room;
  const done = await setAside(id, outcome, { ...waitingParts(), takesBatch, decide: decidesAtOnce });
  return 'refused' in done ? done.refused : 'done';
}

async function settle() {
  const messageId = `S-${(settlements += 1)}`;
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: QR });
  const [last] = answer.kind === 'ended' ? (answer.settlement.results ?? []).toReversed() : [];
  return last ?? assert.fail('nothing was settled');
}

async function restarts(): Promise<void> {
  await look.close();
  await stage.forwarder.close();
  await stage.restart();
  look = lookingAt(stage, failures);
}

/** Enquiry, repeat, list and the story of the operator's menu agree about it. */
async function assertInBatch(number: number): Promise<void> {
  const { terminal, journal, acquirers, profiles } = stage;
  const enquired = await terminal.enquire('POS-1', 'M-1');
  const repeated = await terminal.pay(about('REFUND', 'M-1', original, hkd(1000n)));
  const lists = new TransactionLists({ journal, acquirers: acquirers.acquirers, terminal, turns: new ReadingTurns() });
  const page = await lists.page({ order: 'newest', limit: 10, acquirerId: QR, batch: number });
  const listed = page === 'busy' ? [] : page.items;
  const batches = [enquired, repeated, ...listed].map((each) =>
    each.kind === 'ended'
      ? Object(posResponse(each.record, printParts, each))['transactionResult']['batch']
      : each.kind,
  );
  assert.deepEqual(batches, [number, number, number]);
  const story = await readStory(durable(stage).id, { journal, profiles, rules });
  assert.equal(Number(story?.batch), number);
}

async function matters() {
  const answer = await stage.terminal.enquire('POS-1', 'M-1');
  return answer.kind === 'ended' ? (answer.record.matters ?? []).map(({ kind, state }) => `${kind} ${state}`) : [];
}

for (const type of ['REFUND', 'VOID_SALE'] as const) {
  describe(`a ${type} that is held on the network`, () => {
    test('is unknown however often its host has no such order, and is found when it arrives', async () => {
      takesNothingBack();
      assert.equal(ending(await held(type)), 'UNKNOWN UNKNOWN');
      await stage.clock.advance(longMs);
      assert.deepEqual(await enquiry(), unknownYet);
      stage.wallet.refundArrives();
      await stage.clock.advance(60_000);
      assert.equal(await enquired(stage), 'SUCCESS');
      assertClean(stage);
    });

    test('that its host would take back is not taken back when it arrives', async () => {
      await held(type);
      await stage.clock.advance(longMs);
      stage.wallet.refundArrives();
      await stage.clock.advance(2 * queryLagMs);
      assert.equal(await enquired(stage), 'SUCCESS');
      assert.equal(stage.wallet.books.get(`${durable(stage).id}-2`)?.state, 'paid');
      assertClean(stage);
    });

    test('is over when its host answers that it has ended its number', async () => {
      stage.wallet.onReverseRefund = () => ({ closes: false, outcome: { kind: 'closed' } });
      assert.equal(ending(await held(type)), 'ERROR NONE');
      assertClean(stage);
    });

    test('holds up no other payment, even while its host is silent about it', async () => {
      const { id } = await held(type);
      assert.equal(ending(await sells('M-2')), 'SUCCESS');
      stage.wallet.onEnquire = ({ tradeNo }) => (tradeNo.startsWith(id) ? { kind: 'unknown' } : undefined);
      await stage.clock.advance(longMs);
      assert.equal(ending(await sells('M-3')), 'SUCCESS');
      assert.deepEqual(await enquiry(), unknownYet);
    });

    test('stays unknown after a restart, and holds up no other payment', async () => {
      takesNothingBack();
      await held(type);
      await restarts();
      await stage.clock.advance(60_000);
      assert.equal(ending(await sells('M-2')), 'SUCCESS');
      assert.deepEqual(await enquiry(), unknownYet);
      stage.wallet.refundArrives();
      await stage.clock.advance(2 * queryLagMs);
      assert.equal(await enquired(stage), 'SUCCESS');
    });

    test('is asked for with growing pauses', async () => {
      await held(type);
      await stage.clock.advance(longMs);
      const asked = () => stage.wallet.calls.filter(({ call }) => call === 'reverseRefund').length;
      const before = asked();
      await stage.clock.advance(10 * 60_000);
      assert.equal(asked() - before, 10);
    });

    test('is in the operator’s list; decided as posted, it counts', async () => {
      await held(type);
      assert.equal(await decides('POSTED'), 'tooEarly');
      assert.deepEqual(
        (await waitingOnes(waitingParts())).map(({ id }) => id),
        [durable(stage).id],
      );
      await stage.clock.advance(longMs);
      assert.equal(await decides('POSTED'), 'done');
      assert.equal((await enquiry()).reason, 'confirmedPosted');
    });

    test('that arrives after the operator entered it as not posted is found at the settlement, and counts', async () => {
      takesNothingBack();
      await held(type);
      await stage.clock.advance(longMs);
      assert.equal(await decides('NOT_POSTED'), 'done');
      await stage.clock.advance(10 * 60_000);
      assert.equal((await enquiry()).reason, 'confirmedNotPosted');
      stage.wallet.refundArrives();
      const batch = await settle();
      assert.equal(batch.result, 'BALANCED', batch.reason);
      assert.equal(await enquired(stage), 'SUCCESS');
      assert.deepEqual(await matters(), ['countedLate open']);
      const count = type === 'REFUND' ? 1 : 0;
      assert.equal(batch.totals.find(({ kind }) => kind === 'REFUND')?.count ?? 0, count);
      assert.equal(batch.totals.find(({ kind }) => kind === 'SALE')?.count ?? 0, count);
    });
  });
}

describe('while a refund is unknown', () => {
  test('no more than the rest is refunded, and the sale can’t be voided', async () => {
    await held('REFUND', 1000n);
    assert.match(await refused('REFUND', 'M-2', 2001n), /originalAwaitsHost/);
    assert.match(await refused('VOID_SALE', 'M-3'), /originalAwaitsHost/);
    assert.match(await refused('REFUND', 'M-4', 1500n), /SUCCESS/);
    assert.match(await refused('REFUND', 'M-5', 501n), /originalAwaitsHost/);
    assert.match(await refused('REFUND', 'M-6', 500n), /SUCCESS/);
    assert.equal(stage.wallet.calls.filter(({ call }) => call === 'refund').length, 3);
  });

  test('its batch is settled without it; it counts in the batch that is open when it is found', async () => {
    takesNothingBack();
    await held('REFUND', 1000n);
    const without = await settle();
    assert.equal(without.result, 'BALANCED', without.reason);
    assert.deepEqual(without.unresolved, [{ kind: 'REFUND', currency: 'HKD', count: 1, totalMinor: '1000' }]);
    assert.equal(without.totals.length, 1);
    stage.wallet.refundArrives();
    await stage.clock.advance(queryLagMs);
    const batch = await settle();
    assert.deepEqual(batch.totals, [{ kind: 'REFUND', currency: 'HKD', count: 1, totalMinor: '1000' }]);
    assert.equal(batch.result, 'BALANCED', batch.reason);
    assert.equal(batch.unresolved, undefined);
    assert.equal(await enquired(stage), 'SUCCESS');
    await assertInBatch(batch.batch);
  });
});

test('while a void is unknown, the batch of its sale waits for the operator', async () => {
  takesNothingBack();
  await held('VOID_SALE');
  assert.match(await refused('REFUND', 'M-2', 1n), /originalAwaitsHost/);
  assert.match(await refused('VOID_SALE', 'M-3'), /originalAwaitsHost/);
  const waiting = await settle();
  assert.equal(waiting.result, 'FAILED');
  assert.match(waiting.reason ?? '', /has no known outcome: ask the bank, then decide in the operator’s menu/);
  stage.wallet.refundArrives();
  await stage.clock.advance(queryLagMs);
  const batch = await settle();
  assert.equal(batch.result, 'BALANCED', batch.reason);
  assert.equal(await enquired(stage), 'SUCCESS');
  assert.deepEqual(batch.totals, []);
});
