import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { LateAnswers } from '../../../src/methods/card/late-answers.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { presentConclusion } from '../../../src/payment/records/present.ts';
import { settled } from '../../support/manual-clock.ts';
import { begun } from './method-stage.ts';
import { acknowledges, approves, declines } from './scripted-host.ts';
import { card } from './scripted-reader.ts';
import { ended, everything, Stage } from './stage.ts';

const EPS = acquirerId('EPS');

let stage: Stage;
let late: LateAnswers;
let news: string[];
beforeEach(() => {
  stage = new Stage(undefined, everything);
  news = [];
  const { journal, forwarder, clock, random } = stage;
  const acquirers = stage.acquirers.cardAcquirers;
  late = new LateAnswers({ journal, forwarder, acquirers, clock, random, onHeard: (what) => news.push(what) });
});
afterEach(() => stage.close());

const stans = () => stage.eps.requests.map(({ trace }) => trace.stan);
const first = () => stans()[0] ?? assert.fail();

/** The host carries out the try of this number, and says so now. */
function approved(stan: number): Promise<void> {
  stage.eps.books.set(stan, 'POSTED');
  return approvalHeard(stan);
}

function approvalHeard(stan: number): Promise<void> {
  late.hear({
    acquirerId: EPS,
    mti: '0210',
    stan: String(stan).padStart(6, '0'),
    rrn: '000000000009',
    responseCode: '00',
    isOurs: true,
    reversing: false,
    isApproval: true,
    approves: (order) => order.trace.stan === stan,
    adviceOutcome: () => ({ kind: 'unanswered' }),
    reversalOutcome: () => ({ kind: 'unanswered' }),
    settlementOutcome: () => ({ kind: 'unanswered' }),
  });
  return settled();
}

/** A sale whose PIN is wrong: it is asked for again. */
async function atSecondPin() {
  const { answer } = await begun(stage, 'EPS', 'M-1');
  stage.reader.answer({
    kind: 'card',
    card: { ...card(), entryMode: 'MAGSTRIPE', aid: '', appName: '', emv: new Map() },
  });
  await settled();
  stage.act({ kind: 'account', account: 'SAVINGS' });
  await stage.trace.seen('pin pad: armed', 1);
  stage.eps.onRequest = () => declines('55');
  stage.pinPad.enter();
  await stage.trace.seen('pin pad: armed', 2);
  return { answer };
}

async function endsWith(answer: Awaited<ReturnType<typeof begun>>['answer'], script: typeof approves) {
  stage.eps.onRequest = () => script;
  stage.pinPad.enter();
  return ended(await answer);
}

async function reportedOf() {
  const enquiry = await stage.terminal.enquire('POS-1', 'M-1');
  assert.ok(enquiry.kind === 'ended');
  const { result, message } = presentConclusion(enquiry.record);
  return { result, message, impact: financialImpact(enquiry.record), status: enquiry.status };
}

test('a try that was declined and is approved after the one that was paid is taken back, and that one stands', async () => {
  const { answer } = await atSecondPin();
  assert.equal((await endsWith(answer, approves)).conclusion?.result, 'SUCCESS');
  await approved(first());
  assert.deepEqual(
    stans().map((stan) => stage.eps.books.get(stan)),
    ['REVERSED', 'POSTED'],
  );
  assert.equal(stage.trace.count('commit: accepted+intent+approvedLate+reversalQueued+ended'), 1);
  assert.deepEqual([(await reportedOf()).result, (await reportedOf()).status], ['SUCCESS', 'APPROVED']);
  // Once more: what is on its way, or through, is not taken back twice.
  for (let i = 0; i < 5; i++) await approvalHeard(first());
  assert.deepEqual(news, ['late approval']);
  assert.equal(stage.trace.count('commit: accepted+intent+approvedLate+reversalQueued+ended'), 1);
});

test('paid in cash meanwhile: a card that is approved after all is taken back, and the cash stands', async () => {
  const { answer } = await atSecondPin();
  stage.act({ kind: 'choose', mode: 'CASH' });
  await stage.trace.seen('screen: tenderCash');
  stage.act({ kind: 'tender', amount: '30' });
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  await approved(first());
  assert.equal(stage.eps.books.get(first()), 'REVERSED');
  assert.deepEqual([(await reportedOf()).result, news], ['SUCCESS', ['late approval']]);
});

test('after a decline: the enquiry tells that it is being reversed, and then that it is', async () => {
  const { answer } = await atSecondPin();
  await endsWith(answer, declines('51'));
  stage.eps.onReversal = () => ({ kind: 'unanswered' });
  await approved(first());
  const pending = await reportedOf();
  assert.deepEqual([pending.result, pending.impact, pending.status], ['DECLINED', 'REVERSAL_PENDING', 'DECLINED']);
  assert.match(pending.message, /approved an earlier attempt of it afterwards, and that is being reversed/);
  stage.eps.onReversal = () => acknowledges;
  await stage.clock.advance(60_000);
  assert.deepEqual([(await reportedOf()).impact, (await reportedOf()).status], ['REVERSED', 'REVERSED']);
  assert.match((await reportedOf()).message, /and that is reversed/);
});

test('while the next PIN is entered: heard, and the payment goes on', async () => {
  const { answer } = await atSecondPin();
  await approved(first());
  assert.equal(stage.eps.books.get(first()), 'REVERSED');
  assert.equal((await endsWith(answer, approves)).conclusion?.result, 'SUCCESS');
  assert.equal(stage.posted, 1);
});

test('while the intent of the next try is written: that one leaves only behind the reversal', async () => {
  const { answer } = await atSecondPin();
  const written = Promise.withResolvers<void>();
  stage.journal.replies.set('intend', written.promise);
  stage.eps.onReversal = () => ({ kind: 'unanswered' });
  stage.pinPad.enter();
  await stage.trace.seen('commit: intent', 2);
  await approved(first());
  assert.equal(stage.eps.reversals.length, 1);
  stage.journal.replies.delete('intend');
  written.resolve();
  const record = ended(await answer);
  assert.equal(stans().length, 1);
  assert.equal(record.hostOutcome?.kind, 'notSent');
  assert.equal(financialImpact(record), 'REVERSAL_PENDING');
});

test('one that was cancelled meanwhile is told with what is being reversed of it', async () => {
  const { answer } = await atSecondPin();
  stage.eps.onReversal = () => ({ kind: 'unanswered' });
  await approved(first());
  stage.pinPad.wait.answer({ kind: 'cancelled' });
  const record = ended(await answer);
  assert.equal(financialImpact(record), 'REVERSAL_PENDING');
});

test('the same approval again is one of the try that is being taken back, after a restart too', async () => {
  const { answer } = await atSecondPin();
  await endsWith(answer, approves);
  await approved(first());
  await stage.restart();
  const { journal, forwarder, clock, random } = stage;
  const acquirers = stage.acquirers.cardAcquirers;
  late = new LateAnswers({ journal, forwarder, acquirers, clock, random, onHeard: (what) => news.push(what) });
  await approvalHeard(first());
  assert.equal(stage.eps.books.get(first()), 'REVERSED');
  assert.deepEqual([stage.posted, stage.eps.reversals.length, news], [1, 1, ['late approval']]);
  assert.equal((await reportedOf()).status, 'APPROVED');
});

test('it is in the operator’s list, and its batch is settled when it is through', async () => {
  const { answer } = await atSecondPin();
  await endsWith(answer, approves);
  stage.eps.onReversal = () => ({ kind: 'refused', responseCode: '12' });
  await approved(first());
  assert.equal(stage.journal.store.pending().length, 1);
  const settle = async (messageId: string) => {
    const settling = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EPS });
    assert.ok(settling.kind === 'ended');
    return settling.settlement.results?.[0];
  };
  assert.equal((await settle('S-1'))?.result, 'FAILED');
  stage.eps.onReversal = () => acknowledges;
  await stage.clock.advance(60_000);
  const done = await settle('S-2');
  assert.deepEqual([done?.result, done?.totals.map(({ count }) => count)], ['BALANCED', [1]]);
});
