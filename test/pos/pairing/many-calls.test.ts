import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit } from '../../../src/pos/api/admission.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { paired, staged } from './signed-calls.ts';

const callsMax = 2_000;
const recoveryMax = 500;
const other = { ...paired, posId: 'POS-2', keyId: 'k2', key: '43'.repeat(32) };

test('a POS that has made its 2,000 calls of a minute is answered 429, and no other POS notices', async (t) => {
  const { keys, call, authenticator, clock } = await staged(t);
  await keys.put(other);
  const answered = async (fields: Parameters<typeof call>[0]) => {
    const { body, ...rest } = call(fields);
    const admission = await admit(authenticator, rest, body);
    if (!('refused' in admission)) return undefined;
    const { status, headers = {}, body: answer } = admission.refused;
    noteReasons(answer);
    return { status, headers, ...(answer as { reason: string; financialImpact: string; retryable: string }) };
  };
  for (let at = 0; at < callsMax; at++) {
    assert.equal(await answered({ nonce: `nonce-${String(at).padStart(10, '0')}` }), undefined);
  }
  const payment = await answered({ nonce: 'another-nonce-00' });
  assert.deepEqual(
    [payment?.status, payment?.reason, payment?.financialImpact, payment?.retryable, payment?.headers['retry-after']],
    [429, 'callBudgetSpent', 'UNKNOWN', 'ENQUIRE', '66'],
  );
  assert.ok(payment?.headers['signature'], 'the answer is signed');
  const settlement = await answered({ nonce: 'another-nonce-10', target: '/sp/v1/settlement' });
  assert.deepEqual([settlement?.status, settlement?.financialImpact], [429, 'UNKNOWN']);
  // What the till recovers with has calls of its own, and these have an end as well.
  for (let at = 0; at < recoveryMax; at++) {
    const target = `/sp/v1/${at % 2 === 0 ? 'enquiry' : 'cancel'}`;
    assert.equal(await answered({ nonce: `recovery-${String(at).padStart(10, '0')}`, target }), undefined);
  }
  for (const [at, name] of ['enquiry', 'cancel'].entries()) {
    const answer = await answered({ nonce: `another-nonce-2${at}`, target: `/sp/v1/${name}` });
    assert.deepEqual([answer?.status, answer?.financialImpact, answer?.retryable], [429, 'UNKNOWN', 'ENQUIRE'], name);
  }
  const display = await answered({ nonce: 'another-nonce-01', target: '/sp/v1/display' });
  assert.deepEqual([display?.status, display?.financialImpact, display?.retryable], [429, 'NONE', 'SAME_REQUEST']);
  // A repeated nonce is refused as that.
  assert.equal((await answered({ nonce: 'nonce-0000000000' }))?.status, 401);
  const body = '{"posId":"POS-2"}';
  assert.equal(await answered({ keyId: other.keyId, key: other.key, nonce: 'another-nonce-02', body }), undefined);
  await clock.advance(66_000);
  assert.equal(await answered({ nonce: 'another-nonce-03' }), undefined);
});
