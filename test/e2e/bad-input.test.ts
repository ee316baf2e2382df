import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

/** No input value may come back: it could be a card number. */
const marker = 'ECHO4761739001010119';

interface Wrong {
  readonly what: string;
  readonly status: number;
  readonly code: number;
  readonly method?: string;
  readonly path?: string;
  readonly type?: string;
  readonly body?: string;
  readonly fields?: Json;
  readonly pointer?: string;
}

const wrongs: readonly Wrong[] = [
  { what: 'not JSON', status: 400, code: 4, body: `{"posId":"${marker}"` },
  {
    what: 'NaN',
    status: 400,
    code: 4,
    body: '{"posId":"P","messageId":"n","transactionType":"SALE","requestAmount":NaN,"currency":"HKD"}',
  },
  { what: 'a 5 MB body', status: 413, code: 4, body: JSON.stringify({ posId: 'x'.repeat(5 * 1024 * 1024) }) },
  { what: 'an array', status: 400, code: 4, body: '[]', pointer: '' },
  { what: 'a number for posId', status: 400, code: 4, fields: { posId: 7 }, pointer: '/posId' },
  {
    what: 'a string for the amount',
    status: 400,
    code: 4,
    fields: { requestAmount: marker },
    pointer: '/requestAmount',
  },
  { what: 'no messageId', status: 400, code: 4, fields: { messageId: undefined }, pointer: '/messageId' },
  { what: 'no currency', status: 400, code: 4, fields: { currency: undefined }, pointer: '/currency' },
  { what: 'a negative amount', status: 400, code: 4, fields: { requestAmount: -30 }, pointer: '/requestAmount' },
  { what: 'zero', status: 400, code: 4, fields: { requestAmount: 0 }, pointer: '/requestAmount' },
  { what: '30.001 HKD', status: 400, code: 4, fields: { requestAmount: 30.001 }, pointer: '/requestAmount' },
  { what: '13 digits', status: 400, code: 4, fields: { requestAmount: 99_999_999_999 }, pointer: '/requestAmount' },
  { what: 'an unknown currency', status: 400, code: 105, fields: { currency: marker }, pointer: '/currency' },
  { what: 'an unknown kind', status: 400, code: 4, fields: { transactionType: marker }, pointer: '/transactionType' },
  {
    what: 'an entry mode that contradicts the instrument',
    status: 422,
    code: 4,
    fields: { preferredEntryMode: 'QR_SCAN', preferredInstrument: 'VISA' },
    pointer: '/preferredEntryMode',
  },
  {
    what: 'an instrument that nobody knows',
    status: 400,
    code: 4,
    fields: { preferredInstrument: marker },
    pointer: '/preferredInstrument',
  },
  {
    what: 'an acquirer that this terminal lacks',
    status: 422,
    code: 4,
    fields: { forceAcquirer: 'DCC' },
    pointer: '/forceAcquirer',
  },
  {
    what: 'an acquirer of another terminal',
    status: 422,
    code: 4,
    fields: { forceAcquirer: 'BANK_2' },
    pointer: '/forceAcquirer',
  },
  {
    what: 'cash back as large as the total',
    status: 400,
    code: 4,
    fields: { cashbackAmount: 30 },
    pointer: '/cashbackAmount',
  },
  {
    what: 'cash back that no EPS can give',
    status: 422,
    code: 4,
    fields: { cashbackAmount: 10, preferredInstrument: 'CASH' },
    pointer: '/preferredInstrument',
  },
  {
    what: 'a void without its original',
    status: 400,
    code: 4,
    fields: { transactionType: 'VOID' },
    pointer: '/originalTerminalTransactionId',
  },
  {
    what: 'a void of what never was',
    status: 422,
    code: 3,
    fields: { transactionType: 'VOID', originalTerminalTransactionId: marker },
    pointer: '/originalTerminalTransactionId',
  },
  { what: 'a tip as large as the total', status: 400, code: 4, fields: { tipAmount: 30 }, pointer: '/tipAmount' },
  { what: 'a wrong method', status: 405, code: 4, method: 'PUT' },
  { what: 'a wrong path', status: 404, code: 3, path: '/sp/v2/payment' },
  { what: 'a wrong content type', status: 415, code: 4, type: 'text/plain', fields: {} },
];

for (const {
  what,
  status,
  code,
  method = 'POST',
  path = '/sp/v1/payment',
  type = 'application/json',
  ...wrong
} of wrongs) {
  test(`${what}: ${status}, nothing journaled`, async () => {
    const request = stage.saleRequest();
    const response = await fetch(stage.apiUrl + path, {
      method,
      headers: { 'content-type': type },
      body: wrong.body ?? JSON.stringify({ ...request, ...wrong.fields }),
    });
    assert.equal(response.status, status);
    const text = await response.text();
    assert.ok(!text.includes(marker), 'an input value came back');
    const body: Json = JSON.parse(text);
    assert.equal(body.responseCode, code);
    assert.equal(typeof body.responseResult, 'string');
    assert.ok(body.message.length > 0);
    if (wrong.pointer !== undefined) assert.equal(body.errors[0].pointer, wrong.pointer);
    const { posId, messageId } = request;
    assert.equal((await stage.post('enquiry', { posId, messageId })).body.responseResult, 'NOT_FOUND');
  });
}

test('after all of it, the next payment works', async () => {
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.ledger()).length, 1);
  assert.deepEqual(await stage.unexpected(), []);
});
