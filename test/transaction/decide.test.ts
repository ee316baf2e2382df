import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId } from '../../src/domain/identifiers.ts';
import { cardBrands } from '../../src/domain/payment-method.ts';
import { responseCode } from '../../src/domain/response-code.ts';
import { type AcquirerProfile, collectConcluded, concluded, failure, routed } from '../../src/transaction/decide.ts';
import { outcomes } from './records.ts';

const EDC: AcquirerProfile = { id: acquirerId('EDC'), brands: ['VISA', 'MASTER', 'AMEX', 'JCB'] };
const CUP: AcquirerProfile = { id: acquirerId('CUP'), brands: ['UNIONPAY', 'VISA'] };

test('the first acquirer that takes the brand', () => {
  assert.equal(routed('VISA', undefined, [EDC, CUP]), 'EDC');
  assert.equal(routed('VISA', undefined, [CUP, EDC]), 'CUP');
  assert.equal(routed('UNIONPAY', undefined, [EDC, CUP]), 'CUP');
  assert.equal(routed('UNIONPAY', undefined, [EDC]), undefined);
  for (const brand of cardBrands) assert.equal(routed(brand, undefined, []), undefined);
});

test('a forced acquirer takes it or nobody does', () => {
  assert.equal(routed('VISA', acquirerId('CUP'), [EDC, CUP]), 'CUP');
  assert.equal(routed('MASTER', acquirerId('CUP'), [EDC, CUP]), undefined);
  assert.equal(routed('VISA', acquirerId('EPS'), [EDC, CUP]), undefined);
});

test('SUCCESS for an approval, and for nothing else', () => {
  assert.deepEqual(concluded(outcomes.approved), { outcome: 'approved', result: 'SUCCESS', code: 0, message: '' });
  for (const kind of ['declined', 'unknown', 'notSent'] as const) {
    const conclusion = concluded(outcomes[kind]);
    assert.notEqual(conclusion.result, 'SUCCESS');
    assert.notEqual(conclusion.outcome, 'approved');
    assert.notEqual(conclusion.code, 0);
    assert.notEqual(conclusion.message, '');
  }
});

test('every field 39 that two characters can make is a decline or a trouble, never a success', () => {
  const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ ';
  const troubles: string[] = [];
  for (const high of characters) {
    for (const low of characters) {
      const code = high + low;
      const conclusion = concluded({ kind: 'declined', responseCode: code, rrn: '' });
      if (conclusion.outcome === 'error') {
        troubles.push(code);
        assert.equal(conclusion.result, 'ERROR');
        assert.equal(conclusion.code, 2);
      } else {
        assert.equal(conclusion.outcome, 'declined');
        assert.equal(conclusion.result, 'DECLINED');
        assert.equal(conclusion.code, /^\d\d$/.test(code) ? 1000 + Number(code) : 1);
      }
      assert.ok(conclusion.message.includes(code));
    }
  }
  assert.deepEqual(troubles, ['30', '68', '91', '94', '96']);
});

test('the words of a decline', () => {
  const words = (responseCode: string) => concluded({ kind: 'declined', responseCode, rrn: '' }).message;
  assert.match(words('51'), /insufficient funds/);
  assert.match(words('54'), /expired/);
  assert.match(words('99'), /declined by the issuer/);
});

test('the ends of collecting', () => {
  assert.equal(collectConcluded({ kind: 'timeout' }).result, 'TIMEOUT');
  assert.equal(collectConcluded({ kind: 'cancelled', by: 'pos' }).result, 'TRANSACTION_ALREADY_CANCEL');
  assert.match(collectConcluded({ kind: 'cancelled', by: 'pos' }).message, /by the POS/);
  assert.match(collectConcluded({ kind: 'cancelled', by: 'merchant' }).message, /by the merchant/);
  assert.equal(collectConcluded({ kind: 'reader', code: 'vanished' }).result, 'ERROR');
  const refused = collectConcluded({ kind: 'refused', reason: 'expired' });
  assert.equal(refused.outcome, 'declined');
  assert.equal(refused.code, responseCode('DECLINED'));
});

test('a failure is an error with the code of its result', () => {
  assert.deepEqual(failure('TIMEOUT', 'late'), { outcome: 'error', result: 'TIMEOUT', code: 5, message: 'late' });
});
