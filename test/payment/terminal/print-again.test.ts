import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { plainLayout } from '../../../src/receipt/layout.ts';
import { PaperService } from '../../../src/payment/terminal/paper.ts';
import { printAgain } from '../../../src/payment/terminal/print-again.ts';
import { ReceiptService } from '../../../src/payment/terminal/receipt-service.ts';
import { ScriptedPrinter } from './scripted-printer.ts';
import { about, ended, sale, Stage } from './stage.ts';

let stage: Stage;
let printer: ScriptedPrinter;
let paper: PaperService;
let receipts: ReceiptService;
const onFailure = (error: unknown) => assert.fail(String(error));

beforeEach(() => {
  stage = new Stage();
  printer = new ScriptedPrinter();
  paper = new PaperService({
    shop: { name: 'Shop', address: '', phone: '', email: '', logo: '' },
    timeZone: 'UTC',
    language: 'en',
    columns: 48,
    merchantCopy: 'never',
    layout: plainLayout,
    printer,
    onFailure,
  });
  receipts = newReceipts();
});
afterEach(async () => {
  await receipts.close();
  stage.close();
});

function newReceipts(): ReceiptService {
  return new ReceiptService({ journal: stage.journal, printer, sheets: (each) => paper.sheets(each), onFailure });
}

async function paid(messageId: string, printedBy: 'terminal' | 'pos' = 'terminal'): Promise<TerminalTransactionId> {
  const answer = await stage.paid(sale(messageId, { printedBy }));
  assert.ok(answer.kind === 'ended');
  return answer.record.id;
}

async function again(id: TerminalTransactionId, copy: 'CUSTOMER' | 'MERCHANT' = 'CUSTOMER') {
  const tree = await stage.terminal.recall(id);
  assert.ok(tree);
  return printAgain(tree, copy, { journal: stage.journal, paper, receipts });
}

const isDuplicate = () => printer.paper.map((each) => each.includes('DUPLICATE'));

test('a receipt that waits is printed once, in its place, and is no duplicate', async () => {
  const [first, second] = [await paid('M-1'), await paid('M-2')];
  for (const id of [first, second]) stage.journal.store.append(id, [{ kind: 'receiptQueued' }]);
  printer.fault = 'paper-out';
  assert.equal(await again(second), 'paper-out');
  assert.equal(printer.paper.length, 0);
  printer.fault = undefined;
  assert.equal(await again(second), undefined);
  receipts.wake();
  await receipts.close();
  assert.deepEqual(isDuplicate(), [false, false]);
  assert.ok(printer.paper[0]?.includes(first) && printer.paper[1]?.includes(second));
});

test('one that was printed is a duplicate', async () => {
  const id = await paid('M-1');
  stage.journal.store.append(id, [{ kind: 'receiptQueued' }, { kind: 'receiptPrinted' }]);
  assert.equal(await again(id), undefined);
  assert.deepEqual(isDuplicate(), [true]);
});

test('one that was never printed is none, and the next one is', async () => {
  const id = await paid('M-1');
  printer.fault = 'cover-open';
  assert.equal(await again(id), 'cover-open');
  printer.fault = undefined;
  for (const _each of [1, 2]) assert.equal(await again(id), undefined);
  assert.deepEqual(isDuplicate(), [false, true]);
});

test('a POS that prints had the first copy in its answer', async () => {
  const id = await paid('M-1', 'pos');
  assert.equal(await again(id), undefined);
  assert.deepEqual(isDuplicate(), [true]);
});

test('the merchant’s copy of one that waits: after the customer’s', async () => {
  const id = await paid('M-1');
  stage.journal.store.append(id, [{ kind: 'receiptQueued' }]);
  assert.equal(await again(id, 'MERCHANT'), undefined);
  assert.deepEqual(
    printer.paper.map((each) => /(?:MERCHANT|CUSTOMER) COPY/.exec(each)?.[0]),
    ['CUSTOMER COPY', 'MERCHANT COPY'],
  );
});

test('the operator’s refund that names no sale has a copy for each side, whatever the configuration', async () => {
  const copies = async (fields: Partial<ReturnType<typeof sale>>) => {
    const answer = await stage.paid(sale(`M-${JSON.stringify(fields)}`.slice(0, 60), fields));
    assert.ok(answer.kind === 'ended');
    return paper.sheets({ paper: 'receipt', tree: { record: answer.record, later: [] } }).length;
  };
  assert.equal(await copies({ type: 'REFUND', posId: 'OPERATOR' }), 2);
  assert.equal(await copies({ type: 'REFUND' }), 1);
  assert.equal(await copies({ posId: 'OPERATOR' }), 1);
});

test('a receipt that was cut off says so when it comes again; one that was never begun does not', async () => {
  const id = await paid('M-1');
  stage.journal.store.append(id, [{ kind: 'receiptQueued' }]);
  printer.fault = 'paper-out';
  await receipts.tryNow();
  printer.fault = undefined;
  printer.cutsOffNext = true;
  await receipts.tryNow();
  assert.equal(printer.paper.length, 0);
  // Also after a restart.
  await receipts.close();
  await stage.restart();
  receipts = newReceipts();
  await receipts.tryNow();
  const other = await paid('M-2');
  stage.journal.store.append(other, [{ kind: 'receiptQueued' }]);
  printer.fault = 'cover-open';
  await receipts.tryNow();
  printer.fault = undefined;
  await receipts.tryNow();
  assert.deepEqual(
    printer.paper.map((each) => each.includes('REPLACES A PRINT THAT WAS CUT OFF')),
    [true, false],
  );
});

test('where the version before would not know that event, a receipt that was cut off is printed again all the same', async () => {
  stage.journal.takes = (kind) => kind !== 'receiptCutOff';
  const id = await paid('M-1');
  stage.journal.store.append(id, [{ kind: 'receiptQueued' }]);
  printer.cutsOffNext = true;
  await receipts.tryNow();
  await receipts.tryNow();
  assert.equal(printer.paper.length, 1);
  assert.deepEqual(
    stage.journal.store.read(id).filter(({ event }) => event.kind === 'receiptCutOff'),
    [],
  );
});

test('a reprint of a voided sale says VOIDED, and nowhere APPROVED', async () => {
  const id = await paid('M-1');
  await again(id);
  assert.match(printer.paper.at(-1) ?? '', /APPROVED/);
  const voids = await stage.paid(sale('M-2', { type: 'VOID_SALE', originalId: id }));
  assert.equal(voids.kind === 'ended' && voids.record.conclusion?.result, 'SUCCESS');
  await again(id);
  const text = printer.paper.at(-1) ?? '';
  assert.match(text, /DUPLICATE/);
  assert.match(text, /VOIDED/);
  assert.doesNotMatch(text, /APPROVED/);
});

test('a sale that was refunded in part says so, in either language, and no other does', async () => {
  const original = ended(await stage.paid(sale('M-1')));
  const text = async (language: 'en' | 'zh-Hant') => {
    const tree = (await stage.terminal.recall(original.id)) ?? assert.fail('gone');
    return paper.text(tree, { copy: 'CUSTOMER', language });
  };
  assert.doesNotMatch(await text('en'), /REFUNDED|CHARGED/);
  ended(await stage.paid(about('REFUND', 'M-2', original, { amount: { minor: 100n, currency: 'HKD' } })));
  assert.match(await text('en'), /TOTAL +HKD 30\.00\nREFUNDED SINCE +HKD -1\.00\n/);
  assert.match(await text('zh-Hant'), /總額 +HKD 30\.00\n已退款 +HKD -1\.00\n/);
});

test('a hold that was completed says what was charged in the end', async () => {
  const auth = ended(await stage.paid(sale('M-1', { type: 'AUTH' }), 'unionpay'));
  await stage.terminal.pay(about('AUTH_COMP', 'M-2', auth, { amount: { minor: 2000n, currency: 'HKD' } }));
  const tree = (await stage.terminal.recall(auth.id)) ?? assert.fail('gone');
  const text = await paper.text(tree, { copy: 'CUSTOMER', language: 'en' });
  assert.match(text, /HOLD +HKD 30\.00\nCHARGED IN THE END +HKD 20\.00\n/);
});
