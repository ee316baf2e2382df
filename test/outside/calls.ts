import { byCard, byOctopus } from '../e2e/customer.ts';
import { ServerEvents } from '../e2e/server-events.ts';
import { eventually, http, type Json } from '../e2e/stage.ts';
import type { Scenes } from './scenes.ts';

/** Everything beside the payment: enquiry, cancel, receipt, settlement, status, capabilities. */
export async function playCalls(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const stream = `${stage.apiUrl}/sp/v1/events`;
  const streams = await Promise.all(Array.from({ length: 8 }, () => ServerEvents.open(stream)));
  const tooMany = await http('GET', stream);
  scenes.keep('tooManyStreams', { operation: 'events', summary: 'Too many clients listen' }, tooMany, 503);
  const { request, answer } = stage.begun();
  const { posId, messageId } = request;
  const identity = { posId, messageId };
  await eventually(
    () => stage.bench(),
    ({ reader }) => reader.armed,
  );
  await scenes.post('enquiry', 'enquiryWhileRunning', 'The payment goes on', identity, 'PROCESSING');
  await scenes.post('receipt', 'receiptWhileRunning', 'The payment goes on', identity, 409);
  await scenes.post('payment', 'busy', 'Another payment is under way', stage.saleRequest(), 409);
  await scenes.post('cancel', 'cancelled', 'Nobody had paid yet', identity, 'SUCCESS');
  scenes.keep('cancelledByPos', { operation: 'payment', summary: 'The till cancelled it', request }, await answer, 200);
  const paid = await stage.paid('visa');
  const byId = { posId, messageId: paid.body.messageId };
  await scenes.post('enquiry', 'enquiryOfSale', 'It was paid', byId, 'SUCCESS');
  await scenes.post('enquiry', 'enquiryUnknown', 'There is no such payment', { posId, messageId: 'NO-SUCH' }, 404);
  await scenes.post('cancel', 'cancelTooLate', 'It was paid before', byId, 409);
  await scenes.post('cancel', 'cancelUnknown', 'There is no such payment', { posId, messageId: 'NO-SUCH' }, 404);
  await eventually(
    () => stage.status(),
    ({ waitingReceipts }) => waitingReceipts === 0,
  );
  await scenes.post('receipt', 'receiptPrinted', 'Printed once more', byId, 200);
  await scenes.post('receipt', 'receiptAsText', 'As text', { ...byId, output: 'TEXT' }, 200);
  await stage.post('receipt', { ...byId, output: 'PNG' });
  await scenes.post('receipt', 'receiptAsData', 'As data', { ...byId, copy: 'MERCHANT', output: 'DATA' }, 200);
  await scenes.post('receipt', 'receiptUnknown', 'There is no such payment', { posId, messageId: 'NO-SUCH' }, 404);
  await scenes.post('receipt', 'receiptOfNothing', 'It was never sent to a bank', identity, 422);
  await stage.fault('printer', { unplug: true });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.printer.state === 'absent',
  );
  await scenes.post('receipt', 'receiptNotPrinted', 'The printer is not connected', byId, 503);
  await stage.fault('printer', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.printer.state === 'ready',
  );
  await playLists(scenes);
  await playSettlements(scenes, paid.body);
  for (const each of streams) each.close();
  for (const operation of ['status', 'capabilities']) {
    const summary = operation === 'status' ? 'Ready' : 'By method';
    scenes.keep(operation, { operation, summary }, await http('GET', `${stage.apiUrl}/sp/v1/${operation}`), 200);
  }
}

async function playLists(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  for (const [name, summary, query, status] of [
    ['transactions', 'The last two of a till', '?posId=POS-1&limit=2', 200],
    ['transactionsUnreadable', 'A misspelled parameter', '?possId=POS-1', 400],
    ['transactionsUnknownBank', 'There is no such bank', '?acquirer=DCC', 422],
  ] as const) {
    const answer = await http('GET', `${stage.apiUrl}/sp/v1/transactions${query}`);
    scenes.keep(name, { operation: 'transactions', summary }, answer, status);
  }
  for (const [name, summary, query, status] of [
    ['report', 'What the open batches hold', '?format=csv', 200],
    ['reportUnreadable', 'A batch without its acquirer', '?batch=1', 400],
    ['reportUnknownBank', 'There is no such bank', '?acquirer=DCC', 422],
    ['reportUnknownBatch', 'Nothing is in that batch', '?acquirer=EDC&batch=999999', 404],
  ] as const) {
    const answer = await http('GET', `${stage.apiUrl}/sp/v1/report${query}`);
    scenes.keep(name, { operation: 'report', summary }, answer, status);
  }
}

async function playSettlements(scenes: Scenes, paid: Json): Promise<void> {
  const { stage } = scenes;
  const asked = (): Json => {
    const { posId, messageId } = stage.saleRequest();
    return { posId, messageId };
  };
  await scenes.post(
    'settlement',
    'settlementUnknownBank',
    'There is no such bank',
    { ...asked(), acquirer: 'DCC' },
    422,
  );
  await scenes.post(
    'settlement',
    'settlementReused',
    'The messageId is that of a payment',
    {
      posId: paid.posId,
      messageId: paid.messageId,
    },
    409,
  );
  await stage.host('CUP', { mode: 'down' });
  await scenes.post('settlement', 'settlementFailed', 'A bank can’t be reached', { ...asked(), acquirer: 'CUP' }, 200);
  await stage.host('CUP', { mode: 'up' });
  await stage.host('EDC', { mismatch: true });
  const uploaded = { ...asked(), acquirer: 'EDC' };
  await scenes.post('settlement', 'settlementUploaded', 'The totals differed', uploaded, 'SUCCESS');
  const request = asked();
  const settled = await scenes.post('settlement', 'settlement', 'All acquirers', request, 'SUCCESS');
  await scenes.post('enquiry', 'enquiryOfSettlement', 'How a settlement stands', request, settled.responseResult);
  const void_ = { ...stage.saleRequest({ transactionType: 'VOID_SALE' }) };
  const late = { ...void_, originalTerminalTransactionId: paid.terminalTransactionId };
  await scenes.post('payment', 'voidTooLate', 'Its batch was settled', late, 422);
}

/** Refusals: nothing starts. */
export async function playRefusals(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const sale = (fields: Json = {}): Json => stage.saleRequest(fields);
  for (const [name, summary, fields, status] of [
    ['fieldMissing', 'A field is missing', { currency: undefined }, 400],
    ['fieldUnknown', 'A field is misspelled', { tipAmont: 3 }, 400],
    ['fieldInvalid', 'A value is wrong', { requestAmount: '30' }, 400],
    ['amountInvalid', 'More decimals than the currency has', { requestAmount: 30.001 }, 400],
    ['currencyUnknown', 'No such currency', { currency: 'XXX' }, 400],
    ['originalRequired', 'A void names no original', { transactionType: 'VOID_SALE' }, 400],
    ['currencyNotTaken', 'A currency that is not taken', { currency: 'USD', forceAcquirer: 'EPS' }, 422],
    ['kindNotPossible', 'No refund to cash', { transactionType: 'REFUND', preferredInstrument: 'CASH' }, 422],
    [
      'originalUnknown',
      'There is no such original',
      { transactionType: 'VOID_SALE', originalTerminalTransactionId: 'NO-SUCH' },
      422,
    ],
  ] as const) {
    await scenes.post('payment', name, summary, sale(fields), status);
  }
  const paid = await stage.paid('visa');
  const reused = { ...sale({ requestAmount: 31 }), messageId: paid.body.messageId };
  await scenes.post('payment', 'messageIdReused', 'The messageId names another payment', reused, 409);
  await stage.fault('reader', { unplug: true });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.reader.state === 'absent',
  );
  const byCardOnly = { ...byCard('visa').request, preferredInstrument: 'CARD', forceAcquirer: 'EDC' };
  await scenes.post('payment', 'cardReaderAbsent', 'The card reader is not connected', sale(byCardOnly), 503);
  await stage.paid(byOctopus());
  await http('GET', `${stage.apiUrl}/sp/v1/capabilities`);
  await stage.fault('reader', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.reader.state === 'ready',
  );
  await playEnvelopes(scenes);
}

/** What every call may answer, whatever it asks for. */
async function playEnvelopes(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify(stage.saleRequest());
  for (const [name, summary, path, init, status] of [
    ['notJson', 'The body is not JSON', 'payment', { headers: json, body: '{' }, 400],
    [
      'originNotAllowed',
      'A web page calls',
      'payment',
      { headers: { ...json, origin: 'https://shop.example' }, body },
      403,
    ],
    ['bodyTooLarge', 'The body is too large', 'payment', { headers: json, body: body.padEnd(70_000) }, 413],
    ['notJsonType', 'The Content-Type is wrong', 'payment', { headers: { 'content-type': 'text/plain' }, body }, 415],
    [
      'bodyEncoded',
      'The body is compressed',
      'payment',
      { headers: { ...json, 'content-encoding': 'gzip' }, body },
      415,
    ],
    ['methodNotAllowed', 'Another method', 'status', { headers: json, body: '{}' }, 405],
    ['pathUnknown', 'Another path', 'nothing', { headers: json, body: '{}' }, 404],
  ] as const) {
    const response = await fetch(`${stage.apiUrl}/sp/v1/${path}`, { method: 'POST', ...init });
    const answer = { status: response.status, body: await response.json() };
    const operation = status === 404 || status === 405 ? 'none' : 'any';
    scenes.keep(name, { operation, summary }, answer, status);
  }
}
