import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId, terminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { ReversalOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { transactionRecord } from '../../../src/payment/records/record.ts';
import { triesBefore } from '../../../src/payment/transaction/set-aside.ts';
import { settled } from '../../support/manual-clock.ts';
import { acknowledges, approves } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

const EDC = acquirerId('EDC');
const CUP = acquirerId('CUP');

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

/** A sale of unknown outcome in the journal. Returns its trace number. */
function unknownSale(acquirer = EDC): number {
  const { store } = stage.journal;
  const ordinal = (ordinals += 1);
  const random = Buffer.alloc(10);
  random.writeUInt32BE(ordinal);
  const id = terminalTransactionId(stage.clock.now(), random);
  store.open(id, {
    kind: 'accepted',
    posId: 'POS-1',
    messageId: `M-${ordinal}`,
    digest: '',
    type: 'SALE',
    amountMinor: '3000',
    currency: 'HKD',
    shape: 'A',
    printedBy: 'terminal',
  });
  const { stan } = store.intend(id, {
    operation: 'sale',
    acquirerId: acquirer,
    mid: '000000000000001',
    tid: '00000001',
    card: {
      brand: 'VISA',
      entryMode: 'CONTACTLESS',
      maskedPan: '************0119',
      aid: 'A0000000031010',
      appName: 'VISA CREDIT',
      panSequenceNumber: '01',
      authenticationMethod: 'NO_CVM',
      atc: '',
      tc: '',
      tsi: '',
      tvr: '',
    },
    ksn: 'FFFF9876543210E00001',
    encryptedPan: 'C2C2',
  });
  store.append(id, [
    { kind: 'answered', outcome: { kind: 'unknown', reason: 'no-answer' } },
    { kind: 'reversalQueued', reason: 'no-answer' },
  ]);
  return stan;
}
let ordinals = 0;

/** Answers that the test gives one by one. */
function heldReversals(host = stage.edc): ((outcome: ReversalOutcome) => void)[] {
  const answers: ((outcome: ReversalOutcome) => void)[] = [];
  host.onReversal = () => new Promise((resolve) => answers.push(resolve));
  return answers;
}

const stans = (host = stage.edc) => host.reversals.map(({ stan }) => stan);

test('nothing of a transaction is sent while its reported end is not written, and other hosts do not wait for it', async () => {
  unknownSale();
  const [{ id } = assert.fail('nothing is queued')] = await stage.journal.pending();
  stage.forwarder.hold(id);
  const other = unknownSale(CUP);
  assert.equal(await stage.forwarder.flush(EDC), false);
  assert.equal(await stage.forwarder.flush(CUP), true);
  assert.deepEqual([stans(), stans(stage.cup)], [[], [other]]);
  stage.forwarder.release(id);
  assert.equal(await stage.forwarder.flush(EDC), true);
  assert.equal(stans().length, 1);
});

test('oldest first, one at a time, each once', async () => {
  const queued = [unknownSale(), unknownSale(), unknownSale()];
  stage.edc.onReversal = () => {
    assert.equal(stage.edc.reversalsInFlight, 1);
    return acknowledges;
  };
  assert.equal(stage.journal.store.pending().length, 3);
  assert.equal(await stage.forwarder.flush(EDC), true);
  assert.deepEqual(
    stage.edc.reversals,
    queued.map((stan) => ({ stan, repeat: false })),
  );
  assert.equal(stage.journal.store.pending().length, 0);
  assert.deepEqual(stage.clock.pendingMs, []);
});

test('a reversal repeats what identified its original', async () => {
  const stan = unknownSale();
  stage.edc.onReversal = (order) => {
    assert.deepEqual(order.trace, { stan, invoice: stan, batch: 1 });
    assert.deepEqual(order.amount, { minor: 3000n, currency: 'HKD' });
    assert.equal(order.card.entryMode, 'CONTACTLESS');
    assert.equal(order.card.panSequenceNumber, '01');
    assert.deepEqual(Buffer.from(order.card.ksn).toString('hex'), 'ffff9876543210e00001');
    assert.deepEqual(Buffer.from(order.card.encryptedPan).toString('hex'), 'c2c2');
    return acknowledges;
  };
  assert.equal(await stage.forwarder.flush(EDC), true);
});

test('the attempt is on stable storage before it leaves, its acknowledgement before the next', async () => {
  const [first, second] = [unknownSale(), unknownSale()];
  await stage.forwarder.flush(EDC);
  assert.deepEqual(stage.trace.events.slice(-6), [
    'commit: reversalSent',
    `EDC: reverse ${first}`,
    'commit: reversalAcknowledged',
    'commit: reversalSent',
    `EDC: reverse ${second}`,
    'commit: reversalAcknowledged',
  ]);
});

for (const kind of ['unanswered', 'refused'] as const) {
  test(`${kind}: repeated as a repeat, with growing pauses up to the longest, and nothing overtakes it`, async () => {
    const [first, second] = [unknownSale(), unknownSale()];
    stage.edc.onReversal = () => ({ kind, responseCode: '96' });
    assert.equal(await stage.forwarder.flush(EDC), false);
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt++) {
      assert.equal(stage.clock.pendingMs.length, 1, 'one timer for one queue');
      const [pauseMs = 0] = stage.clock.pendingMs;
      pauses.push(pauseMs);
      await stage.clock.advance(pauseMs - 1);
      assert.equal(stage.edc.reversals.length, attempt, 'not before its time');
      await stage.clock.advance(1);
      assert.equal(stage.edc.reversals.length, attempt + 1);
    }
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    assert.deepEqual(new Set(stans()), new Set([first]));
    assert.deepEqual(
      stage.edc.reversals.map(({ repeat }) => repeat),
      [false, ...Array.from({ length: 9 }, () => true)],
    );

    stage.edc.onReversal = () => acknowledges;
    await stage.clock.advance(60_000);
    assert.deepEqual(stans().slice(-2), [first, second]);
    assert.deepEqual(stage.clock.pendingMs, []);

    // What fails next starts with the first pause again.
    unknownSale();
    stage.edc.onReversal = () => ({ kind, responseCode: '96' });
    await stage.forwarder.flush(EDC);
    assert.deepEqual(stage.clock.pendingMs, [1_000]);
  });
}

test('attempts for payments neither reset the timer nor lengthen its pauses, and are marked as extra', async () => {
  unknownSale();
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  assert.equal(await stage.forwarder.flush(EDC), false);
  await stage.clock.advance(999);
  for (let payment = 0; payment < 20; payment++) assert.equal(await stage.forwarder.clear(EDC), false);
  assert.equal(stage.edc.reversals.length, 21);
  await stage.clock.advance(1);
  assert.equal(stage.edc.reversals.length, 22, 'at its time');
  assert.deepEqual(stage.clock.pendingMs, [2_000]);
  assert.deepEqual(new Set(stage.edc.reversals.slice(1).map(({ repeat }) => repeat)), new Set([true]));
  const [{ id } = assert.fail('nothing queued')] = stage.journal.store.pending();
  const sent = stage.journal.store.read(id).flatMap(({ event }) => (event.kind === 'reversalSent' ? [event] : []));
  assert.deepEqual(sent.at(-2), { kind: 'reversalSent', attempt: 21, isExtra: true });
  assert.deepEqual(sent.at(-1), { kind: 'reversalSent', attempt: 22 });
});

test('an attempt of the timer counts even if a payment waits for it', async () => {
  const stan = unknownSale();
  const answers = heldReversals();
  const first = stage.forwarder.flush(EDC);
  await stage.trace.seen(`EDC: reverse ${stan}`);
  answers.shift()?.({ kind: 'unanswered' });
  await first;
  const cleared = stage.forwarder.flush(EDC);
  await stage.trace.seen(`EDC: reverse ${stan} again`);
  // The run of the timer follows, and another payment joins it.
  await stage.clock.advance(1_000);
  const joined = stage.forwarder.flush(EDC);
  answers.shift()?.({ kind: 'unanswered' });
  await cleared;
  await stage.trace.seen(`EDC: reverse ${stan} again`, 2);
  answers.shift()?.({ kind: 'unanswered' });
  assert.equal(await joined, false);
  const [{ id } = assert.fail('nothing queued')] = stage.journal.store.pending();
  assert.equal(transactionRecord(id, stage.journal.store.read(id)).timedAttempts, 1);
  assert.deepEqual(stage.clock.pendingMs, [2_000]);
});

test('attempts of the timer are counted, however many attempts payments have made before', async () => {
  unknownSale();
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  for (let payment = 0; payment < 120; payment++) assert.equal(await stage.forwarder.flush(EDC), false);
  const [{ id } = assert.fail('nothing queued')] = stage.journal.store.pending();
  const record = () => transactionRecord(id, stage.journal.store.read(id));
  const written = () => stage.journal.store.read(id).length;
  assert.deepEqual([record().reversalAttempts, record().timedAttempts], [100, undefined]);
  await stage.clock.advance(40 * 60_000);
  assert.deepEqual([record().reversalAttempts, record().timedAttempts], [100, triesBefore]);
  const before = written();
  await stage.clock.advance(40 * 60_000);
  assert.equal(written(), before, 'the journal does not grow with each attempt');
});

const graceMs = 60_000;
const noRecord = { kind: 'noRecord', responseCode: '25' } as const;

test('a host without a record is asked once more when the original can not come any more, whatever the hour is set to', async () => {
  stage.edc.onRequest = () => ({ posted: false, outcome: { kind: 'unknown', reason: 'link-closed' } });
  stage.edc.onReversal = () => noRecord;
  await stage.clock.advance(3 * graceMs);
  assert.equal(financialImpact(ended(await stage.paid())), 'REVERSAL_PENDING');
  const [stan = 0] = stans();
  assert.deepEqual(stage.edc.reversals, [{ stan, repeat: false }]);
  // Nothing new leaves for this acquirer meanwhile, and the answer says that nothing has happened.
  await stage.clock.advance(graceMs / 2);
  assert.equal(financialImpact(ended(await stage.paid(sale('M-2')))), 'NONE');
  assert.equal(stage.edc.requests.length, 1);
  const asked = stage.edc.reversals.length;
  stage.clock.jump(-40 * 3_600_000);
  await stage.clock.advance(graceMs / 2 - 1);
  assert.equal(stage.edc.reversals.length, asked, 'not before its time');
  await stage.clock.advance(1);
  assert.deepEqual(stage.edc.reversals.slice(asked), [{ stan, repeat: true }]);
  assert.equal(stage.journal.store.pending().length, 0);
  stage.edc.onRequest = () => approves;
  assert.equal(ended(await stage.paid(sale('M-3'))).conclusion?.result, 'SUCCESS');
});

test('the original comes after all, within its grace: its reversal finds it there', async () => {
  stage.edc.onRequest = () => ({ posted: false, outcome: { kind: 'unknown', reason: 'link-closed' } });
  stage.edc.onReversal = () => noRecord;
  ended(await stage.paid());
  const [stan = 0] = stans();
  stage.edc.books.set(stan, 'POSTED');
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(graceMs);
  assert.equal(stage.edc.books.get(stan), 'REVERSED');
  const enquiry = await stage.terminal.enquire('POS-1', 'M-1');
  assert.ok(enquiry.kind === 'ended');
  assert.equal(financialImpact(enquiry.record), 'REVERSED');
});

test('requests to another host do not end the grace', async () => {
  stage.edc.onRequest = () => ({ posted: false, outcome: { kind: 'unknown', reason: 'link-closed' } });
  stage.edc.onReversal = () => noRecord;
  await stage.clock.advance(2 * graceMs);
  ended(await stage.paid());
  assert.equal(ended(await stage.paid(sale('M-2'), 'unionpay')).conclusion?.result, 'SUCCESS');
  assert.equal(await stage.forwarder.flush(EDC), false);
  assert.equal(stage.journal.store.pending().length, 1);
});

test('the age of what left before a restart is not known: it is asked for again one grace later', async () => {
  const stan = unknownSale();
  await stage.clock.advance(10 * graceMs);
  stage.edc.onReversal = () => noRecord;
  await stage.restart();
  assert.equal(await stage.forwarder.flush(EDC), false);
  await stage.clock.advance(graceMs - 1);
  assert.equal(stage.journal.store.pending().length, 1);
  await stage.clock.advance(1);
  assert.equal(stage.journal.store.pending().length, 0);
  assert.deepEqual(new Set(stans()), new Set([stan]));
});

test('a host that has no record for long, then is silent, is asked with growing pauses again', async () => {
  unknownSale();
  stage.edc.onReversal = () => noRecord;
  await stage.forwarder.flush(EDC);
  assert.deepEqual(stage.clock.pendingMs, [graceMs]);
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  await stage.clock.advance(graceMs);
  assert.deepEqual(stage.clock.pendingMs, [2_000]);
});

test('an answer after the grace to a reversal within it concludes nothing', async () => {
  unknownSale();
  const [answer] = [heldReversals()];
  const flushed = stage.forwarder.flush(EDC);
  await stage.trace.seen('commit: reversalSent');
  await settled();
  await stage.clock.advance(2 * graceMs);
  answer.shift()?.(noRecord);
  assert.equal(await flushed, false);
  assert.equal(stage.journal.store.pending().length, 1);
});

test('after a restart a reversal that was sent before goes out as a repeat', async () => {
  const [first, second] = [unknownSale(), unknownSale()];
  const sent = stage.trace.seen(`EDC: reverse ${first}`);
  heldReversals();
  void stage.forwarder.flush(EDC);
  await sent;
  stage.edc.onReversal = () => acknowledges;
  await stage.restart();
  assert.equal(await stage.forwarder.flush(EDC), true);
  assert.deepEqual(stage.edc.reversals, [
    { stan: first, repeat: false },
    { stan: first, repeat: true },
    { stan: second, repeat: false },
  ]);
});

test('after a restart the pauses go on where they were', async () => {
  unknownSale();
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  await stage.forwarder.flush(EDC);
  for (const pauseMs of [1_000, 2_000, 4_000, 8_000]) await stage.clock.advance(pauseMs);
  assert.deepEqual(stage.clock.pendingMs, [16_000]);
  await stage.forwarder.close();
  await stage.restart();
  await stage.clock.advance(0);
  assert.ok(stage.edc.reversals.length > 5, 'sent at the start');
  assert.deepEqual(stage.clock.pendingMs, [16_000]);
  await stage.clock.advance(16_000);
  assert.deepEqual(stage.clock.pendingMs, [32_000]);

  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(32_000);
  unknownSale();
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  await stage.forwarder.flush(EDC);
  assert.deepEqual(stage.clock.pendingMs, [1_000], 'another message begins anew');
});

test('flush during a run: what was queued meanwhile is sent, and all callers share one run after it', async () => {
  const first = unknownSale();
  const answers = heldReversals();
  const running = stage.forwarder.flush(EDC);
  await stage.trace.seen(`EDC: reverse ${first}`);
  const second = unknownSale();
  const joined = [stage.forwarder.flush(EDC), stage.forwarder.flush(EDC)];
  answers.shift()?.(acknowledges);
  await stage.trace.seen(`EDC: reverse ${second}`);
  answers.shift()?.(acknowledges);
  assert.deepEqual(await Promise.all([running, ...joined]), [true, true, true]);
  assert.deepEqual(stans(), [first, second]);
});

test('whoever flushes at the very moment a run ends starts no second one beside the next', async () => {
  unknownSale();
  stage.edc.onReversal = async () => {
    assert.equal(stage.edc.reversalsInFlight, 1, 'two runs at once');
    await settled();
    return { kind: 'unanswered' };
  };
  const running = stage.forwarder.flush(EDC);
  const atItsEnd = running.then(() => stage.forwarder.flush(EDC));
  const next = stage.forwarder.flush(EDC);
  assert.deepEqual(await Promise.all([running, atItsEnd, next]), [false, false, false]);
  assert.deepEqual(stage.failures, []);
});

test("one acquirer's trouble does not hold the other's queue", async () => {
  unknownSale(EDC);
  const there = unknownSale(CUP);
  heldReversals(stage.edc);
  await stage.forwarder.resume();
  await stage.trace.seen(`CUP: reverse ${there}`);
  assert.equal(await stage.forwarder.flush(CUP), true);
  assert.equal(stage.journal.store.pending().length, 1);
});

test('resume takes up every acquirer with something queued, and no other', async () => {
  const stan = unknownSale(CUP);
  await stage.forwarder.resume();
  await stage.trace.seen('commit: reversalAcknowledged');
  assert.deepEqual(stans(stage.cup), [stan]);
  assert.deepEqual(stans(stage.edc), []);
});

test('an acquirer that is no longer configured keeps its queue', async () => {
  unknownSale(acquirerId('EPS'));
  assert.equal(await stage.forwarder.flush(acquirerId('EPS')), false);
  assert.equal(stage.journal.store.pending().length, 1);
});

test('close during a run: it waits for the answer, sends nothing more and sets no timer', async () => {
  const first = unknownSale();
  unknownSale();
  const answers = heldReversals();
  const running = stage.forwarder.flush(EDC);
  await stage.trace.seen(`EDC: reverse ${first}`);
  const next = stage.forwarder.flush(EDC);
  let closed = false;
  const closing = stage.forwarder.close().then(() => {
    closed = true;
  });
  await settled();
  assert.equal(closed, false);
  answers.shift()?.(acknowledges);
  await closing;
  assert.deepEqual(await Promise.all([running, next]), [false, false]);
  assert.deepEqual(stans(), [first]);
  assert.equal(stage.journal.store.pending().length, 1);
  assert.deepEqual(stage.clock.pendingMs, []);
  assert.equal(await stage.forwarder.flush(EDC), false, 'closed');
  assert.deepEqual(stans(), [first]);
});

test('close while waiting for the next attempt: the timer goes', async () => {
  unknownSale();
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  await stage.forwarder.flush(EDC);
  assert.equal(stage.clock.pendingMs.length, 1);
  await stage.forwarder.close();
  assert.deepEqual(stage.clock.pendingMs, []);
});

test('a host adapter that throws counts as a failed attempt, and is logged', async () => {
  const stan = unknownSale();
  const fault = new Error('a defect');
  stage.edc.onReversal = () => Promise.reject(fault);
  assert.equal(await stage.forwarder.flush(EDC), false);
  assert.deepEqual(stage.failures, [fault]);
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.edc.reversals, [
    { stan, repeat: false },
    { stan, repeat: true },
  ]);
});

for (let call = 1; call <= 5; call++) {
  test(`the journal fails at call ${call} of a run: the reversal is acknowledged in the end`, async () => {
    unknownSale();
    stage.journal.fault = (each) => each === call;
    assert.equal(await stage.forwarder.flush(EDC), false);
    await stage.clock.advance(10_000);
    assert.equal(stage.journal.store.pending().length, 0);
    assert.equal(stage.failures.length, 1);
  });
}

test('an acknowledgement that was not written is asked for again, as a repeat', async () => {
  const stan = unknownSale();
  stage.journal.fault = (call, operation) => operation === 'append' && call === 4;
  assert.equal(await stage.forwarder.flush(EDC), false);
  assert.equal(stage.journal.store.pending().length, 1);
  await stage.clock.advance(1_000);
  assert.deepEqual(stage.edc.reversals, [
    { stan, repeat: false },
    { stan, repeat: true },
  ]);
});

test('a payment waits for earlier reversals up to its limit, then nothing is sent', async () => {
  const stan = unknownSale();
  const answers = heldReversals();
  const paid = stage.paid(sale('M-waits'));
  await stage.trace.seen('reader: card');
  await settled();
  await stage.clock.advance(9_999);
  assert.equal(stage.views.at(-1)?.scene, 'processing');
  await stage.clock.advance(1);
  const { conclusion, ...record } = ended(await paid);
  assert.equal(conclusion?.result, 'ERROR');
  assert.equal(financialImpact({ conclusion, ...record }), 'NONE');
  assert.deepEqual(stage.edc.requests, []);

  // What was waited for goes on, and the next customer finds the way free.
  for (const answer of answers.splice(0)) answer(acknowledges);
  await settled();
  assert.equal(stage.edc.books.has(stan), false);
  assert.equal(ended(await stage.paid(sale('M-next'))).conclusion?.result, 'SUCCESS');
  assert.deepEqual(stans(), [stan]);
});

test('work between two runs begins once nothing is being sent, and newly queued messages follow it', async () => {
  const answers = heldReversals();
  unknownSale();
  const flushed = stage.forwarder.flush(EDC);
  await settled();
  assert.equal(answers.length, 1);
  const steps: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const between = stage.forwarder.between(EDC, async () => {
    steps.push('begun');
    await promise;
    return 'done';
  });
  await settled();
  assert.deepEqual(steps, [], 'a message is under way');
  answers[0]?.(acknowledges);
  await flushed;
  await settled();
  assert.deepEqual(steps, ['begun']);
  unknownSale();
  const later = stage.forwarder.flush(EDC);
  await settled();
  assert.equal(answers.length, 1, 'the work is not over');
  resolve();
  assert.equal(await between, 'done');
  await settled();
  assert.equal(answers.length, 2);
  answers[1]?.(acknowledges);
  assert.equal(await later, true);
});

test('work between two runs that fails does not block the queue', async () => {
  unknownSale();
  await assert.rejects(
    stage.forwarder.between(EDC, () => Promise.reject(new Error('no disk'))),
    /no disk/,
  );
  assert.equal(await stage.forwarder.flush(EDC), true);
});
