import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { absenceFinding } from '../../src/admin/checks/devices.ts';
import { testCard } from '../../src/admin/selftest/card.ts';
import { testDrawer, testPrinter } from '../../src/admin/selftest/paper.ts';
import type { Person } from '../../src/admin/selftest/person.ts';
import { testScan } from '../../src/admin/selftest/selftest.ts';
import type { CardReader, CollectOutcome, PresentedCard } from '../../src/base/ports/card-reader.ts';
import type { CodeScanner, ScanOutcome } from '../../src/base/ports/code-scanner.ts';
import { deviceAbsences, DeviceError } from '../../src/base/ports/device.ts';
import type { PinOutcome } from '../../src/base/ports/pin-pad.ts';
import { type PrinterFault, printerFaults, type ReceiptPrinter } from '../../src/base/ports/receipt-printer.ts';

/** Does what is asked, and sees what is to be seen. */
const person: Person = { show: () => undefined, confirm: () => Promise.resolve(true) };
const amount = { minor: 100n, currency: 'HKD' } as const;
const fault = new DeviceError('vanished', 'the line has gone');
const card = { entryMode: 'CONTACTLESS_CHIP', appName: 'VISA CREDIT' } as unknown as PresentedCard;

/** A reader whose cards and keys go as they are told; an error is thrown. */
function readerOf(
  outcome: CollectOutcome | DeviceError,
  pin?: PinOutcome | DeviceError,
): { reader: CardReader; tries: number } {
  const settle = <T>(what: T | DeviceError): Promise<T> =>
    what instanceof DeviceError ? Promise.reject(what) : Promise.resolve(what);
  const made = {
    tries: 0,
    reader: {
      collect: () => {
        made.tries += 1;
        return settle(outcome);
      },
      ...(pin === undefined ? {} : { pinPad: { enterPin: () => settle(pin) } }),
    } as unknown as CardReader,
  };
  return made;
}

describe('what a self-test refuses', () => {
  test('a card that can never be read: three tries, and why', async () => {
    for (const reason of ['collision', 'card-lost', 'read-error'] as const) {
      const made = readerOf({ kind: 'tryAgain', reason });
      const [tap, pad] = await testCard(made.reader, amount, person, 100);
      assert.equal(made.tries, 3);
      assert.deepEqual([tap?.verdict, tap?.detail], ['FAIL', `the card could not be read: ${reason}`]);
      assert.match(tap?.remedy ?? '', /another card/);
      assert.equal(pad?.verdict, 'SKIPPED');
    }
  });

  test('no card at all; a card that the reader refuses was seen all the same', async () => {
    for (const kind of ['timeout', 'cancelled'] as const) {
      const [tap] = await testCard(readerOf({ kind }).reader, amount, person, 100);
      assert.deepEqual([tap?.verdict, tap?.detail], ['FAIL', 'no card was seen']);
    }
    const [refused] = await testCard(readerOf({ kind: 'refused', reason: 'expired' }).reader, amount, person, 100);
    assert.deepEqual([refused?.verdict, refused?.detail], ['PASS', 'a card was seen, and refused: expired']);
  });

  test('a reader that goes away while it waits for a card, and while it waits for a PIN', async () => {
    const [tap, pad] = await testCard(readerOf(fault, fault).reader, amount, person, 100);
    assert.deepEqual([tap?.verdict, tap?.detail, pad?.verdict], ['FAIL', 'the line has gone', 'SKIPPED']);
    const [read, vanished] = await testCard(readerOf({ kind: 'card', card }, fault).reader, amount, person, 100);
    assert.deepEqual([read?.verdict, vanished?.verdict, vanished?.detail], ['PASS', 'FAIL', 'the line has gone']);
    assert.match(vanished?.remedy ?? '', /its cable/);
  });

  test('a PIN pad whose keys nobody feels', async () => {
    const [, pad] = await testCard(readerOf({ kind: 'card', card }, { kind: 'timeout' }).reader, amount, person, 100);
    assert.deepEqual([pad?.verdict, pad?.detail], ['FAIL', 'no key was pressed, or none was felt']);
  });

  test('a printer, at each of its faults: page and drawer say which, and what to do', async () => {
    const remedies = new Set<string>();
    for (const each of printerFaults) {
      const say = (): Promise<PrinterFault> => Promise.resolve(each);
      const printer = { print: say, openDrawer: say } as unknown as ReceiptPrinter;
      const page = await testPrinter(printer, 'PT-1', person);
      const drawer = await testDrawer(printer, person);
      assert.deepEqual([page.verdict, page.detail], ['FAIL', `the printer says ${each}`]);
      assert.deepEqual([drawer.verdict, drawer.detail], ['FAIL', `the printer did not take the command: ${each}`]);
      assert.equal(page.remedy, drawer.remedy);
      remedies.add(page.remedy ?? '');
    }
    assert.equal(remedies.size, printerFaults.length);
  });

  test('a scanner: no code, nothing, and gone', async () => {
    const scan = async (outcome: ScanOutcome | undefined) => {
      const read = () => (outcome ? Promise.resolve(outcome) : Promise.reject(fault));
      const { verdict, detail } = await testScan({ scan: read } as unknown as CodeScanner, person, 100);
      return [verdict, detail];
    };
    assert.deepEqual(await scan({ kind: 'tryAgain' }), ['FAIL', 'what it read is no code']);
    assert.deepEqual(await scan({ kind: 'cancelled' }), ['FAIL', 'nothing was read']);
    assert.deepEqual(await scan(undefined), ['FAIL', 'the line has gone']);
  });

  test('a device that is absent: each cause has its own words and its own command', () => {
    const found = [undefined, ...deviceAbsences].map((why) => absenceFinding('reader', 'neo2 at /dev/x', why));
    assert.deepEqual(new Set(found.map(({ verdict }) => verdict)), new Set(['FAIL']));
    for (const part of ['detail', 'remedy'] as const)
      assert.equal(new Set(found.map((each) => each[part])).size, deviceAbsences.length + 1, part);
  });
});
