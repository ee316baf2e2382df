import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { decideWith } from '../../../src/main/composition/operator-menu.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { SetAside } from '../../../src/payment/events/answer.ts';
import { OctopusAcquirer } from '../../../src/methods/octopus/acquirer.ts';
import { OctopusReturn } from '../../../src/methods/octopus/card-return.ts';
import { setAside } from '../../../src/operator/waiting.ts';
import { octopusLimits } from '../../../src/base/ports/octopus-reader.ts';
import { presentConclusion } from '../../../src/payment/records/present.ts';
import { presentStatus } from '../../../src/payment/records/transaction-status.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../../src/payment/terminal/reports.ts';
import { StoreAndForward } from '../../../src/payment/terminal/store-and-forward.ts';
import { settled } from '../../support/manual-clock.ts';
import { begun, durable, ending, enquired, kindsOf } from './method-stage.ts';
import { deducts, type DeductionScript, staysIncomplete } from './scripted-octopus.ts';
import { everything, Stage, timeouts, waits } from './stage.ts';

const id = acquirerId('OCTOPUS');

/** The parts that exist as long as a process: the watched reader, its acquirer, and the queue. */
function makeParts({ octopus, journal, clock, failures }: Stage) {
  const onFailure = (error: unknown) => failures.push(error);
  const reader = new OctopusReturn({
    reader: octopus,
    journal,
    clock,
    onCompleted: () => void forwarder.flush(id),
    onFailure,
  });
  const profile = { id, brands: ['OCTOPUS'], limits: octopusLimits } as const;
  const acquirer = new OctopusAcquirer({ profile, reader, journal, clock, printsReceipt: () => false, onFailure });
  const acquirers = new Map([[id, acquirer]]);
  const forwarder: StoreAndForward = new StoreAndForward({ journal, acquirers, clock, onFailure });
  const decide = decideWith({ acquirers, forwarder });
  return { reader, acquirer, forwarder, decide };
}

let stage: Stage;
let parts: ReturnType<typeof makeParts>;
let settlements: number;
beforeEach(() => {
  stage = new Stage(undefined, everything);
  parts = makeParts(stage);
  settlements = 0;
});
afterEach(async () => {
  await parts.forwarder.close();
  await parts.acquirer.close();
  assert.deepEqual(stage.failures, []);
  stage.close();
});

/** A sale whose card was pulled away; the POS was told UNKNOWN, and the reader is watched for the card. */
async function leftIncomplete(): Promise<string> {
  stage.octopus.onDeduct = () => staysIncomplete;
  const { answer } = await begun(stage, 'OCTOPUS');
  stage.octopus.tap();
  await settled();
  await stage.clock.advance(waits.octopusIncompleteMs + waits.octopusRetryMs);
  await stage.clock.advance(timeouts.reversalWaitMs);
  await answer;
  assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
  await stage.forwarder.close();
  await parts.forwarder.flush(id);
  stage.octopus.onDeduct = () => deducts;
  return `${durable(stage).id}-1`;
}

/** The operator's decision, as the menu carries it out. */
async function decided(outcome: SetAside['outcome']): Promise<string> {
  const { journal, terminal } = stage;
  const one = await setAside(durable(stage).id, outcome, {
    journal,
    acquirers: [id],
    isUnsendable: () => false,
    takesBatch: terminal.room.takesBatch,
    decide: parts.decide,
  });
  return 'refused' in one ? one.refused : 'decided';
}

async function settles() {
  const request = { posId: 'POS-1', messageId: `S-${(settlements += 1)}`, digest: 's', acquirerId: id };
  const answer = await stage.terminal.settle(request);
  assert.ok(answer.kind === 'ended');
  const [result] = answer.settlement.results ?? [];
  return result ?? assert.fail('no result');
}

/** What the report of the open batch has. */
async function reported() {
  const { journal, acquirers } = stage;
  const reports = new Reports({ journal, acquirers: acquirers.acquirers, turns: new ReadingTurns() });
  const read = await reports.read(id);
  const [batch] = typeof read === 'string' ? assert.fail(read) : read;
  return { totals: batch?.totals, unresolved: batch?.unresolved };
}

const counted = [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3000' }];
const silent = () => ({ kind: 'unanswered' }) as const;

/** The card returns to the watched reader. The deduction is in progress until the returned function is called. */
async function cardBack(script: DeductionScript = deducts): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<DeductionScript>();
  stage.octopus.onDeduct = () => promise;
  // The queue asks the reader as well, and the watch starts again after that.
  for (let tries = 0; tries < 10 && !stage.octopus.wait.armed; tries++) await stage.clock.advance(500);
  assert.ok(stage.octopus.wait.armed, 'the reader is watched');
  stage.octopus.tap();
  await settled();
  return () => resolve(script);
}

describe('the card returns while the operator decides', () => {
  for (const outcome of ['NOT_POSTED', 'POSTED'] as const) {
    test(`${outcome}: the terminal waits for the deduction in progress, and its result is the outcome`, async () => {
      await leftIncomplete();
      const complete = await cardBack();
      const decision = decided(outcome);
      await settled();
      assert.ok(!kindsOf(stage).includes('setAside'), 'not while the card is charged');
      complete();
      assert.equal(await decision, 'endedMeanwhile');
      await settled();
      assert.equal(await enquired(stage), 'SUCCESS');
      assert.deepEqual(kindsOf(stage).slice(-3), ['answered', 'ended', 'resolved'], 'once');
      assert.equal(stage.octopus.deducted, 1);
      assert.deepEqual((await settles()).totals, counted);
    });
  }

  test('the card is removed again: the decision stands, and that reference deducts nothing more', async () => {
    const reference = await leftIncomplete();
    const complete = await cardBack(staysIncomplete);
    const decision = decided('NOT_POSTED');
    complete();
    assert.equal(await decision, 'decided');
    stage.octopus.onDeduct = () => deducts;
    const asked = stage.octopus.deductions.length;
    await stage.clock.advance(60_000);
    assert.ok(!stage.octopus.wait.armed, 'it is not looked for any more');
    // The same card, at another payment.
    const poll = parts.reader.poll(new AbortController().signal);
    await settled();
    stage.octopus.tap();
    assert.equal((await poll).kind, 'card');
    const later = stage.octopus.deductions.slice(asked).map((each) => each.reference);
    assert.ok(!later.includes(reference), 'the operator has told the customer that it is not charged');
    assert.equal(stage.octopus.books.get(reference), 'incomplete');
    assert.equal(await enquired(stage), 'ERROR REVERSED');
  });

  test('a card that a payment reads completes the deduction before the decision, or not at all', async () => {
    const reference = await leftIncomplete();
    const { promise, resolve } = Promise.withResolvers<DeductionScript>();
    stage.octopus.onDeduct = () => promise;
    const poll = parts.reader.poll(new AbortController().signal);
    await settled();
    stage.octopus.tap();
    await settled();
    assert.equal(stage.octopus.deductions.at(-1)?.reference, reference);
    const decision = decided('NOT_POSTED');
    await settled();
    assert.ok(!kindsOf(stage).includes('setAside'));
    resolve(deducts);
    assert.equal(await decision, 'endedMeanwhile');
    assert.equal((await poll).kind, 'card');
    assert.equal(await enquired(stage), 'SUCCESS');
  });
});

describe('the reader’s record', () => {
  test('has the deduction before the decision is written', async () => {
    const reference = await leftIncomplete();
    stage.octopus.books.set(reference, 'deducted');
    assert.equal(await decided('NOT_POSTED'), 'endedMeanwhile');
    assert.ok(!kindsOf(stage).includes('setAside'));
    assert.equal(await enquired(stage), 'SUCCESS');
  });

  test('has the deduction only after the decision was written: the card outranks the operator', async () => {
    const reference = await leftIncomplete();
    stage.octopus.onFind = () => {
      if (kindsOf(stage).includes('setAside')) stage.octopus.books.set(reference, 'deducted');
      return undefined;
    };
    assert.equal(await decided('NOT_POSTED'), 'endedMeanwhile');
    assert.ok(kindsOf(stage).includes('setAside'), 'it was written');
    assert.equal(await enquired(stage), 'SUCCESS');
    assert.equal(presentStatus({ record: durable(stage), later: [] }), 'APPROVED');
    assert.deepEqual((await settles()).totals, counted);
  });

  test('shows that nothing was deducted: no decision of the operator is needed', async () => {
    const reference = await leftIncomplete();
    stage.octopus.books.set(reference, 'none');
    assert.equal(await decided('NOT_POSTED'), 'endedMeanwhile');
    assert.equal(await enquired(stage), 'ERROR NONE');
  });

  test('has nothing new: the operator decides, once', async () => {
    await leftIncomplete();
    assert.equal(await decided('NOT_POSTED'), 'decided');
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    assert.equal(await decided('NOT_POSTED'), 'notWaiting');
  });
});

describe('the reader does not answer while the operator decides', () => {
  /** The decision is made without the reader's record. */
  async function decidedUnseen(outcome: SetAside['outcome'] = 'NOT_POSTED'): Promise<string> {
    const reference = await leftIncomplete();
    stage.octopus.onFind = silent;
    assert.equal(await decided(outcome), 'decided');
    assert.deepEqual(stage.journal.store.pending(), [], 'it waits for nobody');
    return reference;
  }

  const answersAgain = () => {
    stage.octopus.onFind = () => undefined;
  };

  test('the decision is written, but a payment that the card may have made is not reported as reversed', async () => {
    await decidedUnseen();
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    const { reason, message } = presentConclusion(durable(stage));
    assert.equal(reason, 'octopusUnknown');
    assert.match(
      message,
      /the operator has confirmed that it was not charged, but the reader’s own record has not been read yet/,
    );
  });

  test('the report has the payment as unresolved until the reader’s record is read, then by the outcome', async () => {
    await decidedUnseen();
    assert.deepEqual(await reported(), { totals: [], unresolved: counted });
    answersAgain();
    await stage.clock.advance(10_000);
    assert.deepEqual(await reported(), { totals: [], unresolved: [] });
  });

  test('the report has the payment in its totals alone once the operator has entered that it is posted', async () => {
    await decidedUnseen('POSTED');
    assert.deepEqual(await reported(), { totals: counted, unresolved: [] });
  });

  test('it answers again and has the deduction: SUCCESS, counted once in the open batch', async () => {
    const reference = await decidedUnseen();
    stage.octopus.books.set(reference, 'deducted');
    await stage.clock.advance(30_000);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN', 'still silent');
    answersAgain();
    await stage.clock.advance(10_000);
    assert.equal(await enquired(stage), 'SUCCESS');
    assert.deepEqual((await settles()).totals, counted);
    assert.deepEqual((await settles()).totals, []);
  });

  test('it answers again and has nothing new: the operator’s decision stands', async () => {
    await decidedUnseen();
    answersAgain();
    await stage.clock.advance(10_000);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    assert.equal(presentConclusion(durable(stage)).reason, 'confirmedNotPosted');
    const kinds = kindsOf(stage);
    await stage.clock.advance(600_000);
    assert.deepEqual(kindsOf(stage), kinds, 'written once');
  });

  test('it is connected again: it is asked at once', async () => {
    const reference = await decidedUnseen();
    stage.octopus.become('absent');
    stage.octopus.books.set(reference, 'deducted');
    answersAgain();
    stage.octopus.become('ready');
    await settled();
    assert.equal(await enquired(stage), 'SUCCESS');
  });

  test('it is asked after a restart', async () => {
    const reference = await decidedUnseen();
    stage.octopus.books.set(reference, 'deducted');
    await parts.forwarder.close();
    await parts.acquirer.close();
    await stage.restart();
    answersAgain();
    parts = makeParts(stage);
    await parts.forwarder.resume();
    await settled();
    assert.equal(await enquired(stage), 'SUCCESS');
  });

  test('it is asked before the batch is closed, and the batch stays open until it answers', async () => {
    const reference = await decidedUnseen();
    stage.octopus.books.set(reference, 'deducted');
    const failed = await settles();
    assert.equal(failed.result, 'FAILED');
    assert.match(failed.reason ?? '', /reader did not answer/);
    answersAgain();
    assert.deepEqual((await settles()).totals, counted);
    assert.equal(await enquired(stage), 'SUCCESS');
  });

  test('POSTED stands although the reader has no record, and a deduction counts once', async () => {
    const reference = await decidedUnseen('POSTED');
    stage.octopus.books.set(reference, 'none');
    answersAgain();
    await stage.clock.advance(10_000);
    assert.equal(await enquired(stage), 'UNKNOWN UNKNOWN');
    stage.octopus.books.set(reference, 'deducted');
    assert.deepEqual((await settles()).totals, counted);
    assert.equal(ending(durable(stage)), 'SUCCESS');
    assert.deepEqual((await settles()).totals, []);
  });

  test('the journal fails: the operator gets an error, and can decide again', async () => {
    await leftIncomplete();
    stage.journal.fault = (_call, operation) => operation === 'append';
    await assert.rejects(decided('NOT_POSTED'));
    stage.journal.fault = () => false;
    assert.equal(await decided('NOT_POSTED'), 'decided');
  });
});
