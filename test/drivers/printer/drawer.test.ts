import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EscposPrinterOptions, escposPrinter } from '../../../drivers/printer/escpos/printer.ts';
import type { ReceiptPrinter } from '../../../src/base/ports/receipt-printer.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { ScriptedTransport } from './scripted-transport.ts';
import { renderAsIs, sheetsOf } from './sheets.ts';

const asked = ['100401', '100402', '100404'];
/** ESC p, pin 2, 100 ms on, 500 ms off. */
const kick = '1b700032fa';
const replyTimeoutMs = 100;
const writeTimeoutMs = 500;
const lineTimeMs = 30;

/** Two chunks of letters, 10 line feeds. */
const bytes = Uint8Array.from({ length: 300 }, (_, at) => (at % 30 === 29 ? 0x0a : 0x41));
const chunks = [bytes.subarray(0, 256), bytes.subarray(256)].map((chunk) => Buffer.from(chunk).toString('hex'));
const job = sheetsOf(bytes);
const printingMs = 10 * lineTimeMs;

interface Stage {
  readonly clock: ManualClock;
  readonly transport: ScriptedTransport;
  readonly printer: ReceiptPrinter;
}

async function connected(options: Partial<EscposPrinterOptions> = {}): Promise<Stage> {
  const clock = new ManualClock();
  const transport = new ScriptedTransport();
  const printer = escposPrinter(transport, {
    clock,
    render: renderAsIs,
    replyTimeoutMs,
    writeTimeoutMs,
    lineTimeMs,
    ...options,
  });
  transport.become('ready');
  await settled();
  transport.writes.length = 0;
  return { clock, transport, printer };
}

test('the drawer gets its pulse on the pin that is configured', async () => {
  for (const [drawerPin, bytes] of [
    [2, kick],
    [5, '1b700132fa'],
  ] as const) {
    const { clock, transport, printer } = await connected({ drawerPin });
    assert.equal(await printer.openDrawer(), undefined);
    assert.deepEqual(transport.writes, [...asked, bytes]);
    assert.equal(clock.pending, 0);
  }
  const { transport, printer } = await connected();
  await printer.openDrawer();
  assert.equal(transport.writes.at(-1), kick, 'pin 2 unless told otherwise');
});

test('a drawer opens without paper, and with the cover open', async () => {
  for (const answers of [
    { 1: [0x1a], 2: [0x32], 4: [0x7e] },
    { 1: [0x1a], 2: [0x16], 4: [0x12] },
  ]) {
    const { transport, printer } = await connected();
    transport.answers = answers;
    const receipt = printer.print(job);
    const drawer = printer.openDrawer();
    assert.ok((await receipt) !== undefined, 'the receipt can not be printed');
    assert.equal(await drawer, undefined);
    assert.equal(Buffer.from(transport.paper).toString('hex'), kick);
  }
});

test('it goes ahead of the receipts that wait, and never into the middle of one', async () => {
  const { clock, transport, printer } = await connected();
  const gate = Promise.withResolvers<void>();
  transport.onWrite = (count) => (count === 4 ? gate.promise : undefined);
  const receipts = [printer.print(job), printer.print(job)];
  await settled();
  const drawer = printer.openDrawer();
  await settled();
  assert.deepEqual(transport.writes, [...asked, chunks[0]]);
  gate.resolve();
  await clock.advance(printingMs);
  assert.equal(await drawer, undefined);
  await clock.advance(printingMs);
  assert.deepEqual(await Promise.all(receipts), [undefined, undefined]);
  const printed = [...asked, ...chunks, ...asked];
  assert.deepEqual(transport.writes, [...printed, ...asked, kick, ...printed]);
});

test('who waits together shares one pulse; who comes later gets his own', async () => {
  const { transport, printer } = await connected();
  assert.deepEqual(await Promise.all([printer.openDrawer(), printer.openDrawer()]), [undefined, undefined]);
  assert.equal(transport.writes.filter((write) => write === kick).length, 1);
  await printer.openDrawer();
  assert.equal(transport.writes.filter((write) => write === kick).length, 2);
});

test('a printer that does not answer gets no pulse: it would come out of its buffer later, for nobody', async () => {
  const { clock, transport, printer } = await connected();
  transport.answers = {};
  const drawer = printer.openDrawer();
  await clock.advance(replyTimeoutMs);
  assert.equal(await drawer, 'absent');
  assert.deepEqual(transport.paper, []);
});

test('nor does one that has stopped with an error', async () => {
  const { transport, printer } = await connected();
  transport.answers = { 1: [0x1a], 2: [0x52], 4: [0x12] };
  assert.equal(await printer.openDrawer(), 'error');
  assert.deepEqual(transport.paper, []);
});

test('without a printer the answer is there at once', async () => {
  const clock = new ManualClock();
  const printer = escposPrinter(new ScriptedTransport(), { clock, render: renderAsIs });
  assert.equal(await printer.openDrawer(), 'absent');
  assert.equal(clock.pending, 0);
});

test('it vanishes, or takes no more bytes: told, not waited for', async () => {
  const vanishing = await connected();
  vanishing.transport.onWrite = (count) => {
    if (count === 4) vanishing.transport.become('absent');
  };
  assert.equal(await vanishing.printer.openDrawer(), 'absent');

  const stuck = await connected();
  stuck.transport.onWrite = (count) => (count === 4 ? new Promise(() => {}) : undefined);
  const drawer = stuck.printer.openDrawer();
  await stuck.clock.advance(writeTimeoutMs);
  assert.equal(await drawer, 'error');
});

test('close ends what waits', async () => {
  const { clock, transport, printer } = await connected();
  const receipt = printer.print(job);
  await settled();
  const drawer = printer.openDrawer();
  await printer.close();
  assert.deepEqual(await Promise.all([receipt, drawer]), ['absent', 'absent']);
  assert.ok(!transport.writes.includes(kick));
  assert.equal(clock.pending, 0);
});
