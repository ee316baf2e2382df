import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { cancel } from '../../../src/pos/api/cancel.ts';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { enquiry } from '../../../src/pos/api/enquiry.ts';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import { WaitingCalls } from '../../../src/pos/api/waiting-calls.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { entriesOf, type JournalEntry } from '../../../src/payment/records/journal-entry.ts';
import { about, ended, sale, Stage } from '../../payment/terminal/stage.ts';
import { type Json, printParts } from './served.ts';

/** A sale of HKD 30 of which parts are given back, as each caller sees it. */
let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const parts = () =>
  ({
    terminal: stage.terminal,
    waiting: new WaitingCalls(),
    pictures: new ReadingTurns(),
    ...printParts,
  }) as unknown as ApiParts;
const hkd = (minor: bigint) => ({ amount: { minor, currency: 'HKD' } as const });

/** Status, authorized, final and refunded amount of an enquiry. */
async function enquired(messageId = 'M-1') {
  const body: Json = (await enquiry({ posId: 'POS-1', messageId }, parts(), { address: '' })).body;
  const { tranStatus, totalAmount, finalAmount, refundedAmount } = body.transactionResult;
  assert.equal(body.responseResult, 'SUCCESS');
  return [tranStatus, totalAmount, finalAmount, refundedAmount];
}

test('refunds in parts, up to the rest and never beyond; a voided one gives its part back', async () => {
  const original = ended(await stage.paid(sale('M-1')));
  assert.deepEqual(await enquired(), ['APPROVED', 30, undefined, undefined]);
  const first = ended(await stage.paid(about('REFUND', 'M-2', original, hkd(100n))));
  assert.deepEqual(await enquired(), ['PARTIALLY_REFUNDED', 30, undefined, 1]);
  const beyond = await stage.terminal.pay(about('REFUND', 'M-3', original, hkd(2_901n)));
  assert.equal(beyond.kind === 'refused' && beyond.refusal.reason, 'aboveOriginal');
  await stage.paid(about('REFUND', 'M-4', original, hkd(2_900n)));
  assert.deepEqual(await enquired(), ['REFUNDED', 30, undefined, 30]);
  await stage.terminal.pay(about('VOID', 'M-5', first, hkd(100n)));
  assert.deepEqual(await enquired(), ['PARTIALLY_REFUNDED', 30, undefined, 29]);
});

test('a repeat of the payment, and a cancel of it, have the amounts of now with the outcome of the first answer', async () => {
  const request = sale('M-1');
  const original = ended(await stage.paid(request));
  await stage.paid(about('REFUND', 'M-2', original, hkd(100n)));
  const repeat = await stage.terminal.pay(request);
  const answer: Json = posResponse(ended(repeat), printParts, repeat.kind === 'ended' ? repeat : {});
  const { transaction }: Json = (await cancel({ posId: 'POS-1', messageId: 'M-1' }, parts())).body;
  for (const { transactionResult: result } of [answer, transaction])
    assert.deepEqual([result.tranStatus, result.refundedAmount], ['APPROVED', 1]);
});

test('shape B and the journal’s export say the same', async () => {
  const original = ended(await stage.paid(sale('M-1', { shape: 'B' })));
  await stage.paid(about('REFUND', 'M-2', original, hkd(100n)));
  const body: Json = (await enquiry({ posId: 'POS-1', messageId: 'M-1' }, parts(), { address: '' })).body;
  const { transactionStatus, totalAmount, refundedAmount } = body.transactionPrintData;
  assert.deepEqual([transactionStatus, totalAmount, refundedAmount], ['PARTIALLY_REFUNDED', 30, 1]);
  const entries: JournalEntry[] = [];
  for await (const entry of entriesOf(stage.journal, { order: 'oldest', limit: 10 }, 10)) entries.push(entry);
  assert.deepEqual(
    entries.map(({ state, amount, finalAmount, refundedAmount: refunded }) => [state, amount, finalAmount, refunded]),
    [
      ['PARTIALLY_REFUNDED', '30.00', '', '1.00'],
      ['APPROVED', '1.00', '', ''],
    ],
  );
});

test('a completed authorization has what was taken of it', async () => {
  const auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'unionpay'));
  await stage.terminal.pay(about('AUTH_COMP', 'M-2', auth, hkd(2_000n)));
  assert.deepEqual(await enquired(), ['COMPLETED', 30, 20, undefined]);
});
