import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EscposPrinterOptions, escposPrinter } from '../../../drivers/printer/escpos/printer.ts';
import type { PrinterFault, ReceiptPrinter } from '../../../src/base/ports/receipt-printer.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { ScriptedTransport } from './scripted-transport.ts';
import { renderAsIs, sheetsOf } from './sheets.ts';

const ask1 = '100401';
const ask2 = '100402';
const ask4 = '100404';
const asked = [ask1, ask2, ask4];

const replyTimeoutMs = 100;
const writeTimeoutMs = 500;
const faultPollMs = 2000;
const lineTimeMs = 30;

/** 600 bytes with 20 line feeds: three chunks, 600 ms of paper. */
const bytes = Uint8Array.from({ length: 600 }, (_, at) => (at % 30 === 29 ? 0x0a : 0x41 + (at % 26)));
const chunks = [0, 256, 512].map((at) => Buffer.from(bytes.subarray(at, at + 256)).toString('hex'));
const job = sheetsOf(bytes);
const printingMs = 20 * lineTimeMs;

interface Stage {
  readonly clock: ManualClock;
  readonly transport: ScriptedTransport;
  readonly printer: ReceiptPrinter;
  /** Everything that listeners were told, in order. */
  readonly reported: string[];
}

function stage(options: Partial<EscposPrinterOptions> = {}): Stage {
  const clock = new ManualClock();
  const transport = new ScriptedTransport();
  const printer = escposPrinter(transport, {
    clock,
    render: renderAsIs,
    replyTimeoutMs,
    writeTimeoutMs,
    faultPollMs,
    lineTimeMs,
    ...options,
  });
  const reported: string[] = [];
  printer.onState((state) => reported.push(state));
  printer.onFaultChange((fault) => reported.push(`fault ${fault ?? 'none'}`));
  return { clock, transport, printer, reported };
}

async function connected(options: Partial<EscposPrinterOptions> = {}): Promise<Stage> {
  const all = stage(options);
  all.transport.become('ready');
  await settled();
  assert.equal(all.printer.state, 'ready');
  all.transport.writes.length = 0;
  all.reported.length = 0;
  return all;
}

test('ready only after it has answered, and then not asked again', async () => {
  const { clock, transport, printer, reported } = stage();
  assert.equal(printer.name, 'escpos at /dev/printer-under-test');
  assert.deepEqual([printer.state, printer.fault], ['absent', 'absent']);
  transport.become('connecting');
  transport.become('ready');
  assert.equal(printer.state, 'connecting');
  await settled();
  assert.deepEqual(reported, ['connecting', 'ready', 'fault none']);
  assert.deepEqual(transport.writes, asked);
  assert.equal(clock.pending, 0);
});

test('a transport that is ready already is asked at once', async () => {
  const transport = new ScriptedTransport();
  transport.become('ready');
  const printer = escposPrinter(transport, { clock: new ManualClock(), render: renderAsIs });
  await settled();
  assert.equal(printer.state, 'ready');
});

test('absent while it does not answer, whichever answer is missing, and ready when it does', async () => {
  for (const silent of [1, 2, 4]) {
    const { clock, transport, printer, reported } = stage();
    transport.answers[silent] = undefined;
    transport.become('ready');
    await clock.advance(replyTimeoutMs);
    assert.deepEqual(reported, ['connecting', 'absent']);
    assert.deepEqual(await afterAdvance(clock, replyTimeoutMs * 2, printer.status()), {
      fault: 'absent',
      paperNearEnd: false,
    });
    transport.answers[silent] = [0x12];
    await clock.advance(faultPollMs + replyTimeoutMs);
    assert.deepEqual(reported, ['connecting', 'absent', 'ready', 'fault none']);
    assert.equal(clock.pending, 0);
  }
});

async function afterAdvance<T>(clock: ManualClock, ms: number, result: Promise<T>): Promise<T> {
  await clock.advance(ms);
  return result;
}

test('it is asked one question at a time', async () => {
  const { transport, printer } = await connected();
  transport.answers = {};
  const status = printer.status();
  await settled();
  assert.deepEqual(transport.writes, [ask1]);
  transport.emit(0x12);
  await settled();
  assert.deepEqual(transport.writes, [ask1, ask2]);
  transport.emit(0x12);
  await settled();
  assert.deepEqual(transport.writes, asked);
  transport.emit(0x1e);
  assert.deepEqual(await status, { paperNearEnd: true });
});

test('callers who wait together share one asking', async () => {
  const { transport, printer } = await connected();
  const results = await Promise.all(Array.from({ length: 100 }, () => printer.status()));
  assert.equal(results.length, 100);
  assert.deepEqual(transport.writes, asked);
});

test('a cover that is closed between two answers is no error; offline without a cause, told twice, is one', async (t) => {
  const { transport, printer } = stage();
  t.after(() => printer.close());
  transport.become('ready');
  await printer.status();
  transport.writes.length = 0;
  transport.answers[1] = [0x1a];
  // It is closed after the first answer.
  transport.onWrite = (count) => {
    if (count === 2) transport.answers[1] = [0x12];
  };
  assert.deepEqual(await printer.status(), { paperNearEnd: false });
  assert.deepEqual(transport.writes, [...asked, ...asked]);
  transport.onWrite = () => {};
  transport.answers[1] = [0x1a];
  assert.deepEqual(await printer.status(), { fault: 'error', paperNearEnd: false });
  assert.equal(transport.writes.length, 12);
});

test('automatic status, flow control and noise around the answers are not taken for them', async () => {
  const { transport, printer } = await connected();
  transport.answers = {
    1: [0x18, 0x00, 0x0c, 0x0f, 0x11, 0x1a, 0x10],
    2: [0x00, 0x0c, 0x0f, 0x13, 0x32],
    4: [0xff, 0x38, 0x6c, 0x0f, 0x00, 0x7e, 0x00],
  };
  assert.deepEqual(await printer.status(), { fault: 'paper-out', paperNearEnd: true });
});

test('an automatic status is no answer', async () => {
  const { clock, transport, printer } = await connected();
  transport.answers = { 1: [0x10, 0x00, 0x00, 0x00], 2: [0x12], 4: [0x12] };
  const status = printer.status();
  await clock.advance(replyTimeoutMs);
  assert.equal((await status).fault, 'absent');
});

test('an answer nobody asked for says nothing', async () => {
  const { transport, printer } = await connected();
  transport.emit(0x16, 0x32, 0x7e);
  assert.deepEqual(await printer.status(), { paperNearEnd: false });
});

test('an answer that comes too late is not taken for the next one', async () => {
  const { clock, transport, printer } = await connected();
  transport.answers = {};
  const first = printer.status();
  await clock.advance(replyTimeoutMs);
  assert.equal((await first).fault, 'absent');
  const second = printer.status();
  await clock.advance(replyTimeoutMs - 1);
  // The answer to the first question. Taken for one of the next three, it would shift them all by one.
  transport.emit(0x12);
  await clock.advance(1);
  for (const answer of [0x1a, 0x16, 0x12]) {
    transport.emit(answer);
    await settled();
  }
  assert.deepEqual(await second, { fault: 'cover-open', paperNearEnd: false });
});

test('a job goes out in chunks between two status questions', async () => {
  const { clock, transport, printer, reported } = await connected();
  const printed = printer.print(job);
  await settled();
  assert.deepEqual(transport.writes, [...asked, ...chunks]);
  await clock.advance(printingMs - 1);
  assert.deepEqual(transport.writes, [...asked, ...chunks], 'asked before the paper can show it');
  await clock.advance(1);
  assert.equal(await printed, undefined);
  assert.deepEqual(transport.writes, [...asked, ...chunks, ...asked]);
  assert.deepEqual(transport.paper, [...bytes]);
  assert.deepEqual(reported, []);
  assert.equal(clock.pending, 0);
});

test('a chunk waits until the one before has been taken', async () => {
  const { clock, transport, printer } = await connected();
  const gate = Promise.withResolvers<void>();
  transport.onWrite = (count) => (count === 4 ? gate.promise : undefined);
  const printed = printer.print(job);
  await clock.advance(writeTimeoutMs - 1);
  assert.deepEqual(transport.writes, [...asked, chunks[0]]);
  gate.resolve();
  await clock.advance(printingMs);
  assert.equal(await printed, undefined);
  assert.deepEqual(transport.paper, [...bytes]);
});

test('a printer that takes no more bytes ends the job, and nothing is piled up', async () => {
  const { clock, transport, printer, reported } = await connected();
  const gate = Promise.withResolvers<void>();
  transport.onWrite = (count) => (count === 5 ? gate.promise : undefined);
  const printed = printer.print(job);
  await clock.advance(writeTimeoutMs);
  assert.equal(await printed, 'absent');
  await clock.advance(faultPollMs * 5);
  assert.deepEqual(transport.writes, [...asked, ...chunks.slice(0, 2)]);
  assert.deepEqual(reported, ['absent', 'fault absent']);
  gate.resolve();
  await clock.advance(faultPollMs + replyTimeoutMs);
  assert.deepEqual(reported.slice(2), ['ready', 'fault none']);
});

test('a chunk that is refused ends the job as an error, even if the status is fine', async () => {
  const { transport, printer } = await connected();
  transport.onWrite = (count) => {
    if (count === 5) throw new Error('EIO');
  };
  assert.equal(await printer.print(job), 'error');
  assert.deepEqual(transport.writes, [...asked, ...chunks.slice(0, 2), ...asked]);
});

const faults: readonly (readonly [PrinterFault, Record<number, readonly number[]>])[] = [
  ['paper-out', { 1: [0x1a], 2: [0x32], 4: [0x7e] }],
  ['paper-out', { 1: [0x12], 2: [0x12], 4: [0x72] }],
  ['cover-open', { 1: [0x1a], 2: [0x16], 4: [0x12] }],
  ['error', { 1: [0x1a], 2: [0x52], 4: [0x12] }],
  ['error', { 1: [0x1a], 2: [0x12], 4: [0x12] }],
];

test('a fault before the job: not a byte of it is sent, and its end is told', async () => {
  for (const [fault, answers] of faults) {
    const { clock, transport, printer, reported } = await connected();
    const fine = transport.answers;
    transport.answers = answers;
    assert.equal(await printer.print(job), fault);
    assert.deepEqual(transport.paper, []);
    assert.equal(printer.state, 'ready', 'it can be talked to');
    assert.deepEqual(reported, [`fault ${fault}`]);
    await clock.advance(faultPollMs * 3);
    // Offline without a cause is asked for twice.
    const one = fault === 'error' && answers[2]?.[0] === 0x12 ? [...asked, ...asked] : asked;
    assert.deepEqual(transport.writes, [...one, ...one, ...one, ...one], 'asked every faultPollMs');
    assert.deepEqual(reported, [`fault ${fault}`]);

    transport.answers = fine;
    const again: Promise<PrinterFault | undefined>[] = [];
    printer.onFaultChange((now) => {
      if (now === undefined) again.push(printer.print(job));
    });
    await clock.advance(faultPollMs + printingMs);
    assert.deepEqual(reported, [`fault ${fault}`, 'fault none']);
    assert.deepEqual(await Promise.all(again), [undefined]);
    assert.deepEqual(transport.paper, [...bytes]);
    assert.equal(clock.pending, 0);
  }
});

test('a fault while the job is on its way: the status after tells it', async () => {
  for (const [fault, answers] of faults) {
    const { clock, transport, printer, reported } = await connected();
    const fine = transport.answers;
    const printed = printer.print(job);
    await clock.advance(printingMs / 2);
    transport.answers = answers;
    await clock.advance(printingMs / 2);
    assert.equal(await printed, fault);
    transport.answers = fine;
    await clock.advance(faultPollMs);
    assert.deepEqual(reported, [`fault ${fault}`, 'fault none']);
  }
});

test('a printer that falls silent during the job is absent', async () => {
  const { clock, transport, printer } = await connected();
  const printed = printer.print(job);
  await settled();
  transport.answers = {};
  await clock.advance(printingMs + replyTimeoutMs);
  assert.equal(await printed, 'absent');
  assert.equal(printer.state, 'absent');
});

for (const back of ['later', 'at once'] as const) {
  test(`it vanishes at any write of a job and comes back ${back}: the job is not trusted and never goes on`, async () => {
    for (let at = 1; at <= 9; at++) {
      for (const when of ['before the write is taken', 'after']) {
        const { clock, transport, printer, reported } = await connected();
        const unplug = (): void => {
          transport.onWrite = () => {};
          transport.become('absent');
          if (back === 'at once') transport.become('ready');
        };
        transport.onWrite = (count) => {
          if (count !== at) return;
          if (when === 'after') queueMicrotask(unplug);
          else unplug();
        };
        const printed = printer.print(job);
        // Vanishing is told without a deadline; only the printing itself takes time.
        await clock.advance(at > 6 ? printingMs : 0);
        assert.equal(await printed, 'absent', `write ${at}, ${when}`);
        assert.deepEqual(reported.slice(0, 2), ['absent', 'fault absent']);

        transport.become('ready');
        await clock.advance(faultPollMs + replyTimeoutMs);
        assert.deepEqual(reported.slice(2), ['connecting', 'ready', 'fault none'], `write ${at}, ${when}`);
        assert.ok(
          transport.writes.slice(1).every((write) => asked.includes(write)),
          'no part of the old job on the new connection',
        );
        transport.paper.length = 0;
        const again = printer.print(job);
        await clock.advance(printingMs);
        assert.equal(await again, undefined);
        assert.deepEqual(transport.paper, [...bytes]);
        assert.equal(clock.pending, 0);
      }
    }
  });
}

test('gone and back while the paper moves: its buffer is lost, so the job is', async () => {
  const { clock, transport, printer } = await connected();
  const printed = printer.print(job);
  await clock.advance(printingMs / 2);
  transport.become('absent');
  transport.become('ready');
  await settled();
  assert.equal(await printed, 'absent');
  assert.equal(printer.state, 'ready');
  assert.equal(clock.pending, 0);
});

test('without a printer print and status answer at once', async () => {
  const { clock, printer } = stage();
  assert.equal(await printer.print(job), 'absent');
  assert.deepEqual(await printer.status(), { fault: 'absent', paperNearEnd: false });
  assert.equal(clock.pending, 0);
});

test('jobs wait for each other and are never mixed', async () => {
  const { clock, transport, printer } = await connected();
  const other = bytes.toReversed();
  const both = Promise.all([printer.print(job), printer.status(), printer.print(sheetsOf(other))]);
  await clock.advance(printingMs * 2);
  assert.deepEqual(await both, [undefined, { paperNearEnd: false }, undefined]);
  assert.deepEqual(transport.paper, [...bytes, ...other]);
});

test('one job too many is refused, and room comes back', async () => {
  const { clock, printer } = await connected({ jobsMax: 2 });
  const two = [printer.print(job), printer.print(job)];
  assert.equal(await printer.print(job), 'error');
  await clock.advance(printingMs * 2);
  assert.deepEqual(await Promise.all(two), [undefined, undefined]);
  const next = printer.print(job);
  await clock.advance(printingMs);
  assert.equal(await next, undefined);
});

test('a job beyond all measure is refused unsent', async () => {
  const { transport, printer } = await connected();
  assert.equal(await printer.print(sheetsOf(new Uint8Array(256 * 1024 + 1))), 'error');
  assert.deepEqual(transport.writes, []);
});

test('the wait for the paper has an end', async () => {
  const { clock, printer } = await connected();
  const printed = printer.print(sheetsOf(new Uint8Array(10_000).fill(0x0a)));
  await clock.advance(30_000);
  assert.equal(await printed, undefined);
});

test('chunks of nothing are refused', () => {
  assert.throws(() => stage({ chunkBytes: 0 }), RangeError);
});

test('close ends what runs and what waits, and leaves nothing behind', async () => {
  const { clock, transport, printer, reported } = await connected();
  const jobs = [printer.print(job), printer.print(job)];
  await settled();
  const written = transport.writes.length;
  await printer.close();
  assert.deepEqual(await Promise.all(jobs), ['absent', 'absent']);
  assert.equal((await printer.status()).fault, 'absent');
  assert.deepEqual([transport.closed, transport.listeners, clock.pending], [true, 0, 0]);
  assert.equal(transport.writes.length, written);
  assert.deepEqual(reported, ['absent', 'fault absent']);
  transport.become('ready');
  await settled();
  assert.equal(printer.state, 'absent');
});

test('who stops listening hears no more', async () => {
  const { transport, printer } = await connected();
  const heard: unknown[] = [];
  const stopState = printer.onState((state) => heard.push(state));
  const stopFault = printer.onFaultChange((fault) => heard.push(fault));
  stopState();
  stopFault();
  transport.become('absent');
  assert.deepEqual(heard, []);
});

test('a printer without a way back prints unasked, and says that its paper is unknown', async () => {
  const { clock, transport, printer, reported } = stage();
  transport.oneWay = true;
  assert.equal(printer.paperState, undefined);
  transport.become('ready');
  await settled();
  assert.deepEqual(reported, ['connecting', 'ready', 'fault none']);
  assert.deepEqual(transport.writes, []);
  assert.deepEqual(await printer.status(), { paperNearEnd: false, untold: true });
  assert.equal(printer.paperState, 'unknown');
  const printed = printer.print(job);
  await clock.advance(printingMs);
  assert.equal(await printed, undefined);
  assert.deepEqual(transport.writes, chunks);
  assert.equal(await printer.openDrawer(), undefined);
  transport.become('absent');
  assert.equal(printer.paperState, undefined);
});

test('a printer without a way back that takes no more has not printed', async () => {
  const { clock, transport, printer } = stage();
  transport.oneWay = true;
  transport.become('ready');
  await settled();
  transport.onWrite = (count) => (count > 1 ? new Promise(() => {}) : undefined);
  const printed = printer.print(job);
  await clock.advance(writeTimeoutMs);
  assert.equal(await printed, 'error');
});

for (const [what, answers, expected] of [
  ['ok', { 1: [0x12], 2: [0x12], 4: [0x12] }, 'ok'],
  ['near its end', { 1: [0x12], 2: [0x12], 4: [0x1e] }, 'low'],
  ['at its end', { 1: [0x1a], 2: [0x32], 4: [0x72] }, 'out'],
] as const) {
  test(`paper that is ${what} is told as ${expected}`, async () => {
    const { transport, printer } = stage();
    transport.answers = answers;
    transport.become('ready');
    await settled();
    assert.equal(printer.paperState, expected);
    transport.become('absent');
    assert.equal(printer.paperState, undefined);
  });
}
