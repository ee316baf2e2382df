import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { ReversalOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { acknowledges, approves, postsAndIsSilent } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const refusal = (responseCode: string): ReversalOutcome => ({ kind: 'refused', responseCode });
const pending = () => stage.journal.store.pending().map(({ id }) => id);
const kinds = (id: TerminalTransactionId) => stage.journal.store.read(id).map(({ event }) => event.kind);
const countOf = (id: TerminalTransactionId, kind: JournalEvent['kind']) =>
  kinds(id).filter((each) => each === kind).length;

/** A sale that the host has posted and not answered, and whose reversal it answers so. */
async function unknown(messageId: string, outcome: ReversalOutcome): Promise<TerminalTransactionId> {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => outcome;
  const paid = stage.paid(sale(messageId));
  await stage.trace.seen('commit: reversalSent');
  const { id } = ended(await paid);
  stage.edc.onRequest = () => approves;
  return id;
}

test('its journal does not grow for ever, and every try after the first is a repeat, after a restart too', async () => {
  const id = await unknown('M-1', refusal('96'));
  await stage.clock.advance(24 * 3_600_000);
  const grown = kinds(id).length;
  assert.equal(countOf(id, 'reversalSent'), 100);
  assert.equal(countOf(id, 'hostRefused'), 1);
  const tried = stage.edc.reversals.length;
  assert.ok(tried > 1_000, `${tried} tries`);
  let turn = 0;
  stage.edc.onReversal = () => refusal((turn += 1) % 2 === 0 ? '91' : '96');
  await stage.restart();
  await stage.clock.advance(24 * 3_600_000);
  assert.ok(stage.edc.reversals.length > tried + 1_000);
  assert.equal(kinds(id).length, grown);
  assert.deepEqual(
    stage.edc.reversals.filter(({ repeat }) => !repeat),
    [{ stan: 1, repeat: false }],
  );
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(60_000);
  assert.deepEqual(pending(), []);
});

test('that changes its code each time: at most two events per try, and a hundred tries', async () => {
  let turn = 0;
  const id = await unknown('M-1', refusal('96'));
  stage.edc.onReversal = () => refusal((turn += 1) % 2 === 0 ? '91' : '96');
  await stage.clock.advance(24 * 3_600_000);
  assert.ok(countOf(id, 'hostRefused') <= 100);
  assert.equal(countOf(id, 'reversalSent'), 100);
});

test('an advice likewise', async () => {
  stage.edc.onAdvice = () => ({ kind: 'refused', reason: 'hostTrouble', responseCode: '96' });
  const { id } = ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
  await stage.clock.advance(24 * 3_600_000);
  assert.deepEqual([countOf(id, 'adviceSent'), countOf(id, 'hostRefused')], [100, 1]);
  assert.equal(stage.edc.advices.filter(({ repeat }) => !repeat).length, 1);
  await stage.restart();
  await stage.clock.advance(60_000);
  assert.equal(stage.edc.advices.filter(({ repeat }) => !repeat).length, 1);
});
