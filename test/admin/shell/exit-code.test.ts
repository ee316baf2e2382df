import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Outcome } from '../../../src/pos/client/client.ts';
import { exitCodes, statusOf } from '../../../src/admin/shell/exit-code.ts';
import { outcomeText } from '../../../src/admin/shell/said.ts';

const answer = (fields: object): Answer => fields as Answer;
const done = (tranStatus?: string, amounts: object = {}): Outcome => ({
  is: 'done',
  answer: answer({
    responseResult: 'SUCCESS',
    terminalTransactionId: 'T',
    transactionResult: { tranStatus, ...amounts },
  }),
});
const undone = (tranStatus: string): Outcome => ({ is: 'undone', answer: done(tranStatus).answer as Answer });
const notDone = (responseResult: string, terminalTransactionId?: string): Outcome => ({
  is: 'notDone',
  answer: answer({ responseResult, ...(terminalTransactionId === undefined ? {} : { terminalTransactionId }) }),
});

test('only what the customer has paid, and still has, is 0', () => {
  const reported: readonly (readonly [Outcome, keyof typeof exitCodes])[] = [
    [done('APPROVED'), 'paid'],
    [done('ADJUSTED'), 'paid'],
    [done('COMPLETED'), 'paid'],
    [done('PARTIALLY_REFUNDED', { refundedAmount: 1 }), 'partlyRefunded'],
    [done('APPROVED', { refundedAmount: 1 }), 'partlyRefunded'],
    [undone('VOIDED'), 'undone'],
    [undone('REFUNDED'), 'undone'],
    [undone('RELEASED'), 'undone'],
    [undone('REVERSED'), 'undone'],
    [notDone('DECLINED', 'T'), 'declined'],
    [notDone('TRANSACTION_ALREADY_CANCEL', 'T'), 'cancelled'],
    [notDone('TIMEOUT', 'T'), 'cancelled'],
    [notDone('ERROR', 'T'), 'failed'],
    [notDone('DATABASE_ERROR', 'T'), 'failed'],
    [notDone('NOT_FOUND'), 'failed'],
    [notDone('ERROR'), 'refused'],
    [notDone('INVALID_PARAMETER'), 'refused'],
    [notDone('TRANSACTION_ALREADY_CANCEL'), 'refused'],
    [{ is: 'unknown', answer: answer({ responseResult: 'PROCESSING' }) }, 'running'],
    [{ is: 'unknown', answer: answer({ responseResult: 'ERROR', financialImpact: 'REVERSAL_PENDING' }) }, 'unknown'],
    [{ is: 'unknown', answer: answer({ responseResult: 'SUCCESS' }) }, 'unknown'],
    [{ is: 'unknown', trouble: 'gone' }, 'unknown'],
  ];
  for (const [outcome, status] of reported) assert.equal(statusOf(outcome), status, JSON.stringify(outcome));
  const codes = Object.values(exitCodes);
  assert.equal(new Set(codes).size, codes.length);
  assert.ok(!codes.includes(2 as never), 'wrong usage');
});

test('a line says how much was charged in the end, and given back', () => {
  const amounts = { totalAmount: 100, currency: 'HKD', finalAmount: 110, refundedAmount: 1 };
  assert.match(
    outcomeText(done('PARTIALLY_REFUNDED', amounts)),
    /^Partly refunded {2}HKD 100\.00 {2}charged HKD 110\.00 {2}refunded HKD 1\.00/,
  );
});

test('a foreign machine can’t write to this shell’s terminal what is no text', () => {
  const text = outcomeText({
    is: 'notDone',
    answer: answer({ responseResult: 'ERROR', message: 'a\u001B[2Jb\u009Bc\r\nd\u202E', text: { en: '\u0007x' } }),
  });
  assert.equal(text, 'Refused\n\\u{7}x\na\\u{1b}[2Jb\\u{9b}c d\\u{202e}');
});
