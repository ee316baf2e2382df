import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import type { TransactionType } from '../../../src/base/domain/transaction-kind.ts';
import { setAside } from '../../../src/operator/waiting.ts';
import type { SetAside } from '../../../src/payment/events/answer.ts';
import { receiptOf } from '../../../src/payment/terminal/receipt-of.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { takesAdvice } from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';

/** What was approved here, told SUCCESS, and is then rejected by its host. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  stage.cup.onAdvice = stage.edc.onAdvice;
});
afterEach(() => stage.close());

const shop = { name: 'Shop', address: '', phone: '', email: '', logo: '' };
const parts = { shop, reprints: { fault: undefined, slip: () => [] } };
const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });

async function rejected(request: PaymentRequest, count = 1): Promise<TransactionRecord> {
  const record = ended(await (request.type === 'OFFLINE_SALE' ? stage.paid(request) : stage.terminal.pay(request)));
  await stage.trace.seen('commit: adviceAnswered', count);
  return record;
}

/** As the API tells an enquiry and the same request again. */
async function reportedOf(messageId: string, request: PaymentRequest) {
  const enquiry = await stage.terminal.enquire('POS-1', messageId);
  assert.ok(enquiry.kind === 'ended');
  const again = ended(await stage.terminal.pay(request));
  const answers = [posResponse(enquiry.record, parts, enquiry), posResponse(again, parts)] as const;
  assert.deepEqual(answers[0], answers[1]);
  const { responseResult, responseCode, message = '', financialImpact } = answers[0];
  const { tranStatus } = answers[0]['transactionResult'] as { tranStatus: string };
  return { ending: [responseResult, responseCode, tranStatus, financialImpact], message: String(message) };
}

const decided = (id: string, outcome: SetAside['outcome']) =>
  setAside(id, outcome, {
    journal: stage.journal,
    acquirers: ['EDC', 'CUP'],
    isUnsendable: () => false,
    takesBatch: stage.terminal.room.takesBatch,
    decide: decidesAtOnce,
  });

const failed = ['ERROR', 2, 'ERROR', 'NONE'];
const offline = sale('M-1', { type: 'OFFLINE_SALE' });

for (const [outcome, ending, words] of [
  ['POSTED', ['SUCCESS', 0, 'APPROVED', undefined], /^$/],
  ['NOT_POSTED', failed, /code 12.*not charged.*confirmed by the operator/],
] as const) {
  test(`an offline sale is an ERROR for the POS, and ${ending[0]} once the bank has said ${outcome}`, async () => {
    const { id } = await rejected(offline);
    const first = await reportedOf('M-1', offline);
    assert.deepEqual(first.ending, failed);
    assert.match(first.message, /rejected by the host \(code 12\): the customer is not charged; the operator must ask/);
    assert.ok('id' in (await decided(id, outcome)));
    const then = await reportedOf('M-1', offline);
    assert.deepEqual(then.ending, ending);
    assert.match(then.message, words);
  });
}

for (const [type, originalType, minor, words] of [
  ['TIP_ADJUST', 'SALE', 3300n, /the tip is not charged, the sale stands without it/],
  ['AUTH_COMP', 'AUTH', 3000n, /nothing is charged, the auth stands as it was/],
] as const satisfies readonly (readonly [TransactionType, TransactionType, bigint, RegExp])[]) {
  test(`a ${type}: its original is told as it was before`, async () => {
    const first = sale('M-1', { type: originalType });
    const original = ended(await stage.paid(first, type === 'AUTH_COMP' ? 'unionpay' : 'visa'));
    const request = about(type, 'M-2', original, hkd(minor));
    await rejected(request);
    const answer = await reportedOf('M-2', request);
    assert.deepEqual(answer.ending, failed);
    assert.match(answer.message, words);
    const enquiry = await stage.terminal.enquire('POS-1', 'M-1');
    assert.ok(enquiry.kind === 'ended');
    assert.deepEqual([enquiry.status, enquiry.record.amount.minor], ['APPROVED', 3000n]);
  });
}

test('a receipt that is printed after it does not say approved', async () => {
  const { id } = await rejected(offline);
  const tree = (await stage.terminal.recall(id)) ?? assert.fail();
  const terms = { copy: 'CUSTOMER', duplicate: true, shop, timeZone: 'UTC', language: 'en' } as const;
  assert.equal(receiptOf(tree.record, terms).outcome, 'ERROR');
});

test('every settlement names it, whatever the batch, and so does the list, until the operator has decided', async () => {
  const { id } = await rejected(offline);
  const named = [{ id, kind: 'OFFLINE_SALE', currency: 'HKD', amountMinor: '3000', responseCode: '12' }];
  for (const [index, messageId] of ['S-1', 'S-2'].entries()) {
    assert.equal(ended(await stage.paid(sale(`M-${index + 2}`))).conclusion?.result, 'SUCCESS');
    const answer = await stage.terminal.settle({
      posId: 'POS-1',
      messageId,
      digest: messageId,
      acquirerId: stage.edc.id,
    });
    assert.ok(answer.kind === 'ended');
    const [batch = assert.fail()] = answer.settlement.results ?? [];
    assert.deepEqual([batch.result, batch.batch, batch.rejected], ['BALANCED', index + 1, named]);
    assert.deepEqual(batch.totals, [{ kind: 'SALE', currency: 'HKD', count: 1, totalMinor: '3000' }]);
    assert.deepEqual(await stage.journal.rejectedAdvices(stage.edc.id), [id]);
  }
  assert.deepEqual((await reportedOf('M-1', offline)).ending, failed);
  stage.edc.onAdvice = () => takesAdvice;
  assert.ok('id' in (await decided(id, 'POSTED')));
  assert.deepEqual(await stage.journal.rejectedAdvices(stage.edc.id), []);
  const last = await stage.terminal.settle({
    posId: 'POS-1',
    messageId: 'S-3',
    digest: 'S-3',
    acquirerId: stage.edc.id,
  });
  assert.ok(last.kind === 'ended');
  const [batch = assert.fail()] = last.settlement.results ?? [];
  assert.equal(batch.rejected, undefined);
  assert.deepEqual(batch.totals, [{ kind: 'OFFLINE_SALE', currency: 'HKD', count: 1, totalMinor: '3000' }]);
});
