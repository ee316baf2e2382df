import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalAnswer, copyAnswer } from '../../../src/pos/api/call.ts';
import { refusalOf } from '../../../src/pos/api/input.ts';

/** What a POS is answered while the journal was put back and nobody has compared it with the banks' books. */

const identity = { posId: 'POS-1', messageId: 'M-1' };
const [lastAt, at] = ['2026-01-05T10:00:00.000Z', '2026-01-05T12:00:00.000Z'];

test('a payment that may be the repeat of a lost one: it may have been made, and only the operator can know', () => {
  const { status, body } = copyAnswer({ kind: 'restored', at, lastAt }, identity);
  assert.equal(status, 409);
  assert.partialDeepStrictEqual(body, {
    ...identity,
    responseResult: 'UNKNOWN',
    financialImpact: 'UNKNOWN',
    reason: 'beforeJournal',
    retryable: 'CALL_OPERATOR',
  });
  assert.match((body as { message: string }).message, new RegExp(`between ${lastAt} and ${at}`));
});

test('a refund of a payment of the copy: it may have been made before', () => {
  const refusal = {
    result: 'INVALID_TRANSACTION_STATUS',
    pointer: '/originalTerminalTransactionId',
    message: 'names a transaction of a journal that was put back',
  } as const;
  const impact = (reason: 'beforeJournal' | 'aboveOriginal') =>
    (refusalAnswer(422, refusalOf({ ...refusal, reason }), identity).body as Record<string, unknown>)[
      'financialImpact'
    ];
  assert.deepEqual([impact('beforeJournal'), impact('aboveOriginal')], ['UNKNOWN', 'NONE']);
});
