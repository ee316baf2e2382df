import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PNG } from 'pngjs';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

// One black and one white dot: the smallest logo that can be told from nothing.
const logo = `data:image/png;base64,${PNG.sync
  .write(Object.assign(new PNG({ width: 2, height: 1 }), { data: Buffer.from([0, 0, 0, 255, 255, 255, 255, 255]) }))
  .toString('base64')}`;

const posDetails = { cashierId: '陳小姐 07', shiftId: '2', posReference: 'TABLE 12/0815' };

let stage: Stage;
let sale: Json;
before(async () => {
  const shop = { name: '港灣茶餐廳', address: '中環碼頭道 1 號', phone: '', email: '', logo };
  stage = await Stage.open({ configuration: { shop } });
  sale = (await stage.paid('visa', { requestAmount: 1288.5, ...posDetails })).body;
  assert.equal(sale.responseResult, 'SUCCESS');
  await eventually(
    () => stage.status(),
    ({ waitingReceipts }) => waitingReceipts === 0,
  );
});
after(async () => {
  const unexpected = await stage.unexpected();
  await stage.close();
  assert.deepEqual(unexpected, []);
});

function receipt(fields: Json): Promise<HttpAnswer> {
  return stage.post('receipt', { terminalTransactionId: sale.terminalTransactionId, ...fields });
}

test('a card that asks for a signature prints a copy for each side, the merchant’s with a line to sign on', async () => {
  const paper = await stage.paper();
  for (const line of ['MERCHANT COPY', 'CUSTOMER COPY', 'HKD 1,288.50']) assert.ok(paper.includes(line), line);
  assert.equal(paper.split(sale.terminalTransactionId).length - 1, 2);
  assert.equal(paper.split('SIGNATURE').length - 1, 1);
  assert.ok(!paper.includes('DUPLICATE'));
  assert.ok(!paper.includes('?'), 'a character was lost in silence');
});

test('cashier, shift and reference of the POS: on both copies, in the answer and in an enquiry', async () => {
  const { cashierId, shiftId, posReference } = sale;
  assert.deepEqual({ cashierId, shiftId, posReference }, posDetails);
  const { body } = await stage.post('enquiry', { posId: sale.posId, messageId: sale.messageId });
  assert.deepEqual(body, { ...sale, receiptStatus: 'PRINTED' });
  for (const copy of ['CUSTOMER', 'MERCHANT']) {
    const { text } = (await receipt({ output: 'TEXT', copy })).body;
    assert.match(text, /\nCASHIER +陳小姐 07\nSHIFT +2\nPOS REF\. +TABLE 12\/0815\n/);
  }
  const paper = await stage.paper();
  assert.equal(paper.split('TABLE 12/0815').length - 1, 2);
});

test('as a page: in the language that is asked for, with the logo, marked DUPLICATE', async () => {
  const { status, body } = await receipt({ output: 'HTML', language: 'zh-Hant' });
  assert.equal(status, 200);
  assert.match(body.html, /^<!doctype html>\n<html lang="zh-Hant">/);
  for (const text of ['港灣茶餐廳', '重印副本', '陳小姐 07', 'HKD 1,288.50']) assert.ok(body.html.includes(text), text);
  assert.match(body.html, /<img [^>]*src="data:image\/png;base64,/);
  assert.equal((await receipt({ output: 'PRINT', language: 'zh-Hant' })).status, 400);
});

test('as text: every character of the shop, marked DUPLICATE', async () => {
  const { status, body } = await receipt({ output: 'TEXT', copy: 'MERCHANT' });
  assert.equal(status, 200);
  assert.equal(body.responseResult, 'SUCCESS');
  for (const line of ['港灣茶餐廳', '中環碼頭道 1 號', 'DUPLICATE', 'MERCHANT COPY', 'A0000000031010']) {
    assert.ok(body.text.includes(line), line);
  }
});

test('as a picture: as wide as the paper, with ink', async () => {
  const { body } = await receipt({ output: 'PNG' });
  const picture = PNG.sync.read(Buffer.from(body.png, 'base64'));
  assert.equal(picture.width, 576);
  assert.ok(picture.height > 400);
  const ink = picture.data.filter((value, index) => index % 4 === 0 && value === 0).length;
  assert.ok(ink > 2_000, `only ${ink} dots of ink`);
});

test('as print data, by the identity of the POS too', async () => {
  const { posId, messageId } = sale;
  const { body } = await receipt({ terminalTransactionId: '', posId, messageId, output: 'DATA' });
  assert.equal(body.transactionPrintData.transactionId, sale.terminalTransactionId);
  assert.equal(body.transactionPrintData.authenticationMethod, 'SIGNATURE');
  assert.equal(body.transactionPrintData.shopName, '港灣茶餐廳');
});

test('printed again: on paper at once, DUPLICATE; without paper it says so', async () => {
  await stage.sim('DELETE', '/api/printer/paper');
  assert.equal((await receipt({})).status, 200);
  const paper = await stage.paper();
  assert.ok(paper.includes('DUPLICATE') && paper.includes(sale.terminalTransactionId), paper);
  await stage.sim('POST', '/api/printer/fault', { paperOut: true });
  const { status, body } = await receipt({});
  assert.equal(status, 503);
  assert.match(body.message, /paper-out/);
});
