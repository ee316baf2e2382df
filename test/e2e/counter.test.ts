import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { pngs } from '../support/pngs.ts';
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
  return stage.post('print', { ...stage.named(), lines, ...fields });
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
  const { posId, messageId } = stage.named();
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

test('a picture that contradicts its header is refused, and the terminal goes on', async () => {
  for (const name of ['short', 'filter', 'two'] as const) {
    const png = `data:image/png;base64,${pngs[name]}`;
    const { status, body } = await print([{ type: 'picture', png }]);
    assert.deepEqual([status, body.reason], [422, 'pictureNotPossible'], name);
  }
  assert.match(await printed([text('still here')]), /still here/);
});

test('a logo that this terminal does not have, and a picture that is none, are refused', async () => {
  for (const line of [{ type: 'logo' }, { type: 'picture', png: `data:image/png;base64,${'QUJD'.repeat(20)}` }]) {
    const { status, body } = await print([line]);
    assert.deepEqual([status, body.reason], [422, 'pictureNotPossible']);
  }
});

test('a card number is not printed', async () => {
  const { status, body } = await print([text('4761 7390 0101 0119')]);
  assert.deepEqual([status, body.reason, body.errors[0].pointer], [422, 'cardNumberNotAllowed', '/lines/0/text']);
  assert.equal(await stage.paper(), '');
});

test('a till opens the drawer, is told what the printer lacks; the log tells who did', async () => {
  const kicks = async () => (await stage.bench()).printer.drawerKicks;
  const before = await kicks();
  const { posId, messageId } = stage.named();
  const request = { posId, messageId, cashierId: '陳小姐 07' };
  const { status, body } = await stage.post('drawer/open', request);
  assert.deepEqual([status, body], [200, { ...request, responseResult: 'SUCCESS', responseCode: 0 }]);
  // It is answered when the command has been written, which may be before the simulator has read it.
  await eventually(kicks, (count) => count > before);
  assert.equal((await stage.post('drawer/open', request)).status, 200);
  assert.equal(await kicks(), before + 1);
  const entries: Json[] = stage.log
    .split('\n')
    .filter((line) => line.includes('"msg":"drawer"'))
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    entries.map(({ level, state, posId: pos, messageId: name, cashierId }) => [level, state, pos, name, cashierId]),
    ['asked', 'opened'].map((state) => [40, state, posId, messageId, '陳小姐 07']),
  );
  await stage.fault('printer', { paperOut: true });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.printer.fault === 'paper-out',
  );
  const later = await stage.post('drawer/open', stage.named());
  assert.deepEqual([later.status, later.body.printFault], [200, 'paper-out']);
  await stage.fault('printer', { paperOut: false, unplug: true });
  const gone = await stage.post('drawer/open', stage.named());
  assert.deepEqual([gone.status, gone.body.reason, await kicks()], [503, 'printerAbsent', before + 1]);
  const { body: capabilities } = await http('GET', `${stage.apiUrl}/sp/v1/capabilities`);
  assert.equal(capabilities.counter.drawer.ready, false);
  await stage.fault('printer', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.printer.state === 'ready' && devices.printer.fault === 'none',
  );
});

test('the X report on paper has the figures of GET /sp/v1/report; the Z report those of the batch that was closed', async () => {
  await stage.paid('visa', { requestAmount: 20.55, cashierId: 'Ann' });
  await stage.paid('mastercard', { requestAmount: 10 });
  await eventually(
    () => stage.status(),
    ({ waitingReceipts }) => waitingReceipts === 0,
  );
  await stage.sim('DELETE', '/api/printer/paper');
  const { body: open } = await http('GET', `${stage.apiUrl}/sp/v1/report`);
  const printedReport = async (fields: Json = {}) => {
    await stage.sim('DELETE', '/api/printer/paper');
    const { status, body } = await stage.post('report/print', { ...stage.named(), ...fields });
    assert.deepEqual([status, body.printStatus], [200, 'PRINTED'], JSON.stringify(body));
    return stage.paper();
  };
  const money = (amount: number) => `HKD ${amount.toFixed(2)}`.replace('.', '\\.');
  const x = await printedReport();
  assert.match(x, /\n +X REPORT\n/);
  for (const grouping of ['paymentMethod', 'posId', 'cashierId']) {
    for (const { name, salesCount, salesAmount } of open[grouping]) {
      const shown = ({ '': 'NO CASHIER', MASTER: 'MASTERCARD' } as Json)[name] ?? name;
      assert.match(x, new RegExp(`\\n${shown}\\nSALES ${salesCount} +${money(salesAmount)}\\n`, 'i'));
    }
  }
  const edc = open.batches.find(({ acquirer }: Json) => acquirer === 'EDC');
  assert.match(x, new RegExp(`\\nEDC BATCH ${String(edc.batch).padStart(6, '0')} +OPEN\\n`));
  assert.doesNotMatch(x, /FROM THE TILL|PAYMENT SLIP/);
  await stage.settle();
  const z = await printedReport({ acquirer: 'EDC', batch: edc.batch });
  assert.match(z, /\n +Z REPORT\n/);
  for (const { transactionType, count, totalAmount } of edc.totals)
    assert.match(z, new RegExp(`\\n${transactionType} +${count} +${totalAmount.toFixed(2).replace('.', '\\.')}\\n`));
  const refused = await Promise.all(
    [{ batch: 1 }, { acquirer: 'NOBODY' }, { acquirer: 'EDC', batch: 0.5 }].map((fields) =>
      stage.post('report/print', { ...stage.named(), ...fields }),
    ),
  );
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.reason]),
    [
      [400, 'fieldMissing'],
      [422, 'acquirerUnknown'],
      [400, 'fieldInvalid'],
    ],
  );
});

test('a till shows its cart on the idle screen until the payment begins; the payment has the screen to its end', async () => {
  const cart = { currency: 'HKD', lines: [{ name: '凍檸茶', quantity: 2, amount: 44 }], total: 44 };
  const show = (fields: Json) => stage.post('display', { posId: 'POS-1', ...fields });
  await stage.view(({ scene }) => scene === 'idle');
  const { body } = await show({ cart });
  assert.equal(body.displayStatus, 'SHOWN');
  const { till } = await stage.view(({ scene }) => scene === 'idle');
  const line = { name: '凍檸茶', quantity: '2', amount: '44.00' };
  assert.deepEqual(till, { posId: 'POS-1', cart: { currency: 'HKD', lines: [line], total: '44.00' } });
  const { answer } = stage.begun({ requestAmount: 44 });
  const running = await stage.view(({ transaction }) => transaction !== undefined);
  assert.equal(running.till, undefined);
  const meanwhile = await show({ text: ['Approved'] });
  assert.deepEqual([meanwhile.status, meanwhile.body.reason], [409, 'busy']);
  await stage.tap('visa');
  assert.equal((await answer).body.responseResult, 'SUCCESS');
  const after = await stage.view(({ scene }) => scene === 'approved');
  assert.equal(after.till, undefined);
  assert.equal((await show({ text: ['Next, please'] })).body.displayStatus, 'WAITING');
  const idle = await stage.view(({ scene }) => scene === 'idle');
  assert.deepEqual(idle.till, { posId: 'POS-1', text: ['Next, please'] });
  assert.equal((await show({})).body.displayStatus, 'CLEARED');
  assert.equal((await stage.view(({ scene }) => scene === 'idle')).till, undefined);
  const shortly = await show({ text: ['Back in a minute'], seconds: 1 });
  assert.equal(shortly.body.displayStatus, 'SHOWN');
  await stage.view((view) => view.scene === 'idle' && view.till === undefined);
});
