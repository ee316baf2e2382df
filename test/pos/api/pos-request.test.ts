import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, isRefusal } from '../../../src/pos/api/input.ts';
import { parsePosRequest, requestDigest } from '../../../src/pos/api/pos-request.ts';
import { sale } from './served.ts';

function digest(fields: Record<string, unknown>, amount = '30'): string {
  const text = JSON.stringify({ ...sale, requestAmount: 0, ...fields }).replace(
    '"requestAmount":0',
    `"requestAmount":${amount}`,
  );
  const request = parsePosRequest(parseJson(text));
  return isRefusal(request) ? assert.fail(JSON.stringify(request)) : requestDigest(request);
}

const plain = digest({});

test('the digest is a SHA-256 in hex', () => assert.match(plain, /^[0-9a-f]{64}$/));

for (const amount of ['30.0', '30.00', '3e1', '3.0E1', '30.000000']) {
  test(`30 and ${amount} are one request`, () => assert.equal(digest({}, amount), plain));
}

for (const fields of [
  { originalTerminalTransactionId: '' },
  { originalTerminalTransactionId: null },
  { preferredEntryMode: 'DEFAULT' },
  { preferredEntryMode: '' },
  { preferredInstrument: '' },
  { forceAcquirer: '' },
  { tipAmount: 0 },
  { cashbackAmount: 0 },
  { cashbackAmount: null },
  { cashierId: '' },
  { collectTimeoutSeconds: null },
  { shiftId: null },
  { posReference: '' },
]) {
  test(`${JSON.stringify(fields)} is the same request as none`, () => assert.equal(digest(fields), plain));
}

test('the order of the fields does not matter', () => {
  const reversed = Object.fromEntries(Object.entries(sale).toReversed());
  const request = parsePosRequest(parseJson(JSON.stringify(reversed)));
  assert.equal(isRefusal(request) ? '' : requestDigest(request), plain);
});

test('a request without new fields has the digest that an older version wrote', () => {
  assert.equal(plain, '2d8350ee841fb7cfb4302a0af3b1ae4b11d962913166cbfee744efd22e8e8ceb');
});

test('a tip is compared by its value', () => {
  assert.equal(digest({ tipAmount: 1.5 }), digest({ tipAmount: 1.5, preferredInstrument: '' }));
  assert.notEqual(digest({ tipAmount: 1.5 }), plain);
});

test('cash is compared by its value, and is no tip', () => {
  assert.equal(digest({ cashbackAmount: 10 }), digest({ cashbackAmount: 10, preferredInstrument: '' }));
  assert.notEqual(digest({ cashbackAmount: 10 }), digest({ tipAmount: 10 }));
});

test('every field that means something makes another request', () => {
  const digests = [
    plain,
    digest({}, '30.01'),
    digest({}, '3'),
    digest({ currency: 'USD' }),
    digest({ currency: 'JPY' }),
    digest({ transactionType: 'AUTH' }),
    digest({ transactionType: 'OFFLINE_SALE' }),
    digest({ transactionType: 'OFFLINE_SALE', approvalCode: 'ABC123' }),
    digest({ transactionType: 'VOID_SALE', originalTerminalTransactionId: 'T-1' }),
    digest({ transactionType: 'VOID_SALE', originalTerminalTransactionId: 'T-2' }),
    digest({ preferredEntryMode: 'CARD' }),
    digest({ preferredEntryMode: 'QR_SCAN' }),
    digest({ preferredEntryMode: 'QR_PRESENT' }),
    digest({ preferredEntryMode: 'CASH' }),
    digest({ preferredInstrument: 'CARD' }),
    digest({ preferredInstrument: 'QR' }),
    digest({ preferredInstrument: 'OCTOPUS' }),
    digest({ preferredInstrument: 'EPS' }),
    digest({ forceAcquirer: 'EDC' }),
    digest({ forceAcquirer: 'EPS' }),
    digest({ tipAmount: 1 }),
    digest({ tipAmount: 2 }),
    digest({ cashbackAmount: 1 }),
    digest({ cashbackAmount: 2 }),
    digest({ forceAcquirer: 'QR' }),
    digest({ collectTimeoutSeconds: 30 }),
    digest({ collectTimeoutSeconds: 31 }),
    digest({ cashierId: 'A' }),
    digest({ shiftId: 'A' }),
    digest({ posReference: 'A' }),
    digest({ posReference: 'B' }),
    digest({ cashierId: 'A', shiftId: 'A' }),
  ];
  assert.equal(new Set(digests).size, digests.length);
});
