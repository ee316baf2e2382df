import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { whyAbsent, whyHidAbsent } from '../../../drivers/transport/absence.ts';

// As serialport 13 and node-hid 3.4 said on Linux 6.1, and what DeviceAllow makes of an open(2).
for (const [reason, why] of [
  ['Error: No such file or directory, cannot open /dev/poid/reader', 'unplugged'],
  ['Error: No such device, cannot open /dev/ttyACM0', 'unplugged'],
  ['Error: Permission denied, cannot open /dev/ttyACM0', 'noPermission'],
  ['Error: Operation not permitted, cannot open /dev/ttyACM0', 'noPermission'],
  ['Error Resource temporarily unavailable Cannot lock port', 'busy'],
  ['Error: Device or resource busy, cannot open /dev/ttyACM0', 'busy'],
  ['Error: Inappropriate ioctl for device setting custom baud rate of 9600', 'wrongDevice'],
  ["ioctl(GRDESCSIZE) error for '/etc/passwd', not a HIDRAW device?: Inappropriate ioctl for device", 'wrongDevice'],
  ["Failed to open a device with path '/dev/hidraw0': Permission denied", 'noPermission'],
  ['No HID devices with requested VID/PID found in the system.', 'unplugged'],
  ['no HID devices of these ids', 'unplugged'],
  ['the device vanished', 'unplugged'],
  ['the device takes no more bytes', 'failed'],
  ['Error: Input/output error, cannot open /dev/blocked', 'failed'],
] as const) {
  test(`${reason}: ${why}`, () => assert.equal(whyAbsent(reason), why));
}

test('a HID device of other ids is told from none, by the vendor', (t) => {
  const none = 'No HID devices with requested VID/PID found in the system.';
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-hidraw-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const plug = (name: string, uevent: string) => {
    mkdirSync(path.join(dir, name, 'device'), { recursive: true });
    writeFileSync(path.join(dir, name, 'device/uevent'), uevent);
  };
  assert.equal(whyHidAbsent(none, 0x0801, path.join(dir, 'missing')), 'unplugged');
  plug('hidraw0', 'DRIVER=hid-generic\nHID_ID=0003:0000046D:0000C31C\nHID_NAME=Keyboard\n');
  assert.equal(whyHidAbsent(none, 0x0801, dir), 'unplugged');
  plug('hidraw1', 'DRIVER=hid-generic\nHID_ID=0003:00000801:00002023\n');
  assert.equal(whyHidAbsent(none, 0x0801, dir), 'wrongIds');
  assert.equal(whyHidAbsent('Permission denied', 0x0801, dir), 'noPermission');
});
