import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DeviceAbsence } from '../../src/base/ports/device.ts';

/** The device can't or must not be used, for the reason `why`. */
export class AbsenceError extends Error {
  override readonly name = 'AbsenceError';
  readonly why: DeviceAbsence;

  constructor(why: DeviceAbsence, message: string) {
    super(message);
    this.why = why;
  }
}

/** The bindings report the reason as text, the C library's (strerror(3)) or their own. The first match decides. */
const meanings: readonly (readonly [text: RegExp, absence: DeviceAbsence])[] = [
  // EACCES of the file, EPERM of the unit's DeviceAllow.
  [/permission denied|not permitted/i, 'noPermission'],
  // EBUSY, and the lock that serialport takes (flock(2), TIOCEXCL).
  [/\block\b|busy|temporarily unavailable/i, 'busy'],
  [/no such (file|device)|no hid devices|vanished/i, 'unplugged'],
  // ENOTTY: something else is at the path.
  [/inappropriate ioctl|not a hidraw/i, 'wrongDevice'],
];

/** Why a path can't be used, from the binding's message. */
export function whyAbsent(reason: string): DeviceAbsence {
  return meanings.find(([text]) => text.test(reason))?.[1] ?? 'failed';
}

const hidClass = '/sys/class/hidraw';

/** The same for a HID device of these ids: if another device of its vendor is connected, the ids are wrong. */
export function whyHidAbsent(reason: string, vendorId: number, devices: string = hidClass): DeviceAbsence {
  const absence = whyAbsent(reason);
  return absence === 'unplugged' && hasDeviceOf(vendorId, devices) ? 'wrongIds' : absence;
}

/** The kernel's HID_ID is bus:vendor:product, with 4, 8 and 8 hexadecimal digits (drivers/hid/hid-core.c). */
function hasDeviceOf(vendorId: number, devices: string): boolean {
  try {
    return readdirSync(devices).some((name) => {
      const { groups } =
        /^HID_ID=\w{4}:(?<vendor>\w{8}):/m.exec(readFileSync(path.join(devices, name, 'device/uevent'), 'utf8')) ?? {};
      return Number.parseInt(groups?.['vendor'] ?? '', 16) === vendorId;
    });
  } catch {
    return false;
  }
}
