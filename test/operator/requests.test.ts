import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MenuParts } from '../../src/operator/menu-parts.ts';
import { confirmation, right, staged } from './bare-menu.ts';

test('what is done with a transaction, a refund and a settlement are calls of OPERATOR, each under its confirmation', async (t) => {
  const { menu, calls, login } = await staged(t);
  const session = await login();
  const [first, second, third] = ['a1', 'b2', 'c3'].map((byte) => byte.repeat(16));
  const about = { transaction: 'T1', amount: '30.00', currency: 'HKD' };
  await menu.handle({ kind: 'act', session, confirmation: first, act: 'TIP_ADJUST', ...about });
  await menu.handle({ kind: 'refund', session, confirmation: second, amount: '5', currency: 'HKD' });
  await menu.handle({ kind: 'settle', session, confirmation: third });
  assert.deepEqual(calls, [
    [
      'pay',
      {
        posId: 'OPERATOR',
        messageId: first,
        transactionType: 'TIP_ADJUST',
        requestAmount: '30.00',
        currency: 'HKD',
        originalTerminalTransactionId: 'T1',
      },
    ],
    ['pay', { posId: 'OPERATOR', messageId: second, transactionType: 'REFUND', requestAmount: '5', currency: 'HKD' }],
    ['settle', { posId: 'OPERATOR', messageId: third }],
  ]);
});

describe('a refund that names no sale', () => {
  for (const [name, refundRight, amount, reason] of [
    ['is refused without the right', {}, '1', 'noRefundRight'],
    ['is refused in a currency without the right', { MOP: 50_000n }, '1', 'noRefundRight'],
    ['is refused above the limit', { HKD: 50_000n }, '500.01', 'aboveRefundRight'],
    ['goes through at the limit', { HKD: 50_000n }, '500', undefined],
  ] as const) {
    test(name, async (t) => {
      const { menu, calls, login } = await staged(t, { refundRight });
      const answer = await menu.handle({
        kind: 'refund',
        session: await login(),
        confirmation,
        amount,
        currency: 'HKD',
      });
      assert.deepEqual([answer.body['reason'], calls.length], [reason, reason === undefined ? 1 : 0]);
    });
  }

  test('is offered with its limit to whoever has logged in', async (t) => {
    for (const [refundRight, refundMost] of [
      [{}, undefined],
      [{ HKD: 50_000n }, '500.00'],
    ] as const) {
      const { menu } = await staged(t, { refundRight });
      assert.equal((await menu.handle({ kind: 'login', password: right })).body['refundMost'], refundMost);
    }
  });
});

describe('the audit', () => {
  test('has who did what, before it is done and how it ended, and nothing that only reads', async (t) => {
    const { menu, calls, audit, login } = await staged(t, {
      pay: async () => {
        calls.push(audit.length);
        return { status: 422, body: { responseResult: 'INVALID_PARAMETER' } };
      },
    });
    await menu.handle({ kind: 'login', password: '000000' });
    const session = await login();
    const done = { kind: 'act', confirmation, act: 'VOID', transaction: 'T1', amount: '30.00', currency: 'HKD' };
    await menu.handle({ kind: 'today', session });
    await menu.handle({ ...done, session });
    await menu.handle({ kind: 'settle', session, confirmation });
    const name = audit[1]?.session ?? '';
    assert.match(name, /^[0-9a-f]{8}$/);
    assert.ok(!session.includes(name));
    const { kind: _kind, ...detail } = done;
    assert.deepEqual(audit, [
      { session: '', action: 'login', state: 'refused' },
      { session: name, action: 'login', state: 'done' },
      { session: name, action: 'act', detail, state: 'asked' },
      { session: name, action: 'act', detail, state: 'refused' },
      { session: name, action: 'settle', detail: { confirmation }, state: 'asked' },
      { session: name, action: 'settle', detail: { confirmation }, state: 'done' },
    ]);
    assert.deepEqual(calls[0], 3, 'the first line is written before the payment');
  });

  test('that can’t be written lets nothing be done', async (t) => {
    const writes = [async () => undefined, () => Promise.reject(new Error('disk'))];
    const audit: MenuParts['audit'] = { write: () => (writes.shift() ?? (() => Promise.reject(new Error('disk'))))() };
    const { menu, calls, failures, login } = await staged(t, { audit });
    const session = await login();
    const answer = await menu.handle({ kind: 'refund', session, confirmation, amount: '5', currency: 'HKD' });
    assert.deepEqual([answer.status, calls, failures.length], [500, [], 1]);
  });
});
