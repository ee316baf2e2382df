import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbsenceError } from '../../../drivers/transport/absence.ts';
import { chooseHid, type FoundHid } from '../../../drivers/transport/hid.ts';

function device(path: string, serialNumber?: string, number = -1): FoundHid {
  return { path, serialNumber, interface: number };
}

function refuses(found: readonly FoundHid[], serial: string | undefined, why: string, words: RegExp): void {
  assert.throws(
    () => chooseHid(found, serial),
    (error) => error instanceof AbsenceError && error.why === why && words.test(error.message),
  );
}

test('one device is taken, with its serial number or without one', () => {
  assert.equal(chooseHid([device('/dev/hidraw0', 'SN1')], undefined), '/dev/hidraw0');
  assert.equal(chooseHid([device('/dev/hidraw0')], undefined), '/dev/hidraw0');
  assert.equal(chooseHid([device('/dev/hidraw0', 'SN1')], 'SN1'), '/dev/hidraw0');
});

test('none is an ordinary absence', () => {
  assert.throws(() => chooseHid([], 'SN1'), { name: 'Error', message: 'no HID devices of these ids' });
  assert.throws(() => chooseHid([{ interface: 0 }], undefined), { name: 'Error' });
});

test('of one device with several interfaces, each found for several collections, the first counts', () => {
  const found = [device('/dev/hidraw1', 'SN1', 1), device('/dev/hidraw0', 'SN1', 0), device('/dev/hidraw0', 'SN1', 0)];
  assert.equal(chooseHid(found, undefined), '/dev/hidraw0');
  assert.equal(chooseHid(found, 'SN1'), '/dev/hidraw0');
});

test('two devices: the serial number decides, and without it neither is taken', () => {
  const found = [device('/dev/hidraw0', 'SN1', 0), device('/dev/hidraw1', 'SN2', 0)];
  assert.equal(chooseHid(found, 'SN2'), '/dev/hidraw1');
  refuses(found, undefined, 'severalFit', /serial number SN1, serial number SN2/);
  refuses(found, 'SN3', 'wrongSerial', /serial number SN1, serial number SN2/);
  refuses([device('/dev/hidraw0')], 'SN3', 'wrongSerial', /no serial number/);
});

test('two devices with one serial number can’t be told apart', () => {
  refuses([device('/dev/hidraw0', 'SN1', 0), device('/dev/hidraw1', 'SN1', 0)], 'SN1', 'severalFit', /2 equal devices/);
});

test('a serial number that begins like the configured one is another one', () => {
  refuses([device('/dev/hidraw0', 'SN12')], 'SN1', 'wrongSerial', /SN12/);
});
