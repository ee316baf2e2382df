import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJson } from '../../src/api/json.ts';
import { isRefusal, parsePosRequest, type PosRequest } from '../../src/api/pos-request.ts';
import { capabilityReport, impossible } from '../../src/api/possible.ts';
import { acquirerId } from '../../src/domain/identifiers.ts';
import type { EnquiryAnswer } from '../../src/terminal/terminal.ts';
import type { AcquirerProfile } from '../../src/transaction/decide.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { profiles, sale, served } from './served.ts';

/** The marks of SPEC §1 as this terminal places them, word for word: the kinds of each method, payments and voids. */
const card = 'SALE TIP_ADJUST AUTH OFFLINE_SALE REFUND VOID_SALE VOID_OFFLINE VOID_REFUND'.split(' ');
const unionPay = 'SALE TIP_ADJUST AUTH AUTH_COMP REFUND VOID_SALE VOID_AUTH VOID_AUTH_COMP VOID_REFUND'.split(' ');
const both = [...new Set([...card, ...unionPay])];
const none: string[] = [];

const referring = 'TIP_ADJUST AUTH_COMP VOID_SALE VOID_AUTH VOID_OFFLINE VOID_AUTH_COMP VOID_REFUND VOID'.split(' ');
const types = ['SALE', 'AUTH', 'OFFLINE_SALE', 'REFUND', ...referring];

const brandsOfEdc = ['VISA', 'MASTER', 'AMEX', 'JCB'];
const elsewhere = ['QR', 'ALIPAY', 'WECHAT', 'FPS', 'UPI_QR', 'OCTOPUS', 'EPS', 'CASH'];
const rows: readonly [forced: string, instruments: readonly string[], kinds: readonly string[]][] = [
  ['', ['', 'CARD'], both],
  ['', brandsOfEdc, card],
  ['', ['UNIONPAY'], unionPay],
  ['', elsewhere, none],
  ['EDC', ['', 'CARD', ...brandsOfEdc], card],
  ['EDC', ['UNIONPAY', ...elsewhere], none],
  ['CUP', ['', 'CARD', 'UNIONPAY'], unionPay],
  ['CUP', [...brandsOfEdc, ...elsewhere], none],
];
const absent = ['QR', 'EPS', 'DCC'];

function request(fields: Record<string, unknown>): PosRequest {
  const original = referring.includes(String(fields['transactionType']))
    ? { originalTerminalTransactionId: 'T-1' }
    : {};
  const parsed = parsePosRequest(parseJson(JSON.stringify({ ...sale, ...original, ...fields })));
  return isRefusal(parsed) ? assert.fail(JSON.stringify(parsed)) : parsed;
}

function told(fields: Record<string, unknown>, offers = profiles) {
  const answer = impossible(request(fields), offers);
  return answer && { pointers: answer.errors.map(({ pointer }) => pointer), possible: answer.possible.toSorted() };
}

/** Where it is refused, and nothing where it goes. */
function expected(type: string, forced: string, instrument: string, kinds: readonly string[]): string | undefined {
  if (kinds.length === 0) return '/preferredInstrument';
  if (type !== 'VOID' && !kinds.includes(type)) return '/transactionType';
  // A void, a tip and a completion go where their original went.
  if (!referring.includes(type)) return undefined;
  if (instrument !== '') return '/preferredInstrument';
  return forced === '' ? undefined : '/forceAcquirer';
}

describe('kinds × instruments × forced acquirers', () => {
  for (const [forceAcquirer, instruments, kinds] of rows) {
    for (const preferredInstrument of instruments) {
      test(`instrument '${preferredInstrument}', acquirer '${forceAcquirer}'`, () => {
        for (const transactionType of types) {
          const pointer = expected(transactionType, forceAcquirer, preferredInstrument, kinds);
          assert.deepEqual(
            told({ transactionType, preferredInstrument, forceAcquirer }),
            pointer && { pointers: [pointer], possible: kinds.toSorted() },
            transactionType,
          );
        }
      });
    }
  }

  for (const forceAcquirer of absent) {
    test(`${forceAcquirer} is no acquirer of this terminal`, () => {
      for (const preferredInstrument of ['', 'CARD', 'UNIONPAY', ...elsewhere]) {
        for (const transactionType of types) {
          const answer = told({ transactionType, preferredInstrument, forceAcquirer });
          assert.deepEqual(answer, { pointers: ['/forceAcquirer'], possible: [] });
        }
      }
    });
  }

  for (const preferredEntryMode of ['QR_SCAN', 'QR_PRESENT', 'CASH']) {
    test(`entry mode ${preferredEntryMode}`, () => {
      assert.deepEqual(told({ preferredEntryMode }), { pointers: ['/preferredEntryMode'], possible: both.toSorted() });
    });
  }

  test('an acquirer can only take away', () => {
    const few: readonly AcquirerProfile[] = [
      { id: acquirerId('EDC'), brands: ['VISA'], kinds: ['SALE', 'VOID_SALE', 'AUTH_COMP'] },
    ];
    const possible = ['SALE', 'VOID_SALE'];
    assert.equal(told({}, few), undefined);
    for (const transactionType of ['AUTH', 'REFUND', 'AUTH_COMP', 'VOID_REFUND']) {
      assert.deepEqual(told({ transactionType }, few), { pointers: ['/transactionType'], possible });
    }
    assert.deepEqual(told({ preferredInstrument: 'MASTER' }, few)?.pointers, ['/preferredInstrument']);
  });

  test('over the wire: 422, what could be asked for instead, and the terminal is not asked', async (t) => {
    const { terminal, pay } = await served(t);
    const { status, json } = await pay({ transactionType: 'OFFLINE_SALE', preferredInstrument: 'UNIONPAY' });
    assert.equal(status, 422);
    assert.partialDeepStrictEqual(json, {
      posId: sale.posId,
      messageId: sale.messageId,
      responseResult: 'INVALID_PARAMETER',
      responseCode: 4,
      financialImpact: 'NONE',
      errors: [{ pointer: '/transactionType' }],
    });
    assert.deepEqual(json.possible.toSorted(), unionPay.toSorted());
    for (const kind of unionPay) assert.ok(json.message.includes(kind), kind);
    assert.equal(terminal.paid.length, 0);
  });
});

describe('what was asked once, and is not possible any more', () => {
  const octopus = { preferredInstrument: 'OCTOPUS' };

  for (const known of [
    { kind: 'running', state: 'collecting' },
    { kind: 'ended', record: authorizedRecord({ outcome: approved, conclusion: success }), status: 'APPROVED' },
  ] as const satisfies EnquiryAnswer[]) {
    test(`is answered all the same: ${known.kind}`, async (t) => {
      const { terminal, pay } = await served(t);
      terminal.enquiryAnswer = known;
      const record = authorizedRecord({ outcome: approved, conclusion: success });
      terminal.payAnswer = async () => ({ kind: 'ended', record });
      const { status, json } = await pay(octopus);
      assert.equal(status, 200);
      assert.equal(json.responseResult, 'SUCCESS');
      assert.deepEqual(terminal.asked, [{ call: 'enquire', posId: sale.posId, messageId: sale.messageId }]);
    });
  }

  test('another one is refused', async (t) => {
    const { terminal, pay } = await served(t);
    assert.equal((await pay(octopus)).status, 422);
    assert.equal(terminal.paid.length, 0);
  });
});

describe('the capability report', () => {
  const report = (offers: readonly AcquirerProfile[]) =>
    Object.fromEntries(capabilityReport(offers).methods.map(({ method, ...rest }) => [method, rest]));
  const nothing = { paymentMethods: [], kinds: [], acquirers: [] };

  test('names the six methods of SPEC 1, in order, and what each can do here', () => {
    assert.deepEqual(Object.entries(report(profiles)), [
      ['CARD', { paymentMethods: brandsOfEdc, kinds: card, acquirers: ['EDC'] }],
      ['UNIONPAY', { paymentMethods: ['UNIONPAY'], kinds: unionPay, acquirers: ['CUP'] }],
      ['QR', nothing],
      ['OCTOPUS', nothing],
      ['EPS', nothing],
      ['CASH', nothing],
    ]);
  });

  test('of a card that two acquirers take names both', () => {
    const dual: readonly AcquirerProfile[] = [
      { id: acquirerId('EDC'), brands: ['VISA', 'UNIONPAY'], kinds: ['SALE'] },
      { id: acquirerId('CUP'), brands: ['UNIONPAY'], kinds: ['REFUND'] },
    ];
    const { CARD, UNIONPAY } = report(dual);
    assert.deepEqual(CARD, { paymentMethods: ['VISA'], kinds: ['SALE'], acquirers: ['EDC'] });
    assert.deepEqual(UNIONPAY, {
      paymentMethods: ['UNIONPAY'],
      kinds: ['SALE', 'REFUND'],
      acquirers: ['EDC', 'CUP'],
    });
  });

  test('without acquirers there is nothing', () => {
    for (const method of Object.values(report([]))) assert.deepEqual(method, nothing);
  });
});
