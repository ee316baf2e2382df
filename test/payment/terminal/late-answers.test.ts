import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { AdviceOutcome, ReversalOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import type { LateAnswer } from '../../../src/payment/contracts/late-answer.ts';
import { LateAnswers } from '../../../src/methods/card/late-answers.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { transactionRecord } from '../../../src/payment/records/record.ts';
import { presentMessage, presentConclusion } from '../../../src/payment/records/present.ts';
import { settled } from '../../support/manual-clock.ts';
import { acknowledges, approves, declines, isSilent, takesAdvice } from './scripted-host.ts';
import { setAside, waitingOnes } from '../../../src/operator/waiting.ts';
import { about, ended, sale, Stage } from './stage.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';

const EDC = acquirerId('EDC');
const graceMs = 60_000;
const noRecord = { kind: 'noRecord', responseCode: '25' } as const;

let stage: Stage;
let late: LateAnswers;
let news: string[];
beforeEach(() => {
  stage = new Stage();
  hearing();
});
afterEach(() => stage.close());

function hearing(): void {
  news = [];
  const { journal, forwarder, clock, random } = stage;
  const acquirers = stage.acquirers.cardAcquirers;
  late = new LateAnswers({
    journal,
    forwarder,
    acquirers,
    clock,
    random,
    onHeard: (what) => news.push(what),
    onFailure: (error) => stage.failures.push(error),
  });
}

interface Said {
  readonly acquirerId?: LateAnswer['acquirerId'];
  readonly advice?: AdviceOutcome;
  readonly reversal?: ReversalOutcome;
  readonly declined?: boolean;
  readonly reversing?: boolean;
  readonly rrn?: string;
}

/** The host's answer to the request, the advice or the reversal with this number. */
function heard(stan: number, said: Said = {}): Promise<void> {
  const { acquirerId: from = EDC, advice, reversal, declined = false, reversing = false, rrn = '000000000009' } = said;
  const isApproval = !declined && !advice && !reversal;
  const answer: LateAnswer = {
    acquirerId: from,
    mti: advice ? '0230' : reversal ? '0410' : '0210',
    stan: String(stan).padStart(6, '0'),
    rrn,
    responseCode: declined ? '05' : '00',
    isOurs: true,
    reversing,
    isApproval,
    approves: (order) => isApproval && order.trace.stan === stan,
    adviceOutcome: (order) => (order.trace.stan === stan && advice) || { kind: 'unanswered' },
    reversalOutcome: (order) => (order.trace.stan === stan && reversal) || { kind: 'unanswered' },
    settlementOutcome: () => ({ kind: 'unanswered' }),
  };
  late.hear(answer);
  return settled();
}

async function reportedOf(messageId: string) {
  const enquiry = await stage.terminal.enquire('POS-1', messageId);
  assert.ok(enquiry.kind === 'ended');
  const { record, status } = enquiry;
  return {
    result: record.conclusion?.result,
    impact: financialImpact(record),
    status,
    message: presentMessage(record),
  };
}

const pending = () => stage.journal.store.pending().length;
const stan = () => stage.edc.requests.at(-1)?.trace.stan ?? assert.fail();

/** Told REVERSED, because the host said that it has no record of it, again and again. */
async function undone(request = sale('M-1')): Promise<number> {
  stage.edc.onRequest = () => isSilent;
  stage.edc.onReversal = () => noRecord;
  ended(await stage.paid(request));
  await stage.clock.advance(2 * graceMs);
  assert.equal((await reportedOf(request.messageId)).impact, 'REVERSED');
  assert.equal(pending(), 0);
  return stan();
}

/** The host carries out what it was asked long ago. */
function posts(number: number): Promise<void> {
  stage.edc.books.set(number, 'POSTED');
  stage.edc.onReversal = () => acknowledges;
  return heard(number);
}

test('an approval of what was told REVERSED queues the reversal again, in one commit, and the enquiry says so', async () => {
  const number = await undone();
  stage.edc.books.set(number, 'POSTED');
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  await heard(number);
  assert.equal(stage.trace.count('commit: approvedLate+reversalQueued'), 1);
  assert.deepEqual(news, ['late approval']);
  const { result, impact, status, message } = await reportedOf('M-1');
  assert.deepEqual([result, impact, status], ['ERROR', 'REVERSAL_PENDING', 'ERROR']);
  assert.match(message, /approved it afterwards, and that is being reversed/);
  // The same request again gets no other word: nothing is paid twice.
  assert.equal(ended(await stage.terminal.pay(sale('M-1'))).conclusion?.result, 'ERROR');
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(graceMs);
  assert.equal(stage.edc.books.get(number), 'REVERSED');
  const after = await reportedOf('M-1');
  assert.deepEqual([after.impact, after.status], ['REVERSED', 'REVERSED']);
  assert.match(after.message, /and that is reversed/);
  assert.ok(stage.edc.reversals.at(-1)?.repeat);
});

test('a host that repeats its approval while the reversal waits, and after it, adds nothing to the journal', async () => {
  const number = await undone();
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  const written = () => stage.trace.count('commit: approvedLate+reversalQueued');
  for (let i = 0; i < 20; i++) await heard(number, { rrn: String(i).padStart(12, '0') });
  assert.equal(written(), 1);
  await heard(number, { reversing: true });
  assert.equal(stage.trace.count('commit: approvedLate'), 0);
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(graceMs);
  assert.equal((await reportedOf('M-1')).impact, 'REVERSED');
  const sent = stage.edc.reversals.length;
  for (let i = 0; i < 20; i++) await heard(number, { rrn: '000000000000' });
  assert.deepEqual([written(), stage.edc.reversals.length, news], [1, sent, ['late approval']]);
});

test('an approval after "no record", or with another number, is reversed again, but not without limit', async () => {
  const number = await undone();
  stage.edc.onReversal = () => noRecord;
  const written = () => stage.trace.count('commit: approvedLate+reversalQueued');
  for (let round = 1; round <= 2; round++) {
    await heard(number);
    await stage.clock.advance(3 * graceMs);
    assert.deepEqual([written(), pending()], [round, 0]);
  }
  stage.edc.onReversal = () => acknowledges;
  await heard(number);
  assert.deepEqual([written(), pending()], [3, 0]);
  await heard(number, { rrn: '000000000010' });
  await heard(number, { rrn: '' });
  await heard(number, { rrn: '' });
  assert.deepEqual([written(), pending()], [6, 0]);
  for (let i = 0; i < 30; i++) await heard(number, { rrn: `0000000001${i + 10}` });
  assert.equal(written(), 16);
});

test('a refund: the second is the only one that is paid out', async () => {
  stage.edc.onRequest = () => approves;
  const original = ended(await stage.paid(sale('M-0')));
  const first = await undone(about('REFUND', 'M-1', original));
  stage.edc.onRequest = () => approves;
  assert.equal(ended(await stage.paid(about('REFUND', 'M-2', original))).conclusion?.result, 'SUCCESS');
  const second = stan();
  await posts(first);
  assert.deepEqual([stage.edc.books.get(first), stage.edc.books.get(second)], ['REVERSED', 'POSTED']);
  assert.deepEqual([(await reportedOf('M-1')).impact, (await reportedOf('M-2')).status], ['REVERSED', 'APPROVED']);
});

test('a decline that the host takes back is taken back here too', async () => {
  stage.edc.onRequest = () => declines('91');
  ended(await stage.paid());
  await posts(stan());
  assert.equal(stage.edc.books.get(stan()), 'REVERSED');
  const { result, impact, status } = await reportedOf('M-1');
  assert.deepEqual([result, impact, status], ['ERROR', 'REVERSED', 'REVERSED']);
  assert.deepEqual(stage.edc.reversals, [{ stan: stan(), repeat: false }]);
});

test('so does one of a transaction that a restart reversed', async () => {
  const number = await undone();
  await stage.restart();
  hearing();
  await posts(number);
  assert.equal(stage.edc.books.get(number), 'REVERSED');
});

test('heard while another payment runs, which goes on', async () => {
  const number = await undone();
  stage.edc.onRequest = () => approves;
  const paying = stage.terminal.pay(sale('M-2'));
  await stage.trace.seen('reader: armed', 2);
  await posts(number);
  assert.equal(stage.edc.books.get(number), 'REVERSED');
  stage.reader.present('visa');
  assert.equal(ended(await paying).conclusion?.result, 'SUCCESS');
  assert.equal(stage.posted, 1);
});

test('the answer that a payment had, once more, changes nothing; nor does one of nothing here', async () => {
  stage.edc.onRequest = () => approves;
  ended(await stage.paid());
  await heard(stan());
  await heard(stan(), { declined: true });
  await heard(999);
  assert.deepEqual([pending(), stage.edc.reversals.length, news], [0, 0, []]);
  assert.equal((await reportedOf('M-1')).status, 'APPROVED');
});

test('a decline while the reversal waits changes nothing', async () => {
  stage.edc.onRequest = () => isSilent;
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  ended(await stage.paid());
  await heard(stan(), { declined: true });
  assert.deepEqual([pending(), news], [1, []]);
});

test('before the answer of its reversal: "no record" does not conclude it then, an acknowledgement does', async () => {
  stage.edc.onRequest = () => isSilent;
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  ended(await stage.paid());
  // Older than any grace: a "no record" would be the end.
  await stage.clock.advance(2 * graceMs);
  const answer = Promise.withResolvers<ReversalOutcome>();
  const asked = stage.edc.reversals.length;
  stage.edc.onReversal = () => answer.promise;
  await stage.clock.advance(graceMs);
  assert.equal(stage.edc.reversals.length, asked + 1);
  const approval = heard(stan(), { reversing: true });
  answer.resolve(noRecord);
  await approval;
  assert.equal(pending(), 1, 'the host has told of it a moment ago');
  assert.equal(stage.trace.count('commit: approvedLate'), 1);
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(graceMs);
  const sent = stage.edc.reversals.length;
  assert.deepEqual([pending(), (await reportedOf('M-1')).impact], [0, 'REVERSED']);
  await stage.clock.advance(2 * graceMs);
  assert.equal(stage.edc.reversals.length, sent);
});

test('an answer to a reversal takes it out of the queue, "no record" does not, and none of those before a late approval', async () => {
  stage.edc.onRequest = () => isSilent;
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  ended(await stage.paid());
  await heard(stan(), { reversal: noRecord });
  assert.equal(pending(), 1);
  await heard(stan(), { reversal: acknowledges });
  assert.deepEqual([pending(), news], [0, ['late answer to a reversal']]);
  await heard(stan());
  await heard(stan(), { reversal: acknowledges });
  assert.equal(pending(), 1);
});

test('an acknowledgement that may be older than the approval decides nothing: the reversal is sent again', async () => {
  stage.edc.onRequest = () => isSilent;
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  const { id } = ended(await stage.paid());
  stage.edc.books.set(stan(), 'POSTED');
  await heard(stan());
  await stage.journal.append(id, [{ kind: 'setAside', outcome: 'POSTED' }]);
  assert.deepEqual([pending(), (await reportedOf('M-1')).impact], [0, 'UNKNOWN']);
  await heard(stan(), { reversal: acknowledges });
  assert.deepEqual([pending(), (await reportedOf('M-1')).impact], [1, 'REVERSAL_PENDING']);
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(2 * graceMs);
  assert.deepEqual([pending(), (await reportedOf('M-1')).impact], [0, 'REVERSED']);
  assert.equal(stage.edc.books.get(stan()), 'REVERSED');
});

test('an answer to an advice settles its queue: posted, or rejected', async () => {
  stage.edc.onAdvice = () => ({ kind: 'unanswered' });
  const offline = (messageId: string) => sale(messageId, { type: 'OFFLINE_SALE' });
  ended(await stage.paid(offline('M-1')));
  ended(await stage.paid(offline('M-2')));
  await settled();
  await heard(1, { advice: { kind: 'refused', reason: 'hostTrouble', responseCode: '91' } });
  assert.equal(pending(), 2);
  await heard(1, { advice: takesAdvice });
  await heard(2, { advice: { kind: 'rejected', reason: 'doNotHonour', responseCode: '05' } });
  assert.deepEqual([pending(), stage.journal.store.rejectedAdvices(EDC).length], [0, 1]);
  // The host has posted it all the same.
  await heard(2, { advice: takesAdvice });
  assert.equal(stage.journal.store.rejectedAdvices(EDC).length, 0);
  await heard(1, { advice: { kind: 'rejected', reason: 'doNotHonour', responseCode: '05' } });
  assert.equal(news.length, 3, 'posted is posted');
});

test('rejected is the word on an advice of which the host had only said that it is there', async () => {
  stage.edc.onAdvice = () => ({ ...takesAdvice, reason: 'duplicate', responseCode: '94' });
  ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE' })));
  await settled();
  await heard(1, { advice: { kind: 'rejected', reason: 'doNotHonour', responseCode: '05' } });
  assert.equal(stage.journal.store.rejectedAdvices(EDC).length, 1);
});

const contradicts = {
  kind: 'contradicted',
  accepts: true,
  otherAmount: { sent: { amountMinor: '3300', currency: 'HKD' }, answered: { amountMinor: '3500', currency: 'HKD' } },
  responseCode: '00',
  rrn: '000000000007',
  hostTime: '101530',
  hostDate: '0825',
} as const satisfies AdviceOutcome;

/** A tip with this answer of the host. Returns its number, and its reason for an enquiry afterwards. */
async function tipAnswered(outcome: AdviceOutcome) {
  const original = ended(await stage.paid(sale('M-1')));
  stage.edc.onAdvice = () => outcome;
  const tip = about('TIP_ADJUST', 'M-2', original, { amount: { minor: 3300n, currency: 'HKD' } });
  const { id } = ended(await stage.terminal.pay(tip));
  await settled();
  const number = stage.edc.advices.at(-1)?.order.trace.stan ?? assert.fail();
  const record = () => transactionRecord(id, stage.journal.store.read(id));
  return { id, number, record, reason: () => presentConclusion(record()).reason };
}

test('an answer to an advice with another amount removes it from the queue, and the bank must decide', async () => {
  const { number, reason, record } = await tipAnswered({ kind: 'unanswered' });
  await heard(number, { advice: contradicts });
  assert.equal(pending(), 0);
  assert.equal(reason(), 'doubtfulAtHost');
  const { otherAmount } = contradicts;
  assert.deepEqual(record().adviceAnswer?.otherAmount, otherAmount);
  await heard(number, { advice: contradicts });
  assert.deepEqual(news, ['late answer to an advice'], 'once');
  await heard(number, { advice: takesAdvice });
  assert.equal(reason(), undefined, 'the host has posted it as it was sent');
});

test('a rejection becomes doubtful by an acceptance, not by a refusal, with another amount', async () => {
  const rejected = { kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' } as const;
  const { id, number, reason } = await tipAnswered(rejected);
  await heard(number, { advice: { ...contradicts, accepts: false, responseCode: '05' } });
  assert.equal(reason(), 'rejectedByHost');
  const { journal, terminal } = stage;
  const { takesBatch } = terminal.room;
  const parts = { journal, acquirers: ['EDC'], isUnsendable: () => false, takesBatch, decide: decidesAtOnce };
  await setAside(id, 'NOT_POSTED', parts);
  await heard(number, { advice: contradicts });
  assert.equal(reason(), 'doubtfulAtHost');
  assert.equal((await waitingOnes(parts))[0]?.answeredAmount, '35.00 HKD');
});

test('an answer with another amount does not affect an advice that the host has posted as sent', async () => {
  const { number, reason } = await tipAnswered(takesAdvice);
  await heard(number, { advice: contradicts });
  assert.equal(reason(), undefined);
  assert.deepEqual(news, []);
});

test('what the bank has confirmed by telephone stays; what it did not have is reversed', async () => {
  for (const [outcome, count] of [
    ['POSTED', 0],
    ['NOT_POSTED', 1],
  ] as const) {
    stage.edc.onRequest = () => isSilent;
    stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '12' });
    const record = ended(await stage.paid(sale(outcome)));
    stage.journal.store.append(record.id, [{ kind: 'setAside', outcome }]);
    await heard(stan());
    assert.equal(pending(), count, outcome);
  }
});

test('a journal that fails for a while loses nothing of it', async () => {
  const number = await undone();
  stage.journal.fault = (_call, operation) => operation === 'append';
  await posts(number);
  assert.equal(pending(), 0);
  stage.journal.fault = () => false;
  await stage.clock.advance(10_000);
  assert.equal(stage.edc.books.get(number), 'REVERSED');
});

test('a flood of one host does not drop the late approval of another one', async () => {
  const number = await undone();
  const CUP = acquirerId('CUP');
  for (let each = 0; each < 1_500; each++) void heard(900_000 + each, { acquirerId: CUP });
  stage.edc.books.set(number, 'POSTED');
  stage.edc.onReversal = () => acknowledges;
  void heard(number);
  await late.close();
  assert.deepEqual(news, ['late approval']);
  assert.equal((await reportedOf('M-1')).impact, 'REVERSED');
});

test('what nobody can read is left to the operator, and no other suffers', async () => {
  const number = await undone();
  stage.edc.onRequest = () => isSilent;
  const second = await undone(sale('M-2'));
  const { id } = ended(await stage.terminal.pay(sale('M-1')));
  stage.journal.store.append(id, [{ kind: 'nonsense' } as never]);
  await heard(number);
  await posts(second);
  assert.equal(stage.edc.books.get(second), 'REVERSED');
});

test('a tip that its host takes when the sale is settled without it is told at settlement, until the bank has said what is so', async () => {
  const original = ended(await stage.paid(sale('M-1')));
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const tip = about('TIP_ADJUST', 'M-2', original, { amount: { minor: 3300n, currency: 'HKD' } });
  const { id } = ended(await stage.terminal.pay(tip));
  await settled();
  const number = stage.edc.advices.at(-1)?.order.trace.stan ?? assert.fail();
  const settle = async (messageId: string) => {
    const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
    assert.ok(answer.kind === 'ended');
    return answer.settlement.results?.[0];
  };
  await settle('S-1');
  const { takesBatch } = stage.terminal.room;
  const parts = {
    journal: stage.journal,
    acquirers: ['EDC'],
    isUnsendable: () => false,
    takesBatch,
    decide: decidesAtOnce,
  };
  const decided = (outcome: 'POSTED' | 'NOT_POSTED') => setAside(id, outcome, parts);
  await decided('NOT_POSTED');
  assert.equal((await settle('S-2'))?.rejected, undefined);
  await heard(number, { advice: takesAdvice });
  await heard(number, { advice: takesAdvice });
  assert.equal(news.length, 1);
  const rejected = (await settle('S-3'))?.rejected;
  assert.deepEqual(
    rejected?.map((each) => [each.id, each.kind, each.responseCode, each.afterSettlement]),
    [[id, 'TIP_ADJUST', '00', true]],
  );
  const enquired = async () => {
    const enquiry = await stage.terminal.enquire('POS-1', 'M-2');
    assert.ok(enquiry.kind === 'ended');
    return [presentConclusion(enquiry.record), financialImpact(enquiry.record)] as const;
  };
  const [conclusion, impact] = await enquired();
  assert.deepEqual([conclusion.result, impact], ['ERROR', 'UNKNOWN']);
  assert.match(conclusion.message, /accepted by the host \(code 00\) after the sale was settled without it/);
  await decided('POSTED');
  assert.equal((await settle('S-4'))?.rejected, undefined);
  assert.equal((await enquired())[0].result, 'SUCCESS');
});

/** Its host says that it has the number of this one already, and has taken none before. */
async function taken(messageId: string): Promise<number> {
  stage.edc.onRequest = () => ({ posted: false, outcome: { kind: 'unknown', reason: 'duplicate' } });
  assert.equal(ended(await stage.paid(sale(messageId))).conclusion?.result, 'UNKNOWN');
  return stan();
}

const waiting = () => {
  const { journal, forwarder } = stage;
  return waitingOnes({ journal, acquirers: ['EDC'], isUnsendable: (id) => forwarder.isUnsendable(id) });
};

test('an approval about a number that its host has from elsewhere takes nothing back, and is told to POS and operator', async () => {
  const number = await undone();
  const held = await taken('M-2');
  assert.doesNotMatch((await reportedOf('M-2')).message, /approved/);
  await heard(held, { declined: true });
  await heard(held);
  await heard(held);
  assert.equal(stage.trace.count('commit: approvedLate'), 1);
  const { result, impact, message } = await reportedOf('M-2');
  assert.deepEqual([result, impact], ['UNKNOWN', 'UNKNOWN']);
  assert.match(message, /; the host approved a message of this number and amount afterwards$/);
  assert.partialDeepStrictEqual(await waiting(), [{ message: 'reversal', unsendable: true, responseCode: '00' }]);
  await stage.clock.advance(10 * graceMs);
  assert.ok(!stage.edc.reversals.some((each) => each.stan === held));
  await posts(number);
  assert.deepEqual(news, ['late approval', 'late approval'], 'it holds up none behind it');
});

test('the same after the operator was told that it is not posted: the bank is to be asked again', async () => {
  const held = await taken('M-1');
  const { id } = (await waiting())[0] ?? assert.fail();
  await stage.journal.append(id, [{ kind: 'setAside', outcome: 'NOT_POSTED' }]);
  assert.deepEqual(await waiting(), []);
  await heard(held);
  assert.partialDeepStrictEqual(await waiting(), [{ id, message: 'reversal', responseCode: '00' }]);
  await stage.clock.advance(10 * graceMs);
  assert.deepEqual(stage.edc.reversals, []);
});
