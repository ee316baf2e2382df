import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { settled } from '../../support/manual-clock.ts';
import { approves } from './scripted-host.ts';
import { sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

test('the same request twice in parallel is one transaction with one answer', async () => {
  const [first, second] = await Promise.all([stage.paid(), stage.terminal.pay(sale('M-1'))]);
  assert.deepEqual(first, second);
  assert.equal(first.kind, 'ended');
  assert.equal(stage.edc.posted, 1);
});

test('the same request later gets the same answer and arms nothing; after a restart too it asks no card', async () => {
  const first = await stage.paid();
  assert.deepEqual(await stage.terminal.pay(sale('M-1')), first);
  assert.equal(stage.trace.count('reader: armed'), 1);
  await stage.restart();
  const shown = stage.views.length;
  assert.deepEqual(await stage.terminal.pay(sale('M-1')), first);
  assert.equal(stage.trace.count('reader: armed'), stage.trace.count('reader: cancelled') + 1);
  assert.equal(stage.views.length, shown);
  assert.equal(stage.edc.posted, 1);
});

test('the same request gets its answer while another one runs, and while no reader is there', async () => {
  const first = await stage.paid(sale('M-1'));
  const running = stage.terminal.pay(sale('M-2'));
  await stage.trace.seen('reader: armed', 2);
  assert.deepEqual(await stage.terminal.pay(sale('M-1')), first);
  stage.reader.present();
  await running;
  stage.reader.state = 'absent';
  assert.deepEqual(await stage.terminal.pay(sale('M-1')), first);
});

test('another request under the same identity is refused while the first runs and for ever after', async () => {
  const other = sale('M-1', { digest: 'another', amount: { minor: 1n, currency: 'HKD' } });
  const running = stage.terminal.pay(sale('M-1'));
  assert.deepEqual(await stage.terminal.pay(other), { kind: 'otherRequest' });
  await stage.trace.seen('reader: armed');
  assert.deepEqual(await stage.terminal.pay(other), { kind: 'otherRequest' });
  stage.reader.present();
  await running;
  assert.deepEqual(await stage.terminal.pay(other), { kind: 'otherRequest' });
  await stage.restart();
  assert.deepEqual(await stage.terminal.pay(other), { kind: 'otherRequest' });
});

test('one identity is posId and messageId together', async () => {
  await stage.paid(sale('M-1'));
  const other = await stage.paid(sale('M-1', { posId: 'POS-2' }));
  assert.equal(other.kind, 'ended');
  assert.equal(stage.edc.posted, 2);
});

test('50 at once with 50 identities: one runs, 49 are busy at once and leave nothing behind', async () => {
  const answers = Array.from({ length: 50 }, (_, ordinal) => stage.terminal.pay(sale(`M-${ordinal}`)));
  const others = await Promise.all(answers.slice(1));
  assert.deepEqual(
    others,
    others.map(() => ({ kind: 'busy', owner: { posId: 'POS-1', messageId: 'M-0' } })),
  );
  await stage.trace.seen('reader: armed');
  stage.reader.present();
  assert.equal((await answers[0])?.kind, 'ended');
  assert.equal(stage.trace.count('reader: armed'), 1);
  assert.equal(stage.trace.count('commit: accepted'), 1);
  assert.equal((await stage.paid(sale('M-7'))).kind, 'ended', 'a busy identity is still free');
});

test('50 at once with one identity: one transaction, 50 equal answers', async () => {
  const answers = Array.from({ length: 50 }, () => stage.terminal.pay(sale('M-1')));
  await stage.trace.seen('reader: armed');
  stage.reader.present();
  const [first, ...others] = await Promise.all(answers);
  for (const other of others) assert.deepEqual(other, first);
  assert.equal(stage.edc.posted, 1);
});

test('a journal that answers out of order gives an identity no second transaction', async () => {
  const held = Promise.withResolvers<void>();
  stage.journal.replies.set('findIdentity', held.promise);
  const late = stage.terminal.pay(sale('M-1'));
  const other = stage.terminal.pay(sale('M-1', { digest: 'another' }));
  stage.journal.replies.delete('findIdentity');
  const first = await stage.paid(sale('M-1'));
  held.resolve();
  assert.deepEqual(await late, first);
  assert.deepEqual(await other, { kind: 'otherRequest' });
  // One of them was armed for, until the commit of its acceptance had found the identity taken.
  assert.equal(stage.trace.count('reader: armed'), stage.trace.count('reader: cancelled') + 1);
  assert.equal(stage.edc.posted, 1);
});

test('enquiry: not found, running in each state, ended; a start while the journal is asked is seen', async () => {
  assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-1'), { kind: 'notFound' });

  const held = Promise.withResolvers<void>();
  stage.journal.replies.set('findIdentity', held.promise);
  const early = stage.terminal.enquire('POS-1', 'M-1');
  stage.journal.replies.delete('findIdentity');
  const host = Promise.withResolvers<typeof approves>();
  stage.edc.onRequest = () => host.promise;
  const answer = stage.paid();
  await stage.trace.seen('reader: armed');
  held.resolve();
  assert.equal((await early).kind, 'running');

  await stage.trace.seen('EDC: sale');
  assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-1'), {
    kind: 'running',
    state: 'authorizing',
    step: 'atHost',
  });
  assert.deepEqual(stage.terminal.running, {
    posId: 'POS-1',
    messageId: 'M-1',
    state: 'authorizing',
    step: 'atHost',
  });
  assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-2'), { kind: 'notFound' });
  host.resolve(approves);
  const paid = await answer;
  assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-1'), { ...paid, status: 'APPROVED' });
  assert.equal(stage.terminal.running, undefined);
});

test('killed at the host: the restart tells the truth, reverses, and the same request gets that answer', async () => {
  stage.edc.onRequest = ({ trace }) => {
    stage.edc.books.set(trace.stan, 'POSTED');
    return new Promise(() => undefined);
  };
  void stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  stage.reader.present();
  await stage.trace.seen('EDC: sale');
  await stage.restart();
  await stage.trace.seen('commit: reversalAcknowledged');
  await settled();
  assert.equal(stage.edc.posted, 0);
  const enquiry = await stage.terminal.enquire('POS-1', 'M-1');
  assert.ok(enquiry.kind === 'ended');
  assert.equal(enquiry.record.conclusion?.result, 'ERROR');
  assert.equal(enquiry.record.reversal, 'acknowledged');
  assert.equal(enquiry.status, 'REVERSED');
  assert.deepEqual(await stage.terminal.pay(sale('M-1')), { kind: 'ended', record: enquiry.record });
});

test('killed while collecting: ended without a reversal', async () => {
  void stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  await stage.restart();
  const enquiry = await stage.terminal.enquire('POS-1', 'M-1');
  assert.ok(enquiry.kind === 'ended');
  assert.equal(enquiry.record.conclusion?.result, 'ERROR');
  assert.deepEqual(stage.edc.reversals, []);
});
