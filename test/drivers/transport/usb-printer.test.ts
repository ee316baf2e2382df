import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { Line } from '../../../drivers/transport/line.ts';
import type { Transport } from '../../../drivers/transport/transport.ts';
import { usbPrinterWire } from '../../../drivers/transport/usb-printer.ts';
import { isUsbPrinter } from '../../../drivers/transport/usb-printer-file.ts';
import {
  type DeviceAbsence,
  DeviceError,
  type DeviceErrorCode,
  type DeviceState,
} from '../../../src/base/ports/device.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { ScriptedPrinterFile } from './scripted-printer-file.ts';
import { openTestPty } from './test-pty.ts';

const device = '/dev/usb/lp0';

interface Stage {
  readonly file: ScriptedPrinterFile;
  readonly clock: ManualClock;
  readonly transport: Transport;
  readonly states: DeviceState[];
  readonly faults: [why: DeviceAbsence, message: string][];
  readonly heard: number[];
}

function stage(t: TestContext, file = new ScriptedPrinterFile()): Stage {
  const clock = new ManualClock();
  const faults: [DeviceAbsence, string][] = [];
  const options = {
    path: device,
    clock,
    onFault: ({ message }: Error, why: DeviceAbsence) => faults.push([why, message]),
  };
  const transport = new Line(options, usbPrinterWire({ path: device, clock, file }));
  t.after(() => transport.close());
  const states: DeviceState[] = [];
  transport.onState((state) => states.push(state));
  const heard: number[] = [];
  transport.onData((chunk) => heard.push(...chunk));
  return { file, clock, transport, states, faults, heard };
}

/** Open, with what an earlier user was answered out of the way. */
async function opened(t: TestContext, file = new ScriptedPrinterFile()): Promise<Stage> {
  const made = stage(t, file);
  await made.clock.advance(100);
  assert.equal(made.transport.state, 'ready');
  made.states.length = 0;
  return made;
}

function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => error instanceof DeviceError && error.code === code);
}

test('bytes go out, answers come in, each within a few milliseconds', async (t) => {
  const { file, clock, transport, heard } = await opened(t);
  const written = transport.write(Uint8Array.of(0x10, 0x04, 1));
  await clock.advance(4);
  await written;
  assert.deepEqual(file.taken, [0x10, 0x04, 1]);
  file.packets.push(Uint8Array.of(0x12), Uint8Array.of(0x16, 0x12));
  await clock.advance(8);
  assert.deepEqual(heard, [0x12, 0x16, 0x12]);
});

test('a long write is whole and in order, and the caller may reuse its bytes', async (t) => {
  const { file, clock, transport } = await opened(t);
  const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at % 251);
  const expected = [...bytes];
  const writes = Promise.all([transport.write(bytes), transport.write(Uint8Array.of(1, 2, 3))]);
  bytes.fill(0xff);
  await clock.advance(40);
  await writes;
  assert.deepEqual(file.taken, [...expected, 1, 2, 3]);
});

test('a write counts only when the printer has taken it, not the kernel', async (t) => {
  const { file, clock, transport } = await opened(t);
  file.takes = false;
  let done = false;
  const written = transport.write(Uint8Array.of(1)).then(() => (done = true));
  await clock.advance(2_000);
  assert.equal(done, false);
  file.takes = true;
  await clock.advance(64);
  await written;
  assert.deepEqual(file.taken, [1]);
});

test('while the printer stalls, what it says is heard', async (t) => {
  const { file, clock, transport, heard } = await opened(t);
  file.takes = false;
  const written = transport.write(Uint8Array.of(1));
  await clock.advance(3_000);
  file.packets.push(Uint8Array.of(0x14));
  await clock.advance(64);
  assert.deepEqual(heard, [0x14]);
  file.takes = true;
  await clock.advance(64);
  await written;
});

test('a printer that takes nothing for too long is closed, its write fails, and it is opened again', async (t) => {
  const { file, clock, transport, faults, states } = await opened(t);
  file.takes = false;
  const failed = rejects(transport.write(Uint8Array.of(1)), 'vanished');
  await clock.advance(5_001);
  await failed;
  assert.deepEqual(faults, [['failed', `${device}: the device takes no more bytes`]]);
  assert.deepEqual(file.closed, [101]);
  file.takes = true;
  await clock.advance(1_200);
  assert.deepEqual(states, ['absent', 'ready']);
  const written = transport.write(Uint8Array.of(2));
  await clock.advance(4);
  await written;
  assert.deepEqual(file.taken, [2]);
});

test('what an earlier user was answered is discarded', async (t) => {
  const file = new ScriptedPrinterFile();
  file.packets.push(Uint8Array.of(0x32));
  const { clock, transport, heard } = stage(t, file);
  await clock.advance(50);
  assert.equal(transport.state, 'connecting');
  file.packets.push(Uint8Array.of(0x32));
  await clock.advance(600);
  assert.equal(transport.state, 'ready');
  assert.deepEqual(heard, []);
});

test('an idle printer is read twice a second, one that sends empty packets without end no more often', async (t) => {
  const { file, clock, heard } = await opened(t);
  file.reads = 0;
  await clock.advance(10_000);
  assert.equal(file.reads, 20);
  file.read = () => {
    file.reads++;
    return 0;
  };
  file.reads = 0;
  await clock.advance(10_000);
  assert.equal(file.reads, 20);
  assert.deepEqual(heard, []);
});

test('an answer is looked for often at first, then ever more seldom', async (t) => {
  const { file, clock, transport } = await opened(t);
  await clock.advance(1_000);
  const written = transport.write(Uint8Array.of(1));
  file.reads = 0;
  await clock.advance(4);
  await written;
  const turns: number[] = [];
  for (let ms = 0; ms < 2_000; ms++) {
    const before = file.reads;
    await clock.advance(1);
    if (file.reads > before) turns.push(ms + 1);
  }
  assert.deepEqual(turns, [8, 24, 56, 120, 248, 504, 1_004, 1_504]);
});

test('one that talks without end is read sixteen times in a turn', async (t) => {
  const { file, clock, transport } = await opened(t);
  file.read = (_, into) => {
    file.reads++;
    return into.length;
  };
  file.reads = 0;
  await clock.advance(500);
  assert.equal(file.reads, 16);
  assert.equal(transport.state, 'ready');
});

for (const oneWay of [false, true]) {
  test(`unplugged ${oneWay ? 'without a way back ' : ''}while idle: noticed within half a second, and back`, async (t) => {
    const file = new ScriptedPrinterFile();
    file.oneWay = oneWay;
    const { clock, transport, faults, states } = await opened(t, file);
    assert.equal(transport.oneWay, oneWay);
    file.present = false;
    file.openings = ['ENOENT', 'ENOENT'];
    await clock.advance(500);
    assert.deepEqual(states, ['absent']);
    await clock.advance(2_000);
    file.present = true;
    await clock.advance(1_200);
    assert.deepEqual(states, ['absent', 'ready']);
    assert.equal(faults.length, 1);
    assert.equal(faults[0]?.[0], 'unplugged');
    assert.equal(transport.oneWay, oneWay);
  });
}

test('unplugged during a write: the write fails at once', async (t) => {
  const { file, clock, transport } = await opened(t);
  file.takes = false;
  const failed = rejects(transport.write(Uint8Array.of(1)), 'vanished');
  await clock.advance(8);
  file.present = false;
  await clock.advance(4);
  await failed;
  await rejects(transport.write(Uint8Array.of(1)), 'absent');
});

test('a printer without a way back is written to all the same', async (t) => {
  const file = new ScriptedPrinterFile();
  file.oneWay = true;
  const { clock, transport, heard } = await opened(t, file);
  assert.equal(transport.oneWay, true);
  const written = transport.write(Uint8Array.of(1, 2));
  await clock.advance(4);
  await written;
  assert.deepEqual(file.taken, [1, 2]);
  assert.deepEqual(heard, []);
});

for (const [code, why] of [
  ['ENOENT', 'unplugged'],
  ['ENODEV', 'unplugged'],
  ['EBUSY', 'busy'],
  ['EACCES', 'noPermission'],
  ['EPERM', 'noPermission'],
  ['EIO', 'failed'],
] as const) {
  test(`${code} at the opening: ${why}`, async (t) => {
    const file = new ScriptedPrinterFile();
    file.openings = [code];
    const { faults } = stage(t, file);
    await settled();
    assert.deepEqual(
      faults.map(([each]) => each),
      [why],
    );
  });
}

test('a fault of the wire ends the connection, and the next one works', async (t) => {
  const { file, clock, states, faults } = await opened(t);
  file.readFault = 'EIO';
  await clock.advance(500);
  assert.deepEqual(states, ['absent']);
  assert.equal(faults[0]?.[0], 'failed');
  file.readFault = undefined;
  await clock.advance(1_200);
  assert.deepEqual(states, ['absent', 'ready']);
});

test('a fault right after the opening is an opening that failed', async (t) => {
  const file = new ScriptedPrinterFile();
  file.readFault = 'EIO';
  const { clock, states, transport } = stage(t, file);
  await clock.advance(100);
  assert.deepEqual(states, ['absent']);
  assert.deepEqual(file.closed, [101]);
  file.readFault = undefined;
  await clock.advance(1_200);
  assert.equal(transport.state, 'ready');
});

test('closed, it leaves no timer and no descriptor', async (t) => {
  const { file, clock, transport } = await opened(t);
  file.takes = false;
  const failed = rejects(transport.write(Uint8Array.of(1)), 'vanished');
  await transport.close();
  await failed;
  assert.deepEqual(file.closed, [101]);
  assert.equal(clock.pending, 0);
});

/** What follows goes through the system's own calls. A pty is a device of the kernel, though no USB printer. */
async function reached(t: TestContext, where: string, state: DeviceState) {
  const faults: DeviceAbsence[] = [];
  const options = { path: where, reconnectMs: 5, onFault: (_: unknown, why: DeviceAbsence) => faults.push(why) };
  const transport = new Line(options, usbPrinterWire({ path: where }));
  t.after(() => transport.close());
  await new Promise<void>((resolve) => {
    const stop = transport.onState((next) => {
      if (next !== state) return;
      stop();
      resolve();
    });
  });
  return { transport, faults };
}

test('through the system’s calls: both ways, and gone when it is pulled out', async (t) => {
  const pty = openTestPty();
  t.after(() => pty.unplug());
  const { transport, faults } = await reached(t, pty.path, 'ready');
  const bytes = Uint8Array.from({ length: 30_000 }, (_, at) => at % 256);
  await transport.write(bytes);
  assert.deepEqual(await pty.receive(bytes.length), Buffer.from(bytes));
  const heard = new Promise((resolve) => transport.onData((chunk) => resolve([...chunk])));
  pty.send(Uint8Array.of(0x12));
  assert.deepEqual(await heard, [0x12]);
  const gone = new Promise<void>((resolve) => transport.onState((state) => state === 'absent' && resolve()));
  pty.unplug();
  await gone;
  assert.equal(faults.length, 1);
});

test('a stalled printer does not hold up the process', { timeout: 20_000 }, async (t) => {
  const pty = openTestPty();
  t.after(() => pty.unplug());
  const { transport } = await reached(t, pty.path, 'ready');
  pty.stopReading();
  const bytes = new Uint8Array(200_000).fill(0x41);
  const writing = transport.write(bytes);
  // Each turn of the loop ends although the kernel takes nothing: a call that waits would never come back here.
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
  pty.readOn();
  await writing;
  assert.equal((await pty.receive(bytes.length)).length, bytes.length);
});

test('why it is absent, in the system’s own words', async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-usb-printer-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = path.join(dir, 'lp0');
  assert.deepEqual((await reached(t, file, 'absent')).faults, ['unplugged']);
  writeFileSync(file, 'a file');
  assert.deepEqual((await reached(t, file, 'absent')).faults, ['wrongDevice']);
});

test('only a device with the kernel’s number of USB devices is a USB printer', (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-usb-printer-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const pty = openTestPty();
  t.after(() => pty.unplug());
  assert.equal(isUsbPrinter(path.join(dir, 'missing')), false);
  assert.equal(isUsbPrinter('/dev/null'), false);
  assert.equal(isUsbPrinter(pty.path), false);
  // As stat(2) showed /dev/usb/lp0; with a minor number above 255; and what else there is.
  for (const [rdev, isDevice, expected] of [
    [180 << 8, true, true],
    [(180 << 8) | 15 | (1 << 20), true, true],
    [180 << 8, false, false],
    [(166 << 8) | 180, true, false],
  ] as const) {
    assert.equal(
      isUsbPrinter(device, () => ({ rdev, isCharacterDevice: () => isDevice })),
      expected,
    );
  }
});
