import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasons } from '../../../src/base/domain/reason.ts';
import { failureOf, isOpen, type PosBody } from '../../../src/pos/nexo/response.ts';

/** Those of nexo Retailer 3.0. */
const known = new Set([
  'Aborted',
  'Busy',
  'Cancel',
  'DeviceOut',
  'InProgress',
  'InsertedCard',
  'InvalidCard',
  'LoggedOut',
  'MessageFormat',
  'NotAllowed',
  'NotFound',
  'PaymentRestriction',
  'Refusal',
  'UnavailableDevice',
  'UnavailableService',
  'UnreachableHost',
  'WrongPIN',
]);

const pairs = (text = '') => Object.fromEntries(new URLSearchParams(text));

test('every reason, in every answer, has a condition of the standard and a message', () => {
  for (const [reason, { text }] of Object.entries(reasons)) {
    for (const [status, responseResult] of [
      [200, 'DECLINED'],
      [200, 'ERROR'],
      [422, 'ERROR'],
      [503, 'ERROR'],
    ] as const) {
      const response = failureOf(status, { responseResult, reason, text, financialImpact: 'NONE' });
      assert.ok(known.has(response.ErrorCondition ?? ''), reason);
      const described = pairs(response.AdditionalResponse);
      assert.ok(described['message']?.endsWith(text.en), reason);
      assert.equal(described['reason'], reason);
    }
  }
});

test('what tills do next follows from the condition', () => {
  const of = (status: number, body: PosBody) => failureOf(status, { responseResult: 'ERROR', ...body }).ErrorCondition;
  assert.equal(of(200, { reason: 'cancelledByPos' }), 'Aborted');
  assert.equal(of(200, { reason: 'customerTimeout' }), 'Cancel');
  assert.equal(of(200, { reason: 'insufficientFunds', responseResult: 'DECLINED' }), 'Refusal');
  assert.equal(of(200, { reason: 'a reason of a later version', responseResult: 'DECLINED' }), 'Refusal');
  assert.equal(of(200, { reason: 'wrongPin', responseResult: 'DECLINED' }), 'WrongPIN');
  assert.equal(of(409, { reason: 'busy' }), 'Busy');
  assert.equal(of(200, { reason: 'noAnswer', financialImpact: 'REVERSAL_PENDING' }), 'UnreachableHost');
  assert.equal(of(503, { reason: 'cardReaderAbsent' }), 'UnavailableDevice');
  assert.equal(of(503, { reason: 'printerPaperOut' }), 'DeviceOut');
  assert.equal(of(422, { reason: 'originalRefunded' }), 'NotAllowed');
  assert.equal(of(422, { reason: 'originalUnknown' }), 'NotFound');
  assert.equal(of(503, { reason: 'terminalStopping' }), 'UnavailableService');
  assert.equal(of(400, { reason: 'fieldInvalid' }), 'MessageFormat');
  assert.equal(of(200, { reason: 'toString' }), 'UnavailableService');
});

test('messages begin with the numbers that tills look for, and a refusal has the host’s code', () => {
  const text = { en: 'No.' };
  const described = (reason: string, more: PosBody = {}) =>
    pairs(failureOf(200, { responseResult: 'DECLINED', reason, text, ...more }).AdditionalResponse);
  assert.equal(described('cancelledByPos')['message'], '104 No.');
  assert.equal(described('cancelledByMerchant')['message'], '108 No.');
  assert.equal(described('expiredCard', { hostCode: '54' })['refusalReason'], '54 expiredCard');
  assert.equal(described('busy', { hostCode: '54' })['refusalReason'], undefined);
});

test('an outcome is open only while it is not known what happened to the money', () => {
  assert.equal(isOpen({ responseResult: 'UNKNOWN', financialImpact: 'UNKNOWN' }), true);
  assert.equal(isOpen({ responseResult: 'PROCESSING', financialImpact: 'UNKNOWN' }), true);
  assert.equal(isOpen({ responseResult: 'ERROR', financialImpact: 'REVERSAL_PENDING' }), false);
  assert.equal(isOpen({ responseResult: 'SUCCESS' }), false);
});
