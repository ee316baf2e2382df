import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { applyRules, parseRules, type UdevDevice } from './udev-rules.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const text = await readFile(path.join(project, 'systemd/60-poid.rules'), 'utf8');
const rules = parseRules(text);
const port = 'pci-0000:00:14.0-usb-0:1.2:1.0';

function cdc(idVendor: string, serial?: string): UdevDevice {
  const usb = { idVendor, path: port, ...(serial === undefined ? {} : { serial }) };
  return { subsystem: 'tty', kernel: 'ttyACM0', usb };
}

/** hidraw's parent is named after bus, vendor and product. */
function hid(parent: string, usb?: UdevDevice['usb']): UdevDevice {
  return { subsystem: 'hidraw', kernel: 'hidraw0', parents: [parent, 'uhid'], ...(usb ? { usb } : {}) };
}

describe('60-poid.rules', () => {
  for (const [what, device, kind] of [
    ['an ID TECH reader on USB-CDC', cdc('0acd'), 'reader'],
    ['an Epson printer on USB-CDC', cdc('04b8'), 'printer'],
    ['a Star printer on USB-CDC', cdc('0519'), 'printer'],
    ['a Bixolon printer on USB-CDC', cdc('1504'), 'printer'],
    ['a Citizen printer on USB-CDC', cdc('1d90'), 'printer'],
    ['a Honeywell scanner', cdc('0c2e'), 'scanner'],
    ['a Zebra scanner', cdc('05e0'), 'scanner'],
    ['a Datalogic scanner', cdc('05f9'), 'scanner'],
    ['a Newland scanner', cdc('1eab'), 'scanner'],
    [
      'a printer of the USB class, of any maker',
      { subsystem: 'usbmisc', kernel: 'lp0', usb: { idVendor: '0fe6', path: port } },
      'printer',
    ],
    ['a DynaFlex on USB', hid('0003:0801:2020.0001', { idVendor: '0801', path: port }), 'reader-hid'],
    ['an ID TECH reader as HID device', hid('0003:0ACD:3530.0002', { idVendor: '0acd', path: port }), 'reader-hid'],
  ] as const) {
    test(`${what} is /dev/poid/${kind}, and has the name of its port`, () => {
      const { links, group, mode } = applyRules(rules, device);
      assert.deepEqual(
        { links, group, mode },
        {
          links: [`poid/${kind}`, `poid/${kind}-at-${port}`],
          group: 'poid',
          mode: '0660',
        },
      );
    });
  }

  test('a reader with a serial number has a name of its own', () => {
    assert.deepEqual(applyRules(rules, cdc('0acd', 'SN4711')).links, [
      'poid/reader',
      'poid/reader-SN4711',
      `poid/reader-at-${port}`,
    ]);
  });

  test('a serial number that would lead to the name of another device gives no name', () => {
    const names = (kind: 'reader' | 'reader-hid', serial: string) => {
      const usb = { idVendor: '0acd', serial, path: 'pci-0000:00:14.0-usb-0:4:1.0' };
      const device = kind === 'reader' ? { ...cdc('0acd'), usb } : hid('0003:0ACD:3530.0002', usb);
      return applyRules(rules, device).links;
    };
    const others = [
      ...applyRules(rules, cdc('0acd', 'SN1')).links,
      ...applyRules(rules, hid('0003:0ACD:3530.0002', { idVendor: '0acd', serial: 'SN1', path: port })).links,
    ];
    for (const kind of ['reader', 'reader-hid'] as const) {
      const own = [`poid/${kind}`, `poid/${kind}-at-pci-0000:00:14.0-usb-0:4:1.0`];
      for (const taken of others) {
        const serial = taken.replace(/^poid\/reader-/, '');
        // The same kind may have the same serial number: the daemon then tells them apart (drivers/transport/identity.ts).
        if (serial === taken || serial === 'SN1') continue;
        assert.deepEqual(names(kind, serial), own, serial);
      }
      for (const serial of ['at-', 'hid-', 'SN1/../x', 'SN 1', 'SN\\x2f1', 'SN"1', 'SN\u009b1', 'SÑ1', 'SN$1'])
        assert.deepEqual(names(kind, serial), own, serial);
    }
  });

  test('every other serial number gives one', () => {
    for (const serial of ['hid1', 'SN-at-1', 'AT-1', '0123456789ABCDEF', 'A#+.:=@_-b', '7']) {
      assert.ok(applyRules(rules, cdc('0acd', serial)).links.includes(`poid/reader-${serial}`), serial);
    }
  });

  test('a reader that the kernel plays has a name, though it is on no port', () => {
    for (const parent of ['0003:0801:2020.0001', '0003:0801:2023.0001', '0003:0801:2024.0007', '0003:0ACD:3530.0001']) {
      assert.deepEqual(applyRules(rules, hid(parent)).links, ['poid/reader-hid'], parent);
    }
  });

  test('ModemManager leaves what is on USB-CDC alone', () => {
    for (const vendor of ['0acd', '04b8', '0c2e']) {
      assert.equal(applyRules(rules, cdc(vendor)).env['ID_MM_DEVICE_IGNORE'], '1');
    }
  });

  for (const [what, device] of [
    ['a keyboard', hid('0003:046D:C31C.0001', { idVendor: '046d', path: port })],
    ['another HID device of MagTek', hid('0003:0801:0011.0001')],
    ['a modem', cdc('2c7c')],
    ['a plain serial line', { subsystem: 'tty', kernel: 'ttyS0' }],
    ['a hiddev, which is in the class of USB printers too', { subsystem: 'usbmisc', kernel: 'hiddev0' }],
    ['a device that goes', { ...cdc('0acd', 'SN4711'), action: 'remove' }],
  ] as const) {
    test(`${what} is left as it is`, () => {
      const { links, group, mode } = applyRules(rules, device);
      assert.deepEqual({ links, group, mode }, { links: [], group: undefined, mode: undefined });
    });
  }

  test('a rule with a fault is noticed', () => {
    assert.throws(() => parseRules('SUBSYSTEM=="tty" GROUP="poid"'));
    assert.throws(() => parseRules('SUBSYSTEM="tty\', GROUP="poid"'));
    assert.throws(() => applyRules(parseRules('GOTO="nowhere"'), cdc('0acd')));
    assert.throws(() => applyRules(parseRules('SUBSYSTEMX=="tty"'), cdc('0acd')));
  });
});

test('the simulator’s package gives /dev/uhid to the group of the service', async () => {
  const simulator = parseRules(await readFile(path.join(project, 'packaging/debian/poid-sim.rules'), 'utf8'));
  assert.deepEqual(simulator, [
    [
      { key: 'KERNEL', operator: '==', value: 'uhid' },
      { key: 'GROUP', operator: '=', value: 'poid' },
      { key: 'MODE', operator: '=', value: '0660' },
      { key: 'OPTIONS', operator: '+=', value: 'static_node=uhid' },
    ],
  ]);
});
