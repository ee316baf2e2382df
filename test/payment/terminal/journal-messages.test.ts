import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { settled } from '../../support/manual-clock.ts';
import { restartAfterCrowd } from './crowd.ts';
import { about, ended, sale, Stage, timeouts } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

/** What the journal is called for while `work` runs. */
async function called(work: () => Promise<unknown>): Promise<string[]> {
  const from = stage.journal.operations.length;
  await work();
  return stage.journal.operations.slice(from);
}

describe('messages to the journal', () => {
  test('a sale has three: accepted, intent, answer', async () => {
    // The first after a start reads the open batches.
    await stage.paid(sale('M-0'));
    for (const id of ['M-1', 'M-2']) {
      assert.deepEqual(await called(() => stage.paid(sale(id))), ['open', 'intend', 'append']);
    }
  });

  test('what is told is what the commit of the answer has left on disk', async () => {
    const record = ended(await stage.paid());
    const again = ended(await stage.terminal.pay(sale('M-1')));
    assert.deepEqual(record, again);
  });

  test('a repeat has four: who has the identity, its record, what has changed its amount, and its present batch', async () => {
    await stage.paid();
    const read = ['findIdentity', 'read', 'later', 'presentBatch'];
    assert.deepEqual(await called(() => stage.terminal.pay(sale('M-1'))), read);
    const other = await called(async () => {
      assert.deepEqual(await stage.terminal.pay(sale('M-1', { digest: 'another' })), { kind: 'otherRequest' });
    });
    assert.deepEqual(other, read);
    assert.equal(stage.trace.count('commit: accepted'), 1);
  });
});

describe('a queue', () => {
  test('that this process has not heard of goes before the request: the intent’s commit looks', async () => {
    const first = ended(await stage.paid());
    stage.journal.store.append(first.id, [{ kind: 'reversalQueued', reason: 'from elsewhere' }]);
    assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'SUCCESS');
    const { events } = stage.trace;
    const reversed = events.findIndex((each) => each.startsWith('EDC: reverse '));
    assert.ok(reversed > 0);
    assert.ok(reversed < events.lastIndexOf('EDC: sale'));
    assert.ok(reversed < events.lastIndexOf('commit: intent'));
  });

  test('of another host holds nothing up', async () => {
    const first = ended(await stage.paid());
    const other = ended(await stage.paid(sale('M-2'), 'unionpay'));
    stage.journal.store.append(other.id, [{ kind: 'reversalQueued', reason: 'from elsewhere' }]);
    assert.deepEqual(await called(() => stage.paid(sale('M-3'))), ['open', 'intend', 'append']);
    assert.equal(first.intent?.acquirerId, 'EDC');
    assert.equal(stage.cup.reversals.length, 0);
  });
});

describe('a repeat', () => {
  test('on a broken disk is not told that nothing was started', async () => {
    const { id } = ended(await stage.paid());
    const unknown = { kind: 'journalFailed', reason: 'disk I/O error', started: true };
    stage.journal.fault = () => true;
    assert.deepEqual(await stage.terminal.pay(sale('M-1')), unknown);
    stage.journal.fault = () => false;
    await restartAfterCrowd(stage, id);
    stage.journal.fault = () => true;
    assert.deepEqual(await stage.terminal.pay(sale('M-1')), unknown);
  });

  test('gets its answer where nothing can be written', async () => {
    const first = await stage.paid();
    stage.journal.fault = (_call, operation) => operation === 'open';
    assert.deepEqual(await stage.terminal.pay(sale('M-1')), first);
    const fresh = { kind: 'journalFailed', reason: 'disk I/O error', started: false };
    assert.deepEqual(await stage.terminal.pay(sale('M-2')), fresh);
  });

  test('of what the acceptance’s own lost answer left behind is told as before: nothing was started', async () => {
    stage.journal.misreport = (_call, operation) => operation === 'open';
    const answer = await stage.terminal.pay(sale('M-1'));
    assert.deepEqual(answer, { kind: 'journalFailed', reason: 'disk I/O error', started: false });
    stage.journal.misreport = () => false;
    await stage.clock.advance(10_000);
    assert.equal(ended(await stage.terminal.pay(sale('M-1'))).conclusion?.outcome, 'error');
    assert.equal(stage.trace.count('reader: armed'), stage.trace.count('reader: cancelled'));
    assert.deepEqual(stage.views, []);
  });

  test('keeps no outcome on the screen, and hides none', async () => {
    await stage.paid();
    const shown = stage.views.length;
    for (let times = 0; times < 5; times++) {
      await stage.clock.advance(timeouts.outcomeMs / 6);
      await stage.terminal.pay(sale('M-1'));
      assert.equal(stage.views.length, shown);
    }
    await stage.clock.advance(timeouts.outcomeMs / 6);
    assert.deepEqual(stage.views.slice(shown), [{ scene: 'idle' }]);
    assert.deepEqual(stage.clock.pendingMs, []);
  });

  test('of a settlement’s identity is another request', async () => {
    const { id } = ended(await stage.paid());
    const [shown, at] = [stage.views.length, stage.clock.now().toISOString()];
    // One of long ago: the terminal remembers the latest.
    stage.journal.store.openSettlement({ id, posId: 'POS-1', messageId: 'S-1', digest: 'd', at });
    assert.deepEqual(await stage.terminal.pay(sale('S-1')), { kind: 'otherRequest' });
    assert.deepEqual([stage.trace.count('reader: armed'), stage.trace.count('reader: cancelled')], [2, 1]);
    assert.equal(stage.views.length, shown);
  });

  test('of a void gets the void’s answer: its original is not asked whether it can be voided again', async () => {
    const original = ended(await stage.paid());
    const first = await stage.terminal.pay(about('VOID', 'M-2', original));
    assert.deepEqual(await stage.terminal.pay(about('VOID', 'M-2', original)), first);
  });
});

test('a repeat holds up nobody: its payment is over', async () => {
  await stage.paid();
  const held = Promise.withResolvers<void>();
  stage.journal.replies.set('findIdentity', held.promise);
  const repeat = stage.terminal.pay(sale('M-1'));
  await settled();
  assert.equal(stage.terminal.running, undefined);
  assert.equal((await stage.paid(sale('M-2'))).kind, 'ended');
  held.resolve();
  stage.journal.replies.delete('findIdentity');
  assert.equal(ended(await repeat).request.messageId, 'M-1');
});

test('after a start: another body and the request itself at once: each gets its own answer', async () => {
  const first = ended(await stage.paid());
  await restartAfterCrowd(stage, first.id);
  const held = Promise.withResolvers<void>();
  stage.journal.replies.set('open', held.promise);
  const other = stage.terminal.pay(sale('M-1', { digest: 'another' }));
  await settled();
  const same = stage.terminal.pay(sale('M-1'));
  await settled();
  held.resolve();
  assert.deepEqual(await other, { kind: 'otherRequest' });
  assert.deepEqual(ended(await same), first);
});

test('after a start a payment during the commit of a repeat is told who is there, and pays afterwards', async () => {
  const first = ended(await stage.paid());
  await restartAfterCrowd(stage, first.id);
  const held = Promise.withResolvers<void>();
  stage.journal.replies.set('open', held.promise);
  const repeat = stage.terminal.pay(sale('M-1'));
  await settled();
  assert.equal((await stage.terminal.pay(sale('M-2'))).kind, 'busy');
  // Who enquires meanwhile is told the outcome, and not that it runs again.
  const enquired = await stage.terminal.enquire('POS-1', 'M-1');
  assert.ok(enquired.kind === 'ended');
  assert.deepEqual(enquired.record, first);
  stage.journal.replies.delete('open');
  held.resolve();
  assert.equal((await repeat).kind, 'ended');
  assert.equal((await stage.paid(sale('M-2'))).kind, 'ended');
});
