import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { OctopusDeduction } from '../../../src/base/ports/octopus-reader.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, durable, ending, enquired, kindsOf } from './method-stage.ts';
import {
  deducts,
  deductsAndGoesAway,
  type DeductionScript,
  goesAway,
  octopusCard,
  staysIncomplete,
} from './scripted-octopus.ts';
import { ended, everything, Stage, timeouts, waits } from './stage.ts';

let stage: Stage;
let settlements: number;
beforeEach(() => {
  stage = new Stage(undefined, everything);
  settlements = 0;
});
afterEach(() => stage.close());

const started = (messageId = 'M-1') => begun(stage, 'OCTOPUS', messageId);

/** A sale whose card is at the reader. */
async function tapped(messageId = 'M-1', card = octopusCard) {
  const sale = await started(messageId);
  stage.octopus.tap(card);
  await settled();
  return sale;
}

/** The reader answers these, one after the other, and the last one from then on. */
function answers(...scripts: readonly DeductionScript[]): void {
  const rest = [...scripts];
  stage.octopus.onDeduct = () => (rest.length > 1 ? rest.shift() : rest[0]) ?? assert.fail('no answer');
}

const says = (outcome: OctopusDeduction): DeductionScript => ({ outcome });

async function batchTotals() {
  const settling = { posId: 'POS-1', messageId: `S-${(settlements += 1)}`, digest: 's' };
  const answer = await stage.terminal.settle(settling);
  assert.ok(answer.kind === 'ended');
  return answer.settlement.results?.find(({ acquirerId }) => acquirerId === 'OCTOPUS')?.totals;
}

const sold = [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3000' }];

describe('a card', () => {
  test('with enough on it: deducted once, its intent durable before, the answer before anybody hears', async () => {
    const record = ended(await (await tapped()).answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(
      stage.trace.events.filter((event) => /^commit|octopus: deduct|screen: approved/.test(event)),
      ['commit: accepted', 'commit: intent', 'octopus: deduct', 'commit: answered+ended', 'screen: approved'],
    );
    assert.deepEqual(stage.octopus.deductions, [
      { amountMinor: 3000n, cardId: octopusCard.cardId, reference: `${record.id}-1`, deviceId: 'first' },
    ]);
    assert.partialDeepStrictEqual(record, {
      intent: { acquirerId: 'OCTOPUS', octopus: { maskedNumber: '****5678' } },
      hostOutcome: { kind: 'approved', rrn: 'R-1', balanceMinor: '47000' },
    });
    assert.equal(stage.views.findLast(({ scene }) => scene === 'approved')?.balance, '470.00');
    assert.equal(stage.octopus.deducted, 1);
    assert.deepEqual(await batchTotals(), sold);
    assertClean(stage);
  });

  test('its number is nowhere but at the reader', async () => {
    await (await tapped()).answer;
    const kept = JSON.stringify(stage.journal.store.read(durable(stage).id)) + JSON.stringify(stage.views);
    assert.ok(!kept.includes(octopusCard.cardId));
  });

  test('with too little on it: declined, and the balance is told', async () => {
    answers(says({ kind: 'insufficient', code: 100_048, balanceMinor: 1_250n }));
    const record = ended(await (await tapped()).answer);
    assert.equal(ending(record), 'DECLINED NONE');
    assert.match(record.conclusion?.message ?? '', /insufficient value/);
    assert.partialDeepStrictEqual(record.hostOutcome, { kind: 'declined', balanceMinor: '1250' });
    const view = stage.views.findLast(({ scene }) => scene === 'declined');
    assert.partialDeepStrictEqual(view, { reported: { happened: 'noValue', money: 'charge-NONE' }, balance: '12.50' });
    assert.equal(stage.octopus.deducted, 0);
    assertClean(stage);
  });

  test('that the operator refuses: declined with its code', async () => {
    answers(says({ kind: 'refused', reason: 'cardUnusable', code: 100_019 }));
    const record = ended(await (await tapped()).answer);
    assert.equal(ending(record), 'DECLINED NONE');
    assert.match(record.conclusion?.message ?? '', /100019/);
    assertClean(stage);
  });

  test('that is refused before anything is deducted: nobody was asked', async () => {
    const { answer } = await started();
    stage.octopus.wait.answer({ kind: 'refused', reason: 'cardUnusable', code: 100_024 });
    const { conclusion } = ended(await answer);
    assert.match(conclusion?.message ?? '', /100024/);
    assert.equal(conclusion?.hostCode, '100024');
    assert.deepEqual(stage.octopus.deductions, []);
    assertClean(stage);
  });

  test('that can’t be read is tapped again', async () => {
    const { answer } = await started();
    stage.octopus.wait.answer({ kind: 'tryAgain', code: 100_016 });
    await stage.trace.seen('octopus: armed', 2);
    await settled();
    assert.equal(stage.views.at(-1)?.hint, 'presentAgain');
    stage.octopus.tap();
    assert.equal(ending(ended(await answer)), 'SUCCESS');
  });

  for (const [what, outcome] of [
    ['is gone before anything is deducted', { kind: 'tryAgain', code: 100_032 }],
    ['was changed for another between the two', { kind: 'otherCard' }],
  ] as const) {
    test(`that ${what}: withdrawn, and the next one pays under a reference of its own`, async () => {
      answers(says(outcome), deducts);
      const { answer } = await tapped();
      await stage.trace.seen('octopus: armed', 2);
      await settled();
      assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'withdrawn']);
      stage.octopus.tap({ cardId: '87654321', balanceMinor: 9_000n });
      const record = ended(await answer);
      assert.equal(ending(record), 'SUCCESS');
      assert.deepEqual(
        stage.octopus.deductions.map(({ cardId, reference }) => [cardId, reference]),
        [
          ['12345678', `${record.id}-1`],
          ['87654321', `${record.id}-2`],
        ],
      );
      assert.equal(stage.octopus.deducted, 1);
      assertClean(stage);
    });
  }

  test('that is said to be unreadable after its value was taken: found, and not deducted again', async () => {
    for (const [messageId, code] of [
      ['M-1', 100_016],
      ['M-2', 100_017],
      ['M-3', 100_034],
    ] as const) {
      const taken = stage.octopus.deducted;
      answers({ state: 'deducted', outcome: { kind: 'tryAgain', code } }, deducts);
      assert.equal(ending(ended(await (await tapped(messageId)).answer)), 'SUCCESS');
      assert.equal(stage.octopus.deducted, taken + 1);
    }
    assertClean(stage);
  });

  test('that is said to be unreadable while the reader knows no more: it is waited for, and nothing else is taken', async () => {
    answers({ state: 'incomplete', outcome: { kind: 'tryAgain', code: 100_034 } }, deducts);
    const { answer } = await tapped();
    assert.equal(stage.views.at(-1)?.hint, 'sameOctopusCard');
    await stage.clock.advance(waits.octopusRetryMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.octopus.deducted, 1);
    assertClean(stage);
  });

  test('that is gone, and then the merchant takes cash: nothing is deducted', async () => {
    answers(says({ kind: 'tryAgain', code: 100_032 }));
    const { answer } = await tapped();
    await stage.trace.seen('octopus: armed', 2);
    stage.act({ kind: 'choose', mode: 'CASH' });
    await stage.trace.seen('screen: tenderCash');
    await settled();
    stage.act({ kind: 'tender', amount: '30' });
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.ok(record.intent && 'cash' in record.intent);
    assert.equal(stage.octopus.deducted, 0);
    assertClean(stage);
  });

  test('is waited for until the time is over, and the reader is disarmed then', async () => {
    const { answer } = await started();
    stage.octopus.wait.holdsDisarm = true;
    const cancelling = stage.terminal.cancel('POS-1', 'M-1');
    await settled();
    assert.equal(stage.terminal.running?.state, 'collecting');
    stage.octopus.wait.confirmDisarm();
    assert.equal((await cancelling).kind, 'cancelled');
    await answer;
    stage.octopus.wait.holdsDisarm = false;
    const next = await started('M-2');
    await stage.clock.advance(timeouts.collectMs);
    assert.equal(ending(ended(await next.answer)), 'TIMEOUT NONE');
    assertClean(stage);
  });

  test('at a reader that fails: an error, nothing deducted', async () => {
    const { answer } = await started();
    stage.octopus.wait.fail(new DeviceError('vanished', 'the agent is gone'));
    const record = ended(await answer);
    assert.equal(ending(record), 'ERROR NONE');
    assert.match(record.conclusion?.message ?? '', /Octopus reader failed \(vanished\)/);
    assertClean(stage);
  });
});

describe('100022: the deduction is incomplete', () => {
  test('the same card is asked for, and completes it once', async () => {
    answers(staysIncomplete, staysIncomplete, deducts);
    const { answer } = await tapped();
    assert.partialDeepStrictEqual(stage.views.at(-1), { scene: 'tapOctopus', hint: 'sameOctopusCard' });
    await stage.clock.advance(2 * waits.octopusRetryMs);
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    const asked = stage.octopus.deductions.map(({ cardId, reference }) => `${cardId} ${reference}`);
    assert.deepEqual([...new Set(asked)], [`12345678 ${record.id}-1`]);
    assert.equal(stage.octopus.deducted, 1);
    assert.equal(stage.trace.count('octopus: armed'), 1, 'no other card is looked for');
    assertClean(stage);
  });

  test('another card and an empty reader meanwhile change nothing', async () => {
    answers(
      staysIncomplete,
      says({ kind: 'otherCard' }),
      says({ kind: 'tryAgain', code: 100_020 }),
      says({ kind: 'otherCard' }),
      staysIncomplete,
      deducts,
    );
    const { answer } = await tapped();
    for (let tries = 0; tries < 4; tries++) {
      await stage.clock.advance(waits.octopusRetryMs);
      assert.equal(stage.views.at(-1)?.hint, 'sameOctopusCard');
      assert.deepEqual(kindsOf(stage), ['accepted', 'intent'], 'it is not taken for nothing');
    }
    await stage.clock.advance(waits.octopusRetryMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.octopus.deducted, 1);
    assertClean(stage);
  });

  test('a cancel is too late, from the POS and from the merchant', async () => {
    answers(staysIncomplete);
    const { answer } = await tapped();
    assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-1'), { kind: 'tooLate', state: 'authorizing' });
    assert.notEqual(stage.views.at(-1)?.cancellable, true);
    stage.act({ kind: 'cancel' });
    stage.act({ kind: 'choose', mode: 'CASH' });
    await settled();
    assert.equal(stage.views.at(-1)?.hint, 'sameOctopusCard');
    answers(deducts);
    await stage.clock.advance(waits.octopusRetryMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
  });

  test('and the card has too little after all, or is refused: that is the end of it', async () => {
    for (const [messageId, outcome, reported] of [
      ['M-1', { kind: 'insufficient', code: 100_048, balanceMinor: 10n }, 'DECLINED NONE'],
      ['M-2', { kind: 'refused', reason: 'cardUnusable', code: 100_021 }, 'DECLINED NONE'],
    ] as const) {
      answers(staysIncomplete, says(outcome));
      const { answer } = await tapped(messageId);
      stage.octopus.books.clear();
      await stage.clock.advance(waits.octopusRetryMs);
      assert.equal(ending(ended(await answer)), reported);
      assertClean(stage);
    }
  });

  test('and a refusal of the same card, while the reader has it on its books, ends nothing', async () => {
    answers(staysIncomplete, says({ kind: 'refused', reason: 'cardUnusable', code: 100_021 }), deducts);
    const { answer } = await tapped();
    await stage.clock.advance(waits.octopusRetryMs);
    assert.equal(stage.views.at(-1)?.hint, 'sameOctopusCard');
    await stage.clock.advance(waits.octopusRetryMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.octopus.deducted, 1);
    assertClean(stage);
  });

  /** The card does not come back in time. */
  async function goneForGood(): Promise<void> {
    answers(staysIncomplete);
    const { answer } = await tapped();
    await stage.clock.advance(waits.octopusIncompleteMs + waits.octopusRetryMs);
    await stage.clock.advance(timeouts.reversalWaitMs);
    const record = ended(await answer);
    assert.equal(ending(record), 'UNKNOWN UNKNOWN');
    assert.match(record.conclusion?.message ?? '', /enquire/);
    assert.doesNotMatch(record.conclusion?.message ?? '', /reversed/);
    const reported = { happened: 'octopusLeft', money: 'charge-UNKNOWN', next: 'askBeforePaying' };
    assert.deepEqual(stage.views.findLast(({ scene }) => scene === 'error')?.reported, reported);
    assert.deepEqual(
      stage.journal.store.pending().map(({ acquirerId }) => acquirerId),
      ['OCTOPUS'],
    );
  }

  test('the card never comes back: UNKNOWN, and asked for no more; found deducted later: SUCCESS in the open batch', async () => {
    await goneForGood();
    const asked = stage.octopus.deductions.length;
    await stage.clock.advance(10 * 60_000);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    assert.equal(stage.octopus.deductions.length, asked, 'found out, never deducted again');
    // Its batch is settled without it meanwhile, and holds up nobody.
    assert.deepEqual(await batchTotals(), []);
    stage.octopus.books.set(`${durable(stage).id}-1`, 'deducted');
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    assert.deepEqual(await batchTotals(), sold);
    assert.deepEqual(await batchTotals(), [], 'once');
    assertClean(stage);
  });

  test('found to be none later: ERROR, and no money moved', async () => {
    await goneForGood();
    stage.octopus.books.clear();
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'ERROR NONE');
    assert.equal(stage.octopus.deducted, 0);
    assert.deepEqual(await batchTotals(), []);
    assertClean(stage);
  });

  test('it holds up no other sale, which is another deduction', async () => {
    await goneForGood();
    answers(deducts);
    const { answer } = await tapped('M-2', { cardId: '87654321', balanceMinor: 9_000n });
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.octopus.deducted, 1);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    assert.deepEqual(await batchTotals(), sold);
  });

  test('a sale that was resolved after its batch was settled is in the next one', async () => {
    await goneForGood();
    answers(deducts);
    await (await tapped('M-2')).answer;
    assert.deepEqual(await batchTotals(), sold);
    stage.octopus.books.set(`${durable(stage).id}-1`, 'deducted');
    await stage.clock.advance(60_000);
    assert.deepEqual(await batchTotals(), sold);
  });

  test('the same request again is told the same, and later what was found', async () => {
    await goneForGood();
    const { answer } = await started();
    assert.equal(ending(ended(await answer)), 'UNKNOWN UNKNOWN');
    stage.octopus.books.set(`${durable(stage).id}-1`, 'deducted');
    await stage.clock.advance(60_000);
    assert.equal(ending(ended(await (await started()).answer)), 'SUCCESS');
    assert.equal(stage.octopus.deducted, 1);
  });

  test('found while it is being told: what was found stands', async () => {
    const found = Promise.withResolvers<undefined>();
    answers(staysIncomplete);
    const { answer } = await tapped();
    await stage.clock.advance(waits.octopusIncompleteMs - waits.octopusRetryMs);
    const last = stage.trace.count('octopus: find') + 2;
    // The last look of the sale itself says nothing new; the queue's own takes long.
    stage.octopus.onFind = () => (stage.trace.count('octopus: find') < last ? { kind: 'incomplete' } : found.promise);
    await stage.clock.advance(2 * waits.octopusRetryMs);
    assert.equal(stage.trace.count('octopus: find'), last);
    const read = Promise.withResolvers<void>();
    stage.journal.replies.set('read', read.promise);
    await stage.clock.advance(timeouts.reversalWaitMs);
    stage.journal.replies.delete('read');
    stage.octopus.books.set(`${durable(stage).id}-1`, 'deducted');
    found.resolve(undefined);
    await settled();
    read.resolve();
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(await enquired(stage), 'SUCCESS');
    assertClean(stage);
  });
});

describe('the agent is lost while it deducts', () => {
  test('and has deducted: found, SUCCESS, and deducted once', async () => {
    answers(deductsAndGoesAway);
    const { answer } = await tapped();
    await stage.clock.advance(waits.octopusRetryMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.octopus.deductions.length, 1);
    assert.equal(stage.octopus.deducted, 1);
    assertClean(stage);
  });

  test('and has not: the customer taps again, under another reference', async () => {
    answers(goesAway, deducts);
    const { answer } = await tapped();
    await stage.clock.advance(waits.octopusRetryMs);
    await stage.trace.seen('octopus: armed', 2);
    stage.octopus.tap();
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    const references = stage.octopus.deductions.map(({ reference }) => reference);
    assert.equal(new Set(references).size, 2);
    assert.equal(stage.octopus.deducted, 1);
    assertClean(stage);
  });

  test('and left it incomplete: the same card completes it', async () => {
    answers({ ...staysIncomplete, outcome: { kind: 'unknown' } }, deducts);
    const { answer } = await tapped();
    await stage.clock.advance(2 * waits.octopusRetryMs);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(new Set(stage.octopus.deductions.map(({ reference }) => reference)).size, 1);
    assert.equal(stage.octopus.deducted, 1);
    assertClean(stage);
  });

  test('and says nothing of it any more: the terminal is held no longer than is configured for that', async () => {
    answers(deductsAndGoesAway);
    stage.octopus.onFind = () => ({ kind: 'unanswered' });
    const { answer } = await tapped();
    await stage.clock.advance(waits.octopusSilentMs + waits.octopusRetryMs);
    await stage.clock.advance(timeouts.reversalWaitMs);
    assert.equal(ending(ended(await answer)), 'UNKNOWN UNKNOWN');
  });

  test('and does not come back: UNKNOWN, found out when it does', async () => {
    answers(deductsAndGoesAway);
    stage.octopus.onFind = () => ({ kind: 'unanswered' });
    const { answer } = await tapped();
    await stage.clock.advance(waits.octopusIncompleteMs + waits.octopusRetryMs);
    await stage.clock.advance(timeouts.reversalWaitMs);
    assert.equal(ending(ended(await answer)), 'UNKNOWN UNKNOWN');
    stage.octopus.onFind = () => undefined;
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    assert.deepEqual(await batchTotals(), sold);
    assertClean(stage);
  });
});

test('what the reader said can’t be written: UNKNOWN, no word of a reversal, and found out', async () => {
  const { answer } = await started();
  stage.octopus.onDeduct = () => {
    stage.journal.fault = (_call, operation) => operation === 'append';
    return deducts;
  };
  stage.octopus.tap();
  await settled();
  await stage.clock.advance(timeouts.reversalWaitMs);
  const record = ended(await answer);
  assert.equal(ending(record), 'UNKNOWN UNKNOWN');
  assert.match(record.conclusion?.message ?? '', /enquire/);
  assert.doesNotMatch(record.conclusion?.message ?? '', /reversed/);
  stage.journal.fault = () => false;
  await stage.clock.advance(60_000);
  assert.equal(await enquired(stage), 'SUCCESS');
  assert.equal(stage.octopus.deducted, 1);
  assertClean(stage);
});

test('the journal fails, and has written that nothing was deducted: ERROR, and nothing is left to find out', async () => {
  const { answer } = await started();
  stage.octopus.onDeduct = () => {
    let due = true;
    stage.journal.misreport = (_call, operation) => {
      const fails = due && operation === 'append';
      if (fails) due = false;
      return fails;
    };
    return { outcome: { kind: 'otherCard' } };
  };
  stage.octopus.tap();
  const record = ended(await answer);
  assert.equal(ending(record), 'ERROR NONE');
  assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'withdrawn', 'ended']);
  assert.equal(stage.octopus.deducted, 0);
  assertClean(stage);
});

describe('cut off', () => {
  for (const [what, state, reported] of [
    ['before anything was deducted', undefined, 'ERROR NONE'],
    ['after it was deducted', 'deducted', 'SUCCESS'],
  ] as const) {
    test(`while it deducts, ${what}: the restart finds out: ${reported}`, async () => {
      const reference = Promise.withResolvers<string>();
      stage.octopus.onDeduct = (order) => {
        if (state) stage.octopus.books.set(order.reference, state);
        reference.resolve(order.reference);
        return new Promise(() => undefined);
      };
      await tapped();
      await reference.promise;
      stage.octopus.onFind = () => ({ kind: 'unanswered' });
      await stage.restart();
      await settled();
      assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN', 'it is known of nobody yet');
      stage.octopus.onFind = () => undefined;
      await stage.clock.advance(60_000);
      assert.equal(await enquired(stage), reported);
      assert.equal(stage.octopus.deducted, reported === 'SUCCESS' ? 1 : 0);
      assert.deepEqual(await batchTotals(), reported === 'SUCCESS' ? sold : []);
      assertClean(stage);
    });
  }

  test('while it is incomplete: UNKNOWN for as long as the reader says so', async () => {
    answers(staysIncomplete);
    await tapped();
    await stage.restart();
    await stage.clock.advance(10 * 60_000);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    stage.octopus.books.set(`${durable(stage).id}-1`, 'deducted');
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    assertClean(stage);
  });
});

describe('a reader that is replaced while the outcome of a deduction is unknown', () => {
  /** The first reader has deducted, and its answer is lost; another one takes its place. */
  async function replaced() {
    stage.octopus.onDeduct = () => deductsAndGoesAway;
    stage.octopus.onFind = () => ({ kind: 'unanswered' });
    const { answer } = await tapped();
    await stage.clock.advance(120_000);
    const record = ended(await answer);
    assert.equal(ending(record), 'UNKNOWN UNKNOWN');
    assert.equal(stage.octopus.deducted, 1);
    stage.octopus.books.clear();
    stage.octopus.onFind = () => undefined;
    stage.octopus.become('absent');
    stage.octopus.deviceId = 'second';
    stage.octopus.become('ready');
    await stage.clock.advance(600_000);
  }

  test('proves nothing by having no record: the payment stays unknown until the operator decides', async () => {
    await replaced();
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    assert.equal(stage.journal.store.pending().length, 1);
    assert.ok(!kindsOf(stage).includes('resolved'));
  });

  test('deducts nothing under the reference of the first one', async () => {
    await replaced();
    const before = stage.octopus.deductions.length;
    const { answer } = await tapped('M-2');
    stage.octopus.onDeduct = () => deducts;
    await stage.clock.advance(60_000);
    await answer;
    assert.ok(stage.octopus.deductions.slice(before).every(({ deviceId }) => deviceId === 'second'));
  });
});
