import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { openMenu } from './stage-menu.ts';
import { settled } from '../support/manual-clock.ts';
import { ended, sale, Stage } from '../payment/terminal/stage.ts';

/** The operator’s word beside what runs on the terminal: a real terminal under a real desk. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

async function menuOf(each: Stage) {
  const { menu, session } = await openMenu(each);
  return (transaction: string) => menu.handle({ kind: 'setAside', session, transaction, outcome: 'POSTED' });
}

async function rejectedSale(messageId: string) {
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const record = ended(await stage.paid(sale(messageId, { type: 'OFFLINE_SALE' })));
  await stage.trace.seen('commit: adviceAnswered');
  return record;
}

const settle = (messageId: string) =>
  stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: stage.edc.id });

/** The journal answers the next question of this kind when it is let go. */
function held(operation: 'pending'): () => void {
  const reply = Promise.withResolvers<void>();
  stage.journal.replies.set(operation, reply.promise);
  return reply.resolve;
}

test('what is set aside while a settlement begins is in exactly one settled batch', async () => {
  const aside = await menuOf(stage);
  const { id } = await rejectedSale('M-1');
  ended(await stage.paid(sale('M-2')));
  const answered = Promise.withResolvers<void>();
  stage.edc.onSettlement = () => answered.promise.then(() => ({ kind: 'balanced' }));
  const letGo = held('pending');
  const setAside = aside(id);
  await settled();
  stage.journal.replies.clear();
  const first = settle('S-1');
  await settled();
  letGo();
  await settled();
  answered.resolve();
  assert.equal((await setAside).status, 200);
  const results = [await first, await settle('S-2')].flatMap((answer) =>
    answer.kind === 'ended' ? (answer.settlement.results ?? []) : assert.fail(answer.kind),
  );
  const counted = results.flatMap(({ totals }) => totals).filter(({ kind }) => kind === 'OFFLINE_SALE');
  assert.deepEqual(
    counted.map(({ count }) => count),
    [1],
  );
});

test('a payment that comes meanwhile waits for it, and is not refused', async () => {
  const aside = await menuOf(stage);
  const { id } = await rejectedSale('M-1');
  const letGo = held('pending');
  const setAside = aside(id);
  await settled();
  stage.journal.replies.clear();
  const payment = stage.paid(sale('M-2'));
  await settled();
  assert.equal(stage.trace.count('reader: armed'), 1, 'that of the first');
  letGo();
  assert.equal((await setAside).status, 200);
  assert.equal(ended(await payment).conclusion?.result, 'SUCCESS');
});

test('while something runs it is refused, and nothing is written', async () => {
  const aside = await menuOf(stage);
  const { id } = await rejectedSale('M-1');
  const payment = stage.terminal.pay(sale('M-2'));
  await stage.trace.seen('reader: armed', 2);
  assert.equal((await aside(id)).body['reason'], 'busy');
  stage.reader.present();
  ended(await payment);
  assert.deepEqual(await stage.journal.rejectedAdvices(stage.edc.id), [id]);
  assert.equal((await aside(id)).status, 200);
});

test('what the bank has after all counts in the room that its batch has left', async () => {
  stage.edc.batchMax = { count: 2, minor: 999_999_999_999n };
  const { id } = await rejectedSale('M-1');
  await stage.restart();
  const aside = await menuOf(stage);
  ended(await stage.paid(sale('M-2', { forcedAcquirer: stage.edc.id })));
  assert.equal((await aside(id)).status, 200);
  const third = await stage.paid(sale('M-3', { forcedAcquirer: stage.edc.id }));
  assert.match(third.kind === 'refused' ? third.refusal.message : third.kind, /settle first/);
});
