import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from './refused.ts';
import { collectTimes, everyMethod, served } from './served.ts';

const { leastMs, mostMs } = collectTimes;

for (const seconds of [leastMs / 1_000, 45, mostMs / 1_000]) {
  test(`${seconds} s: the terminal is asked for that time`, async (t) => {
    const { terminal, pay } = await served(t);
    await pay({ collectTimeoutSeconds: seconds });
    assert.equal(terminal.paid[0]?.collectMs, seconds * 1_000);
  });
}

for (const seconds of [leastMs / 1_000 - 1, mostMs / 1_000 + 1, 0, -1, Number.MAX_SAFE_INTEGER]) {
  test(`${seconds} s: refused with the limits, before anything starts`, async (t) => {
    const { terminal, pay } = await served(t);
    const answer = await pay({ collectTimeoutSeconds: seconds });
    assertRefused(answer, 422);
    const message = 'must be from 10 to 600';
    assert.deepEqual(answer.json.errors, [
      { pointer: '/collectTimeoutSeconds', message, reason: 'collectTimeNotPossible' },
    ]);
    assert.equal(terminal.paid.length, 0);
  });
}

test('a void presents nothing, so it has no such time', async (t) => {
  const { terminal, pay } = await served(t, everyMethod);
  const original = { transactionType: 'VOID_SALE', originalTerminalTransactionId: 'T-1' };
  const answer = await pay({ ...original, collectTimeoutSeconds: 30 });
  assertRefused(answer, 422);
  assert.equal(answer.json.reason, 'collectTimeNotPossible');
  assert.equal(terminal.paid.length, 0);
});

test('capabilities tell the limits and the usual time, in seconds', async (t) => {
  const { call } = await served(t);
  const { json } = await call({ method: 'GET', path: '/sp/v1/capabilities' });
  assert.deepEqual(json.collectTimeoutSeconds, { default: 120, min: 10, max: 600 });
});
