import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { TransactionType } from '../../../src/base/domain/transaction-kind.ts';
import type { SetAside } from '../../../src/payment/events/answer.ts';
import { setAside, waitingOnes } from '../../../src/operator/waiting.ts';
import type { AdviceOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { type TransactionRecord, transactionRecord } from '../../../src/payment/records/record.ts';
import { presentConclusion } from '../../../src/payment/records/present.ts';
import { takesAdvice } from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';

/** An advice whose first answer was lost, and whose repeat the host rejects: it may have posted the first. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });
const rejects: AdviceOutcome = { kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' };

/** The first attempts end as told, all later ones are rejected. */
function answers(...first: readonly AdviceOutcome[]): void {
  const left = [...first];
  stage.edc.onAdvice = () => left.shift() ?? rejects;
}

async function completion(messageId = 'M-2') {
  const auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'visa'));
  const { id } = ended(await stage.terminal.pay(about('OFFLINE_SALE', messageId, auth, hkd(2500n))));
  await stage.clock.advance(60_000);
  return { auth, id };
}

async function reportedOf(id: TransactionRecord['id']) {
  const record = transactionRecord(id, await stage.journal.read(id));
  const { result, reason } = presentConclusion(record);
  return { result, reason, impact: financialImpact(record) };
}

async function asked(type: TransactionType, messageId: string, original: TransactionRecord, minor: bigint) {
  return presentConclusion(ended(await stage.terminal.pay(about(type, messageId, original, hkd(minor))))).reason;
}

const decided = (id: string, outcome: SetAside['outcome']) =>
  setAside(id, outcome, {
    journal: stage.journal,
    acquirers: ['EDC'],
    isUnsendable: () => false,
    takesBatch: stage.terminal.room.takesBatch,
    decide: decidesAtOnce,
  });

describe('the rejected repeat of an attempt that had no answer', () => {
  test('proves nothing: it is told as unknown, and the authorization stays closed until the bank has spoken', async () => {
    answers({ kind: 'unanswered' });
    const { auth, id } = await completion();
    assert.equal(stage.edc.advices.length, 2);
    assert.deepEqual(await reportedOf(id), { result: 'UNKNOWN', reason: 'doubtfulAtHost', impact: 'UNKNOWN' });
    assert.equal(await asked('OFFLINE_SALE', 'M-3', auth, 2500n), 'originalAwaitsHost');
    assert.equal(await asked('VOID', 'M-4', auth, 3000n), 'originalAwaitsHost');
    assert.ok('id' in (await decided(id, 'NOT_POSTED')));
    assert.deepEqual(await reportedOf(id), { result: 'ERROR', reason: 'rejectedByHost', impact: 'NONE' });
    answers(takesAdvice);
    assert.equal(await asked('OFFLINE_SALE', 'M-5', auth, 2500n), undefined);
  });

  test('the bank has posted it: the authorization is completed', async () => {
    answers({ kind: 'unanswered' });
    const { auth, id } = await completion();
    assert.ok('id' in (await decided(id, 'POSTED')));
    assert.equal((await reportedOf(id)).result, 'SUCCESS');
    const again = await stage.terminal.pay(about('OFFLINE_SALE', 'M-3', auth, hkd(2500n)));
    assert.equal(again.kind === 'refused' ? again.refusal.reason : again.kind, 'originalCompleted');
  });

  test('after a restart each earlier attempt is one that may have come through', async () => {
    answers({ kind: 'notSent' });
    const auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'visa'));
    const { id } = ended(await stage.terminal.pay(about('OFFLINE_SALE', 'M-2', auth, hkd(2500n))));
    await stage.trace.seen('EDC: completion');
    await stage.restart();
    answers();
    await stage.clock.advance(60_000);
    assert.equal((await reportedOf(id)).reason, 'doubtfulAtHost');
  });
});

test('attempts that did not leave the terminal are in no books: the rejection of the first that did is final', async () => {
  answers({ kind: 'notSent' }, { kind: 'notSent' });
  const { auth, id } = await completion();
  assert.equal(stage.edc.advices.length, 3);
  assert.deepEqual(await reportedOf(id), { result: 'ERROR', reason: 'rejectedByHost', impact: 'NONE' });
  answers(takesAdvice);
  assert.equal(await asked('OFFLINE_SALE', 'M-3', auth, 2500n), undefined);
});

describe('an advice that is answered with another amount', () => {
  const contradicts = {
    kind: 'contradicted',
    accepts: true,
    otherAmount: {
      sent: { amountMinor: '2500', currency: 'HKD' },
      answered: { amountMinor: '3500', currency: 'HKD' },
    },
    responseCode: '00',
    rrn: '000000000007',
    hostTime: '101530',
    hostDate: '0825',
  } as const satisfies AdviceOutcome;

  async function contradicted() {
    stage.edc.onAdvice = () => contradicts;
    const made = await completion();
    assert.equal(stage.edc.advices.length, 1, 'no repeat would get another answer');
    return made;
  }

  test('does not block the queue: the next card payment goes to the host', async () => {
    await contradicted();
    assert.deepEqual(stage.journal.store.pending(), []);
    const sold = ended(await stage.paid(sale('M-9')));
    assert.equal(sold.conclusion?.result, 'SUCCESS');
  });

  test('is for the bank to decide, and the enquiry and the operator’s list give both amounts', async () => {
    const { auth, id } = await contradicted();
    assert.deepEqual(await reportedOf(id), { result: 'UNKNOWN', reason: 'doubtfulAtHost', impact: 'UNKNOWN' });
    const record = transactionRecord(id, await stage.journal.read(id));
    assert.match(presentConclusion(record).message, /the terminal sent 25\.00 HKD, but the host answered 35\.00 HKD/);
    const waiting = { journal: stage.journal, acquirers: ['EDC'], isUnsendable: () => false };
    assert.partialDeepStrictEqual(await waitingOnes(waiting), [
      { message: 'rejected', amount: '25.00', currency: 'HKD', answeredAmount: '35.00 HKD', responseCode: '00' },
    ]);
    assert.equal(await asked('OFFLINE_SALE', 'M-3', auth, 2500n), 'originalAwaitsHost');
    assert.equal(await asked('VOID', 'M-4', auth, 3000n), 'originalAwaitsHost');
  });

  test('ends with the operator’s decision: posted as sent, or not posted', async () => {
    const { id } = await contradicted();
    assert.ok('id' in (await decided(id, 'POSTED')));
    assert.equal((await reportedOf(id)).result, 'SUCCESS');
    stage.close();
    stage = new Stage();
    const other = await contradicted();
    assert.ok('id' in (await decided(other.id, 'NOT_POSTED')));
    assert.deepEqual(await reportedOf(other.id), { result: 'ERROR', reason: 'rejectedByHost', impact: 'NONE' });
  });
});
