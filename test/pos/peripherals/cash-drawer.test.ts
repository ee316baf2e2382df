import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { CashDrawer } from '../../../src/pos/peripherals/cash-drawer.ts';
import type { PrinterFault } from '../../../src/base/ports/receipt-printer.ts';

let fault: PrinterFault | undefined;
let pulses: number;
let reported: boolean[];
let drawer: CashDrawer;
beforeEach(() => {
  fault = undefined;
  pulses = 0;
  reported = [];
  const openDrawer = async () => {
    pulses += fault === undefined ? 1 : 0;
    return fault;
  };
  drawer = new CashDrawer({ fault, openDrawer });
  drawer.onChange(() => reported.push(drawer.stayedShut));
});

test('a cash sale that could not open it is told, until it was opened by the operator', async () => {
  fault = 'absent';
  await drawer.openForSale();
  assert.deepEqual(reported, [true]);
  assert.equal(await drawer.openDrawer(), 'absent');
  assert.deepEqual(reported, [true], 'it is still shut');
  fault = undefined;
  assert.equal(pulses, 0, 'it does not open by itself when nobody stands there');
  assert.equal(await drawer.openDrawer(), undefined);
  assert.deepEqual([reported, pulses], [[true, false], 1]);
});

test('the next cash sale that opens it ends it, too', async () => {
  fault = 'error';
  await drawer.openForSale();
  await drawer.openForSale();
  fault = undefined;
  await drawer.openForSale();
  assert.deepEqual(reported, [true, false]);
});

test('one that opens, and an opening without a sale that does not, are no news', async () => {
  await drawer.openForSale();
  fault = 'absent';
  await drawer.openDrawer();
  assert.deepEqual(reported, []);
});
