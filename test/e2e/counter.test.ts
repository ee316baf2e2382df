import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { eventually, type HttpAnswer, http, type Json, Stage } from './stage.ts';

/** What a till does with the devices of the counter. The oracle is the simulated printer's own paper. */

const shop = { name: '港灣茶餐廳', address: '', phone: '', email: '', logo: '' };
const heading = /^\n? +FROM THE TILL POS-1\n-{48}\n/;
const footing = /\n-{48}\n +NOT A PAYMENT SLIP\n\d{4}-\d\d-\d\d +\d\d:\d\d:\d\d\n+\[partial cut\]\n+$/;

let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { shop } });
});
after(async () => {
  const unexpected = await stage.unexpected();
  await stage.close();
  assert.deepEqual(unexpected, []);
});
beforeEach(() => stage.sim('DELETE', '/api/printer/paper'));

function print(lines: readonly Json[], fields: Json = {}): Promise<HttpAnswer> {
  const { posId, messageId } = stage.saleRequest();
  return stage.post('print', { posId, messageId, lines, ...fields });
}

async function printed(lines: readonly Json[], fields: Json = {}): Promise<string> {
  const { status, body } = await print(lines, fields);
  assert.deepEqual([status, body.responseResult, body.printStatus], [200, 'SUCCESS', 'PRINTED'], JSON.stringify(body));
  return stage.paper();
}

function piecesOf(paper: string): string[] {
  return paper.split(/(?<=\[partial cut\]\n)/).filter((piece) => piece.trim() !== '');
}

/** The dots of the paper, as ink or none. */
async function picture(): Promise<PNG> {
  const response = await fetch(`${stage.simUrl}/api/printer/paper.png`);
  return PNG.sync.read(Buffer.from(await response.arrayBuffer()));
}

const text = (of: string, more: Json = {}) => ({ type: 'text', text: of, ...more });

test('lines of a till are printed as it wrote them, between the terminal’s own', async () => {
  const paper = await printed([
    text('Table 12', { align: 'center', bold: true, size: 'double' }),
    { type: 'columns', left: '2 x Milk tea', right: '44.00' },
    { type: 'rule' },
    text('right', { align: 'right' }),
    text('Café 12 £'),
  ]);
  assert.match(paper, heading);
  assert.match(paper, footing);
  for (const line of [/ {8,}Table 12\n/, /\n2 x Milk tea {31}44\.00\n/, /\n {43}right\n/, /\nCafé 12 £\n/])
    assert.match(paper, line);
  assert.ok(!paper.includes(shop.name), 'the heading of a receipt');
});

test('characters that the printer lacks are drawn, as on receipts', async () => {
  const paper = await printed([text('凍檸茶 少甜'), text('plain')]);
  assert.match(paper, /\[image \d+x30\]\nplain\n/);
  assert.ok(!paper.includes('?'));
});

test('a QR code can be read from the paper; a picture is as wide as it was sent', async () => {
  const content = 'https://shop.example/orders/20261123-0815?t=凍檸茶';
  const paper = await printed([{ type: 'qr', text: content }]);
  assert.match(paper, /\[image \d+x\d+\]/);
  const { data, width, height } = await picture();
  assert.equal(decodeQR({ data, width, height }), content);
  await stage.sim('DELETE', '/api/printer/paper');
  const black = Object.assign(new PNG({ width: 160, height: 40 }), { data: Buffer.alloc(160 * 40 * 4) });
  for (let at = 3; at < black.data.length; at += 4) black.data[at] = 255;
  const png = `data:image/png;base64,${PNG.sync.write(black).toString('base64')}`;
  assert.match(await printed([{ type: 'picture', png }]), /\[image 368x52\]/);
});

test('each piece that is cut says that it is no payment slip', async () => {
  const pieces = piecesOf(await printed([text('kitchen'), { type: 'cut' }, text('bar')]));
  assert.equal(pieces.length, 2);
  for (const piece of pieces) {
    assert.match(piece, heading);
    assert.match(piece, footing);
  }
});

test('without paper a job waits behind the receipts, is printed once, and says so when it is asked again', async () => {
  await stage.fault('printer', { paperOut: true });
  const sale = await stage.paid('visa', { requestAmount: 12 });
  const { posId, messageId } = stage.saleRequest();
  const lines = [text('after the receipt')];
  const first = await print(lines, { posId, messageId });
  assert.equal(first.status, 200);
  assert.partialDeepStrictEqual(first.body, {
    responseResult: 'PROCESSING',
    printStatus: 'WAITING',
    printFault: 'paper-out',
    reason: 'printerPaperOut',
    financialImpact: 'NONE',
  });
  const refused = await print(lines, { wait: false });
  assert.deepEqual([refused.status, refused.body.printStatus], [503, 'NOT_PRINTED']);
  const { body: capabilities } = await http('GET', `${stage.apiUrl}/sp/v1/capabilities`);
  assert.partialDeepStrictEqual(capabilities.counter.print, { ready: false, reason: 'printerPaperOut' });
  await stage.fault('printer', { paperOut: false });
  await eventually(
    () => stage.paper(),
    (paper) => paper.includes('after the receipt'),
  );
  const again = await print(lines, { posId, messageId });
  assert.equal(again.body.printStatus, 'PRINTED');
  const paper = await stage.paper();
  assert.equal(paper.split('after the receipt').length, 2, 'printed twice');
  const receipt = paper.indexOf(sale.body.terminalTransactionId);
  assert.ok(receipt >= 0 && receipt < paper.indexOf('FROM THE TILL'), 'the receipt goes first');
  const other = await print([text('another')], { posId, messageId });
  assert.deepEqual([other.status, other.body.reason], [409, 'messageIdReused']);
});

test('jobs that come while a payment ends are never in the middle of its receipt', async () => {
  const sale = stage.begun({ requestAmount: 77 });
  const jobs = Promise.all([1, 2, 3, 4].map((each) => print([text(`job ${each}`)])));
  await stage.tap('visa');
  assert.equal((await sale.answer).body.responseResult, 'SUCCESS');
  for (const { body } of await jobs) assert.equal(body.printStatus, 'PRINTED');
  await eventually(
    () => stage.status(),
    ({ waitingReceipts }) => waitingReceipts === 0,
  );
  const pieces = piecesOf(await stage.paper());
  assert.equal(pieces.filter((piece) => heading.test(piece) && footing.test(piece)).length, 4);
  for (const piece of pieces) assert.ok(!(piece.includes('TILL') && piece.includes('APPROVED')), piece);
});

test('a card number is not printed', async () => {
  const { status, body } = await print([text('4761 7390 0101 0119')]);
  assert.deepEqual([status, body.reason, body.errors[0].pointer], [422, 'cardNumberNotAllowed', '/lines/0/text']);
  assert.equal(await stage.paper(), '');
});
