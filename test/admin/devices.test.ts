import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import * as z from 'zod';
import { fittingOf } from '../../src/admin/devices/fitting.ts';
import { pluggedDevices } from '../../src/admin/devices/plugged.ts';
import { findFaults } from '../../src/config/faults.ts';
import { sampleConfiguration, sampleNames } from '../../src/config/sample.ts';

const root = mkdtempSync(path.join(tmpdir(), 'poid-devices-'));
after(() => rmSync(root, { recursive: true }));

/** A device as the kernel lays it out below /sys: its node leads to an interface of the USB device. */
function plug(kind: string, name: string, usb: Readonly<Record<string, string>>, links: readonly string[] = []): void {
  const device = path.join(root, 'sys/devices/usb1', `1-${name}`);
  const ownInterface = path.join(device, `1-${name}:1.0`);
  mkdirSync(ownInterface, { recursive: true });
  for (const [attribute, value] of Object.entries(usb)) writeFileSync(path.join(device, attribute), `${value}\n`);
  const node = path.join(root, 'sys/class', kind, name);
  mkdirSync(node, { recursive: true });
  symlinkSync(ownInterface, path.join(node, 'device'));
  const file = path.join(root, 'dev', kind === 'usbmisc' ? `usb/${name}` : name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  for (const link of links) {
    mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
    symlinkSync(file, path.join(root, link));
  }
}

plug(
  'tty',
  'ttyACM0',
  { idVendor: '0acd', idProduct: '4310', manufacturer: 'ID TECH', product: 'VP3300', serial: 'A1' },
  ['/dev/poid/reader', '/dev/poid/reader-A1'],
);
plug('tty', 'ttyACM1', { idVendor: '0c2e', idProduct: '0caa', product: 'Scanner' });
plug('tty', 'ttyUSB0', { idVendor: '0403', idProduct: '6001', product: 'Adapter' });
plug('hidraw', 'hidraw0', { idVendor: '0801', idProduct: '2020', product: 'DynaFlex', serial: 'B2' });
plug('hidraw', 'hidraw1', { idVendor: '046d', idProduct: 'c31c', product: 'Keyboard' });
plug('usbmisc', 'lp0', { idVendor: '04b8', idProduct: '0e15', product: 'TM-T20' }, ['/dev/poid/printer']);
mkdirSync(path.join(root, 'sys/class/tty/tty1'), { recursive: true });

test('each device has its ids, its names, its driver, and a configuration that passes the check', () => {
  const found = pluggedDevices(root).map((device) => ({ ...device, fits: fittingOf(device) }));
  assert.deepEqual(
    found.map(({ node, vendorId, productId, name, fits }) => [
      node,
      `${vendorId}:${productId}`,
      name,
      fits?.part,
      fits?.driver,
    ]),
    [
      ['/dev/ttyACM0', '0acd:4310', 'ID TECH VP3300', 'reader', 'neo2'],
      ['/dev/ttyACM1', '0c2e:0caa', 'Scanner', 'scanner', 'line'],
      ['/dev/ttyUSB0', '0403:6001', 'Adapter', undefined, undefined],
      ['/dev/hidraw0', '0801:2020', 'DynaFlex', 'reader', 'mms'],
      ['/dev/hidraw1', '046d:c31c', 'Keyboard', undefined, undefined],
      ['/dev/usb/lp0', '04b8:0e15', 'TM-T20', 'printer', 'escpos'],
    ],
  );
  assert.deepEqual(found[0]?.fits?.settings, { driver: 'neo2', path: '/dev/poid/reader-A1', serial: 'A1' });
  assert.deepEqual(found[3]?.fits?.settings, {
    driver: 'mms',
    hid: { vendorId: '0801', productId: '2020' },
    serial: 'B2',
  });
  assert.deepEqual(found[5]?.fits?.settings, { driver: 'escpos', path: '/dev/poid/printer' });
  const { configuration } = sampleConfiguration(sampleNames);
  for (const { fits } of found) {
    if (fits)
      assert.deepEqual(findFaults(JSON.stringify({ ...configuration, [fits.part]: fits.settings })), [], fits.driver);
  }
});

/** What `poid devices --json` prints. */
const devicesSchema = z.strictObject({
  devices: z.array(
    z.strictObject({
      kind: z.enum(['tty', 'hidraw', 'usbmisc']),
      node: z.string().startsWith('/dev/'),
      vendorId: z.string(),
      productId: z.string(),
      name: z.string(),
      serial: z.string(),
      links: z.array(z.string()),
      fits: z
        .strictObject({
          part: z.enum(['reader', 'printer', 'scanner']),
          driver: z.string(),
          settings: z.record(z.string(), z.unknown()),
        })
        .optional(),
    }),
  ),
});

test('a machine without devices has none, and what is printed as JSON has its schema', () => {
  assert.deepEqual(pluggedDevices(path.join(root, 'nowhere')), []);
  const devices = pluggedDevices(root).map((device) => ({ ...device, fits: fittingOf(device) }));
  devicesSchema.parse(JSON.parse(JSON.stringify({ devices })));
});
