import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { openMenu } from '../../operator/stage-menu.ts';
import { printParts } from '../../pos/api/served.ts';
import { declines, postsAndIsSilent, takesAdvice } from './scripted-host.ts';
import { about, ended, everything, sale, Stage } from './stage.ts';

/** What was not carried out: its text says that the earlier transaction stands only if it does. */

const offline = { amountMinorMax: 100_000n, countMax: 9, sumMinorMax: 900_000n };
const stands = /: the earlier transaction stands\.$/;

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, { ...everything, offline });
});
afterEach(async () => {
  await stage.forwarder.close();
  stage.close();
  assert.deepEqual(stage.failures, []);
});

function textOf(record: TransactionRecord): string {
  const { text } = posResponse(record, printParts);
  assert.ok(typeof text === 'object' && text && 'en' in text);
  return String(text.en);
}

/** The text of the first answer, and of an enquiry. */
async function texts(record: TransactionRecord) {
  const { posId, messageId } = record.request;
  const found = await stage.terminal.enquire(posId, messageId);
  return [textOf(record), found.kind === 'ended' ? textOf(found.record) : assert.fail(found.kind)];
}

const offlineSale = () => stage.paid(sale('M-1', { type: 'OFFLINE_SALE', preferredEntryMode: 'CARD' }));

test('a sale whose void its host declines stands', async () => {
  const sold = ended(await stage.paid(sale('M-1')));
  stage.edc.onRequest = () => declines('05');
  const voided = ended(await stage.terminal.pay(about('VOID', 'M-2', sold)));
  for (const text of await texts(voided)) assert.match(text, stands);
});

test('an offline sale that its host rejects while the void waits for it', async () => {
  stage.edc.onAdvice = () => ({ kind: 'unanswered' });
  const sold = ended(await offlineSale());
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const voided = ended(await stage.terminal.pay(about('VOID', 'M-2', sold)));
  const text = 'The void was not carried out. The bank rejected the earlier transaction.';
  assert.deepEqual(await texts(voided), [text, text]);
});

test('a sale that only the bank has confirmed, and whose reversal is sent again', async () => {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'refused', responseCode: '96' });
  const sold = ended(await stage.paid(sale('M-1')));
  const { menu, session } = await openMenu(stage);
  const { status } = await menu.handle({ kind: 'setAside', session, transaction: sold.id, outcome: 'POSTED' });
  assert.equal(status, 200);
  const { outcome } = declines('25');
  assert.ok(outcome.kind === 'declined');
  stage.edc.onRequest = () => ({ posted: false, outcome: { ...outcome, noRecord: true } });
  const voided = ended(await stage.terminal.pay(about('VOID', 'M-2', sold)));
  const text = 'The void was not carried out. The earlier transaction does not stand any more.';
  assert.deepEqual(await texts(voided), [text, text], 'while the host refuses the reversal again');
});

test('a refund that names no payment says nothing of one', async () => {
  stage.edc.onRequest = () => declines('05');
  const refund = ended(await stage.paid(sale('M-1', { type: 'REFUND' })));
  assert.deepEqual(await texts(refund), Array(2).fill('The refund was not carried out.'));
});

test('a tip that is rejected: the message says that the sale stands only if it does', async () => {
  stage.edc.onAdvice = () => takesAdvice;
  const sold = ended(await offlineSale());
  await stage.forwarder.flush(stage.edc.id);
  stage.edc.onAdvice = () => ({ kind: 'rejected', reason: 'invalidTransaction', responseCode: '12' });
  const amount = { minor: 3300n, currency: 'HKD' } as const;
  ended(await stage.terminal.pay(about('TIP_ADJUST', 'M-2', sold, { amount })));
  await stage.forwarder.flush(stage.edc.id);
  const messageOf = async () => {
    const found = await stage.terminal.enquire('POS-1', 'M-2');
    return String(posResponse(found.kind === 'ended' ? found.record : assert.fail(found.kind), printParts)['message']);
  };
  assert.match(await messageOf(), /: the tip is not charged, the sale stands without it; /);
  await stage.journal.append(sold.id, [
    {
      kind: 'adviceAnswered',
      answer: 'rejected',
      reason: 'invalidTransaction',
      responseCode: '12',
      rrn: '',
      hostTime: '',
      hostDate: '',
    },
  ]);
  assert.match(await messageOf(), /: the tip is not charged; /);
});
