import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportStream } from '../../../drivers/transport/report-stream.ts';
import type { ReportTransport } from '../../../drivers/transport/reports.ts';
import { openSerial } from '../../../drivers/transport/serial.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedPath } from '../card-reader/scripted-path.ts';
import { openTestPty } from './test-pty.ts';
import { becomes } from '../../support/device-state.ts';

const counted = (first: number) => Uint8Array.from({ length: 64 }, (_, i) => (first + i) & 0xff);
const three = Buffer.concat([counted(0), counted(64), counted(128)]);

interface Stage {
  readonly path: ScriptedPath;
  readonly clock: ManualClock;
  readonly stream: ReportTransport;
  readonly reports: Uint8Array[];
}

function stage(): Stage {
  const path = new ScriptedPath();
  const clock = new ManualClock();
  const stream = reportStream(path, { clock });
  const reports: Uint8Array[] = [];
  stream.onReport((report) => reports.push(report));
  return { path, clock, stream, reports };
}

test('reports come whole, however the bytes arrive', () => {
  for (let size = 1; size <= three.length; size++) {
    const { path, reports, clock } = stage();
    for (let at = 0; at < three.length; at += size) path.receive(three.subarray(at, at + size));
    assert.deepEqual(reports, [counted(0), counted(64), counted(128)], `pieces of ${size}`);
    assert.equal(clock.pending, 0);
  }
});

test('a report is written as it is, and nothing else is', async () => {
  const { path, stream } = stage();
  await stream.write(counted(1));
  assert.deepEqual(path.written, [counted(1)]);
  for (const length of [0, 63, 65]) await assert.rejects(stream.write(new Uint8Array(length)), RangeError);
});

test('a lost byte shifts nothing after the next silence', async () => {
  const { path, clock, reports } = stage();
  path.receive(counted(7).subarray(1));
  await clock.advance(499);
  path.receive(Uint8Array.of());
  await clock.advance(500);
  path.receive(counted(0));
  assert.deepEqual(reports, [counted(0)]);
});

test('a pause within a report, shorter than that, is none', async () => {
  const { path, clock, reports } = stage();
  for (const byte of counted(0)) {
    path.receive(Uint8Array.of(byte));
    await clock.advance(499);
  }
  assert.deepEqual(reports, [counted(0)]);
});

test('a reconnection begins with the first byte of a report', () => {
  const { path, clock, reports } = stage();
  path.receive(counted(0).subarray(0, 30));
  path.become('absent');
  assert.equal(clock.pending, 0);
  path.become('ready');
  path.receive(counted(64));
  assert.deepEqual(reports, [counted(64)]);
});

test('close closes the line and leaves nothing behind', async () => {
  const { path, clock, stream } = stage();
  path.receive(counted(0).subarray(0, 30));
  await stream.close();
  assert.deepEqual([path.closed, path.listeners, clock.pending, stream.state], [true, 0, 0, 'absent']);
});

test('over a real line: both ways, unplugged, and plugged in elsewhere', { timeout: 20_000 }, async (t) => {
  const device = openTestPty();
  t.after(() => device.unplug());
  const clock = {
    now: () => new Date(),
    setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
    clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout | undefined),
  };
  const stream = reportStream(openSerial({ path: device.path, baudRate: 115_200, reconnectMs: 5 }), { clock });
  t.after(() => stream.close());
  assert.equal(stream.path, device.path);
  await becomes(stream, 'ready');
  const arrived = new Promise((resolve) => stream.onReport(resolve));
  device.send(counted(3));
  assert.deepEqual(await arrived, counted(3));
  await stream.write(counted(5));
  assert.deepEqual(await device.receive(64), Buffer.from(counted(5)));
  const gone = becomes(stream, 'absent');
  device.unplug();
  await gone;
});
