import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { NexoTill, paymentOf } from '../pos/nexo/till.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** A test key. */
const key = { identifier: 'test-key', version: 1, passphrase: 'a test passphrase' };
const nexo = { port: 0, host: '127.0.0.1', poiId: 'POID-1', keys: [key], clear: true, holdMs: 1_000 };

let stage: Stage;
let till: NexoTill;
let sealed: NexoTill;
before(async () => {
  const timeouts = { octopusIncompleteMs: 100 };
  stage = await Stage.open({ configuration: { nexo, timeouts }, hosts: ['EDC', 'QR'] });
  await connect();
});
after(async () => stage.close());
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', { force: true });
});

async function connect(): Promise<void> {
  const { protocols } = await stage.status();
  till = new NexoTill({ port: protocols.nexo.port });
  sealed = new NexoTill({ port: protocols.nexo.port, key, saleId: 'Till 2' });
}

const pairsOf = ({ AdditionalResponse = '' }: Json) => Object.fromEntries(new URLSearchParams(AdditionalResponse));
const sums = async () => (await stage.posted()).map(({ amount }) => Number(amount));

test('prints and shows as the till’s own, and once', async () => {
  const OutputText = [
    { Text: 'Number ', EndOfLineFlag: false },
    { Text: '42', CharacterStyle: 'Bold', Alignment: 'Centred' },
  ];
  const OutputContent = { OutputFormat: 'Text', OutputText };
  const PrintOutput = { DocumentQualifier: 'Document', ResponseMode: 'PrintEnd', OutputContent };
  for (const _time of [1, 2]) {
    const { PrintResponse: printed } = (await till.ask('Print', { PrintOutput }, 'print')).body;
    assert.deepEqual(printed, { DocumentQualifier: 'Document', Response: { Result: 'Success' } });
  }
  const lines = (await stage.paper()).split('\n').filter((line) => line.includes('Number 42'));
  assert.equal(lines.length, 1);
  const output = { Device: 'CustomerDisplay', InfoQualify: 'Display', OutputContent };
  const shown = await till.ask('Display', { DisplayOutput: [output, { ...output, Device: 'CashierDisplay' }] });
  const results = shown.body.DisplayResponse.OutputResult.map(
    ({ Response }: Json) => Response.ErrorCondition ?? Response.Result,
  );
  assert.deepEqual(results, ['Success', 'UnavailableDevice']);
  const view = await stage.view(({ till: own }) => own !== undefined);
  assert.deepEqual([view.till.posId, view.till.text], ['Till 1', ['Number 42']]);
  const idle = { OutputFormat: 'MessageRef', PredefinedContent: { ReferenceID: 'Idle' } };
  await till.ask('Display', { DisplayOutput: [{ ...output, OutputContent: idle }] });
  await stage.view(({ till: own }) => own === undefined);
});

for (const way of ['clear', 'encrypted']) {
  test(`a sale, ${way}: what the host has booked, with receipts as text, and its status afterwards`, async () => {
    const from = way === 'clear' ? till : sealed;
    const booked = await sums();
    const serviceId = `sale-${way}`;
    const data = 'metadata.order=o-7&metadata.card=4761739001010119&tenderOption=ReceiptHandler';
    const sale = { SaleToAcquirerData: data, OperatorID: 'Ann' };
    const paid = from.payment({ amount: 30.1, serviceId, sale });
    await stage.tap('visa');
    const { status, body } = await paid;
    assert.equal(status, 200);
    const { MessageHeader: header, PaymentResponse: payment } = body;
    assert.deepEqual([header.MessageType, header.ServiceID, header.POIID], ['Response', serviceId, 'POID-1']);
    assert.equal(payment.Response.Result, 'Success');
    const pairs = pairsOf(payment.Response);
    assert.deepEqual(
      [pairs['paymentMethod'], pairs['metadata.order'], pairs['metadata.card']],
      ['visa', 'o-7', undefined],
    );
    const { AmountsResp, PaymentInstrumentData, PaymentAcquirerData, OnlineFlag } = payment.PaymentResult;
    assert.deepEqual([AmountsResp.AuthorizedAmount, AmountsResp.Currency, OnlineFlag], [30.1, 'HKD', true]);
    assert.deepEqual(PaymentInstrumentData.CardData.EntryMode, ['Contactless']);
    assert.match(PaymentInstrumentData.CardData.MaskedPan, /\d{4}$/);
    assert.match(PaymentAcquirerData.ApprovalCode, /\w{6}/);
    assert.deepEqual(
      payment.PaymentReceipt.map(({ DocumentQualifier }: Json) => DocumentQualifier),
      ['CustomerReceipt', 'CashierReceipt'],
    );
    assert.deepEqual(payment.SaleData.SaleTransactionID.TransactionID, 'order 7');
    assert.deepEqual(await sums(), [...booked, 30.1]);
    const { TransactionStatusResponse: described } = (await from.status(serviceId)).body;
    const { MessageHeader, RepeatedResponseMessageBody } = described.RepeatedMessageResponse;
    assert.deepEqual([described.Response.Result, MessageHeader.ServiceID], ['Success', serviceId]);
    const { PaymentResponse: repeated } = RepeatedResponseMessageBody;
    assert.deepEqual(repeated.POIData, payment.POIData);
    assert.deepEqual(repeated.PaymentResult, payment.PaymentResult);
    const { body: enquired } = await stage.post('enquiry', {
      terminalTransactionId: payment.POIData.POITransactionID.TransactionID,
    });
    assert.equal(enquired.responseResult, 'SUCCESS');
  });
}

test('a decline is a Refusal with the host’s code, and books nothing', async () => {
  await stage.host('EDC', { declineByAmount: true });
  const booked = await sums();
  const paid = till.payment({ amount: 10.51 });
  await stage.tap('visa');
  const { PaymentResponse: payment } = (await paid).body;
  assert.deepEqual([payment.Response.Result, payment.Response.ErrorCondition], ['Failure', 'Refusal']);
  const pairs = pairsOf(payment.Response);
  assert.deepEqual([pairs['refusalReason'], pairs['financialImpact']], ['51 insufficientFunds', 'NONE']);
  assert.match(pairs['message'] ?? '', /not enough money/);
  assert.equal(typeof payment.POIData.POITransactionID.TransactionID, 'string');
  assert.equal(payment.PaymentResult, undefined);
  await stage.host('EDC', { mode: 'up' });
  assert.deepEqual(await sums(), booked);
});

test('an answer is lost: the same message gets it, another one of its ServiceID is rejected', async () => {
  const booked = await sums();
  const lost = new AbortController();
  const request = paymentOf(31);
  const first = till.ask('Payment', request, 'lost', lost.signal).catch(() => 'gone');
  await stage.view(({ scene }) => scene === 'chooseMethod');
  lost.abort();
  assert.equal(await first, 'gone');
  await stage.tap('visa');
  const { PaymentResponse: payment } = (await till.ask('Payment', request, 'lost')).body;
  assert.equal(payment.Response.Result, 'Success');
  const other = await till.ask('Payment', paymentOf(32), 'lost');
  assert.equal(other.status, 200);
  assert.deepEqual(
    [other.body.MessageHeader.MessageClass, other.body.EventNotification.EventToNotify],
    ['Event', 'Reject'],
  );
  assert.match(decodeURIComponent(other.body.EventNotification.EventDetails), /ServiceID/);
  assert.deepEqual(await sums(), [...booked, 31]);
});

test('an abort has an empty answer, and the payment ends as Aborted', async () => {
  const booked = await sums();
  const paid = till.payment({ serviceId: 'aborted' });
  await stage.view(({ scene }) => scene === 'chooseMethod');
  const running = (await till.status('aborted')).body.TransactionStatusResponse;
  assert.deepEqual([running.Response.Result, running.Response.ErrorCondition], ['Failure', 'InProgress']);
  const { status, raw } = await till.abort('aborted');
  assert.deepEqual([status, raw], [200, '']);
  const { PaymentResponse: payment } = (await paid).body;
  assert.deepEqual(
    [payment.Response.ErrorCondition, pairsOf(payment.Response)['message']?.slice(0, 4)],
    ['Aborted', '104 '],
  );
  const { TransactionStatusResponse: described } = (await till.status('aborted')).body;
  const { PaymentResponse: repeated } = described.RepeatedMessageResponse.RepeatedResponseMessageBody;
  assert.equal(repeated.Response.ErrorCondition, 'Aborted');
  assert.deepEqual(await sums(), booked);
});

test('the abort comes before its payment: nothing is started', async () => {
  assert.deepEqual((await till.abort('early')).raw, '');
  const { PaymentResponse: payment } = (await till.payment({ serviceId: 'early' })).body;
  assert.equal(payment.Response.ErrorCondition, 'Aborted');
  assert.equal((await stage.status()).state, 'idle');
});

test('reversals: the whole is voided, once; a part is refunded to the card; an unknown one is NotFound', async () => {
  const pay = async (amount: number) => {
    const paid = sealed.payment({ amount });
    await stage.tap('visa');
    return (await paid).body.PaymentResponse.POIData.POITransactionID;
  };
  const first = await pay(40);
  const { body } = await sealed.reversal(first, {}, 'whole');
  const { ReversalResponse: whole } = body;
  assert.deepEqual([whole.Response.Result, whole.ReversedAmount], ['Success', 40]);
  assert.deepEqual(whole.OriginalPOITransaction.POITransactionID, first);
  assert.equal(whole.PaymentReceipt.length, 2);
  // Its answer was lost, and it comes again.
  const { ReversalResponse: again } = (await sealed.reversal(first, {}, 'whole')).body;
  assert.deepEqual([again.Response.Result, again.POIData], ['Success', whole.POIData]);
  const { ReversalResponse: twice } = (await sealed.reversal(first)).body;
  assert.deepEqual([twice.Response.Result, twice.Response.ErrorCondition], ['Failure', 'NotAllowed']);
  const second = await pay(50);
  const part = sealed.reversal(second, { ReversedAmount: 20 });
  await stage.tap('visa');
  const { ReversalResponse: refund } = (await part).body;
  assert.deepEqual([refund.Response.Result, refund.ReversedAmount], ['Success', 20]);
  const unknown = await sealed.reversal({
    TransactionID: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    TimeStamp: '2026-01-01T00:00:00Z',
  });
  assert.equal(unknown.body.ReversalResponse.Response.ErrorCondition, 'NotFound');
});

test('after the settlement the whole is refunded', async () => {
  const paid = till.payment({ amount: 60 });
  await stage.tap('visa');
  const { POITransactionID: id } = (await paid).body.PaymentResponse.POIData;
  assert.equal((await stage.settle()).status, 200);
  const reversed = till.reversal(id, {}, 'settled');
  await stage.tap('visa');
  const { ReversalResponse: refund } = (await reversed).body;
  assert.deepEqual([refund.Response.Result, refund.ReversedAmount], ['Success', 60]);
  const { ReversalResponse: again } = (await till.reversal(id, {}, 'settled')).body;
  assert.deepEqual([again.Response.Result, again.POIData], ['Success', refund.POIData]);
});

test('the terminal is killed while it collects: the same message gets the outcome, as does its status', async () => {
  const request = paymentOf(33);
  const first = till.ask('Payment', request, 'killed').catch(() => 'gone');
  await stage.view(({ scene }) => scene === 'chooseMethod');
  await stage.stopDaemon('SIGKILL');
  assert.equal(await first, 'gone');
  await stage.startDaemon();
  await connect();
  const { TransactionStatusResponse: described } = (await till.status('killed')).body;
  const { PaymentResponse: repeated } = described.RepeatedMessageResponse.RepeatedResponseMessageBody;
  assert.deepEqual([repeated.Response.Result, pairsOf(repeated.Response)['financialImpact']], ['Failure', 'NONE']);
  const { PaymentResponse: payment } = (await till.ask('Payment', request, 'killed')).body;
  assert.deepEqual(payment.POIData, repeated.POIData);
  const last = (await till.status()).body.TransactionStatusResponse;
  assert.equal(last.RepeatedMessageResponse.MessageHeader.ServiceID, 'killed');
  assert.equal((await till.status('never')).body.TransactionStatusResponse.Response.ErrorCondition, 'NotFound');
});

test('the outcome is unknown: no answer, InProgress, and in the end what it was', async () => {
  const TransactionConditions = { AllowedPaymentBrand: ['octopus'] };
  const paid = till.payment({ serviceId: 'unknown', transaction: { TransactionConditions } });
  const closed = assert.rejects(paid, { code: 'ECONNRESET' });
  await stage.fault('octopus', { incompleteNext: 'notDeducted' });
  await stage.tapOctopus('octopus');
  await closed;
  const { Response } = (await till.status('unknown')).body.TransactionStatusResponse;
  assert.deepEqual([Response.Result, Response.ErrorCondition], ['Failure', 'InProgress']);
  await stage.tapOctopus('octopus');
  const { body } = await eventually(
    () => till.status('unknown'),
    (answer) => answer.body.TransactionStatusResponse.Response.Result === 'Success',
  );
  const { RepeatedResponseMessageBody } = body.TransactionStatusResponse.RepeatedMessageResponse;
  const { PaymentResponse: payment } = RepeatedResponseMessageBody;
  assert.deepEqual([payment.Response.Result, payment.PaymentResult.AmountsResp.AuthorizedAmount], ['Success', 30]);
  assert.equal(payment.PaymentResult.PaymentInstrumentData.PaymentInstrumentType, 'StoredValue');
});

test('a second payment is Busy, and its message may come again', async () => {
  const booked = await sums();
  const first = till.payment({ serviceId: 'first' });
  await stage.view(({ scene }) => scene === 'chooseMethod');
  const busy = (await till.payment({ serviceId: 'second', amount: 35 })).body.PaymentResponse;
  assert.equal(busy.Response.ErrorCondition, 'Busy');
  await till.abort('first');
  await first;
  const second = till.payment({ serviceId: 'second', amount: 35 });
  await stage.tap('visa');
  assert.equal((await second).body.PaymentResponse.Response.Result, 'Success');
  assert.deepEqual(await sums(), [...booked, 35]);
});

test('a diagnosis tells state, reader and printer', async () => {
  const { DiagnosisResponse: diagnosis } = (await till.ask('Diagnosis', { HostDiagnosisFlag: false })).body;
  assert.equal(diagnosis.Response.Result, 'Success');
  const { GlobalStatus, PrinterStatus, CardReaderOKFlag } = diagnosis.POIStatus;
  assert.deepEqual([GlobalStatus, PrinterStatus, CardReaderOKFlag], ['OK', 'OK', true]);
});

test('what the terminal does not have is UnavailableService', async () => {
  const input = await till.ask('Input', {
    InputData: { Device: 'CustomerInput', InfoQualify: 'Input', InputCommand: 'GetConfirmation' },
  });
  assert.equal(input.body.InputResponse.InputResult.Response.ErrorCondition, 'UnavailableService');
  const { SaleData } = paymentOf(1);
  const acquisition = (await till.ask('CardAcquisition', { SaleData, CardAcquisitionTransaction: {} })).body;
  assert.equal(acquisition.CardAcquisitionResponse.Response.ErrorCondition, 'UnavailableService');
  assert.deepEqual(acquisition.CardAcquisitionResponse.SaleData, SaleData);
  assert.equal((await till.ask('Login', {})).body.LoginResponse.Response.ErrorCondition, 'UnavailableService');
});

test('messages for another terminal and of a wrong form are rejected; untrusted ones are refused', async () => {
  const header = till.header('Payment');
  const rejected = async (message: Json) => (await till.send(message)).body.EventNotification?.EventDetails;
  assert.match(
    await rejected({ MessageHeader: { ...header, POIID: 'POID-2' }, PaymentRequest: paymentOf(1) }),
    /POIID/,
  );
  assert.match(await rejected({ MessageHeader: header }), /PaymentRequest/);
  assert.match(await rejected({ MessageHeader: header, PaymentRequest: { SaleData: {} } }), /SaleTransactionID/);
  assert.match(
    await rejected({ MessageHeader: { ...header, ServiceID: '' }, PaymentRequest: paymentOf(1) }),
    /ServiceID/,
  );
  const { port } = (await stage.status()).protocols.nexo;
  const stranger = new NexoTill({ port, key: { ...key, passphrase: 'a wrong passphrase' } });
  const { status, raw } = await stranger.post('{}');
  assert.deepEqual([status, JSON.parse(raw)], [400, { errors: ['the body is no nexo message in JSON'] }]);
  const untrusted = await stranger.payment();
  assert.deepEqual(
    [untrusted.status, untrusted.body.errors],
    [401, ['the message is not secured with a key of this terminal']],
  );
  assert.equal((await stage.status()).state, 'idle');
});
