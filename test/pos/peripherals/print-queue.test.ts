import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { PrintQueue } from '../../../src/pos/peripherals/print-queue.ts';
import { leftLine } from '../../../src/receipt/line.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { ScriptedPrinter } from '../../payment/terminal/scripted-printer.ts';

const keptMs = 600_000;

let clock: ManualClock;
let printer: ScriptedPrinter;
let queue: PrintQueue;
let receipts: string[];
let failures: unknown[];

beforeEach(() => {
  clock = new ManualClock();
  printer = new ScriptedPrinter();
  receipts = [];
  failures = [];
  const onFailure = (error: unknown) => failures.push(error);
  queue = new PrintQueue({ printer, receipts: { tryNow: printReceipts }, clock, keptMs, onFailure });
});
afterEach(() => queue.close());

/** What the queue of receipts does: all that waits, as long as the printer can. */
async function printReceipts(): Promise<void> {
  while (receipts.length > 0) {
    const [first = ''] = receipts;
    if ((await printer.print([[leftLine(first)]])) !== undefined) return;
    receipts.shift();
  }
}

function job(messageId: string, more: Partial<Parameters<PrintQueue['submit']>[0]> = {}) {
  const parts = [[[leftLine(messageId)]]];
  return queue.submit({ posId: 'POS-1', messageId, digest: messageId, waits: true, parts, ...more });
}

test('a job is printed once, whatever its till sends again', async () => {
  assert.deepEqual(await job('J-1'), { kind: 'printed' });
  assert.deepEqual(await job('J-1'), { kind: 'printed' });
  assert.deepEqual(await job('J-1', { digest: 'another' }), { kind: 'otherRequest' });
  assert.deepEqual(await job('J-1', { posId: 'POS-2' }), { kind: 'printed' });
  assert.deepEqual(printer.paper, ['J-1', 'J-1']);
});

test('receipts that wait go before a job, and between two of them', async () => {
  printer.fault = 'paper-out';
  receipts.push('receipt 1');
  assert.deepEqual(await job('J-1'), { kind: 'waiting', fault: 'paper-out' });
  assert.deepEqual(await job('J-2'), { kind: 'waiting', fault: 'paper-out' });
  // A payment ends while the first job prints.
  printer.onPrint = () => void (printer.paper.at(-1) === 'receipt 1' && receipts.push('receipt 2'));
  printer.become(undefined);
  assert.deepEqual(await Promise.all([job('J-1'), job('J-2')]), [{ kind: 'printed' }, { kind: 'printed' }]);
  assert.deepEqual(printer.paper, ['receipt 1', 'J-1', 'receipt 2', 'J-2']);
});

test('a receipt that can’t be printed holds up the jobs, also when paper comes back at that moment', async () => {
  printer.fault = 'paper-out';
  receipts.push('receipt');
  printer.onPrint = () => {
    assert.equal(printer.jobs, 1, 'a job before the receipt');
  };
  assert.deepEqual(await job('J-1'), { kind: 'waiting', fault: 'paper-out' });
  assert.deepEqual(printer.paper, []);
});

test('who does not wait is told at once, and may try again', async () => {
  printer.fault = 'cover-open';
  assert.deepEqual(await job('J-1', { waits: false }), { kind: 'notPrinted', fault: 'cover-open' });
  printer.become(undefined);
  await settled();
  assert.deepEqual(printer.paper, []);
  assert.deepEqual(await job('J-1', { waits: false }), { kind: 'printed' });
});

test('a job is kept for its time: then it is printed no more', async () => {
  printer.fault = 'absent';
  assert.deepEqual(await job('J-1'), { kind: 'waiting', fault: 'absent' });
  await clock.advance(keptMs - 1);
  assert.deepEqual(await job('J-1'), { kind: 'waiting', fault: 'absent' });
  await clock.advance(1);
  printer.become(undefined);
  await settled();
  assert.deepEqual(printer.paper, []);
  assert.equal(clock.pending, 0);
});

test('a till waits with four jobs and no more, all tills with sixteen', async () => {
  printer.fault = 'paper-out';
  for (const each of [1, 2, 3, 4]) assert.equal((await job(`J-${each}`)).kind, 'waiting');
  assert.deepEqual(await job('J-5'), { kind: 'full' });
  for (const till of ['POS-2', 'POS-3', 'POS-4'])
    for (const each of [1, 2, 3, 4]) assert.equal((await job(`J-${each}`, { posId: till })).kind, 'waiting');
  assert.deepEqual(await job('J-1', { posId: 'POS-5' }), { kind: 'full' });
  assert.equal((await job('J-1')).kind, 'waiting');
});

test('a caller is not held while the printer works: the same again tells', async () => {
  const printing = Promise.withResolvers<void>();
  printer.onPrint = () => printing.promise;
  const first = job('J-1');
  await settled();
  await clock.advance(20_000);
  assert.deepEqual(await first, { kind: 'waiting', fault: undefined });
  const again = job('J-1');
  printing.resolve();
  assert.deepEqual(await again, { kind: 'printed' });
  assert.deepEqual(printer.paper, ['J-1']);
});

test('two calls wait for one job, and each further one is answered at once', async () => {
  const printing = Promise.withResolvers<void>();
  printer.onPrint = () => printing.promise;
  const waiting = [job('J-1'), job('J-1')];
  await settled();
  assert.deepEqual(await job('J-1'), { kind: 'waiting', fault: undefined });
  printing.resolve();
  assert.deepEqual(await Promise.all(waiting), [{ kind: 'printed' }, { kind: 'printed' }]);
  assert.deepEqual(await job('J-1'), { kind: 'printed' });
  assert.deepEqual(printer.paper, ['J-1']);
});

test('of a job in parts only the rest is printed later', async () => {
  printer.onPrint = () => void (printer.fault = printer.jobs === 2 ? 'paper-out' : undefined);
  const parts = ['one', 'two', 'three'].map((text) => [[leftLine(text)]]);
  assert.deepEqual(await job('J-1', { parts }), { kind: 'waiting', fault: 'paper-out' });
  printer.become(undefined);
  assert.deepEqual(await job('J-1', { parts }), { kind: 'printed' });
  assert.deepEqual(printer.paper, ['one', 'two', 'three']);
});

test('a job that no printer takes is given up, and the next one is printed', async () => {
  const error = new RangeError('too wide');
  printer.onPrint = () => {
    if (printer.jobs === 1) throw error;
  };
  const outcomes = await Promise.all([job('J-1'), job('J-2')]);
  assert.deepEqual(outcomes, [{ kind: 'notPrinted', fault: 'error' }, { kind: 'printed' }]);
  assert.deepEqual(failures, [error]);
});

test('close ends what waits', async () => {
  printer.fault = 'absent';
  await job('J-1');
  await queue.close();
  assert.equal(printer.listeners, 0);
  assert.equal(clock.pending, 0);
});
