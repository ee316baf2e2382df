import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { ReceiptEvent } from '../../../src/payment/contracts/terminal-events.ts';
import { leftLine } from '../../../src/receipt/line.ts';
import { ReceiptService } from '../../../src/payment/terminal/receipt-service.ts';
import { settled } from '../../support/manual-clock.ts';
import { ScriptedPrinter } from './scripted-printer.ts';
import { sale, Stage } from './stage.ts';

let stage: Stage;
let printer: ScriptedPrinter;
let queue: ReceiptService;
let failures: unknown[];
let reported: ReceiptEvent[];
let unprintable: TerminalTransactionId | undefined;

beforeEach(() => {
  stage = new Stage();
  printer = new ScriptedPrinter();
  failures = [];
  reported = [];
  unprintable = undefined;
  queue = newQueue();
});
afterEach(async () => {
  await queue.close();
  stage.close();
});

function newQueue(): ReceiptService {
  return new ReceiptService({
    get journal() {
      return stage.journal;
    },
    printer,
    sheets: (paper) => {
      if (paper.paper === 'settlement') return [[leftLine(`report ${paper.settlement.messageId}`)]];
      const { record } = paper.tree;
      if (record.id === unprintable) throw new Error('no layout for this');
      return [[leftLine(record.request.messageId)]];
    },
    onReceipt: (event) => reported.push(event),
    onFailure: (error) => failures.push(error),
  });
}

/** An approved payment whose receipt waits. */
async function waiting(messageId: string): Promise<TerminalTransactionId> {
  const answer = await stage.paid(sale(messageId));
  assert.ok(answer.kind === 'ended');
  stage.journal.store.append(answer.record.id, [{ kind: 'receiptQueued' }]);
  return answer.record.id;
}

function printedEvents(id: TerminalTransactionId): number {
  return stage.journal.store.read(id).filter(({ event }) => event.kind === 'receiptPrinted').length;
}

test('receipts are printed in the order of the payments, each once', async () => {
  const ids = [await waiting('M-1'), await waiting('M-2'), await waiting('M-3')];
  queue.wake();
  await settled();
  assert.deepEqual(printer.paper, ['M-1', 'M-2', 'M-3']);
  assert.deepEqual(ids.map(printedEvents), [1, 1, 1]);
  queue.wake();
  await settled();
  assert.equal(printer.jobs, 3);
  assert.deepEqual(failures, []);
});

test('no paper: nothing is lost, nothing is tried until paper is back, the order stands', async () => {
  printer.fault = 'paper-out';
  const ids = [await waiting('M-1'), await waiting('M-2')];
  queue.wake();
  await settled();
  assert.equal(printer.jobs, 1, 'the second does not overtake');
  assert.deepEqual(ids.map(printedEvents), [0, 0]);
  printer.become('cover-open');
  await settled();
  assert.equal(printer.jobs, 1);
  printer.become(undefined);
  await settled();
  assert.deepEqual(printer.paper, ['M-1', 'M-2']);
  assert.deepEqual(ids.map(printedEvents), [1, 1]);
});

test('a printer that comes back prints what waits', async () => {
  printer.fault = 'absent';
  await waiting('M-1');
  queue.wake();
  await settled();
  printer.fault = undefined;
  printer.reconnect();
  await settled();
  assert.deepEqual(printer.paper, ['M-1']);
});

test('what waited before a restart is printed after it', async () => {
  printer.fault = 'paper-out';
  await waiting('M-1');
  queue.wake();
  await settled();
  await queue.close();
  await stage.restart();
  queue = newQueue();
  printer.fault = undefined;
  queue.wake();
  await settled();
  assert.deepEqual(printer.paper, ['M-1']);
});

test('a wake while a receipt is printed is not lost', async () => {
  await waiting('M-1');
  const inPrint = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  printer.onPrint = async () => {
    inPrint.resolve();
    await finish.promise;
  };
  queue.wake();
  await inPrint.promise;
  await waiting('M-2');
  queue.wake();
  finish.resolve();
  await settled();
  assert.deepEqual(printer.paper, ['M-1', 'M-2']);
});

test('a wake is not lost at whatever moment near the end of a run it comes', async () => {
  for (let turns = 0; turns < 40; turns++) {
    const before = printer.paper.length;
    queue.wake();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const { store } = stage.journal;
    const messageId = `M-${turns}`;
    const id = messageId.padStart(26, '0') as TerminalTransactionId;
    store.open(id, {
      kind: 'accepted',
      posId: 'POS-1',
      messageId,
      digest: '',
      type: 'SALE',
      amountMinor: '1',
      currency: 'HKD',
      shape: 'A',
      printedBy: 'terminal',
    });
    store.append(id, [{ kind: 'receiptQueued' }]);
    queue.wake();
    await settled();
    assert.equal(printer.paper.length, before + 1, `a wake ${turns} turns after the first is lost`);
  }
});

test('a commit that fails after the paper prints once more rather than never', async () => {
  const id = await waiting('M-1');
  stage.journal.fault = (_call, operation) => operation === 'append';
  queue.wake();
  await settled();
  assert.equal(printedEvents(id), 0);
  assert.equal(failures.length, 1);
  stage.journal.fault = () => false;
  queue.wake();
  await settled();
  assert.deepEqual(printer.paper, ['M-1', 'M-1']);
  assert.equal(printedEvents(id), 1);
});

test('a receipt that can’t be laid out is logged, and the others are printed', async () => {
  unprintable = await waiting('M-1');
  const next = await waiting('M-2');
  queue.wake();
  await settled();
  assert.deepEqual(printer.paper, ['M-2']);
  assert.equal(printedEvents(unprintable), 0);
  assert.equal(printedEvents(next), 1);
  assert.equal(failures.length, 1);
});

test('close waits for the receipt in print, starts no other and hears of the printer no more', async () => {
  const ids = [await waiting('M-1'), await waiting('M-2')];
  const inPrint = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  printer.onPrint = async () => {
    inPrint.resolve();
    await finish.promise;
  };
  queue.wake();
  await inPrint.promise;
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await settled();
  assert.equal(closed, false);
  finish.resolve();
  await closing;
  assert.deepEqual(ids.map(printedEvents), [1, 0]);
  assert.equal(printer.listeners, 0);
  const { calls } = stage.journal;
  queue.wake();
  await settled();
  assert.equal(stage.journal.calls, calls, 'a closed queue asks the journal nothing');
});

test('a settlement report waits for paper like a receipt, in its place, and is printed once', async () => {
  printer.fault = 'paper-out';
  const { store } = stage.journal;
  await waiting('M-1');
  const id = 'Z'.repeat(26) as TerminalTransactionId;
  store.openSettlement({ id, posId: 'POS-1', messageId: 'S-1', digest: '', at: '2026-01-01T00:00:00.000Z' });
  store.endSettlement(id, [], true);
  queue.wake();
  await settled();
  printer.become(undefined);
  await settled();
  assert.deepEqual(printer.paper, ['M-1', 'report S-1']);
  assert.deepEqual(store.waitingReceipts(), []);
  queue.wake();
  await settled();
  assert.equal(printer.jobs, 3);
});

test('who watches is told why a receipt waits, each fault once, and that it is printed', async () => {
  printer.fault = 'paper-out';
  const id = await waiting('M-1');
  for (let tries = 0; tries < 3; tries++) {
    queue.wake();
    await settled();
  }
  printer.fault = 'cover-open';
  queue.wake();
  await settled();
  printer.fault = undefined;
  queue.wake();
  await settled();
  const owner = { posId: 'POS-1', messageId: 'M-1', terminalTransactionId: id };
  assert.deepEqual(reported, [
    { ...owner, receiptStatus: 'WAITING', receiptFault: 'paper-out' },
    { ...owner, receiptStatus: 'WAITING', receiptFault: 'cover-open' },
    { ...owner, receiptStatus: 'PRINTED' },
  ]);
});

test('the slip of a payment that a failing journal cut off is printed once the journal works, without a restart', async () => {
  stage.receipts = queue;
  await stage.restart();
  stage.journal.misreport = (_call, operation) => operation === 'intend';
  await stage.paid(sale('M-1', { printedBy: 'terminal' }));
  stage.journal.misreport = () => false;
  assert.deepEqual(printer.paper, []);
  await stage.clock.advance(10_000);
  await settled();
  assert.deepEqual(printer.paper, ['M-1']);
});

test('a slip that waits for its signature holds up none behind it', async () => {
  const [held, next] = [await waiting('M-1'), await waiting('M-2')];
  queue.hold(held);
  await queue.tryNow();
  assert.deepEqual([printedEvents(held), printedEvents(next)], [0, 1]);
  queue.release(held);
  await queue.tryNow();
  assert.deepEqual([printedEvents(held), printedEvents(next)], [1, 1]);
});
