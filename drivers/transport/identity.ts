import fs from 'node:fs';
import path from 'node:path';
import { AbsenceError } from './absence.ts';

/** Which device is configured, if several could be at a path. */
export interface Identity {
  /** Its serial number, as the device reports it. */
  readonly serial?: string | undefined;
  /** The kernel's directory of devices; a test passes its own. */
  readonly sys?: string;
}

/** The kernel's description of a device (sysfs-bus-usb; for HID without USB, its uevent). */
interface KnownDevice {
  /** Its directory below /sys: two devices never share one. */
  readonly directory: string;
  /** Equal for devices of the same model. */
  readonly model: string;
  readonly serial: string | undefined;
  /** The socket of its hub that it is plugged into: 1.2. */
  readonly port: string | undefined;
}

/**
 * Throws AbsenceError if the device with this number, found at `at`, is not the configured one:
 * - 'wrongSerial': a serial number is configured, and it has another one or none.
 * - 'severalFit': an equal device is plugged in too, and neither the serial number nor the path identifies one of them.
 *   A path does so if udev has made it from the serial number or the port; /dev/ttyACM0 and /dev/poid/reader depend on
 *   which device was plugged in first, or last.
 */
export function assertMeant(at: string, rdev: number, { serial, sys = '/sys' }: Identity): void {
  const device = deviceOf(path.join(sys, 'dev/char', numbersOf(rdev)));
  if (serial !== undefined && device?.serial !== serial) throw wrongSerial([device?.serial]);
  if (!device) return;
  const equals = equalsOf(device, sys, path.join(sys, 'dev/char', numbersOf(rdev)));
  const rivals = serial === undefined ? equals : equals.filter((each) => each.serial === serial);
  if (rivals.length > 0 && !isNamed(at, device, rivals))
    throw severalFit([device, ...rivals].map((each) => each.serial));
}

export function wrongSerial(found: readonly (string | undefined)[]): AbsenceError {
  return new AbsenceError('wrongSerial', `there is ${listSerials(found)}, not the configured serial number`);
}

export function severalFit(found: readonly (string | undefined)[]): AbsenceError {
  return new AbsenceError(
    'severalFit',
    `${found.length} equal devices are there (${listSerials(found)}), and the configuration does not tell which is meant: ` +
      'give its serial number, or a path by its port',
  );
}

function listSerials(found: readonly (string | undefined)[]): string {
  return found.map((serial) => (serial ? `serial number ${serial}` : 'no serial number')).join(', ');
}

/** Major and minor number, as glibc's gnu_dev_major and gnu_dev_minor extract them. */
function numbersOf(rdev: number): string {
  return `${(rdev >>> 8) & 0xfff}:${(rdev & 0xff) | ((rdev >>> 12) & 0xfff00)}`;
}

/** The USB device, or the HID device that the kernel emulates, that a device of a class belongs to. */
function deviceOf(link: string): KnownDevice | undefined {
  const chain = listAncestors(link);
  const usb = chain.find((each) => readAttribute(each, 'idVendor') !== undefined);
  return usb === undefined ? playedDevice(chain) : usbDevice(usb, chain);
}

function usbDevice(directory: string, chain: readonly string[]): KnownDevice {
  const [vendor, product] = [readAttribute(directory, 'idVendor'), readAttribute(directory, 'idProduct')];
  const number = chain.map((each) => readAttribute(each, 'bInterfaceNumber')).find((each) => each !== undefined);
  return {
    directory,
    model: `${vendor}:${product}:${number}`,
    serial: readAttribute(directory, 'serial'),
    port: readAttribute(directory, 'devpath'),
  };
}

/** A device of uhid: it is on no bus, and only its uevent describes it. */
function playedDevice(chain: readonly string[]): KnownDevice | undefined {
  const directory = chain.find((each) => path.basename(path.dirname(each)) === 'uhid');
  const event = directory === undefined ? '' : (readAttribute(directory, 'uevent') ?? '');
  const model = /^HID_ID=(.+)$/m.exec(event)?.[1];
  if (directory === undefined || model === undefined) return undefined;
  return { directory, model, serial: /^HID_UNIQ=(.+)$/m.exec(event)?.[1], port: undefined };
}

/** The directory that a link leads to, and those above it. */
function listAncestors(link: string): string[] {
  const chain: string[] = [];
  let directory = resolveLink(link);
  while (directory !== undefined && directory !== path.dirname(directory)) {
    chain.push(directory);
    directory = path.dirname(directory);
  }
  return chain;
}

/** Other devices of the same model and class. A device with two interfaces has two lines but counts once. */
function equalsOf(device: KnownDevice, sys: string, link: string): KnownDevice[] {
  const kind = path.basename(resolveLink(path.join(link, 'subsystem')) ?? '');
  const devices = path.join(sys, 'class', kind);
  const others = new Map<string, KnownDevice>();
  for (const name of listNames(devices)) {
    const other = deviceOf(path.join(devices, name));
    if (other?.model === device.model && other.directory !== device.directory) others.set(other.directory, other);
  }
  return [...others.values()];
}

/** Whether udev has made this path from the device's serial number, or its port (ID_PATH: …-usb-0:1.2:1.0). */
function isNamed(at: string, { serial, port }: KnownDevice, rivals: readonly KnownDevice[]): boolean {
  const name = path.basename(at);
  if (port !== undefined && name.includes(`usb-0:${port}:`)) return true;
  if (serial === undefined || rivals.some((each) => each.serial === serial)) return false;
  // udev replaces these characters of a serial number in a name (udev_replace_chars).
  const written = serial.replaceAll(/[^\w#+.:=@-]/g, '_');
  return name.endsWith(`-${written}`) || name.includes(`_${written}-`);
}

function resolveLink(link: string): string | undefined {
  try {
    return fs.realpathSync(link);
  } catch {
    return undefined;
  }
}

function readAttribute(directory: string, name: string): string | undefined {
  try {
    return fs.readFileSync(path.join(directory, name), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function listNames(directory: string): string[] {
  try {
    return fs.readdirSync(directory).sort();
  } catch {
    return [];
  }
}
