import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CancelAnswer, EnquiryAnswer } from '../../../src/payment/terminal/answers.ts';
import { approved, authorizedRecord, id, intents, recordOf, success, uncollectedRecord } from './records.ts';
import { served } from './served.ts';

const identity = { posId: 'POS-1', messageId: 'M-1' };
const body = JSON.stringify(identity);
const paid = authorizedRecord({ outcome: approved, conclusion: success });
const unknown = recordOf([
  intents.octopus,
  { kind: 'answered', outcome: { kind: 'unknown', reason: 'incomplete' } },
  { kind: 'reversalQueued', reason: 'incomplete' },
  { kind: 'ended', outcome: 'error', result: 'UNKNOWN', code: 7, message: 'not known yet' },
]);
const cancelled = uncollectedRecord({
  outcome: 'error',
  result: 'TRANSACTION_ALREADY_CANCEL',
  code: 107,
  message: 'cancelled by the POS',
});

describe('POST /sp/v1/enquiry', () => {
  for (const [what, answer, status, result, code, more] of [
    ['ended', { kind: 'ended', record: paid, status: 'APPROVED' }, 200, 'SUCCESS', 0, { terminalTransactionId: id }],
    [
      'voided since',
      { kind: 'ended', record: paid, status: 'VOIDED' },
      200,
      'SUCCESS',
      0,
      { transactionResult: { tranStatus: 'VOIDED' } },
    ],
    [
      'running, at a step',
      { kind: 'running', state: 'collecting', step: 'enteringPin' },
      200,
      'PROCESSING',
      11,
      { state: 'collecting', step: 'enteringPin' },
    ],
    [
      'not known yet',
      { kind: 'ended', record: unknown, status: 'ERROR' },
      200,
      'UNKNOWN',
      7,
      { financialImpact: 'UNKNOWN', terminalTransactionId: id, transactionResult: { tranStatus: 'ERROR' } },
    ],
    ['running', { kind: 'running', state: 'authorizing' }, 200, 'PROCESSING', 11, { state: 'authorizing' }],
    ['nowhere', { kind: 'notFound' }, 404, 'NOT_FOUND', 3, { financialImpact: 'NONE' }],
  ] as const satisfies [string, EnquiryAnswer, number, string, number, object][]) {
    test(`of a transaction that is ${what}: ${status} ${result}`, async (t) => {
      const { terminal, call } = await served(t);
      terminal.enquiryAnswer = answer;
      const { status: reported, json } = await call({ path: '/sp/v1/enquiry', body });
      assert.equal(reported, status);
      assert.partialDeepStrictEqual(json, { ...identity, responseResult: result, responseCode: code, ...more });
      assert.deepEqual(terminal.asked, [{ call: 'enquire', ...identity }]);
    });
  }

  test('of a settlement: its batches as they stand now', async (t) => {
    const { terminal, call } = await served(t);
    terminal.enquiryAnswer = { kind: 'notFound' };
    const acquirer = { acquirerId: acquirerId('EDC'), mid: '', tid: '', batch: 7, totals: [] };
    const about = { id, ...identity, digest: 'd', at: '2026-01-12T04:00:00.000Z' };
    terminal.settlementEnquired = { ...about, results: [{ ...acquirer, result: 'FAILED', reason: 'silent' }] };
    const failed = await call({ path: '/sp/v1/enquiry', body });
    assert.equal(failed.status, 200);
    assert.partialDeepStrictEqual(failed.json, { ...identity, responseResult: 'ERROR', message: 'EDC: silent' });
    terminal.settlementEnquired = { ...about, results: [{ ...acquirer, result: 'BALANCED' }] };
    assert.partialDeepStrictEqual((await call({ path: '/sp/v1/enquiry', body })).json, {
      responseResult: 'SUCCESS',
      settlements: [{ acquirer: 'EDC', batch: 7, result: 'BALANCED' }],
    });
    terminal.settlementEnquired = 'running';
    const running = await call({ path: '/sp/v1/enquiry', body });
    assert.partialDeepStrictEqual(running.json, { responseResult: 'PROCESSING', state: 'settling' });
    assert.deepEqual(terminal.settlementsAsked[0], identity);
  });

  test('PROCESSING leaves it open whether money moved', async (t) => {
    const { terminal, call } = await served(t);
    terminal.enquiryAnswer = { kind: 'running', state: 'authorizing' };
    assert.equal((await call({ path: '/sp/v1/enquiry', body })).json.financialImpact, 'UNKNOWN');
  });
});

describe('POST /sp/v1/cancel', () => {
  for (const [what, answer, status, result, code, more] of [
    ['cancelled', { kind: 'cancelled', record: cancelled }, 200, 'SUCCESS', 0, { terminalTransactionId: id }],
    [
      'cancelled before',
      { kind: 'ended', record: cancelled },
      200,
      'SUCCESS',
      0,
      { ...identity, financialImpact: 'NONE' },
    ],
    [
      'too late: authorizing',
      { kind: 'tooLate', state: 'authorizing' },
      409,
      'INVALID_TRANSACTION_STATUS',
      104,
      { ...identity, state: 'authorizing' },
    ],
    [
      'too late: over',
      { kind: 'ended', record: paid },
      409,
      'INVALID_TRANSACTION_STATUS',
      104,
      { transaction: { responseResult: 'SUCCESS', messageId: 'M-1' } },
    ],
    [
      'too late: not known yet',
      { kind: 'ended', record: unknown },
      409,
      'INVALID_TRANSACTION_STATUS',
      104,
      { transaction: { responseResult: 'UNKNOWN', financialImpact: 'UNKNOWN' } },
    ],
    ['nowhere', { kind: 'notFound' }, 404, 'NOT_FOUND', 3, { ...identity, financialImpact: 'NONE' }],
  ] as const satisfies [string, CancelAnswer, number, string, number, object][]) {
    test(`${what}: ${status} ${result}`, async (t) => {
      const { terminal, call } = await served(t);
      terminal.cancelAnswer = answer;
      const { status: reported, json } = await call({ path: '/sp/v1/cancel', body });
      assert.equal(reported, status);
      assert.partialDeepStrictEqual(json, { responseResult: result, responseCode: code, ...more });
      assert.ok(json.message);
      assert.deepEqual(terminal.asked, [{ call: 'cancel', ...identity }]);
    });
  }
});

for (const path of ['/sp/v1/enquiry', '/sp/v1/cancel']) {
  for (const [what, wrong, pointers] of [
    ['nothing', {}, ['/posId', '/messageId']],
    ['no messageId', { posId: 'P' }, ['/messageId']],
    ['an empty posId', { posId: '', messageId: 'M' }, ['/posId']],
    ['65 characters', { posId: 'P', messageId: 'x'.repeat(65) }, ['/messageId']],
    ['a control character', { posId: 'P\n', messageId: 'M' }, ['/posId']],
    ['a lone surrogate', { posId: 'P', messageId: '\ud800' }, ['/messageId']],
    ['an object', { posId: { marker: 1 }, messageId: 'M' }, ['/posId']],
  ] as const) {
    test(`${path} with ${what}: 400, the terminal is not asked`, async (t) => {
      const { terminal, call } = await served(t);
      const { status, json } = await call({ path, body: JSON.stringify(wrong) });
      assert.equal(status, 400);
      assert.equal(json.responseCode, 4);
      assert.deepEqual(
        json.errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      );
      assert.deepEqual(terminal.asked, []);
    });
  }
}

describe('GET /sp/v1/status', () => {
  test('answers what the terminal says of itself', async (t) => {
    const { call } = await served(t, { status: async () => ({ ready: true }) });
    const { status, json } = await call({ method: 'GET', path: '/sp/v1/status' });
    assert.equal(status, 200);
    assert.deepEqual(json, { ready: true });
  });

  test('that fails: 500 in the envelope', async (t) => {
    const { call, failures } = await served(t, { status: () => Promise.reject(new Error('no journal')) });
    const { status, json } = await call({ method: 'GET', path: '/sp/v1/status' });
    assert.equal(status, 500);
    assert.equal(json.responseResult, 'ERROR');
    assert.equal(failures.length, 1);
  });

  test('a query is no other path', async (t) => {
    const { call } = await served(t);
    assert.equal((await call({ method: 'GET', path: '/sp/v1/status?now' })).status, 200);
  });
});

test('a page of a configured origin may come back to the events with the id of its last one', async (t) => {
  const origin = 'https://till.example';
  const { call } = await served(t, { access: { origins: [origin] } });
  const preflight = {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'last-event-id',
  };
  const { status, headers } = await call({ method: 'OPTIONS', path: '/sp/v1/events', headers: preflight });
  assert.equal(status, 204);
  const allowed = String(headers['access-control-allow-headers']).split(/, */);
  assert.deepEqual(allowed.toSorted(), [
    'content-digest',
    'content-type',
    'last-event-id',
    'signature',
    'signature-input',
  ]);
});
