import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardReaders } from '../../../../drivers/registry.ts';
import { configurationSchema } from '../../../../src/config/configuration.ts';
import type { Clock } from '../../../../src/base/ports/clock.ts';
import type { DeviceAbsence } from '../../../../src/base/ports/device.ts';
import { openTestPty } from '../../transport/test-pty.ts';
import { reportsOf } from './stage.ts';
import { answerTo } from './fixture-messages.ts';
import { becomes } from '../../../support/device-state.ts';

const clock: Clock = {
  now: () => new Date(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
};
const { reader: schema } = configurationSchema.shape;

/** The same answer to the second request, a 2001. */
function ofPin(answer: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(answer);
  changed.set([0x02, 0x20, 0x01], 5);
  return changed;
}

test('a reader is configured by a path, or by its HID device', () => {
  const good: unknown[] = [
    { driver: 'neo2', path: '/dev/reader' },
    { driver: 'neo2', path: '/dev/reader', baudRate: 9600 },
    { driver: 'neo2', hid: { path: '/dev/hidraw0' } },
    { driver: 'neo2', hid: { vendorId: '0acd', productId: '3530' } },
    { driver: 'mms', hid: { vendorId: '0801', productId: '2020' } },
    { driver: 'mms', path: '/dev/pts/1' },
    { driver: 'neo2', hid: { stream: '/dev/pts/1' } },
    { driver: 'mms', hid: { stream: '/dev/pts/1' } },
    { driver: 'neo2', path: '/dev/reader', serial: 'SN 4711/x' },
    { driver: 'mms', hid: { vendorId: '0801', productId: '2020' }, serial: 'SN1' },
    { driver: 'mms', hid: { path: '/dev/hidraw0' }, serial: 'SN1' },
  ];
  for (const each of good) assert.ok(schema.safeParse(each).success, JSON.stringify(each));
  const wrong: unknown[] = [
    { path: '/dev/reader' },
    { driver: 'neo2' },
    { driver: 'other', path: '/dev/reader' },
    { driver: 'neo2', path: '/dev/reader', hid: { path: '/dev/hidraw0' } },
    { driver: 'mms', hid: {} },
    { driver: 'mms', hid: { path: '/dev/hidraw0', vendorId: '0801', productId: '2020' } },
    { driver: 'mms', hid: { vendorId: '0801' } },
    { driver: 'mms', hid: { productId: '2020' } },
    { driver: 'mms', hid: { path: '/dev/hidraw0', productId: '2020' } },
    { driver: 'mms', hid: { stream: '/dev/pts/1', vendorId: '0801', productId: '2020' } },
    { driver: 'mms', hid: { stream: '/dev/pts/1', path: '/dev/hidraw0' } },
    { driver: 'mms', hid: { vendorId: '801', productId: '2020' } },
    { driver: 'mms', hid: { vendorId: 2049, productId: 8224 } },
    { driver: 'mms', hid: { stream: '/dev/pts/1' }, serial: 'SN1' },
    { driver: 'mms', hid: { path: '/dev/hidraw0', serial: 'SN1' } },
    { driver: 'neo2', path: '/dev/reader', serial: '' },
    { driver: 'neo2', path: '/dev/reader', serial: 'SN\n1' },
  ];
  for (const each of wrong) assert.ok(!schema.safeParse(each).success, JSON.stringify(each));
});

test('HID devices that are not there are absent, and named', { timeout: 20_000 }, async (t) => {
  for (const [configured, name] of [
    [{ driver: 'mms', hid: { vendorId: '0801', productId: '20FE' } }, 'mms at 0801:20fe'],
    [{ driver: 'neo2', hid: { path: '/nonexistent/hidraw' } }, 'neo2 at /nonexistent/hidraw'],
  ] as const) {
    const device = schema.parse(configured);
    const reader = await cardReaders[device.driver](device, clock);
    t.after(() => reader.close());
    assert.equal(reader.name, name);
    await becomes(reader, 'absent');
  }
});

test('a configured serial number is asked of each way to a reader', { timeout: 20_000 }, async (t) => {
  const line = openTestPty();
  t.after(() => line.unplug());
  // None of these has a serial number.
  for (const way of [
    { driver: 'neo2', path: line.path },
    { driver: 'mms', path: line.path },
    { driver: 'neo2', hid: { path: '/dev/null' } },
    { driver: 'mms', hid: { path: '/dev/null' } },
  ] as const) {
    const device = schema.parse({ ...way, serial: 'SN1' });
    const whys: DeviceAbsence[] = [];
    const reader = await cardReaders[device.driver](device, clock, { onFault: (_, why) => whys.push(why) });
    t.after(() => reader.close());
    await becomes(reader, 'absent');
    assert.deepEqual(whys, ['wrongSerial'], JSON.stringify(way));
    assert.equal(line.received.length, 0, 'nothing is said to another reader');
  }
});

for (const [how, address] of [
  ['its path', (path: string) => ({ path })],
  ['hid.stream', (path: string) => ({ hid: { stream: path } })],
] as const) {
  test(`MMS over a stream of reports on a real line, named by ${how}`, { timeout: 20_000 }, async (t) => {
    const line = openTestPty();
    t.after(() => line.unplug());
    const device = schema.parse({ driver: 'mms', ...address(line.path) });
    const reader = await cardReaders[device.driver](device, clock);
    t.after(() => reader.close());
    const asked = await line.receive(64);
    assert.equal(asked.subarray(0, 14).toString('hex'), '000caa0081040101100884021008');
    const nothing = answerTo(0x01, 'cancel answer, no transaction');
    line.send(Buffer.concat(reportsOf(nothing)));
    // A PIN entry is ended too: 1008 ends only transactions.
    const pad = (await line.receive(128)).subarray(64);
    assert.equal(pad.subarray(6, 10).toString('hex'), '01022001');
    line.send(Buffer.concat(reportsOf(ofPin(nothing))));
    await becomes(reader, 'ready');
    const gone = becomes(reader, 'absent');
    line.unplug();
    await gone;
  });
}

test('NEO2 over a stream of reports on a real line: its frames come in reports of id 01', {
  timeout: 20_000,
}, async (t) => {
  const line = openTestPty();
  t.after(() => line.unplug());
  const device = schema.parse({ driver: 'neo2', hid: { stream: line.path } });
  const reader = await cardReaders[device.driver](device, clock);
  t.after(() => reader.close());
  const asked = await line.receive(64);
  assert.equal(asked.subarray(0, 11).toString('latin1'), '\x01ViVOtech2\0');
});
