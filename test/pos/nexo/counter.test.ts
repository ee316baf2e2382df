import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PosAnswer, PosCalls } from '../../../src/pos/contracts/pos-calls.ts';
import { handleMessage } from '../../../src/pos/nexo/handle-message.ts';
import type { Asked, NexoParts } from '../../../src/pos/nexo/outcome.ts';
import type { Json } from './till.ts';

const done = (body: Json, status = 200): PosAnswer => ({ status, body });

/** The response to a message, and what the terminal was asked for it. */
async function handled(category: string, request: Json, answers: PosAnswer[]) {
  const asked: Json[] = [];
  const calls = new Proxy({} as PosCalls, {
    get: () => async (given: Json) => {
      asked.push(given);
      return answers.shift() ?? assert.fail('one call too many');
    },
  });
  const header = { MessageCategory: category, SaleID: 'Till 1', ServiceID: '1' };
  const own = { header, posId: 'POS-1', caller: { address: '' }, digest: 'd' } as unknown as Asked;
  const result = await handleMessage(request, own, { calls } as unknown as NexoParts);
  assert.ok(typeof result === 'object' && 'response' in result, JSON.stringify(result));
  return { response: result.response as Json, asked };
}

const printOf = (OutputContent: Json) => ({ PrintOutput: { DocumentQualifier: 'Voucher', OutputContent } });
const text = (...OutputText: Json[]) => ({ OutputFormat: 'Text', OutputText });
const printed = done({ printStatus: 'PRINTED' });

test('text is printed in lines, each in the style of its first piece', async () => {
  const content = text(
    { Text: 'Tea ', CharacterStyle: 'Bold', EndOfLineFlag: false },
    { Text: '22.00', CharacterStyle: 'Normal', EndOfLineFlag: 'true' },
    { Text: 'a\nb\tc', Alignment: 'Right', CharacterWidth: 'DoubleWidth' },
    { Text: '', Alignment: 'Justified' },
    { Text: 'the end', Alignment: 'Centred', EndOfLineFlag: false },
  );
  const { response, asked } = await handled('Print', printOf(content), [printed]);
  assert.deepEqual(response, { DocumentQualifier: 'Voucher', Response: { Result: 'Success' } });
  assert.deepEqual(asked[0].lines, [
    { type: 'text', text: 'Tea 22.00', bold: true },
    { type: 'text', text: 'a', size: 'double', align: 'right' },
    { type: 'text', text: 'b c', size: 'double', align: 'right' },
    { type: 'text', text: '' },
    { type: 'text', text: 'the end', align: 'center' },
  ]);
  assert.deepEqual([asked[0].posId, asked[0].wait], ['POS-1', false]);
});

test('a QR code is printed; other codes and formats are UnavailableService, without a call', async () => {
  const code = (BarcodeType: string) => ({
    OutputFormat: 'BarCode',
    OutputBarcode: { BarcodeType, BarcodeValue: 'v' },
  });
  const { asked } = await handled('Print', printOf(code('QRCODE')), [printed]);
  assert.deepEqual(asked[0].lines, [{ type: 'qr', text: 'v' }]);
  const others = [code('EAN13'), { OutputFormat: 'XHTML', OutputXHTML: 'x' }, { OutputFormat: 'MessageRef' }, text()];
  for (const content of others) {
    const { response } = await handled('Print', printOf(content), []);
    assert.equal(response.Response.ErrorCondition, 'UnavailableService');
  }
});

test('a printer at work is asked again under the same name; a fault of it is the answer', async () => {
  const waiting = done({ printStatus: 'WAITING', reason: 'printerBusy' });
  const content = printOf(text({ Text: 'a' }));
  const first = await handled('Print', content, [waiting, waiting, printed]);
  assert.equal(first.response.Response.Result, 'Success');
  assert.equal(new Set(first.asked.map(({ messageId }) => messageId)).size, 1);
  const busy = await handled('Print', content, [waiting, waiting, waiting]);
  assert.equal(busy.response.Response.ErrorCondition, 'Busy');
  const fault = (reason: string) => done({ printStatus: 'NOT_PRINTED', responseResult: 'ERROR', reason }, 503);
  for (const [reason, condition] of [
    ['printerPaperOut', 'DeviceOut'],
    ['printerAbsent', 'UnavailableDevice'],
    ['printNotAllowed', 'UnavailableService'],
  ] as const) {
    const { response } = await handled('Print', content, [fault(reason)]);
    assert.equal(response.Response.ErrorCondition, condition);
  }
});

test('texts for the idle screen are wrapped, and limited; one that is not shown says why', async () => {
  const display = (content: Json, fields: Json = {}) => ({
    DisplayOutput: [{ Device: 'CustomerDisplay', InfoQualify: 'Display', OutputContent: content, ...fields }],
  });
  const shown = done({ responseResult: 'SUCCESS', displayStatus: 'SHOWN' });
  const long = await handled('Display', display(text({ Text: 'x'.repeat(130) })), [shown]);
  assert.deepEqual(
    long.asked[0].text.map((line: string) => line.length),
    [60, 60, 10],
  );
  const lines = Array.from({ length: 9 }, () => ({ Text: 'x' }));
  const { response } = await handled('Display', display(text(...lines)), []);
  assert.equal(response.OutputResult[0].Response.ErrorCondition, 'UnavailableService');
  const busy = done({ responseResult: 'ERROR', reason: 'busy' }, 409);
  const taken = await handled('Display', display(text({ Text: 'x' })), [busy]);
  assert.equal(taken.response.OutputResult[0].Response.ErrorCondition, 'Busy');
});

test('a diagnosis: state, reader and printer in the words of the protocol', async () => {
  const ready = { state: 'ready', fault: 'none', paper: 'ok' };
  const of = async (fields: Json) => {
    const body = { responseResult: 'SUCCESS', ready: true, state: 'idle', devices: { reader: ready, printer: ready } };
    const { response } = await handled('Diagnosis', {}, [done({ ...body, ...fields })]);
    const { GlobalStatus, CardReaderOKFlag, PrinterStatus } = response.POIStatus;
    return [GlobalStatus, CardReaderOKFlag, PrinterStatus];
  };
  const printer = (fields: Json) => ({ devices: { reader: ready, printer: { ...ready, ...fields } } });
  assert.deepEqual(await of({}), ['OK', true, 'OK']);
  assert.deepEqual(await of({ state: 'collecting' }), ['Busy', true, 'OK']);
  assert.deepEqual(await of({ ready: false }), ['Maintenance', true, 'OK']);
  assert.deepEqual(await of(printer({ paper: 'low' })), ['OK', true, 'PaperLow']);
  assert.deepEqual(await of(printer({ fault: 'paper-out' })), ['OK', true, 'NoPaper']);
  assert.deepEqual(await of(printer({ fault: 'cover-open' })), ['OK', true, 'OutOfOrder']);
  assert.deepEqual(await of({ devices: { reader: { state: 'absent' } } }), ['OK', false, undefined]);
  const refused = await handled('Diagnosis', {}, [done({ responseResult: 'ERROR', reason: 'notPaired' }, 401)]);
  assert.equal(refused.response.Response.ErrorCondition, 'NotAllowed');
});
