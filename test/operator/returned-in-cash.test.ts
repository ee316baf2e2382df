import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { isUndone } from '../../src/pos/client/answer-result.ts';
import { posResponse } from '../../src/pos/api/pos-response.ts';
import { Reports } from '../../src/payment/terminal/reports.ts';
import { ReadingTurns } from '../../src/payment/terminal/reading-turns.ts';
import { reportFigures } from '../../src/payment/records/report-figures.ts';
import type { TransactionRecord } from '../../src/payment/records/record.ts';
import { begun } from '../payment/terminal/method-stage.ts';
import { postsAndIsSilent, takesAdvice } from '../payment/terminal/scripted-host.ts';
import { showsCode } from '../payment/terminal/scripted-wallet.ts';
import { about, ended, everything, sale, Stage } from '../payment/terminal/stage.ts';
import { printParts } from '../pos/api/served.ts';
import { confirmation } from './bare-menu.ts';
import { openMenu } from './stage-menu.ts';

/** A payment that counts late, and that the operator gives back in cash, also beside refunds. */

const offline = { amountMinorMax: 100_000n, countMax: 9, sumMinorMax: 900_000n };
const ten = { amount: { minor: 1000n, currency: 'HKD' } } as const;

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, { ...everything, offline });
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
});

/** An FPS payment of 30.00 that its customer makes after the answer to the POS was UNKNOWN. */
async function paidLate(): Promise<TransactionRecord> {
  stage.wallet.onPresent = () => showsCode;
  stage.wallet.onEnquire = () => ({ kind: 'unknown' });
  stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
  const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
  await stage.clock.advance(600_000);
  const record = ended(await answer);
  stage.wallet.paid();
  stage.wallet.onEnquire = () => undefined;
  await stage.clock.advance(600_000);
  return record;
}

/** An offline sale of 30.00 that the bank had denied, and that its host accepts late. */
async function acceptedLate(): Promise<TransactionRecord> {
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const record = ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE', preferredEntryMode: 'CARD' })));
  await stage.trace.seen('commit: adviceAnswered');
  stage.edc.onAdvice = () => takesAdvice;
  const { menu, session } = await openMenu(stage);
  await menu.handle({ kind: 'setAside', session, transaction: record.id, outcome: 'NOT_POSTED' });
  await stage.journal.append(record.id, [
    {
      kind: 'adviceAnswered',
      answer: 'acknowledged',
      responseCode: '00',
      rrn: '000000000007',
      hostTime: '120000',
      hostDate: '0101',
    },
  ]);
  return record;
}

async function giveBack({ id }: TransactionRecord): Promise<number> {
  const { menu, session } = await openMenu(stage, { acquirers: ['EDC', 'QR', 'CASH'] });
  return (await menu.handle({ kind: 'givenBackInCash', session, confirmation, transaction: id })).status;
}

async function enquired(messageId = 'M-1') {
  const found = await stage.terminal.enquire('POS-1', messageId);
  return found.kind === 'ended' ? posResponse(found.record, printParts, found) : assert.fail(found.kind);
}

async function figures() {
  const { journal, acquirers } = stage;
  const read = await new Reports({ journal, acquirers: acquirers.acquirers, turns: new ReadingTurns() }).read();
  assert.ok(typeof read !== 'string');
  const { sums, cash } = reportFigures(read);
  return {
    sums: sums.map(({ sales, refundedMinor }) => [sales.minor, refundedMinor]),
    cash: cash.map((each) => each.minor),
  };
}

test('all of it: REFUNDED, and undone for poid/client; the totals are those of the host', async () => {
  const record = await paidLate();
  const before = await figures();
  assert.equal(isUndone(await enquired()), false);
  assert.equal(await giveBack(record), 200);
  const body = await enquired();
  assert.partialDeepStrictEqual(body, {
    responseResult: 'SUCCESS',
    transactionResult: { tranStatus: 'REFUNDED', totalAmount: 30, refundedAmount: 30 },
  });
  assert.equal(isUndone(body), true);
  const { sums, cash } = await figures();
  assert.deepEqual([sums, cash], [before.sums, [-3000n]]);
});

test('the rest after a refund, which is voided then: a part is open again, and given back once more', async () => {
  const record = await acceptedLate();
  const refund = ended(await stage.paid(about('REFUND', 'M-2', record, ten)));
  assert.equal(await giveBack(record), 200);
  assert.partialDeepStrictEqual(await enquired(), {
    transactionResult: { tranStatus: 'REFUNDED', refundedAmount: 30 },
  });
  assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-3', refund))).conclusion?.result, 'SUCCESS');
  assert.partialDeepStrictEqual(await enquired(), {
    transactionResult: { tranStatus: 'PARTIALLY_REFUNDED', refundedAmount: 20 },
    customerMatters: [{ kind: 'COUNTED_LATE', amount: 10, state: 'OPEN' }],
  });
  assert.equal(await giveBack(record), 200);
  assert.partialDeepStrictEqual(await enquired(), {
    transactionResult: { tranStatus: 'REFUNDED', refundedAmount: 30 },
    customerMatters: [{ state: 'SETTLED' }],
  });
  assert.deepEqual((await figures()).cash, [-3000n]);
  assert.equal(await giveBack(record), 409);
});

test('not while its refund may still become known as made', async () => {
  const record = await acceptedLate();
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '12' });
  ended(await stage.paid(about('REFUND', 'M-2', record)));
  assert.equal(await giveBack(record), 409);
});
