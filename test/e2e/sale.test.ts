import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type Json, Stage, eventually } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/;

test('a sale of 30 HKD with the Visa card: answer, books, paper and screen agree', async () => {
  const screen = await stage.scenes();
  const { status, body } = await stage.paid('visa', { preferredEntryMode: 'CARD' });
  assert.equal(status, 200);
  const { transactionResult: result, ...envelope } = body;
  assert.equal(envelope.responseResult, 'SUCCESS');
  assert.equal(envelope.responseCode, 0);
  assert.equal(envelope.posId, 'POS-1');
  const given = {
    trace: result.trace,
    approvalCode: result.approvalCode,
    rrn: result.rrn,
    createTime: result.createTime,
    batch: result.batch,
    invoice: result.invoice,
  };
  assert.deepEqual(result, {
    ...given,
    acquirerId: 'EDC',
    acquirerMid: '123456789012345',
    acquirerTid: '12345678',
    appName: 'Visa Credit',
    currency: 'HKD',
    entryMode: 'CONTACTLESS',
    hostCode: '00',
    maskedPan: '************0119',
    originalTerminalTransactionId: '',
    paymentMethod: 'VISA',
    poiReferenceId: envelope.terminalTransactionId,
    posReferenceId: envelope.messageId,
    tipAmount: 0,
    totalAmount: 30,
    tranStatus: 'APPROVED',
    tranType: 'SALE',
  });
  assert.match(result.createTime, timestamp);
  assert.match(result.approvalCode, /^[0-9A-Z]{6}$/);
  for (const number of [result.trace, result.invoice, result.batch]) assert.ok(Number.isInteger(number) && number > 0);

  const ledger = await stage.ledger();
  assert.equal(ledger.length, 1);
  const [entry] = ledger;
  assert.equal(entry.status, 'POSTED');
  assert.equal(entry.amount, '30.00');
  assert.equal(entry.currency, 'HKD');
  assert.equal(Number(entry.stan), result.trace);
  assert.equal(entry.rrn, result.rrn);

  const paper = await eventually(
    () => stage.paper(),
    (text) => text.includes('cut]'),
  );
  for (const line of [
    'HKD 30.00',
    'APPROVED',
    '************0119',
    result.approvalCode,
    envelope.terminalTransactionId,
  ]) {
    assert.ok(paper.includes(line), `the paper lacks ${line}:\n${paper}`);
  }
  assert.deepEqual(await screen.until('approved'), ['presentCard', 'processing', 'approved']);
});

const cards = [
  { card: 'visa', method: 'VISA', acquirer: 'EDC' },
  { card: 'mastercard', method: 'MASTER', acquirer: 'EDC' },
  { card: 'amex', method: 'AMEX', acquirer: 'EDC' },
  { card: 'jcb', method: 'JCB', acquirer: 'EDC' },
  { card: 'unionpay', method: 'UNIONPAY', acquirer: 'CUP' },
] as const;

for (const { card, method, acquirer } of cards) {
  test(`${card} goes to ${acquirer} as ${method}`, async () => {
    const { body } = await stage.paid(card, { requestAmount: 12.5 });
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal(body.transactionResult.paymentMethod, method);
    assert.equal(body.transactionResult.acquirerId, acquirer);
    const [entry] = await stage.posted(acquirer);
    assert.equal(entry.amount, '12.50');
    assert.deepEqual(await stage.posted(acquirer === 'EDC' ? 'CUP' : 'EDC'), []);
  });
}

test('amounts are exact in every currency: 4.60 HKD, 1000 JPY, 1.234 KWD, 12 digits', async () => {
  const amounts = [
    { requestAmount: 4.6, currency: 'HKD', posted: '4.60' },
    { requestAmount: 1000, currency: 'JPY', posted: '1000' },
    { requestAmount: 1.234, currency: 'KWD', posted: '1.234' },
    { requestAmount: 9_999_999_999.99, currency: 'HKD', posted: '9999999999.99' },
  ];
  for (const { posted, ...fields } of amounts) {
    const { body } = await stage.paid('visa', fields);
    assert.equal(body.transactionResult.totalAmount, fields.requestAmount);
    const entry: Json = (await stage.ledger()).at(-1);
    assert.equal(entry.amount, posted);
    assert.equal(entry.currency, fields.currency);
    // Twelve digits is all that one batch can hold of a currency.
    await stage.settle();
  }
});

test('a decline is DECLINED with the host’s code, and nothing is posted', async () => {
  await stage.host('EDC', { mode: 'up', decline: '51' });
  const { status, body } = await stage.paid('visa');
  assert.equal(status, 200);
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.responseCode, 1051);
  assert.equal(body.financialImpact, 'NONE');
  assert.equal(body.transactionResult.tranStatus, 'DECLINED');
  assert.match(body.message, /insufficient funds/);
  assert.deepEqual(await stage.ledger(), []);
});

test('a POS that prints gets transactionPrintData, and the terminal prints nothing', async () => {
  const printing = await Stage.open({ configuration: { receipt: { printedBy: 'pos' } } });
  try {
    const { body } = await printing.paid('mastercard', { requestAmount: 8.8 });
    const { transactionPrintData: print, ...envelope } = body;
    assert.deepEqual(Object.keys(envelope).sort(), [
      'messageId',
      'posId',
      'receiptStatus',
      'responseResult',
      'terminalTransactionId',
    ]);
    assert.equal(envelope.receiptStatus, 'NOT_PRINTED');
    assert.equal(envelope.responseResult, 'SUCCESS');
    const { cardData } = print;
    const { approvalCode, batch, invoice, rrn, trace, customerSlip, merchantSlip } = print;
    const [posted] = await printing.ledger();
    assert.deepEqual(
      [approvalCode, rrn, String(trace).padStart(6, '0')],
      [posted.approvalCode, posted.rrn, posted.stan],
    );
    assert.deepEqual(print, {
      acquirerId: 'EDC',
      acquirerMid: '123456789012345',
      acquirerTid: '12345678',
      approvalCode,
      batch,
      customerSlip,
      hostCode: '00',
      invoice,
      merchantSlip,
      originalTerminalTransactionId: '',
      rrn,
      trace,
      authenticationMethod: print.authenticationMethod,
      baseAmount: 8.8,
      cardData,
      currency: 'HKD',
      dateTime: print.dateTime,
      entryMode: 'CONTACTLESS',
      paymentBrand: 'MASTER',
      paymentInstrumentType: 'CARD',
      posReferenceId: envelope.messageId,
      shopAddress: '1 Pier Road, Hong Kong',
      shopEmail: '',
      shopLogo: '',
      shopName: 'Harbour Tea House',
      shopPhone: '',
      tipAmount: 0,
      totalAmount: 8.8,
      transactionId: envelope.terminalTransactionId,
      transactionStatus: 'APPROVED',
      transactionType: 'SALE',
    });
    for (const [slip, copy] of [
      [customerSlip, 'CUSTOMER COPY'],
      [merchantSlip, 'MERCHANT COPY'],
    ]) {
      const text = slip.join('\n');
      for (const word of [copy, 'HKD 8.80', approvalCode, 'APPROVED'])
        assert.ok(text.includes(word), `${word}\n${text}`);
      assert.doesNotMatch(text, /DUPLICATE/);
    }
    assert.match(print.dateTime, timestamp);
    const names = ['aid', 'appName', 'atc', 'cardholderName', 'maskedExpiry', 'maskedPan', 'tc', 'tsi', 'tvr'];
    assert.deepEqual(Object.keys(cardData).sort(), names);
    for (const name of names) assert.equal(typeof cardData[name], 'string');
    assert.equal(cardData.aid, 'A0000000041010');
    assert.match(cardData.tc, /^[0-9A-F]{16}$/);
    assert.equal((await printing.status()).waitingReceipts, 0);
    assert.equal((await printing.paper()).trim(), '');
  } finally {
    await printing.close();
  }
});

test('a void may leave out amount and currency: it is for the whole', async () => {
  const { body } = await stage.paid('visa', { requestAmount: 42.5 });
  const whole = { transactionType: 'VOID', originalTerminalTransactionId: body.terminalTransactionId };
  const request = stage.saleRequest({ ...whole, requestAmount: undefined, currency: undefined });
  const voided = await stage.payment(request);
  assert.deepEqual([voided.status, voided.body.responseResult], [200, 'SUCCESS'], JSON.stringify(voided.body));
  assert.deepEqual([voided.body.transactionResult.totalAmount, voided.body.transactionResult.currency], [42.5, 'HKD']);
  const entry = (await stage.ledger()).find(({ rrn }: Json) => rrn === body.transactionResult.rrn);
  assert.equal(entry?.status, 'VOIDED');
  // With the amount it is the same request.
  for (const same of [request, { ...request, requestAmount: 42.5, currency: 'HKD' }]) {
    const again = await stage.payment(same);
    assert.equal(again.body.terminalTransactionId, voided.body.terminalTransactionId);
  }
  const unknown = await stage.payment({ ...stage.saleRequest(), ...request, messageId: 'M-none', ...missingOriginal });
  assert.deepEqual([unknown.status, unknown.body.reason], [422, 'originalUnknown']);
  const sale = await stage.payment(stage.saleRequest({ requestAmount: undefined }));
  assert.deepEqual([sale.status, sale.body.errors[0].message], [400, 'is missing']);
});

const missingOriginal = { originalTerminalTransactionId: '01M7YQ1WHV0000000000000000' };

test('a misspelled field is refused, and the one that was meant is named', async () => {
  const { status, body } = await stage.payment(stage.saleRequest({ tipamount: 3, prefferedEntryMode: 'CARD', zzz: 1 }));
  assert.deepEqual([status, body.reason], [400, 'fieldUnknown']);
  assert.deepEqual(
    body.errors.map(({ pointer, message }: Json) => [pointer, message]),
    [
      ['/tipamount', 'is not a field of this request; did you mean tipAmount?'],
      ['/prefferedEntryMode', 'is not a field of this request; did you mean preferredEntryMode?'],
      ['/zzz', 'is not a field of this request'],
    ],
  );
});
