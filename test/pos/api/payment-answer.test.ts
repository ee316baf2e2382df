import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import type { JournalledOutcome } from '../../../src/payment/events/answer.ts';
import { approved, authorizedRecord, id, intents, recordOf, success, uncollectedRecord } from './records.ts';
import { type Json, sale, served, printParts } from './served.ts';

/** yyyy-MM-ddTHH:mm:ss and a numeric offset without colon (SPEC §2.3). */
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/;

const strings = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, 'string']));

/** SPEC §2.3. */
const resultTypes = {
  ...strings(
    'acquirerId acquirerMid acquirerTid appName approvalCode createTime currency entryMode maskedPan paymentMethod',
  ),
  ...strings('poiReferenceId posReferenceId tranStatus tranType'),
  totalAmount: 'number',
  trace: 'number',
};

/** SPEC §2.4. */
const printDataTypes = {
  ...strings('authenticationMethod currency dateTime entryMode paymentBrand paymentInstrumentType posReferenceId'),
  ...strings('shopAddress shopEmail shopLogo shopName shopPhone transactionId transactionStatus transactionType'),
  baseAmount: 'number',
  cardData: 'object',
  totalAmount: 'number',
};
const cardDataTypes = strings('aid appName atc cardholderName maskedExpiry maskedPan tc tsi tvr');

function assertTypes(object: Json, types: Readonly<Record<string, string>>): void {
  for (const [name, type] of Object.entries(types)) assert.equal(typeof object[name], type, name);
}

const declined = {
  outcome: { kind: 'declined', reason: 'insufficientFunds', responseCode: '51', rrn: '632511000002' },
  conclusion: { outcome: 'declined', result: 'DECLINED', code: 1051, message: 'insufficient funds (host code 51)' },
} as const;
const timedOut = { outcome: 'error', result: 'TIMEOUT', code: 5, message: 'no card was presented in time' } as const;
const unknown = {
  outcome: { kind: 'unknown', reason: 'no-answer' },
  conclusion: { outcome: 'error', result: 'ERROR', code: 2, message: 'the outcome at the host is unknown' },
} as const;

function recordWith(outcome: JournalledOutcome) {
  return authorizedRecord({ ...unknown, outcome, reversal: 'queued' });
}

describe('what the POS tells of its own', () => {
  const details = { cashierId: 'Ah Ming', shiftId: '2', posReference: 'T12-0815' };
  for (const shape of ['A', 'B'] as const) {
    test(`shape ${shape}: it goes to the terminal and comes back, and where it is absent nothing is told`, async (t) => {
      const { terminal, pay } = await served(t, { shape });
      const record = authorizedRecord({ outcome: approved, conclusion: success, shape });
      const reported = { ...record, request: { ...record.request, ...details } };
      terminal.payAnswer = async () => ({ kind: 'ended', record: reported });
      const chosen = ({ cashierId, shiftId, posReference }: Json) => ({ cashierId, shiftId, posReference });
      assert.deepEqual(chosen((await pay(details)).json), details);
      assert.deepEqual(chosen(terminal.paid.at(-1) ?? {}), details);
      terminal.payAnswer = async () => ({ kind: 'ended', record });
      const { json } = await pay();
      for (const name of Object.keys(details)) assert.equal(name in json, false, name);
    });
  }
});

test('what the POS tells of its own must not show a card number; an article’s number may be told', async (t) => {
  const { terminal, pay } = await served(t);
  for (const name of ['cashierId', 'shiftId', 'posReference']) {
    for (const shown of ['4761739001010119', '4761 7390 0101 0119', 'No. 6205500000000000004']) {
      const { status, json } = await pay({ [name]: shown });
      assert.deepEqual([status, json.reason, json.financialImpact], [422, 'cardNumberNotAllowed', 'NONE'], name);
      assert.deepEqual(
        json.errors.map(({ pointer }: Json) => pointer),
        [`/${name}`],
      );
      assert.ok(!JSON.stringify(json).includes(shown), 'the value is not repeated');
    }
  }
  assert.equal(terminal.paid.length, 0);
  terminal.payAnswer = async () => ({
    kind: 'ended',
    record: authorizedRecord({ outcome: approved, conclusion: success }),
  });
  assert.equal((await pay({ posReference: '4890008100309', shiftId: '20261126093000' })).status, 200);
});

test('the configuration may allow it', async (t) => {
  const { terminal, pay } = await served(t, { cardNumbers: 'print' });
  terminal.payAnswer = async () => ({
    kind: 'ended',
    record: authorizedRecord({ outcome: approved, conclusion: success }),
  });
  assert.equal((await pay({ posReference: '4761739001010119' })).status, 200);
});

describe('shape A', () => {
  test('approved: exactly the answer of SPEC 2.2 and 2.3, over the wire', async (t) => {
    const { terminal, pay } = await served(t);
    terminal.payAnswer = async () => ({
      kind: 'ended',
      record: authorizedRecord({ outcome: approved, conclusion: success }),
    });
    const { status, headers, json } = await pay();
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.deepEqual(json, {
      messageId: 'M-1',
      posId: 'POS-1',
      responseResult: 'SUCCESS',
      responseCode: 0,
      terminalTransactionId: id,
      receiptStatus: 'NOT_PRINTED',
      transactionResult: {
        acquirerId: 'EDC',
        acquirerMid: '123456789012345',
        acquirerTid: '12345678',
        appName: 'Visa Credit',
        approvalCode: 'ABC123',
        batch: 9,
        createTime: '2026-11-21T09:30:00+0000',
        currency: 'HKD',
        entryMode: 'CONTACTLESS',
        hostCode: '00',
        invoice: 8,
        maskedPan: '************0119',
        originalTerminalTransactionId: '',
        paymentMethod: 'VISA',
        poiReferenceId: id,
        posReferenceId: 'M-1',
        rrn: '632511000001',
        tipAmount: 0,
        totalAmount: 30,
        trace: 7,
        tranStatus: 'APPROVED',
        tranType: 'SALE',
      },
    });
  });

  for (const [what, record, code, tranStatus, impact] of [
    ['declined', authorizedRecord(declined), 1051, 'DECLINED', 'NONE'],
    ['unknown, reversal queued', authorizedRecord({ ...unknown, reversal: 'queued' }), 2, 'ERROR', 'REVERSAL_PENDING'],
    ['unknown, reversed', authorizedRecord({ ...unknown, reversal: 'acknowledged' }), 2, 'ERROR', 'REVERSED'],
    ['no card came', uncollectedRecord(timedOut), 5, 'ERROR', 'NONE'],
  ] as const) {
    test(`${what}: every field and its type, and where the money stands`, async (t) => {
      const { terminal, pay } = await served(t);
      terminal.payAnswer = async () => ({ kind: 'ended', record });
      const { status, json } = await pay();
      assert.equal(status, 200);
      assertTypes(json, {
        ...strings('messageId posId responseResult terminalTransactionId message'),
        responseCode: 'number',
      });
      assert.equal(json.responseCode, code);
      assert.equal(json.financialImpact, impact);
      assert.equal(json.transactionPrintData, undefined);
      assertTypes(json.transactionResult, resultTypes);
      assert.equal(json.transactionResult.tranStatus, tranStatus);
      assert.match(json.transactionResult.createTime, timestamp);
    });
  }

  for (const [what, record, code] of [
    ['of a host that could not decide', recordWith({ kind: 'unknown', reason: 'duplicate', responseCode: '94' }), '94'],
    [
      'of no host that answered, as older events say too',
      recordWith({ kind: 'unknown', reason: 'no-answer' }),
      undefined,
    ],
    ['of a reader that refused a card', uncollectedRecord({ ...timedOut, hostCode: '100019' }), '100019'],
  ] as const) {
    test(`hostCode: ${what}`, () => {
      const body: Json = posResponse(record, printParts);
      assert.equal(body.hostCode, code);
      assert.equal(body.transactionResult.hostCode, code ?? '');
    });
  }

  test('trace and responseCode are integers, also where nothing was sent', () => {
    const body: Json = posResponse(uncollectedRecord(timedOut), printParts);
    assert.ok(Number.isInteger(body.transactionResult.trace));
    assert.ok(Number.isInteger(body.responseCode));
  });
});

describe('shape B', () => {
  test('approved: exactly the answer of SPEC 2.2 and 2.4, without responseCode', async (t) => {
    const { terminal, pay } = await served(t, { shape: 'B' });
    terminal.payAnswer = async () => ({
      kind: 'ended',
      record: authorizedRecord({ outcome: approved, conclusion: success, shape: 'B' }),
    });
    const { status, json } = await pay();
    assert.equal(terminal.paid[0]?.shape, 'B');
    assert.equal(status, 200);
    assert.deepEqual(json, {
      messageId: 'M-1',
      posId: 'POS-1',
      responseResult: 'SUCCESS',
      terminalTransactionId: id,
      receiptStatus: 'NOT_PRINTED',
      transactionPrintData: {
        acquirerId: 'EDC',
        acquirerMid: '123456789012345',
        acquirerTid: '12345678',
        approvalCode: 'ABC123',
        authenticationMethod: 'NO_CVM',
        batch: 9,
        baseAmount: 30,
        cardData: {
          aid: 'A0000000031010',
          appName: 'Visa Credit',
          atc: '0001',
          cardholderName: '',
          maskedExpiry: '**/**',
          maskedPan: '************0119',
          tc: '1122334455667788',
          tsi: '0000',
          tvr: '0000000000',
        },
        currency: 'HKD',
        customerSlip: ['a line', 'another'],
        dateTime: '2026-11-21T09:30:00+0000',
        entryMode: 'CONTACTLESS',
        hostCode: '00',
        invoice: 8,
        merchantSlip: ['a line', 'another'],
        originalTerminalTransactionId: '',
        paymentBrand: 'VISA',
        paymentInstrumentType: 'CARD',
        posReferenceId: 'M-1',
        rrn: '632511000001',
        shopAddress: '1 Pier Road, Hong Kong',
        shopEmail: 'tea@example.com',
        shopLogo: '',
        shopName: 'Harbour Tea House',
        shopPhone: '',
        tipAmount: 0,
        totalAmount: 30,
        trace: 7,
        transactionId: id,
        transactionStatus: 'APPROVED',
        transactionType: 'SALE',
      },
    });
  });

  for (const [what, record, transactionStatus, impact] of [
    ['declined', authorizedRecord({ ...declined, shape: 'B' }), 'DECLINED', 'NONE'],
    ['unknown', authorizedRecord({ ...unknown, reversal: 'queued', shape: 'B' }), 'ERROR', 'REVERSAL_PENDING'],
    ['no card came', uncollectedRecord(timedOut, 'B'), 'ERROR', 'NONE'],
  ] as const) {
    test(`${what}: every field and its type, and where the money stands`, () => {
      const body: Json = posResponse(record, printParts);
      assert.equal('responseCode' in body, false);
      assert.equal('transactionResult' in body, false);
      assert.equal(body.financialImpact, impact);
      assertTypes(body.transactionPrintData, printDataTypes);
      assertTypes(body.transactionPrintData.cardData, cardDataTypes);
      assert.equal(body.transactionPrintData.transactionStatus, transactionStatus);
      assert.match(body.transactionPrintData.dateTime, timestamp);
    });
  }

  test('the shape is the one it was accepted with, also when the configuration has changed since', async (t) => {
    const { terminal, pay } = await served(t, { shape: 'B' });
    terminal.payAnswer = async () => ({
      kind: 'ended',
      record: authorizedRecord({ outcome: approved, conclusion: success }),
    });
    assert.ok((await pay()).json.transactionResult);
  });
});

const notYet = { outcome: 'error', result: 'UNKNOWN', code: 7, message: 'not known yet: enquire' } as const;
const openOutcome = [
  intents.octopus,
  { kind: 'answered', outcome: { kind: 'unknown', reason: 'incomplete' } },
  { kind: 'reversalQueued', reason: 'incomplete' },
  { kind: 'ended', ...notYet },
] as const;

/** What each method tells in both shapes, beside what a contactless card does. */
const methods = {
  wallet: {
    record: (shape: 'A' | 'B') =>
      recordOf(
        [
          intents.wallet,
          { kind: 'answered', outcome: { ...approved, approvalCode: '', rrn: 'H-1', walletNumber: 'W-1' } },
          { kind: 'ended', ...success },
        ],
        shape,
      ),
    common: { walletTransactionId: 'W-1', totalAmount: 30, entryMode: 'QR_SCAN' },
    a: { acquirerId: 'QR', acquirerMid: '', acquirerTid: 'T0000042', appName: '', approvalCode: '', maskedPan: '' },
    rrn: 'H-1',
    brand: 'ALIPAY',
    type: 'QR',
  },
  Octopus: {
    record: (shape: 'A' | 'B') =>
      recordOf(
        [
          intents.octopus,
          { kind: 'answered', outcome: { ...approved, approvalCode: '', rrn: 'R-1', balanceMinor: '-340' } },
          { kind: 'ended', ...success },
        ],
        shape,
      ),
    common: { balanceAmount: -3.4, totalAmount: 30, entryMode: 'OCTOPUS' },
    a: { acquirerId: 'OCTOPUS', maskedPan: '****5678', approvalCode: '' },
    rrn: 'R-1',
    brand: 'OCTOPUS',
    type: 'OCTOPUS',
  },
  cash: {
    record: (shape: 'A' | 'B') =>
      recordOf(
        [
          intents.cash,
          { kind: 'answered', outcome: { ...approved, approvalCode: '', rrn: '' } },
          { kind: 'ended', ...success },
        ],
        shape,
      ),
    common: { tenderedAmount: 50, changeAmount: 20, totalAmount: 30, entryMode: 'CASH' },
    a: { acquirerId: 'CASH', acquirerMid: '', acquirerTid: '', maskedPan: '' },
    rrn: '',
    brand: 'CASH',
    type: 'CASH',
  },
  EPS: {
    record: (shape: 'A' | 'B') =>
      recordOf([intents.eps, { kind: 'answered', outcome: approved }, { kind: 'ended', ...success }], shape, '1000'),
    common: { account: 'SAVINGS', cashbackAmount: 10, totalAmount: 30, entryMode: 'MAGSTRIPE' },
    a: { acquirerId: 'EPS', maskedPan: '************0119', approvalCode: 'ABC123' },
    rrn: '632511000001',
    brand: 'EPS',
    type: 'CARD',
  },
} as const;

describe('a payment by', () => {
  for (const [name, { record, common, a, rrn, brand, type }] of Object.entries(methods)) {
    test(name, () => {
      const { transactionResult }: Json = posResponse(record('A'), printParts);
      assertTypes(transactionResult, resultTypes);
      assert.partialDeepStrictEqual(transactionResult, { ...common, ...a, rrn, paymentMethod: brand });
      const { transactionPrintData }: Json = posResponse(record('B'), printParts);
      assertTypes(transactionPrintData, printDataTypes);
      assertTypes(transactionPrintData.cardData, cardDataTypes);
      const reported = { ...common, paymentBrand: brand, paymentInstrumentType: type };
      assert.partialDeepStrictEqual(transactionPrintData, reported);
      // A detail of another method is not told with this one.
      const others = Object.values(methods).flatMap((each) => Object.keys(each.common));
      for (const other of others.filter((each) => !(each in common))) {
        assert.ok(!(other in transactionResult) && !(other in transactionPrintData), other);
      }
    });
  }

  test('chip: the print data has the card’s last word, and a card without one its first', () => {
    const answered = [intents.chip, { kind: 'answered', outcome: approved }] as const;
    const emv = { '9F26': 'AABBCCDDEEFF0011', '9B': 'E800', '95': '0000008000' };
    const completed = { kind: 'cardCompleted', agreed: true, emv } as const;
    const { transactionPrintData: answer }: Json = posResponse(
      recordOf([...answered, completed, { kind: 'ended', ...success }], 'B'),
      printParts,
    );
    assert.partialDeepStrictEqual(answer.cardData, { tc: 'AABBCCDDEEFF0011', tsi: 'E800', tvr: '0000008000' });
    assert.equal(answer.entryMode, 'CHIP');
    const { transactionPrintData: first }: Json = posResponse(
      recordOf([...answered, { ...completed, emv: {} }, { kind: 'ended', ...success }], 'B'),
      printParts,
    );
    assert.equal(first.cardData.tc, '1122334455667788');
  });
});

describe('what is not known yet', () => {
  for (const shape of ['A', 'B'] as const) {
    test(`is told as UNKNOWN in shape ${shape}, and neither as no charge nor as a reversal`, async (t) => {
      const { terminal, pay } = await served(t, { shape });
      terminal.payAnswer = async () => ({ kind: 'ended', record: recordOf(openOutcome, shape) });
      const { status, json } = await pay();
      assert.equal(status, 200);
      assert.equal(json.responseResult, 'UNKNOWN');
      assert.equal(json.financialImpact, 'UNKNOWN');
      assert.equal(json.message, notYet.message);
      if (shape === 'A') assert.equal(json.responseCode, 7);
      assert.equal((json.transactionResult ?? json.transactionPrintData).totalAmount, 30);
    });
  }

  test('and is told as it came out once it is known', () => {
    const resolved = { kind: 'resolved' } as const;
    const deducted = [
      ...openOutcome,
      { kind: 'answered', outcome: { ...approved, balanceMinor: '100' } },
      { kind: 'ended', ...success },
      resolved,
    ] as const;
    const answer: Json = posResponse(recordOf(deducted), printParts);
    assert.equal(answer.responseResult, 'SUCCESS');
    assert.equal(answer.financialImpact, undefined);
    assert.partialDeepStrictEqual(answer.transactionResult, { tranStatus: 'APPROVED', balanceAmount: 1 });
    const nothing = { outcome: 'error', result: 'ERROR', code: 2, message: 'nothing was deducted' } as const;
    const none = [
      ...openOutcome,
      { kind: 'answered', outcome: { kind: 'notSent', reason: 'not-deducted' } },
      { kind: 'ended', ...nothing },
      resolved,
    ] as const;
    const free: Json = posResponse(recordOf(none), printParts);
    assert.equal(free.responseResult, 'ERROR');
    assert.equal(free.financialImpact, 'NONE');
  });
});

test('an outcome that the journal does not know yet is UNKNOWN, and not free of money', () => {
  const { conclusion: _none, ...record } = authorizedRecord({ conclusion: success });
  const body: Json = posResponse(record, printParts);
  assert.equal(body.responseResult, 'UNKNOWN');
  assert.equal(body.responseCode, 7);
  assert.equal(body.financialImpact, 'REVERSAL_PENDING');
  assert.equal(body.transactionResult.tranStatus, 'ERROR');
});

test('SUCCESS has code 0 and neither message nor financialImpact', () => {
  const body = posResponse(authorizedRecord({ outcome: approved, conclusion: success }), printParts);
  assert.equal('message' in body, false);
  assert.equal('financialImpact' in body, false);
});

const journalFailed = { kind: 'journalFailed', reason: 'the disk of the journal is full' } as const;

describe('a payment that did not run', () => {
  for (const [what, answer, status, result, code, impact] of [
    ['busy', { kind: 'busy', owner: { posId: 'POS-2', messageId: 'M-9' } }, 409, 'ERROR', 2, 'NONE'],
    ['the id names another request', { kind: 'otherRequest' }, 409, 'ALREADY_EXISTS', 106, 'NONE'],
    [
      'the original does not allow it',
      {
        kind: 'refused',
        refusal: {
          result: 'NOT_FOUND',
          pointer: '/originalTerminalTransactionId',
          reason: 'originalUnknown',
          message: 'names none',
        },
      },
      422,
      'NOT_FOUND',
      3,
      'NONE',
    ],
    [
      'not ready',
      { kind: 'notReady', reason: 'cardReaderAbsent', message: 'the card reader is not connected' },
      503,
      'ERROR',
      2,
      'NONE',
    ],
    ['journal failed before it', { ...journalFailed, started: false }, 503, 'DATABASE_ERROR', 6, 'NONE'],
    ['journal failed in it', { ...journalFailed, started: true }, 503, 'UNKNOWN', 7, 'UNKNOWN'],
  ] as const) {
    test(`${what}: ${status} ${result}`, async (t) => {
      const { terminal, pay } = await served(t);
      terminal.payAnswer = async () => answer;
      const { status: reported, json } = await pay();
      assert.equal(reported, status);
      assert.equal(json.responseResult, result);
      assert.equal(json.responseCode, code);
      assert.equal(json.posId, sale.posId);
      assert.equal(json.messageId, sale.messageId);
      assert.ok(json.message);
      // Where the outcome is open, nothing may say that no money moved.
      assert.equal(json.financialImpact, impact);
      if (answer.kind === 'busy') assert.deepEqual(json.running, answer.owner);
      if (answer.kind === 'journalFailed') assert.match(json.message, /^the disk of the journal is full; /);
    });
  }

  test('a terminal that throws: 500, no word of NONE, the fault goes to the log alone', async (t) => {
    const { terminal, failures, pay } = await served(t);
    terminal.payAnswer = () => Promise.reject(new Error('secret of the inside'));
    const { status, json, text } = await pay();
    assert.equal(status, 500);
    assert.equal(json.responseResult, 'ERROR');
    assert.equal(json.financialImpact, 'UNKNOWN');
    assert.ok(!text.includes('secret'));
    assert.equal((failures[0] as Error).message, 'secret of the inside');
  });
});
