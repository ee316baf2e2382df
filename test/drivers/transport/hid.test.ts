import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import {
  type FoundHid,
  type HidBinding,
  type HidHandle,
  type HidOptions,
  openHid,
} from '../../../drivers/transport/hid.ts';
import type { ReportTransport } from '../../../drivers/transport/reports.ts';
import {
  type DeviceAbsence,
  DeviceError,
  type DeviceErrorCode,
  type DeviceState,
} from '../../../src/base/ports/device.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

/**
 * A stand-in for HIDAsync at the boundary of the module: no machine of the tests has a hidraw device. It behaves as node-hid 3.4.0
 * is written (nodehid.js, src/HIDAsync.cc): reading begins in the tick after the first listener, and throws there when the device
 * is closed by then; a read that fails is one 'error', and no more data; a write to what has gone rejects.
 */
class FakeHandle extends EventEmitter implements HidHandle {
  readonly written: Buffer[] = [];
  writes: 'taken' | 'stuck' | 'failing' = 'taken';
  closing: 'at once' | 'never' = 'at once';
  closed = false;
  reading = false;
  readonly serialNumber: string | undefined;

  constructor(serialNumber?: string) {
    super();
    this.serialNumber = serialNumber;
    this.on('newListener', (event) => {
      if (event !== 'data') return;
      process.nextTick(() => {
        assert.ok(!this.closed, 'device has been closed');
        this.reading = true;
      });
    });
  }

  async write(bytes: Buffer): Promise<number> {
    if (this.writes === 'stuck') return new Promise(() => {});
    if (this.writes === 'failing' || this.closed) throw new Error('could not write to HID device');
    this.written.push(bytes);
    return bytes.length;
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.closing === 'never') return new Promise(() => {});
  }

  async getDeviceInfo(): Promise<{ serialNumber?: string | undefined }> {
    return { serialNumber: this.serialNumber };
  }

  say(report: Uint8Array): void {
    if (this.reading && !this.closed) this.emit('data', Buffer.from(report));
  }

  vanish(): void {
    this.reading = false;
    this.writes = 'failing';
    this.emit('error', new Error('could not read from HID device'));
  }
}

class FakeBinding implements HidBinding {
  readonly opened: (readonly unknown[])[] = [];
  readonly handles: FakeHandle[] = [];
  present = true;
  /** Devices of the ids that are asked for, in the order of the kernel. */
  found: FoundHid[] = [{ path: '/dev/hidraw3', serialNumber: 'SN1', interface: 0 }];
  /** What opened devices tell; by default what they were found with. */
  reported: string | undefined;
  readonly listed: (readonly number[])[] = [];
  readonly devicesAsync = async (...ids: number[]): Promise<FoundHid[]> => {
    this.listed.push(ids);
    return this.found;
  };
  readonly HIDAsync = {
    open: async (...address: unknown[]): Promise<HidHandle> => {
      this.opened.push(address);
      if (!this.present) throw new Error('cannot open device');
      const handle = new FakeHandle(this.reported ?? this.found.find(({ path }) => path === address[0])?.serialNumber);
      this.handles.push(handle);
      return handle;
    },
  };

  get handle(): FakeHandle {
    const last = this.handles.at(-1);
    assert.ok(last);
    return last;
  }
}

interface Stage {
  readonly hid: ReportTransport;
  readonly binding: FakeBinding;
  readonly clock: ManualClock;
  readonly states: DeviceState[];
  readonly reports: Uint8Array[];
  readonly faults: DeviceError[];
}

function stage(options: Partial<HidOptions> = {}, binding = new FakeBinding()): Stage {
  const clock = new ManualClock();
  const faults: DeviceError[] = [];
  const hid = openHid({
    address: { path: '/dev/hidraw0' },
    reportId: 'none',
    clock,
    load: async () => binding,
    onFault: (error) => faults.push(error),
    ...options,
  });
  const states: DeviceState[] = [];
  hid.onState((state) => states.push(state));
  const reports: Uint8Array[] = [];
  hid.onReport((report) => reports.push(report));
  return { hid, binding, clock, states, reports, faults };
}

async function ready(options: Partial<HidOptions> = {}): Promise<Stage> {
  const made = stage(options);
  await opened();
  assert.equal(made.hid.state, 'ready');
  made.states.length = 0;
  return made;
}

/** The binding's tick of its own comes between. */
async function opened(): Promise<void> {
  for (let i = 0; i < 3; i++) await settled();
}

function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => error instanceof DeviceError && error.code === code);
}

const counted = Uint8Array.from({ length: 64 }, (_, i) => i);

test('a path, or vendor and product id, is opened and named', async () => {
  const byPath = stage();
  assert.equal(byPath.hid.state, 'connecting');
  await opened();
  assert.deepEqual([byPath.hid.state, byPath.hid.path, byPath.states], ['ready', '/dev/hidraw0', ['ready']]);
  assert.deepEqual(byPath.binding.opened, [['/dev/hidraw0']]);
  const byNumbers = stage({ address: { vendorId: 0x0801, productId: 0x2020 } });
  await opened();
  assert.equal(byNumbers.hid.path, '0801:2020');
  assert.deepEqual(byNumbers.binding.listed, [[0x0801, 0x2020]]);
  assert.deepEqual(byNumbers.binding.opened, [['/dev/hidraw3']]);
});

test('a report goes out after 00 where the device numbers none, and as it is where it does', async () => {
  const plain = await ready();
  await plain.hid.write(counted);
  assert.deepEqual(plain.binding.handle.written, [Buffer.from([0x00, ...counted])]);
  const numbered = await ready({ reportId: 'first' });
  await numbered.hid.write(counted);
  assert.deepEqual(numbered.binding.handle.written, [Buffer.from(counted)]);
  for (const length of [0, 63, 65]) await assert.rejects(plain.hid.write(new Uint8Array(length)), RangeError);
});

test('the caller may use its bytes again', async () => {
  const { hid, binding } = await ready();
  const report = Uint8Array.from(counted);
  const written = hid.write(report);
  report.fill(0);
  await written;
  assert.deepEqual(binding.handle.written, [Buffer.from([0x00, ...counted])]);
});

test('reports of 64 bytes are handed out, others are not', async () => {
  const { binding, reports } = await ready();
  binding.handle.say(counted);
  binding.handle.say(new Uint8Array(63));
  binding.handle.say(new Uint8Array(65));
  binding.handle.say(counted);
  assert.deepEqual(reports, [counted, counted]);
});

test('a device that is not there: absent, one fault told, ready when it comes', async () => {
  const binding = new FakeBinding();
  binding.present = false;
  const { hid, clock, states, faults } = stage({}, binding);
  await opened();
  await clock.advance(3_000);
  assert.equal(binding.opened.length, 4);
  assert.deepEqual(states, ['absent']);
  assert.deepEqual(
    faults.map(({ code, message }) => [code, message]),
    [['absent', '/dev/hidraw0: cannot open device']],
  );
  await rejects(hid.write(counted), 'absent');
  binding.present = true;
  await clock.advance(1_000);
  await opened();
  assert.deepEqual(states, ['absent', 'ready']);
  await hid.write(counted);
});

test('a machine without the binding is a machine without the device', async () => {
  const { hid, faults } = stage({ load: () => Promise.reject(new Error('libusb-1.0.so.0: cannot open')) });
  await opened();
  assert.equal(hid.state, 'absent');
  assert.equal(faults.length, 1);
  await hid.close();
});

test('unplugged: a read that fails is absent, and ready again with what is plugged in next', async () => {
  const { hid, binding, clock, states, reports } = await ready();
  const first = binding.handle;
  first.vanish();
  assert.deepEqual(states, ['absent']);
  assert.ok(first.closed);
  await rejects(hid.write(counted), 'absent');
  await clock.advance(1_000);
  await opened();
  assert.deepEqual([states, binding.handles.length], [['absent', 'ready'], 2]);
  first.emit('data', Buffer.from(counted));
  first.emit('error', new Error('late'));
  assert.deepEqual([reports, hid.state], [[], 'ready'], 'what comes of the old one is of nobody');
  binding.handle.say(counted);
  assert.equal(reports.length, 1);
});

test('unplugged in the very moment of opening', async () => {
  const { hid, binding, clock } = stage();
  await settled();
  binding.handle.vanish();
  await opened();
  assert.equal(hid.state, 'absent');
  await clock.advance(1_000);
  await opened();
  assert.equal(hid.state, 'ready');
});

test('a write that fails: vanished, with all that wait', async () => {
  const { hid, binding, clock, states } = await ready();
  binding.handle.writes = 'stuck';
  const waiting = hid.write(counted);
  waiting.catch(() => {});
  binding.handle.writes = 'failing';
  await rejects(hid.write(counted), 'vanished');
  await rejects(waiting, 'vanished');
  await clock.advance(1_000);
  await opened();
  assert.deepEqual(states, ['absent', 'ready']);
});

test('a device that takes no more reports is given up after the deadline', async () => {
  const { hid, binding, clock, states } = await ready({ writeTimeoutMs: 5_000 });
  binding.handle.writes = 'stuck';
  const stuck = hid.write(counted);
  stuck.catch(() => {});
  await clock.advance(4_999);
  assert.deepEqual(states, []);
  await clock.advance(1);
  await rejects(stuck, 'vanished');
  assert.deepEqual(states, ['absent']);
});

test('the queue is bounded', async () => {
  const { hid, binding } = await ready();
  binding.handle.writes = 'stuck';
  const waiting = Array.from({ length: 256 }, () => hid.write(counted));
  for (const write of waiting) write.catch(() => {});
  await rejects(hid.write(counted), 'refused');
  await hid.close();
  for (const write of waiting) await rejects(write, 'vanished');
});

test('a device that sends more reports than any reader is absent, and is tried again', async () => {
  const { hid, binding, clock, states, reports, faults } = await ready();
  for (let second = 0; second < 3; second++) {
    for (let count = 0; count < 500; count++) binding.handle.say(counted);
    await clock.advance(1_000);
  }
  assert.deepEqual([states, reports.length], [[], 1_500]);
  for (let count = 0; count < 5_000; count++) binding.handle.say(counted);
  assert.deepEqual([states, reports.length, binding.handle.closed], [['absent'], 2_000, true]);
  assert.match(faults.at(-1)?.message ?? '', /sends more reports than any reader/);
  await clock.advance(1_000);
  await opened();
  assert.equal(hid.state, 'ready');
});

test('close is final, at any moment, and twice', async () => {
  const { hid, binding, clock, states } = await ready();
  await Promise.all([hid.close(), hid.close()]);
  assert.deepEqual([hid.state, states, binding.handle.closed, clock.pending], ['absent', ['absent'], true, 0]);
  await rejects(hid.write(counted), 'absent');
  await clock.advance(60_000);
  assert.equal(binding.opened.length, 1);

  const opening = stage();
  await opening.hid.close();
  assert.deepEqual([opening.hid.state, opening.states, opening.clock.pending], ['absent', ['absent'], 0]);
  assert.ok(opening.binding.handle.closed, 'opened meanwhile, and closed again');

  const missing = new FakeBinding();
  missing.present = false;
  const away = stage({}, missing);
  await opened();
  await away.hid.close();
  assert.equal(away.clock.pending, 0);
});

test('a device that does not let itself be closed keeps nobody for ever', async () => {
  const { hid, binding, clock } = await ready({ writeTimeoutMs: 5_000 });
  binding.handle.closing = 'never';
  let closed = false;
  const closing = hid.close().then(() => (closed = true));
  await clock.advance(4_999);
  assert.equal(closed, false);
  await clock.advance(1);
  await closing;
  assert.equal(hid.state, 'absent');
});

describe('of two equal readers', () => {
  const both: FoundHid[] = [
    { path: '/dev/hidraw0', serialNumber: 'SN1', interface: 0 },
    { path: '/dev/hidraw1', serialNumber: 'SN2', interface: 0 },
  ];
  const address = { vendorId: 0x0801, productId: 0x2020 };

  async function found(devices: FoundHid[], serial?: string, reported?: string) {
    const binding = new FakeBinding();
    binding.found = devices;
    binding.reported = reported;
    const whys: DeviceAbsence[] = [];
    const made = stage({ address, identity: { serial }, onFault: (_, why) => whys.push(why) }, binding);
    await opened();
    return { ...made, whys };
  }

  test('the one with the serial number is opened, in whatever order they are found', async () => {
    for (const devices of [both, both.toReversed()]) {
      const { hid, binding } = await found(devices, 'SN2');
      assert.equal(hid.state, 'ready');
      assert.deepEqual(binding.opened, [['/dev/hidraw1']]);
    }
  });

  test('without a serial number none is opened, until one of them is pulled out', async () => {
    const { hid, binding, whys, clock } = await found([...both]);
    assert.deepEqual([hid.state, whys, binding.opened], ['absent', ['severalFit'], []]);
    binding.found.pop();
    await clock.advance(1_000);
    await opened();
    assert.equal(hid.state, 'ready');
    assert.deepEqual(binding.opened, [['/dev/hidraw0']]);
  });

  test('the other one is not taken for one that is away', async () => {
    const { hid, binding, whys, clock } = await found(both.slice(1), 'SN1');
    assert.deepEqual([hid.state, whys, binding.opened], ['absent', ['wrongSerial'], []]);
    binding.found = both;
    await clock.advance(1_000);
    await opened();
    assert.equal(hid.state, 'ready');
    assert.deepEqual(binding.opened, [['/dev/hidraw0']]);
  });

  test('one that comes to the path while it is opened is closed again', async () => {
    const { hid, binding, whys } = await found(both, 'SN1', 'SN2');
    assert.deepEqual([hid.state, whys], ['absent', ['wrongSerial']]);
    assert.equal(binding.handle.closed, true);
  });
});
