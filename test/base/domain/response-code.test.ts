import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declineCode, responseCode } from '../../../src/base/domain/reason.ts';

test('the codes of the interface', () => {
  assert.equal(responseCode('SUCCESS'), 0);
  assert.equal(responseCode('DECLINED'), 1);
  assert.equal(responseCode('ERROR'), 2);
  assert.equal(responseCode('NOT_FOUND'), 3);
  assert.equal(responseCode('INVALID_PARAMETER'), 4);
  assert.equal(responseCode('TIMEOUT'), 5);
  assert.equal(responseCode('DATABASE_ERROR'), 6);
  assert.equal(responseCode('UNKNOWN'), 7);
  assert.equal(responseCode('PROCESSING'), 11);
  assert.equal(responseCode('INVALID_TRANSACTION_STATUS'), 104);
  assert.equal(responseCode('INVALID_CURRENCY'), 105);
  assert.equal(responseCode('ALREADY_EXISTS'), 106);
  assert.equal(responseCode('TRANSACTION_ALREADY_CANCEL'), 107);
});

test('a decline is 1000 and field 39, or plain 1, and never 0', () => {
  assert.equal(declineCode('51'), 1051);
  assert.equal(declineCode('05'), 1005);
  assert.equal(declineCode('00'), 1000);
  for (const text of ['', '5', '051', 'N7', ' 5', '5 ', '-1', '1e', '５１', '51\n'])
    assert.equal(declineCode(text), 1, text);
});
