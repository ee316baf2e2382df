import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import type { TransactionKind } from '../../../src/base/domain/transaction-kind.ts';
import type { AnswerShape } from '../../../src/payment/events/accepted.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { approved, authorizedRecord, id, success } from './records.ts';
import { type Json, served, printParts } from './served.ts';

const kinds: readonly TransactionKind[] = [
  'SALE',
  'TIP_ADJUST',
  'AUTH',
  'OFFLINE_SALE',
  'AUTH_COMP',
  'REFUND',
  'VOID_SALE',
  'VOID_AUTH',
  'VOID_OFFLINE',
  'VOID_AUTH_COMP',
  'VOID_REFUND',
];
const statuses = ['APPROVED', 'VOIDED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'ADJUSTED'] as const;
const identity = JSON.stringify({ posId: 'POS-1', messageId: 'M-1' });

/** 30.00 HKD with a tip of 4.50, by reference to an earlier one. */
function record(type: TransactionKind, shape: AnswerShape): TransactionRecord {
  const plain = authorizedRecord({ outcome: approved, conclusion: success, shape });
  return { ...plain, request: { ...plain.request, type, tipMinor: '450', originalId: id } };
}

for (const kind of kinds) {
  test(`${kind} in both shapes: kind, original, tip and base`, () => {
    const a: Json = posResponse(record(kind, 'A'), printParts);
    assert.partialDeepStrictEqual(a.transactionResult, {
      tranType: kind,
      tranStatus: 'APPROVED',
      originalTerminalTransactionId: id,
      tipAmount: 4.5,
      totalAmount: 30,
    });
    const b: Json = posResponse(record(kind, 'B'), printParts);
    assert.equal('responseCode' in b, false);
    assert.partialDeepStrictEqual(b.transactionPrintData, {
      transactionType: kind,
      transactionStatus: 'APPROVED',
      baseAmount: 25.5,
      tipAmount: 4.5,
      totalAmount: 30,
      cardData: { maskedPan: '************0119', tc: '1122334455667788' },
    });
  });
}

describe('an enquiry tells what became of a payment since', () => {
  for (const status of statuses) {
    test(`${status}: its result stays SUCCESS`, async (t) => {
      const { terminal, call } = await served(t);
      terminal.enquiryAnswer = { kind: 'ended', record: record('SALE', 'A'), status };
      const a = await call({ path: '/sp/v1/enquiry', body: identity });
      assert.equal(a.status, 200);
      assert.partialDeepStrictEqual(a.json, {
        responseResult: 'SUCCESS',
        responseCode: 0,
        transactionResult: { tranStatus: status, totalAmount: 30 },
      });
      assert.equal('financialImpact' in a.json, false);
      terminal.enquiryAnswer = { kind: 'ended', record: record('SALE', 'B'), status };
      const b = await call({ path: '/sp/v1/enquiry', body: identity });
      assert.equal(b.json.responseResult, 'SUCCESS');
      assert.equal(b.json.transactionPrintData.transactionStatus, status);
    });
  }

  test('REVERSED: no success, and the money is back', async (t) => {
    const { terminal, call } = await served(t);
    const failed = {
      outcome: 'error',
      result: 'ERROR',
      code: 2,
      message: 'the outcome at the host is unknown',
    } as const;
    const reversed = authorizedRecord({ conclusion: failed, reversal: 'acknowledged' });
    terminal.enquiryAnswer = { kind: 'ended', record: reversed, status: 'REVERSED' };
    const { json } = await call({ path: '/sp/v1/enquiry', body: identity });
    assert.partialDeepStrictEqual(json, {
      responseResult: 'ERROR',
      financialImpact: 'REVERSED',
      transactionResult: { tranStatus: 'REVERSED' },
    });
  });
});

test('the same payment again is answered as it ended, whatever came later', async (t) => {
  const { terminal, pay } = await served(t);
  terminal.payAnswer = async () => ({ kind: 'ended', record: record('SALE', 'A') });
  assert.equal((await pay()).json.transactionResult.tranStatus, 'APPROVED');
});

describe('an offline sale', () => {
  const offline: TransactionRecord = {
    ...authorizedRecord({ outcome: { kind: 'offline', approvalCode: 'PHONE1' }, conclusion: success }),
    advice: 'queued',
  };

  test('has its approval code, and no reference before the host has heard of it', () => {
    const { transactionResult }: Json = posResponse(offline, printParts);
    assert.partialDeepStrictEqual(transactionResult, { approvalCode: 'PHONE1', rrn: '', tranStatus: 'APPROVED' });
  });

  test('has the reference that the host gave its advice', () => {
    const answer = { responseCode: '00', rrn: '632511000009', hostTime: '173000', hostDate: '1121' } as const;
    const adviceAnswer = { kind: 'adviceAnswered', answer: 'acknowledged', ...answer } as const;
    const { transactionResult }: Json = posResponse({ ...offline, advice: 'acknowledged', adviceAnswer }, printParts);
    assert.partialDeepStrictEqual(transactionResult, { approvalCode: 'PHONE1', rrn: '632511000009' });
  });
});

for (const [currency, total, base, tip] of [
  ['JPY', 3000, 2550, 450],
  ['KWD', 3, 2.55, 0.45],
] as const) {
  test(`amounts of ${currency} have its decimals`, () => {
    const plain = record('SALE', 'B');
    const { transactionPrintData }: Json = posResponse({ ...plain, amount: { minor: 3000n, currency } }, printParts);
    assert.partialDeepStrictEqual(transactionPrintData, {
      currency,
      totalAmount: total,
      baseAmount: base,
      tipAmount: tip,
    });
  });
}
