import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { AdviceOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { presentConclusion } from '../../../src/payment/records/present.ts';
import { settled } from '../../support/manual-clock.ts';
import { approves, type HostScript, postsAndIsSilent, takesAdvice } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

/** A host that has this number. */
const has: HostScript = { posted: false, outcome: { kind: 'unknown', reason: 'duplicate', responseCode: '94' } };

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const pending = () => stage.journal.store.pending().map(({ id }) => id);

/** From now on numbers move to 65,537, to 131,073 and so on. */
function movesOn(): void {
  let moves = 0;
  stage.journal.random = {
    bytes: (length) => {
      moves += 1;
      return Uint8Array.from({ length }, (_, at) => (at % 6 === 3 ? moves : 0));
    },
  };
}

describe('a number that the host has, before it has taken one', () => {
  test('is not reversed: told UNKNOWN, held for the operator, and the next payment goes elsewhere', async () => {
    movesOn();
    stage.edc.onRequest = () => has;
    const held = ended(await stage.paid(sale('M-1')));
    await stage.clock.advance(24 * 3_600_000);
    assert.deepEqual(stage.edc.reversals, []);
    assert.equal(held.conclusion?.result, 'UNKNOWN');
    assert.deepEqual(held.hostOutcome, has.outcome);
    assert.equal(financialImpact(held), 'UNKNOWN');
    assert.deepEqual(pending(), [held.id]);
    assert.ok(stage.forwarder.isUnsendable(held.id));
    stage.edc.onRequest = () => approves;
    const next = ended(await stage.paid(sale('M-2')));
    assert.equal(next.conclusion?.result, 'SUCCESS');
    assert.notEqual(next.intent?.trace.stan, (held.intent?.trace.stan ?? 0) + 1);
    assert.equal(next.intent?.trace.batch, held.intent?.trace.batch);
  });

  test('over a restart, until the operator has the bank’s word', async () => {
    movesOn();
    stage.edc.onRequest = () => has;
    const { id } = ended(await stage.paid(sale('M-1')));
    await stage.restart();
    await settled();
    assert.deepEqual(stage.edc.reversals, []);
    assert.ok(stage.forwarder.isUnsendable(id));
    await stage.journal.append(id, [{ kind: 'setAside', outcome: 'NOT_POSTED' }]);
    assert.deepEqual(pending(), []);
    await stage.restart();
    assert.deepEqual(stage.edc.reversals, []);
  });

  test('so is each after a start: an older copy may have been put back', async () => {
    ended(await stage.paid(sale('M-1')));
    await stage.restart();
    stage.edc.onRequest = () => has;
    assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'UNKNOWN');
    assert.deepEqual(stage.edc.reversals, []);
  });

  test('an advice is not taken for posted', async () => {
    movesOn();
    const outcome: AdviceOutcome = { kind: 'refused', reason: 'duplicate', responseCode: '94' };
    stage.edc.onAdvice = () => outcome;
    const { id } = ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
    await stage.clock.advance(3_600_000);
    assert.equal(stage.edc.advices.length, 1);
    assert.deepEqual(stage.journal.store.rejectedAdvices(stage.edc.id), [id]);
    // A line may have carried it twice: only the bank knows whether it is posted.
    const enquired = await stage.terminal.enquire('POS-1', 'M-1');
    assert.ok(enquired.kind === 'ended');
    const { result, message } = presentConclusion(enquired.record);
    assert.deepEqual([result, financialImpact(enquired.record)], ['UNKNOWN', 'UNKNOWN']);
    assert.match(message, /has its number already \(code 94\): the operator must ask/);
  });
});

describe('a number that the host has, after it has taken one', () => {
  test('is this journal’s own: the line carried it twice, and it is reversed', async () => {
    ended(await stage.paid(sale('M-0')));
    stage.edc.onRequest = () => has;
    const { id } = ended(await stage.paid(sale('M-1')));
    await settled();
    assert.deepEqual(pending(), []);
    assert.deepEqual(stage.edc.reversals, [{ stan: 2, repeat: false }]);
    const enquired = await stage.terminal.enquire('POS-1', 'M-1');
    assert.ok(enquired.kind === 'ended' && enquired.record.id === id && enquired.record.reversal === 'acknowledged');
  });

  test('an advice comes again, marked as a repeat', async () => {
    ended(await stage.paid(sale('M-0')));
    let answers = 0;
    const refused: AdviceOutcome = { kind: 'refused', reason: 'duplicate', responseCode: '94' };
    stage.edc.onAdvice = () => ((answers += 1) === 1 ? refused : takesAdvice);
    ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
    await stage.clock.advance(60_000);
    assert.deepEqual(
      stage.edc.advices.map(({ repeat }) => repeat),
      [false, true],
    );
    assert.deepEqual(stage.journal.store.rejectedAdvices(stage.edc.id), []);
  });
});

test('an answer that never came is reversed all the same', async () => {
  stage.edc.onRequest = () => postsAndIsSilent;
  ended(await stage.paid(sale('M-1')));
  await settled();
  assert.deepEqual(pending(), []);
  assert.equal(stage.edc.posted, 0);
});
