import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSerial, type SerialOptions } from '../../../drivers/transport/serial.ts';
import type { Transport } from '../../../drivers/transport/transport.ts';
import {
  type DeviceAbsence,
  DeviceError,
  type DeviceErrorCode,
  type DeviceState,
} from '../../../src/base/ports/device.ts';
import { openTestPty, type TestPty } from './test-pty.ts';
import { becomes } from '../../support/device-state.ts';

function pty(t: TestContext): TestPty {
  const opened = openTestPty();
  t.after(() => opened.unplug());
  return opened;
}

function line(t: TestContext, options: Partial<SerialOptions> & { path: string }): Transport {
  const opened = openSerial({ baudRate: 115_200, reconnectMs: 5, ...options });
  t.after(() => opened.close());
  return opened;
}

/** A stable link in a directory of its own, as udev makes one. */
function link(t: TestContext): { path: string; to(target: string): void } {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'serial-'));
  t.after(() => fs.rmSync(directory, { recursive: true }));
  const at = path.join(directory, 'reader');
  return {
    path: at,
    to: (target) => {
      fs.rmSync(at, { force: true });
      fs.symlinkSync(target, at);
    },
  };
}

/** Resolves with what arrives, once it is `count` bytes. */
function arrives(transport: Transport, count: number): Promise<Buffer> {
  return new Promise((resolve) => {
    let all = Buffer.alloc(0);
    const stop = transport.onData((chunk) => {
      all = Buffer.concat([all, chunk]);
      if (all.length < count) return;
      stop();
      resolve(all);
    });
  });
}

function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => error instanceof DeviceError && error.code === code);
}

const moments: readonly ((run: () => void) => void)[] = [
  (run) => run(),
  (run) => setImmediate(run),
  (run) => process.nextTick(run),
  (run) => queueMicrotask(run),
];

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const limit = { timeout: 20_000 };

test('every byte passes unchanged, both ways', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path });
  assert.equal(transport.state, 'connecting');
  await becomes(transport, 'ready');
  const arrived = arrives(transport, 256);
  device.send(everyByte);
  assert.deepEqual(await arrived, Buffer.from(everyByte));
  await transport.write(everyByte);
  assert.deepEqual(await device.receive(256), Buffer.from(everyByte));
});

test('writes arrive in order, and the caller may reuse its bytes', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path });
  await becomes(transport, 'ready');
  const bytes = Uint8Array.of(0);
  const writes = Array.from({ length: 100 }, (_, i) => {
    bytes[0] = i;
    return transport.write(bytes);
  });
  await Promise.all(writes);
  assert.deepEqual(
    [...(await device.receive(100))],
    Array.from({ length: 100 }, (_, i) => i),
  );
});

test('more than the kernel holds at once arrives whole', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path });
  await becomes(transport, 'ready');
  const job = Buffer.concat(Array.from({ length: 400 }, () => everyByte));
  await transport.write(job);
  assert.deepEqual(await device.receive(job.length), job);
});

test('while a write waits, what the device says is heard, and the write goes on when it reads', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path, writeTimeoutMs: 60_000 });
  await becomes(transport, 'ready');
  device.stopReading();
  const job = Buffer.concat(Array.from({ length: 400 }, () => everyByte));
  const bytes = Buffer.from(job);
  // In small pieces: the kernel takes some whole, then nothing.
  const writes = Array.from({ length: bytes.length / 64 }, (_, i) =>
    transport.write(bytes.subarray(i * 64, i * 64 + 64)),
  );
  bytes.fill(0);
  // Often, so that a write is stuck by then; and each time that something was read, both are to be watched again.
  for (let i = 0; i < 100; i++) {
    const heard = arrives(transport, 256);
    device.send(everyByte);
    assert.deepEqual(await heard, Buffer.from(everyByte));
  }
  device.readOn();
  await Promise.all(writes);
  assert.ok(job.equals(await device.receive(job.length)));
  assert.equal(transport.state, 'ready');
});

test('a write that finds the device gone rejects as vanished', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path, writeTimeoutMs: 60_000 });
  await becomes(transport, 'ready');
  device.unplug();
  await rejects(transport.write(Uint8Array.of(1)), 'vanished');
  assert.equal(transport.state, 'absent');
});

test('closing leaves DTR alone', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path });
  await becomes(transport, 'ready');
  const { stdout } = spawnSync('stty', ['-a', '-F', device.path], { encoding: 'utf8' });
  assert.match(stdout, /-hupcl/);
  assert.match(stdout, /-parenb/);
  assert.match(stdout, /cs8/);
  assert.match(stdout, /-cstopb/);
  assert.match(stdout, /-icanon/);
  assert.match(stdout, /-echo /);
  assert.match(stdout, /-ixon/);
  assert.match(stdout, /speed 115200 baud/);
});

test('a path that is not there yet: absent, one fault told, ready when it comes', limit, async (t) => {
  const at = link(t);
  const faults: [DeviceError, DeviceAbsence][] = [];
  let attempts = 0;
  const tried = Promise.withResolvers<void>();
  const transport = line(t, {
    path: at.path,
    onFault: (...fault) => faults.push(fault),
    clock: {
      now: () => new Date(),
      setTimeout: (run, ms) => {
        if (++attempts === 4) tried.resolve();
        return setTimeout(run, ms);
      },
      clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
    },
  });
  await tried.promise;
  assert.equal(transport.state, 'absent');
  assert.deepEqual(
    faults.map(([{ code }, why]) => [code, why]),
    [['absent', 'unplugged']],
  );
  await rejects(transport.write(Uint8Array.of(1)), 'absent');
  const device = pty(t);
  at.to(device.path);
  await becomes(transport, 'ready');
  await transport.write(everyByte);
  await device.receive(256);
});

test('a path that is no serial device is absent', limit, async (t) => {
  const at = link(t);
  fs.writeFileSync(at.path, 'no device');
  const fault = Promise.withResolvers<[DeviceError, DeviceAbsence]>();
  const transport = line(t, { path: at.path, onFault: (...reported) => fault.resolve(reported) });
  const [{ code }, why] = await fault.promise;
  assert.deepEqual([code, why], ['absent', 'wrongDevice']);
  await nextTurn();
  assert.equal(transport.state, 'absent');
});

test('unplugged while idle: absent, and ready again with what is plugged in next', limit, async (t) => {
  const at = link(t);
  const first = pty(t);
  at.to(first.path);
  const transport = line(t, { path: at.path });
  const states: DeviceState[] = [];
  transport.onState((state) => states.push(state));
  await becomes(transport, 'ready');
  for (let i = 0; i < 3; i++) {
    const device = i === 0 ? first : pty(t);
    at.to(device.path);
    await becomes(transport, 'ready');
    const arrived = arrives(transport, 1);
    device.send(Uint8Array.of(i));
    assert.deepEqual([...(await arrived)], [i]);
    const gone = becomes(transport, 'absent');
    device.unplug();
    await gone;
  }
  assert.deepEqual(states, ['ready', 'absent', 'ready', 'absent', 'ready', 'absent']);
});

test('unplugged in the middle of its own bytes is noticed too', limit, async (t) => {
  // The moment decides whether the binding is reading or waiting when the terminal hangs up.
  for (let i = 0; i < 12; i++) {
    const device = pty(t);
    const transport = line(t, { path: device.path, reconnectMs: 60_000 });
    await becomes(transport, 'ready');
    const gone = becomes(transport, 'absent');
    device.send(new Uint8Array(1000));
    moments[i % moments.length]?.(() => device.unplug());
    await gone;
    await transport.close();
  }
});

test('writes that wait when it is unplugged reject as vanished', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path });
  await becomes(transport, 'ready');
  device.stopReading();
  const writes = [transport.write(new Uint8Array(200_000)), transport.write(Uint8Array.of(1))];
  const settled = Promise.all(writes.map((write) => rejects(write, 'vanished')));
  device.unplug();
  await settled;
  await rejects(transport.write(Uint8Array.of(1)), 'absent');
});

test('a device that takes no more bytes is given up after the deadline', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path, baudRate: 4_000_000, writeTimeoutMs: 5 });
  await becomes(transport, 'ready');
  device.stopReading();
  const again = becomes(transport, 'absent').then(() => becomes(transport, 'ready'));
  await rejects(transport.write(new Uint8Array(200_000)), 'vanished');
  await again;
});

test('the queue is bounded', limit, async (t) => {
  const device = pty(t);
  const transport = line(t, { path: device.path });
  await becomes(transport, 'ready');
  device.stopReading();
  const first = transport.write(new Uint8Array(1024 * 1024));
  first.catch(() => {});
  await rejects(transport.write(Uint8Array.of(1)), 'refused');
  await transport.close();
  await rejects(first, 'vanished');
});

test('what was there before is not for this process', limit, async (t) => {
  const device = pty(t);
  device.send(Uint8Array.of(0x55, 0x55));
  const transport = line(t, { path: device.path });
  const arrived = arrives(transport, 1);
  await becomes(transport, 'ready');
  device.send(Uint8Array.of(0xaa));
  assert.deepEqual([...(await arrived)], [0xaa]);
});

test('close is final, at any moment, and twice', limit, async (t) => {
  const device = pty(t);
  const opening = line(t, { path: device.path });
  const states: DeviceState[] = [];
  opening.onState((state) => states.push(state));
  await opening.close();
  assert.deepEqual([opening.state, states], ['absent', ['absent']]);
  const ready = line(t, { path: device.path });
  await becomes(ready, 'ready');
  await Promise.all([ready.close(), ready.close()]);
  assert.equal(ready.state, 'absent');
  await rejects(ready.write(Uint8Array.of(1)), 'absent');
  const missing = line(t, { path: '/nonexistent/reader' });
  await becomes(missing, 'absent');
  await missing.close();
  const next = line(t, { path: device.path });
  await becomes(next, 'ready');
});

test('a path is opened once at a time', limit, async (t) => {
  const device = pty(t);
  const first = line(t, { path: device.path });
  await becomes(first, 'ready');
  const fault = Promise.withResolvers<DeviceAbsence>();
  const second = line(t, { path: device.path, onFault: (_error, why) => fault.resolve(why) });
  assert.equal(await fault.promise, 'busy');
  await first.close();
  await becomes(second, 'ready');
});

test('a line with another serial number than the configured one is not opened', limit, async (t) => {
  const device = pty(t);
  const whys: DeviceAbsence[] = [];
  const transport = line(t, { path: device.path, identity: { serial: 'SN1' }, onFault: (_, why) => whys.push(why) });
  await becomes(transport, 'absent');
  assert.deepEqual(whys, ['wrongSerial']);
  const any = line(t, { path: device.path, identity: {} });
  await becomes(any, 'ready');
});

test('where a serial number counts, an empty path is an unplugged device too', limit, async (t) => {
  const whys: DeviceAbsence[] = [];
  const options = { path: link(t).path, identity: { serial: 'SN1' } };
  const transport = line(t, { ...options, onFault: (_, why) => whys.push(why) });
  await becomes(transport, 'absent');
  assert.deepEqual(whys, ['unplugged']);
});
