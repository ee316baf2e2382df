import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reprints } from '../../../src/pos/api/reprints.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { JournalledSettlement, SettledBatch } from '../../../src/payment/events/settlement.ts';
import { approved, authorizedRecord, id, success, uncollectedRecord } from './records.ts';
import { type Json, served } from './served.ts';

const path = '/sp/v1/settlement';
const identity = { posId: 'POS-1', messageId: 'S-1' };
const body = (fields: Json = {}) => JSON.stringify({ ...identity, ...fields });

function batch(name: string, result: SettledBatch['result'], reason?: string): SettledBatch {
  const totals = [{ kind: 'SALE', currency: 'HKD', count: 2, totalMinor: '6001' }] as const;
  return {
    acquirerId: acquirerId(name),
    mid: '123456789012345',
    tid: '12345678',
    batch: 3,
    result,
    ...(reason === undefined ? {} : { reason }),
    totals,
  };
}

function settlement(results: readonly SettledBatch[]): JournalledSettlement {
  return { id, ...identity, digest: '', at: '2026-11-21T09:30:00.000Z', results };
}

describe('POST /sp/v1/settlement', () => {
  test('tells every batch with its totals', async (t) => {
    const { terminal, call } = await served(t);
    terminal.settleAnswer = {
      kind: 'ended',
      settlement: settlement([batch('EDC', 'BALANCED'), batch('CUP', 'UPLOADED')]),
    };
    const { status, json } = await call({ path, body: body() });
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(json, { ...identity, responseResult: 'SUCCESS', responseCode: 0 });
    assert.deepEqual(json.settlements[0], {
      acquirer: 'EDC',
      acquirerMid: '123456789012345',
      acquirerTid: '12345678',
      batch: 3,
      result: 'BALANCED',
      totals: [{ transactionType: 'SALE', currency: 'HKD', count: 2, totalAmount: 60.01 }],
    });
    assert.equal(json.settlements[1].result, 'UPLOADED');
  });

  test('one batch that failed is no success', async (t) => {
    const { terminal, call } = await served(t);
    const results = [batch('EDC', 'BALANCED'), batch('CUP', 'FAILED', 'no answer')];
    terminal.settleAnswer = { kind: 'ended', settlement: settlement(results) };
    const { status, json } = await call({ path, body: body() });
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(json, {
      responseResult: 'ERROR',
      message: 'CUP: no answer',
      financialImpact: 'NONE',
    });
  });

  test('one acquirer, and another one, are two requests', async (t) => {
    const { terminal, call } = await served(t);
    for (const acquirer of [undefined, '', 'EDC', 'CUP']) await call({ path, body: body({ acquirer }) });
    const [all, empty, edc, cup] = terminal.settled;
    assert.equal(all?.acquirerId, undefined);
    assert.equal(edc?.acquirerId, 'EDC');
    assert.equal(all?.digest, empty?.digest);
    assert.equal(new Set([all?.digest, edc?.digest, cup?.digest]).size, 3);
  });

  for (const [fields, status] of [
    [{ posId: undefined }, 400],
    [{ messageId: 7 }, 400],
    [{ acquirer: 4_761_739 }, 400],
    [{ acquirer: '4761739001010119' }, 422],
    [{ acquirer: '47617390010101194761' }, 400],
  ] as const) {
    test(`${JSON.stringify(fields)}: ${status}, no echo, nothing is settled`, async (t) => {
      const { terminal, call } = await served(t);
      const answer = await call({ path, body: body(fields) });
      assert.equal(answer.status, status);
      assert.equal(answer.json.financialImpact, 'NONE');
      assert.ok(!answer.text.includes('4761739'));
      assert.deepEqual(terminal.settled, []);
    });
  }

  test('busy: 409 and whose', async (t) => {
    const { terminal, call } = await served(t);
    terminal.settleAnswer = { kind: 'busy', owner: { posId: 'POS-2', messageId: 'M-9' } };
    const { status, json } = await call({ path, body: body() });
    assert.equal(status, 409);
    assert.deepEqual(json.running, { posId: 'POS-2', messageId: 'M-9' });
  });
});

describe('POST /sp/v1/receipt', () => {
  const tree = { record: authorizedRecord({ outcome: approved, conclusion: success }), later: [] };
  const reprints: Reprints = {
    fault: undefined,
    slip: () => [],
    print: async (_tree, copy) => (copy === 'MERCHANT' ? 'paper-out' : undefined),
    text: async (_tree, { copy }) => `DUPLICATE ${copy}`,
    png: async () => Uint8Array.of(0x89, 0x50),
    html: async () => '',
  };
  const receipt = '/sp/v1/receipt';

  for (const [fields, status, more] of [
    [{}, 200, { responseResult: 'SUCCESS', copy: 'CUSTOMER', output: 'PRINT', terminalTransactionId: id }],
    [{ copy: 'MERCHANT' }, 503, { responseResult: 'ERROR', financialImpact: 'NONE' }],
    [{ output: 'TEXT', copy: 'MERCHANT' }, 200, { text: 'DUPLICATE MERCHANT' }],
    [{ output: 'PNG' }, 200, { png: 'iVA=' }],
    [
      { output: 'DATA' },
      200,
      { transactionPrintData: { transactionId: id, cardData: { maskedPan: '************0119' } } },
    ],
    [{ output: '4761739' }, 400, { errors: [{ pointer: '/output' }] }],
    [{ copy: 4_761_739 }, 400, { errors: [{ pointer: '/copy' }] }],
    [{ terminalTransactionId: '' }, 400, { errors: [{ pointer: '/terminalTransactionId' }] }],
  ] as const) {
    test(`${JSON.stringify(fields)}: ${status}`, async (t) => {
      const { terminal, call } = await served(t, { reprints });
      terminal.recalled = tree;
      const answer = await call({ path: receipt, body: JSON.stringify({ terminalTransactionId: id, ...fields }) });
      assert.equal(answer.status, status, answer.text);
      assert.partialDeepStrictEqual(answer.json, more);
      assert.ok(!answer.text.includes('4761739'));
    });
  }

  test('by the identity of its payment', async (t) => {
    const { terminal, call } = await served(t, { reprints });
    terminal.recalled = tree;
    terminal.enquiryAnswer = { kind: 'ended', record: tree.record, status: 'APPROVED' };
    const { status } = await call({ path: receipt, body: '{"posId":"POS-1","messageId":"M-1"}' });
    assert.equal(status, 200);
    assert.deepEqual(terminal.asked, [{ call: 'enquire', posId: 'POS-1', messageId: 'M-1' }]);
  });

  test('of nothing: 404; of one that came to no host: 422', async (t) => {
    const { terminal, call } = await served(t, { reprints });
    const asked = { path: receipt, body: JSON.stringify({ terminalTransactionId: id }) };
    assert.partialDeepStrictEqual(await call(asked), { status: 404, json: { responseResult: 'NOT_FOUND' } });
    const timeout = { outcome: 'error', result: 'TIMEOUT', code: 5, message: 'no card' } as const;
    terminal.recalled = { record: uncollectedRecord(timeout), later: [] };
    assert.partialDeepStrictEqual(await call(asked), {
      status: 422,
      json: { responseResult: 'INVALID_TRANSACTION_STATUS' },
    });
  });
});

test('GET /sp/v1/capabilities tells methods × kinds of the acquirers that there are', async (t) => {
  const { call } = await served(t);
  const { status, json } = await call({ method: 'GET', path: '/sp/v1/capabilities' });
  assert.equal(status, 200);
  const [card, unionPay, qr] = json.methods;
  assert.deepEqual(card.paymentMethods, ['VISA', 'MASTER', 'AMEX', 'JCB']);
  // SPEC §1: five payment kinds and three voids, five and four.
  assert.equal(card.kinds.length, 8);
  assert.equal(unionPay.kinds.length, 9);
  assert.deepEqual(qr.kinds, []);
});
