import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** A connected device, as the kernel describes it (sysfs-bus-usb). */
export interface PluggedDevice {
  /** 'tty', 'hidraw', or 'usbmisc' for a printer of the USB class. */
  readonly kind: 'tty' | 'hidraw' | 'usbmisc';
  /** /dev/ttyACM0 */
  readonly node: string;
  /** Four hexadecimal digits, in small letters; empty for a line that is part of the machine. */
  readonly vendorId: string;
  readonly productId: string;
  readonly name: string;
  readonly serial: string;
  /** Stable names, made by udev: those below /dev/poid first. */
  readonly links: readonly string[];
}

const classes = ['tty', 'hidraw', 'usbmisc'] as const;

/** The devices of the machine whose file system is at `root`, by their nodes. */
export function pluggedDevices(root = '/'): PluggedDevice[] {
  const links = linksBelow(root);
  return classes.flatMap((kind) =>
    namesIn(path.join(root, 'sys/class', kind)).flatMap((name) => {
      const found = describeDevice(root, kind, name);
      if (!found) return [];
      const node = nodeOf(kind, name);
      return [{ kind, node, ...found, links: links.get(node) ?? [] }];
    }),
  );
}

function nodeOf(kind: PluggedDevice['kind'], name: string): string {
  return kind === 'usbmisc' ? `/dev/usb/${name}` : `/dev/${name}`;
}

type Described = Pick<PluggedDevice, 'vendorId' | 'productId' | 'name' | 'serial'>;

/** Undefined for a virtual terminal of the kernel, and for an unknown line. */
function describeDevice(root: string, kind: string, name: string): Described | undefined {
  const directory = resolveLink(path.join(root, 'sys/class', kind, name, 'device'));
  if (directory === undefined || (kind === 'usbmisc' && !/^lp\d+$/.test(name))) return undefined;
  for (let at = directory; at !== path.dirname(at) && at.startsWith(path.resolve(root)); at = path.dirname(at)) {
    const vendorId = attribute(at, 'idVendor');
    if (vendorId !== undefined) {
      const words = [attribute(at, 'manufacturer'), attribute(at, 'product')];
      const productId = attribute(at, 'idProduct') ?? '';
      return { vendorId, productId, name: words.filter(Boolean).join(' '), serial: attribute(at, 'serial') ?? '' };
    }
  }
  if (kind === 'hidraw') return describeHid(directory);
  // A line of the machine: the kernel knows its chip where there is one.
  return kind === 'tty' && /^tty(?:S|AMA|O|mxc)\d+$/.test(name) && attribute(path.dirname(directory), 'type') !== '0'
    ? { vendorId: '', productId: '', name: 'serial line of the machine', serial: '' }
    : undefined;
}

/** The uevent of a HID device without USB describes it: HID_ID=0003:00000801:00002020. */
function describeHid(directory: string): Described | undefined {
  const event = attribute(directory, 'uevent') ?? '';
  const [, vendorId = '', productId = ''] = /^HID_ID=[0-9A-F]+:0*([0-9A-F]{4}):0*([0-9A-F]{4})$/m.exec(event) ?? [];
  if (vendorId === '') return undefined;
  const field = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(event)?.[1] ?? '';
  return {
    vendorId: vendorId.toLowerCase(),
    productId: productId.toLowerCase(),
    name: field('HID_NAME'),
    serial: field('HID_UNIQ'),
  };
}

/** By node: the links of udev that lead to it. */
function linksBelow(root: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const directory of ['dev/poid', 'dev/serial/by-id']) {
    for (const name of namesIn(path.join(root, directory))) {
      const target = resolveLink(path.join(root, directory, name));
      if (target === undefined) continue;
      const node = `/${path.relative(root, target)}`;
      found.set(node, [...(found.get(node) ?? []), `/${directory}/${name}`]);
    }
  }
  return found;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch {
    return [];
  }
}

function resolveLink(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined;
  }
}

function attribute(directory: string, name: string): string | undefined {
  try {
    return readFileSync(path.join(directory, name), 'utf8').trim();
  } catch {
    return undefined;
  }
}
