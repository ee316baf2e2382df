import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { customerMatterEvents, posResponse } from '../../../src/pos/api/pos-response.ts';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { openMatters } from '../../../src/operator/customer-matters.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { readBatch, readOpenBatch } from '../../../src/payment/records/batch-reader.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { printParts } from '../../pos/api/served.ts';
import { begun } from './method-stage.ts';
import { approves, postsAndIsSilent, takesAdvice } from './scripted-host.ts';
import { showsCode } from './scripted-wallet.ts';
import { about, ended, everything, sale, Stage } from './stage.ts';

/** Evidence that arrives after a decision: what is to be settled with the customer, and what a POS reads of it. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
});

const posted = { kind: 'setAside', outcome: 'POSTED' } as const;
const notPosted = { kind: 'setAside', outcome: 'NOT_POSTED' } as const;
const reversed = { kind: 'reversalAcknowledged', responseCode: '00' } as const;
const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });

const append = (id: TerminalTransactionId, ...events: JournalEvent[]) => stage.journal.append(id, events);

/** What the bank has confirmed, and its host has not answered for. */
async function confirmed(answer: () => Promise<TransactionRecord>): Promise<TransactionRecord> {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '96' });
  const record = await answer();
  stage.edc.onRequest = () => approves;
  await append(record.id, posted);
  return record;
}
const confirmedSale = () => confirmed(async () => ended(await stage.paid()));

async function settle(messageId = 'S-1'): Promise<void> {
  const settled = await stage.terminal.settle({
    posId: 'POS-1',
    messageId,
    digest: messageId,
    acquirerId: stage.edc.id,
  });
  assert.ok(settled.kind === 'ended');
  assert.equal(settled.settlement.results?.[0]?.result, 'BALANCED');
}

const itemsOf = async (batch: number) =>
  (await readBatch(stage.journal, stage.edc.id, batch)).batch.items.map(({ record }) => record.request.messageId);

async function enquired(messageId = 'M-1') {
  const answer = await stage.terminal.enquire('POS-1', messageId);
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  return posResponse(answer.record, printParts, answer);
}

/** The operator's list: kind, transaction and amount. */
const listed = async () =>
  (await openMatters({ journal: stage.journal })).map(({ matter, id, amount }) => [matter, id, amount]);

const settledWith = (id: TerminalTransactionId, matter: Parameters<typeof settledEvent>[0]) =>
  append(id, settledEvent(matter));
const settledEvent = (matter: 'refundOfReversed' | 'countedLate' | 'reversedLate' | 'reversedAfterSettlement') =>
  ({ kind: 'settledWithCustomer', matter, who: 'OPERATOR', session: 'one' }) as const;

describe('a sale that the bank confirmed, and that its host reverses late', () => {
  test('after its refund: the refund is listed until it is voided', async () => {
    const record = await confirmedSale();
    const refund = ended(await stage.paid(about('REFUND', 'M-2', record)));
    assert.deepEqual(await listed(), []);
    await append(record.id, reversed);
    assert.deepEqual(await listed(), [['refundOfReversed', refund.id, '30.00']]);
    const body = await enquired();
    assert.deepEqual(
      [body['financialImpact'], body['reason'], body['retryable']],
      ['REVERSED', 'refundedAndReversed', 'CALL_OPERATOR'],
    );
    const matter = {
      kind: 'REFUND_OF_REVERSED',
      transactionType: 'REFUND',
      paymentMethod: 'VISA',
      amount: 30,
      currency: 'HKD',
      state: 'OPEN',
      terminalTransactionId: refund.id,
    };
    assert.deepEqual(body['customerMatters'], [matter]);
    assert.match(String(body['message']), /HKD 30\.00 is to be settled with the customer$/);
    const ofRefund = await enquired('M-2');
    assert.deepEqual([ofRefund['responseResult'], ofRefund['customerMatters']], ['SUCCESS', [matter]]);
    const identity = { posId: 'POS-1', messageId: 'M-2', terminalTransactionId: refund.id };
    const events = [{ ...identity, customerMatter: matter }];
    assert.deepEqual(await customerMatterEvents(record.id, stage.journal), events);
    assert.equal(ended(await stage.terminal.pay(about('VOID', 'M-3', refund))).conclusion?.result, 'SUCCESS');
    assert.deepEqual(
      (await listed()).map(([kind]) => kind),
      ['reversedLate'],
    );
    assert.deepEqual((await enquired('M-2'))['customerMatters'], undefined);
  });

  test('after refunds of parts: each is listed, and what the customer kept too', async () => {
    const record = await confirmedSale();
    const first = ended(await stage.paid(about('REFUND', 'M-2', record, hkd(500n))));
    const second = ended(await stage.paid(about('REFUND', 'M-3', record, hkd(700n))));
    await append(record.id, reversed);
    assert.deepEqual(await listed(), [
      ['reversedLate', record.id, '18.00'],
      ['refundOfReversed', first.id, '5.00'],
      ['refundOfReversed', second.id, '7.00'],
    ]);
    ended(await stage.terminal.pay(about('VOID', 'M-4', first)));
    assert.deepEqual(await listed(), [
      ['reversedLate', record.id, '23.00'],
      ['refundOfReversed', second.id, '7.00'],
    ]);
    await settledWith(record.id, 'reversedLate');
    await settledWith(second.id, 'refundOfReversed');
    assert.deepEqual(await listed(), []);
  });

  test('after refunds of parts: the operator settles each by itself', async () => {
    const record = await confirmedSale();
    const first = ended(await stage.paid(about('REFUND', 'M-2', record, hkd(500n))));
    const second = ended(await stage.paid(about('REFUND', 'M-3', record, hkd(700n))));
    await append(record.id, reversed);
    await settledWith(first.id, 'refundOfReversed');
    await settledWith(record.id, 'reversedLate');
    assert.deepEqual(await listed(), [['refundOfReversed', second.id, '7.00']]);
  });

  test('after an adjusted tip: the tip is not paid either', async () => {
    const record = await confirmedSale();
    await append(record.id, { kind: 'approvedLate', responseCode: '00', rrn: '000000000007' });
    const tip = ended(await stage.terminal.pay(about('TIP_ADJUST', 'M-2', record, hkd(3300n))));
    assert.equal(tip.conclusion?.result, 'SUCCESS');
    await append(record.id, reversed);
    assert.deepEqual(await listed(), [['reversedLate', record.id, '33.00']]);
  });

  test('after its void: nothing is left to settle', async () => {
    const record = await confirmedSale();
    ended(await stage.terminal.pay(about('VOID', 'M-2', record)));
    await append(record.id, reversed);
    assert.deepEqual(await listed(), []);
  });

  test('after a settlement: the settled batch stays as it was, and only the bank knows', async () => {
    const record = await confirmedSale();
    stage.edc.books.set(record.intent?.trace.stan ?? 0, 'POSTED');
    await settle();
    assert.deepEqual(await itemsOf(1), ['M-1']);
    await append(record.id, reversed);
    assert.deepEqual([await itemsOf(1), await itemsOf(2)], [['M-1'], []]);
    assert.deepEqual(await listed(), [['reversedAfterSettlement', record.id, '30.00']]);
    const body = await enquired();
    assert.deepEqual(
      [body['financialImpact'], body['reason'], body['retryable']],
      ['UNKNOWN', 'reversedAfterSettlement', 'CALL_OPERATOR'],
    );
    await settledWith(record.id, 'reversedAfterSettlement');
    assert.deepEqual([await listed(), (await enquired())['financialImpact']], [[], 'REVERSED']);
    assert.deepEqual(await itemsOf(1), ['M-1']);
  });

  test('while its batch is open: it leaves the batch, and is listed', async () => {
    const record = await confirmedSale();
    await append(record.id, reversed);
    assert.deepEqual(await itemsOf(1), []);
    assert.deepEqual(await listed(), [['reversedLate', record.id, '30.00']]);
    assert.equal((await enquired())['reason'], 'reversedLate');
    await settle();
    assert.deepEqual(await itemsOf(1), []);
  });
});

describe('a void or refund that the bank confirmed, and that its host reverses late', () => {
  test('a void: the customer is charged after all, until the sale is voided again', async () => {
    const paid = ended(await stage.paid());
    const taken = await confirmed(async () => ended(await stage.terminal.pay(about('VOID', 'M-2', paid))));
    await append(taken.id, reversed);
    assert.deepEqual(await listed(), [['reversedLate', taken.id, '30.00']]);
    ended(await stage.terminal.pay(about('VOID', 'M-3', paid)));
    assert.deepEqual(await listed(), []);
  });

  test('a void: what is refunded of the sale instead is not owed any more', async () => {
    const paid = ended(await stage.paid());
    const taken = await confirmed(async () => ended(await stage.terminal.pay(about('VOID', 'M-2', paid))));
    await append(taken.id, reversed);
    ended(await stage.paid(about('REFUND', 'M-3', paid, hkd(1000n))));
    assert.deepEqual(await listed(), [['reversedLate', taken.id, '20.00']]);
    ended(await stage.paid(about('REFUND', 'M-4', paid, hkd(2000n))));
    assert.deepEqual(await listed(), []);
  });

  test('a void in a settled batch: the change of the sale’s batch is in the books, and the report stays', async () => {
    const paid = ended(await stage.paid());
    const taken = await confirmed(async () => ended(await stage.terminal.pay(about('VOID', 'M-2', paid))));
    await settle();
    const voids = async () => (await readBatch(stage.journal, stage.edc.id, 1)).batch.voids();
    const before = await voids();
    const { until } = await stage.journal.changes(0);
    await append(taken.id, reversed);
    assert.deepEqual(await voids(), before);
    const { changes } = await stage.journal.changes(until);
    assert.deepEqual(changes.map(({ id }) => id).toSorted(), [paid.id, taken.id].toSorted());
  });

  test('a refund: the customer has nothing back, until it is refunded again', async () => {
    const paid = ended(await stage.paid());
    const refund = await confirmed(async () => ended(await stage.paid(about('REFUND', 'M-2', paid))));
    await append(refund.id, reversed);
    assert.deepEqual(await listed(), [['reversedLate', refund.id, '30.00']]);
    ended(await stage.paid(about('REFUND', 'M-3', paid)));
    assert.deepEqual(await listed(), []);
  });
});

describe('what counts late', () => {
  async function offlineNotPosted(): Promise<TransactionRecord> {
    stage.edc.onAdvice = () => ({ kind: 'unanswered' });
    const record = ended(await stage.paid(sale('M-1', { type: 'OFFLINE_SALE', approvalCode: '123456' } as never)));
    await append(record.id, notPosted);
    return record;
  }

  test('an offline sale that its host accepts after the bank had denied it', async () => {
    const record = await offlineNotPosted();
    assert.deepEqual(await listed(), []);
    const { responseCode, rrn, hostTime, hostDate } = takesAdvice as never as Record<string, string>;
    const answer = {
      responseCode: responseCode ?? '00',
      rrn: rrn ?? '',
      hostTime: hostTime ?? '',
      hostDate: hostDate ?? '',
    };
    await append(record.id, { kind: 'adviceAnswered', answer: 'acknowledged', ...answer });
    assert.deepEqual(await listed(), [['countedLate', record.id, '30.00']]);
    const body = await enquired();
    assert.deepEqual(
      [body['responseResult'], (await readOpenBatch(stage.journal, stage.edc.id)).batch.items.length],
      ['SUCCESS', 1],
    );
    assert.match(
      String(body['message']),
      /^it counts, after it had ended without success: HKD 30\.00 is to be settled/,
    );
    ended(await stage.paid(about('REFUND', 'M-2', record, hkd(1_000n))));
    assert.deepEqual(await listed(), [['countedLate', record.id, '20.00']]);
    ended(await stage.paid(about('REFUND', 'M-3', record, hkd(2_000n))));
    assert.deepEqual(await listed(), []);
  });

  test('a shown FPS code that is paid after its payment had ended', async () => {
    stage.wallet.onPresent = () => showsCode;
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    stage.wallet.onClose = () => ({ closes: false, outcome: { kind: 'unanswered' } });
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
    await stage.clock.advance(600_000);
    const { id, conclusion } = ended(await answer);
    assert.notEqual(conclusion?.result, 'SUCCESS');
    stage.wallet.paid();
    stage.wallet.onEnquire = () => undefined;
    await stage.clock.advance(600_000);
    const body = await enquired();
    assert.equal(body['responseResult'], 'SUCCESS');
    assert.deepEqual(await listed(), [['countedLate', id, '30.00']]);
    assert.partialDeepStrictEqual(await customerMatterEvents(id, stage.journal), [
      {
        posId: 'POS-1',
        messageId: 'M-1',
        customerMatter: { kind: 'COUNTED_LATE', paymentMethod: 'FPS', state: 'OPEN' },
      },
    ]);
    await append(id, { kind: 'givenBackInCash', who: 'OPERATOR', session: 'one' });
    assert.deepEqual(await listed(), []);
    assert.partialDeepStrictEqual((await enquired())['customerMatters'], [{ state: 'SETTLED' }]);
  });

  test('an ordinary payment, also after a declined first attempt, is not among it', async () => {
    ended(await stage.paid());
    assert.deepEqual([await listed(), (await enquired())['customerMatters']], [[], undefined]);
  });
});
