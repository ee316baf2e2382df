import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { AbsenceError } from '../../../drivers/transport/absence.ts';
import { assertMeant } from '../../../drivers/transport/identity.ts';

/** /sys with some devices, laid out as Linux 6.1 showed two readers behind dummy_hcd and one behind uhid. */
class FakeSys {
  readonly root: string;

  constructor(t: TestContext) {
    this.root = mkdtempSync(path.join(tmpdir(), 'poid-sys-'));
    t.after(() => rmSync(this.root, { recursive: true }));
  }

  /** A USB device on a port, with one interface and its line. Returns the line's device number. */
  plug(name: string, minor: number, { port = '1', serial = '', model = '0acd:3810', number = '00' } = {}): number {
    const usb = path.join(this.root, `devices/hcd.${minor}/usb${minor}/${minor}-${port}`);
    const [idVendor = '', idProduct = ''] = model.split(':');
    write(usb, { idVendor, idProduct, devpath: port, ...(serial === '' ? {} : { serial }) });
    write(path.join(usb, `${minor}-${port}:1.0`), { bInterfaceNumber: number, uevent: 'DRIVER=cdc_acm' });
    return this.#line(path.join(usb, `${minor}-${port}:1.0/tty/${name}`), 'tty', name, 166, minor);
  }

  /** A HID device that the kernel plays. */
  play(name: string, minor: number, serial: string): number {
    const hid = path.join(this.root, `devices/virtual/misc/uhid/0003:0801:2020.000${minor}`);
    write(hid, { uevent: `DRIVER=hid-generic\nHID_ID=0003:00000801:00002020\nHID_NAME=x\nHID_UNIQ=${serial}` });
    return this.#line(path.join(hid, `hidraw/${name}`), 'hidraw', name, 245, minor);
  }

  /** A line of no bus: /dev/ttyS0, or a pty. */
  build(name: string, minor: number): number {
    return this.#line(path.join(this.root, `devices/virtual/tty/${name}`), 'tty', name, 4, minor);
  }

  #line(directory: string, kind: string, name: string, major: number, minor: number): number {
    write(directory, { dev: `${major}:${minor}` });
    const devices = path.join(this.root, 'class', kind);
    mkdirSync(devices, { recursive: true });
    symlinkSync(devices, path.join(directory, 'subsystem'));
    symlinkSync(directory, path.join(devices, name));
    mkdirSync(path.join(this.root, 'dev/char'), { recursive: true });
    symlinkSync(directory, path.join(this.root, `dev/char/${major}:${minor}`));
    return (major << 8) | minor;
  }
}

function write(directory: string, attributes: Readonly<Record<string, string>>): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, value] of Object.entries(attributes)) writeFileSync(path.join(directory, name), `${value}\n`);
}

function refuses(work: () => void, why: string, words: RegExp): void {
  assert.throws(work, (error) => error instanceof AbsenceError && error.why === why && words.test(error.message));
}

test('one reader is the one that is meant, and so is a line of no bus', (t) => {
  const sys = new FakeSys(t);
  const identity = { sys: sys.root };
  assertMeant('/dev/poid/reader', sys.plug('ttyACM0', 0, { serial: 'SN1' }), identity);
  assertMeant('/dev/ttyS0', sys.build('ttyS0', 64), identity);
  assertMeant('/dev/pts/3', (136 << 8) | 3, identity);
});

test('the serial number is that of the device itself', (t) => {
  const sys = new FakeSys(t);
  const rdev = sys.plug('ttyACM0', 0, { serial: 'SN12' });
  assertMeant('/dev/poid/reader', rdev, { sys: sys.root, serial: 'SN12' });
  refuses(() => assertMeant('/dev/poid/reader', rdev, { sys: sys.root, serial: 'SN1' }), 'wrongSerial', /SN12/);
  const silent = sys.plug('ttyACM1', 1, { model: '1234:5678' });
  refuses(() => assertMeant('/dev/r', silent, { sys: sys.root, serial: 'SN1' }), 'wrongSerial', /no serial number/);
  refuses(() => assertMeant('/dev/pts/3', 34_819, { sys: sys.root, serial: 'SN1' }), 'wrongSerial', /no serial/);
});

test('of two equal readers the first name tells neither; serial number, and names by serial number or port, do', (t) => {
  const sys = new FakeSys(t);
  const first = sys.plug('ttyACM0', 0, { serial: 'SN1', port: '1.2' });
  const second = sys.plug('ttyACM1', 1, { serial: 'B 4711/x', port: '1.3' });
  const identity = { sys: sys.root };
  for (const rdev of [first, second]) {
    for (const at of ['/dev/poid/reader', '/dev/ttyACM0', '/dev/poid/reader-SN', '/dev/poid/reader-SN11']) {
      refuses(() => assertMeant(at, rdev, identity), 'severalFit', /2 equal devices/);
    }
  }
  for (const at of [
    '/dev/poid/reader-SN1',
    '/dev/serial/by-id/usb-ID_TECH_VP3300_SN1-if00',
    '/dev/poid/reader-at-pci-0000:00:14.0-usb-0:1.2:1.0',
    '/dev/serial/by-path/pci-0000:00:14.0-usb-0:1.2:1.0',
  ]) {
    assertMeant(at, first, identity);
    refuses(() => assertMeant(at, second, identity), 'severalFit', /2 equal devices/);
  }
  assertMeant('/dev/poid/reader-B_4711_x', second, identity);
  assertMeant('/dev/poid/reader', first, { ...identity, serial: 'SN1' });
  refuses(() => assertMeant('/dev/poid/reader', second, { ...identity, serial: 'SN1' }), 'wrongSerial', /B 4711/);
});

test('two that tell the same serial number are told apart by their port alone', (t) => {
  const sys = new FakeSys(t);
  const first = sys.plug('ttyACM0', 0, { serial: 'SN1', port: '1.2' });
  sys.plug('ttyACM1', 1, { serial: 'SN1', port: '1.3' });
  const identity = { sys: sys.root, serial: 'SN1' };
  refuses(() => assertMeant('/dev/poid/reader-SN1', first, identity), 'severalFit', /SN1, serial number SN1/);
  assertMeant('/dev/poid/reader-at-platform-hcd-usb-0:1.2:1.0', first, identity);
});

test('other devices do not matter: of another model, with another interface, or the second line of the same', (t) => {
  const sys = new FakeSys(t);
  const rdev = sys.plug('ttyACM0', 0, { serial: 'SN1' });
  sys.plug('ttyACM1', 1, { model: '0acd:3811' });
  sys.plug('ttyACM2', 2, { number: '02' });
  sys.build('ttyS0', 64);
  assertMeant('/dev/poid/reader', rdev, { sys: sys.root });
});

test('two HID devices that the kernel plays are told apart by their serial numbers', (t) => {
  const sys = new FakeSys(t);
  const first = sys.play('hidraw0', 1, 'SIM0001');
  assertMeant('/dev/hidraw0', first, { sys: sys.root });
  const second = sys.play('hidraw1', 2, 'SIM0002');
  refuses(() => assertMeant('/dev/hidraw0', first, { sys: sys.root }), 'severalFit', /SIM0001, serial number SIM0002/);
  assertMeant('/dev/hidraw1', second, { sys: sys.root, serial: 'SIM0002' });
  refuses(() => assertMeant('/dev/hidraw1', second, { sys: sys.root, serial: 'SIM0001' }), 'wrongSerial', /SIM0002/);
});
