import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { KindTotal, SettledBatch } from '../../../src/payment/events/settlement.ts';
import { id } from './records.ts';
import { type Json, served } from './served.ts';

const path = '/sp/v1/settlement';
const identity = { posId: 'POS-1', messageId: 'S-1' };
const body = (fields: Json = {}) => JSON.stringify({ ...identity, ...fields });

function batch(name: string, more: Partial<SettledBatch> = {}): SettledBatch {
  const plain = { mid: '123456789012345', tid: '12345678', batch: 3, result: 'BALANCED', totals: [] } as const;
  return { acquirerId: acquirerId(name), ...plain, ...more };
}

function ended(...results: SettledBatch[]) {
  return {
    kind: 'ended',
    settlement: { id, ...identity, digest: '', at: '2026-11-21T09:30:00.000Z', results },
  } as const;
}

const journalFailed = { kind: 'journalFailed', reason: 'the disk of the journal is full' } as const;

describe('a settlement that did not run', () => {
  for (const [what, answer, status, result, code, impact] of [
    ['busy', { kind: 'busy', owner: { posId: 'POS-2', messageId: 'M-9' } }, 409, 'ERROR', 2, 'NONE'],
    ['the id names another request', { kind: 'otherRequest' }, 409, 'ALREADY_EXISTS', 106, 'NONE'],
    [
      'not ready',
      { kind: 'notReady', reason: 'terminalStopping', message: 'the terminal is stopping' },
      503,
      'ERROR',
      2,
      'NONE',
    ],
    ['journal failed before it', { ...journalFailed, started: false }, 503, 'DATABASE_ERROR', 6, 'NONE'],
    ['journal failed in it', { ...journalFailed, started: true }, 503, 'UNKNOWN', 7, 'UNKNOWN'],
  ] as const) {
    test(`${what}: ${status} ${result}`, async (t) => {
      const { terminal, call } = await served(t);
      terminal.settleAnswer = answer;
      const { status: reported, json } = await call({ path, body: body() });
      assert.equal(reported, status);
      assert.partialDeepStrictEqual(json, { ...identity, responseResult: result, responseCode: code });
      assert.equal(json.financialImpact, impact);
      assert.ok(json.message);
    });
  }
});

describe('the body', () => {
  for (const [fields, status, pointers] of [
    [{ posId: undefined, messageId: undefined }, 400, ['/posId', '/messageId']],
    [{ posId: '' }, 400, ['/posId']],
    [{ messageId: 'x'.repeat(65) }, 400, ['/messageId']],
    [{ acquirer: 'x'.repeat(17) }, 400, ['/acquirer']],
    [{ acquirer: ['EDC'] }, 400, ['/acquirer']],
    [{ acquirer: 'edc' }, 422, ['/acquirer']],
    [{ acquirer: 'EPS' }, 422, ['/acquirer']],
    [{ acquirer: '__proto__' }, 422, ['/acquirer']],
  ] as const) {
    test(`${JSON.stringify(fields).slice(0, 60)}: ${status}`, async (t) => {
      const { terminal, call } = await served(t);
      const { status: reported, json } = await call({ path, body: body(fields) });
      assert.equal(reported, status);
      assert.equal(json.responseCode, 4);
      assert.deepEqual(
        json.errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      );
      assert.deepEqual(terminal.settled, []);
    });
  }

  test('an acquirer that there is not is told those that there are', async (t) => {
    const { call } = await served(t);
    assert.match((await call({ path, body: body({ acquirer: 'EPS' }) })).json.message, /EDC, CUP/);
  });

  test('the same body again is the same request, for the terminal to join or repeat', async (t) => {
    const { terminal, call } = await served(t);
    terminal.settleAnswer = ended(batch('EDC'));
    const first = await call({ path, body: body({ acquirer: 'EDC' }) });
    const again = await call({ path, body: `{"acquirer":"EDC","messageId":"S-1","posId":"POS-1"}` });
    assert.equal(first.text, again.text);
    assert.equal(terminal.settled.length, 2);
    assert.deepEqual(terminal.settled[0], terminal.settled[1]);
    assert.partialDeepStrictEqual(terminal.settled[0], { ...identity, acquirerId: 'EDC' });
  });
});

describe('the answer', () => {
  test('every batch that failed says why, the others stand', async (t) => {
    const { terminal, call } = await served(t);
    const failed = (reason: string) => ({ result: 'FAILED', reason }) as const;
    terminal.settleAnswer = ended(batch('EDC', failed('no answer')), batch('CUP', failed('a reversal is pending')));
    const { status, json } = await call({ path, body: body() });
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(json, {
      ...identity,
      responseResult: 'ERROR',
      responseCode: 2,
      message: 'EDC: no answer; CUP: a reversal is pending',
      financialImpact: 'NONE',
      settlements: [
        { acquirer: 'EDC', result: 'FAILED', message: 'no answer' },
        { acquirer: 'CUP', result: 'FAILED', message: 'a reversal is pending' },
      ],
    });
  });

  test('SUCCESS has neither message nor financialImpact, and an empty batch no totals', async (t) => {
    const { terminal, call } = await served(t);
    terminal.settleAnswer = ended(batch('EDC'));
    const { json } = await call({ path, body: body() });
    assert.deepEqual(json, {
      ...identity,
      responseResult: 'SUCCESS',
      responseCode: 0,
      terminalTransactionId: terminal.settleAnswer.settlement.id,
      settlements: [
        {
          acquirer: 'EDC',
          acquirerMid: '123456789012345',
          acquirerTid: '12345678',
          batch: 3,
          result: 'BALANCED',
          totals: [],
        },
      ],
    });
  });

  test('what the host rejected is named with its kind, amount and code', async (t) => {
    const { terminal, call } = await served(t);
    const advice = { id, kind: 'OFFLINE_SALE', currency: 'HKD', amountMinor: '3050', responseCode: '12' } as const;
    terminal.settleAnswer = ended(batch('EDC', { rejected: [advice] }));
    const { json } = await call({ path, body: body() });
    assert.deepEqual(json.settlements[0].rejectedAdvices, [
      { terminalTransactionId: id, transactionType: 'OFFLINE_SALE', currency: 'HKD', amount: 30.5, hostCode: '12' },
    ]);
  });

  test('totals have the decimals of their currency, to the last digit', async (t) => {
    const { terminal, call } = await served(t);
    const total = (currency: KindTotal['currency'], totalMinor: string): KindTotal => {
      return { kind: 'SALE', currency, count: 1, totalMinor };
    };
    const totals = [
      total('HKD', '999999999999'),
      total('HKD', '1'),
      total('JPY', '999999999999'),
      total('KWD', '1'),
      total('HKD', '99999999999999'),
    ];
    terminal.settleAnswer = ended(batch('EDC', { totals }));
    const { text } = await call({ path, body: body() });
    const reported = [...text.matchAll(/"totalAmount":([^,}]+)/g)].map(([, amount]) => amount);
    assert.deepEqual(reported, ['9999999999.99', '0.01', '999999999999', '0.001', '999999999999.99']);
  });
});
