import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reportedReason } from '../../../src/pos/api/pos-response.ts';
import { parseJson, isRefusal } from '../../../src/pos/api/input.ts';
import { parsePosRequest, requestDigest } from '../../../src/pos/api/pos-request.ts';
import { everyMethod, sale, served } from './served.ts';

/** Stands where a card number could: no refused value may come back. */
const marker = '4761739001010119';

/** What each kind does with the fields that not every kind has: SPEC §2.1, §4 rule 3. */
const kinds: readonly [type: string, original: 'never' | 'may' | 'must', tip: boolean, approvalCode: boolean][] = [
  ['SALE', 'never', true, false],
  ['AUTH', 'never', false, false],
  ['OFFLINE_SALE', 'may', true, true],
  ['REFUND', 'may', false, false],
  ['TIP_ADJUST', 'must', true, false],
  ['AUTH_COMP', 'must', false, false],
  ['VOID_SALE', 'must', false, false],
  ['VOID_AUTH', 'must', false, false],
  ['VOID_OFFLINE', 'must', false, false],
  ['VOID_AUTH_COMP', 'must', false, false],
  ['VOID_REFUND', 'must', false, false],
  ['VOID', 'must', false, false],
];

const parsed = (fields: Record<string, unknown>) => parsePosRequest(parseJson(JSON.stringify({ ...sale, ...fields })));

describe('fields that a kind needs or can’t have', () => {
  for (const [transactionType, original, tip, approval] of kinds) {
    for (const originalTerminalTransactionId of ['', null, marker]) {
      for (const tipAmount of [undefined, 0, 1.5]) {
        for (const approvalCode of [undefined, '', 'AB12CD']) {
          const fields = { transactionType, originalTerminalTransactionId, tipAmount, approvalCode };
          const named = Boolean(originalTerminalTransactionId);
          // With an original it completes an authorization, which has its own code and takes no tip.
          const completes = transactionType === 'OFFLINE_SALE' && named;
          const pointer =
            (original === 'must' && !named) || (original === 'never' && named)
              ? '/originalTerminalTransactionId'
              : tipAmount && (!tip || completes)
                ? '/tipAmount'
                : approvalCode && (!approval || completes)
                  ? '/approvalCode'
                  : undefined;
          test(`${JSON.stringify(fields)}: ${pointer ?? 'goes'}`, () => {
            const request = parsed(fields);
            if (!isRefusal(request)) return assert.equal(pointer, undefined);
            assert.equal(request.result, 'INVALID_PARAMETER');
            assert.deepEqual(
              request.errors.map((each) => each.pointer),
              [pointer],
            );
            const message = request.errors[0]?.message ?? '';
            assert.ok(!message.includes(marker) && !message.includes('AB12CD'), message);
          });
        }
      }
    }
  }
});

describe('the tip', () => {
  for (const [what, fields, pointer] of [
    ['one cent below the total', { tipAmount: 29.99 }, undefined],
    ['the total', { tipAmount: 30 }, '/tipAmount'],
    ['above the total', { tipAmount: 30.01 }, '/tipAmount'],
    ['below zero', { tipAmount: -0.01 }, '/tipAmount'],
    ['half a cent', { tipAmount: 0.005 }, '/tipAmount'],
    ['half a yen', { currency: 'JPY', tipAmount: 0.5 }, '/tipAmount'],
    ['one fils', { currency: 'KWD', tipAmount: 0.001 }, undefined],
  ] as const) {
    test(`${what}: ${pointer ?? 'goes'}`, () => {
      const request = parsed(fields);
      assert.equal(isRefusal(request) ? request.errors[0]?.pointer : undefined, pointer);
    });
  }
});

describe('the cash', () => {
  for (const [what, fields, pointer] of [
    ['one cent below the total', { cashbackAmount: 29.99 }, undefined],
    ['none', { cashbackAmount: 0 }, undefined],
    ['the total', { cashbackAmount: 30 }, '/cashbackAmount'],
    ['above the total', { cashbackAmount: 500 }, '/cashbackAmount'],
    ['with the tip one cent below the total', { tipAmount: 10, cashbackAmount: 19.99 }, undefined],
    ['with the tip the total', { tipAmount: 10, cashbackAmount: 20 }, '/cashbackAmount'],
    ['below zero', { cashbackAmount: -0.01 }, '/cashbackAmount'],
    ['half a cent', { cashbackAmount: 0.005 }, '/cashbackAmount'],
    ['half a yen', { currency: 'JPY', cashbackAmount: 0.5 }, '/cashbackAmount'],
    ['13 digits', { cashbackAmount: 10_000_000_000 }, '/cashbackAmount'],
    ...['AUTH', 'OFFLINE_SALE', 'REFUND'].map(
      (transactionType) =>
        [`of a ${transactionType}`, { transactionType, cashbackAmount: 1 }, '/cashbackAmount'] as const,
    ),
    ...['TIP_ADJUST', 'AUTH_COMP', 'VOID_SALE', 'VOID'].map(
      (transactionType) =>
        [
          `of a ${transactionType}`,
          { transactionType, originalTerminalTransactionId: 'T-1', cashbackAmount: 1 },
          '/cashbackAmount',
        ] as const,
    ),
  ] as const) {
    test(`${what}: ${pointer ?? 'goes'}`, () => {
      const request = parsed(fields);
      assert.equal(isRefusal(request) ? request.errors[0]?.pointer : undefined, pointer);
      if (isRefusal(request)) assert.equal(request.result, 'INVALID_PARAMETER');
    });
  }
});

describe('what the terminal is asked', () => {
  for (const [fields, asked] of [
    [{ tipAmount: 1.5 }, { type: 'SALE', amount: { minor: 3000n, currency: 'HKD' }, tipMinor: 150n }],
    [
      { currency: 'JPY', tipAmount: 2 },
      { amount: { minor: 30n, currency: 'JPY' }, tipMinor: 2n },
    ],
    [
      { currency: 'KWD', tipAmount: 0.005 },
      { amount: { minor: 30_000n, currency: 'KWD' }, tipMinor: 5n },
    ],
    [
      { transactionType: 'OFFLINE_SALE', approvalCode: 'ab12cd' },
      { type: 'OFFLINE_SALE', approvalCode: 'AB12CD' },
    ],
    [
      { transactionType: 'REFUND', originalTerminalTransactionId: 'T-1' },
      { type: 'REFUND', originalId: 'T-1' },
    ],
    [
      { transactionType: 'REFUND', forceAcquirer: 'CUP' },
      { type: 'REFUND', forcedAcquirer: 'CUP' },
    ],
  ] as const) {
    test(JSON.stringify(fields), async (t) => {
      const { terminal, pay } = await served(t);
      await pay(fields);
      assert.partialDeepStrictEqual(terminal.paid[0], asked);
    });
  }

  for (const [fields, asked] of [
    [{ cashbackAmount: 10.5 }, { type: 'SALE', amount: { minor: 3000n, currency: 'HKD' }, cashbackMinor: 1050n }],
    [{ preferredEntryMode: 'QR_SCAN' }, { preferredEntryMode: 'QR_SCAN' }],
    [{ preferredEntryMode: 'DEFAULT' }, { preferredEntryMode: 'DEFAULT' }],
    [
      { preferredInstrument: 'FPS', preferredEntryMode: 'QR_PRESENT', forceAcquirer: 'QR' },
      { preferredInstrument: 'FPS', preferredEntryMode: 'QR_PRESENT', forcedAcquirer: 'QR' },
    ],
    [{ preferredInstrument: 'OCTOPUS' }, { preferredInstrument: 'OCTOPUS' }],
  ] as const) {
    test(`where it takes every method: ${JSON.stringify(fields)}`, async (t) => {
      const { terminal, pay } = await served(t, everyMethod);
      await pay(fields);
      assert.partialDeepStrictEqual(terminal.paid[0], asked);
    });
  }

  test('a field that was not sent is not there', async (t) => {
    const { terminal, pay } = await served(t);
    const fields = { preferredEntryMode: '', preferredInstrument: '', forceAcquirer: '', cashbackAmount: 0 };
    await pay({ ...fields, tipAmount: 0, originalTerminalTransactionId: '', approvalCode: '' });
    assert.deepEqual(Object.keys(terminal.paid[0] ?? {}).toSorted(), [
      'amount',
      'digest',
      'messageId',
      'posId',
      'printedBy',
      'shape',
      'type',
    ]);
  });

  test('an approval code is one in either case: the same request', () => {
    const digest = (approvalCode: string) => {
      const request = parsed({ transactionType: 'OFFLINE_SALE', approvalCode });
      return isRefusal(request) ? assert.fail(JSON.stringify(request)) : requestDigest(request);
    };
    assert.equal(digest('ab12cd'), digest('AB12CD'));
    assert.notEqual(digest('ab12cd'), digest('AB12CE'));
  });
});

test('what the terminal refuses about an original comes back with its pointer and code, and no value', async (t) => {
  const { terminal, pay } = await served(t);
  for (const [result, code] of [
    ['NOT_FOUND', 3],
    ['INVALID_TRANSACTION_STATUS', 104],
    ['INVALID_CURRENCY', 105],
    ['TRANSACTION_ALREADY_CANCEL', 107],
  ] as const) {
    const refusal = {
      result,
      reason: 'originalUnknown',
      pointer: '/originalTerminalTransactionId',
      message: 'names none',
    } as const;
    terminal.payAnswer = async () => ({ kind: 'refused', refusal });
    const fields = { transactionType: 'VOID', originalTerminalTransactionId: marker };
    const { status, json, text } = await pay(fields);
    assert.equal(status, 422);
    assert.deepEqual(json, {
      responseResult: result,
      responseCode: code,
      message: '/originalTerminalTransactionId names none',
      ...reportedReason('originalUnknown'),
      posId: sale.posId,
      messageId: sale.messageId,
      financialImpact: 'NONE',
      errors: [{ pointer: '/originalTerminalTransactionId', message: 'names none', reason: 'originalUnknown' }],
    });
    assert.ok(!text.includes(marker));
  }
});
