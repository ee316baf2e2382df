import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type DrawerRecord, TillDrawer } from '../../../src/pos/peripherals/till-drawer.ts';
import { ScriptedPrinter } from '../../payment/terminal/scripted-printer.ts';

let printer: ScriptedPrinter;
let recorded: DrawerRecord[];
beforeEach(() => {
  printer = new ScriptedPrinter();
  recorded = [];
});

const drawerOf = (isAllowed = true) =>
  new TillDrawer({
    isAllowed,
    printer,
    record: (entry) => {
      recorded.push(entry);
      // What is recorded first is recorded before the pulse.
      assert.equal(printer.drawers, recorded.filter(({ state }) => state === 'opened').length);
    },
  });
const call = { posId: 'POS-1', messageId: 'D-1', cashierId: 'Ann' };

test('one pulse for one name, and a record of who asked, before and after it', async () => {
  const drawer = drawerOf();
  assert.deepEqual(await Promise.all([drawer.open(call), drawer.open(call)]), ['opened', 'opened']);
  assert.equal(await drawer.open(call), 'opened');
  assert.equal(printer.drawers, 1);
  assert.deepEqual(recorded, [
    { ...call, state: 'asked' },
    { ...call, state: 'opened' },
  ]);
  assert.equal(await drawer.open({ ...call, cashierId: 'Bob' }), 'otherRequest');
  assert.equal(await drawer.open({ ...call, posId: 'POS-2' }), 'opened');
  assert.equal(printer.drawers, 2);
});

test('what did not happen is recorded, and may be asked for again', async () => {
  const drawer = drawerOf();
  printer.fault = 'absent';
  assert.partialDeepStrictEqual(drawer.currentRefusal, { reason: 'printerAbsent' });
  assert.partialDeepStrictEqual(await drawer.open(call), { reason: 'printerAbsent' });
  assert.deepEqual(
    recorded.map(({ state }) => state),
    ['asked', 'absent'],
  );
  printer.fault = 'paper-out';
  assert.equal(drawer.currentRefusal, undefined, 'no paper is needed');
  assert.equal(await drawer.open(call), 'opened');
});

test('where the configuration forbids it, or there is no printer, nothing moves', async () => {
  const drawer = drawerOf(false);
  assert.partialDeepStrictEqual(await drawer.open(call), { reason: 'drawerNotAllowed' });
  assert.partialDeepStrictEqual(drawer.currentRefusal, { reason: 'drawerNotAllowed' });
  const without = new TillDrawer({ isAllowed: true, record: () => assert.fail() });
  assert.partialDeepStrictEqual(await without.open(call), { reason: 'printerNotConfigured' });
  assert.deepEqual([printer.drawers, recorded], [0, []]);
});

test('who asks is written before the pulse', async () => {
  const written = Promise.withResolvers<void>();
  const drawer = new TillDrawer({ isAllowed: true, printer, record: () => written.promise });
  const opening = drawer.open({ posId: 'POS-1', messageId: 'M-before' });
  const before = printer.drawers;
  assert.equal(before, 0);
  written.resolve();
  assert.equal(await opening, 'opened');
  assert.equal(printer.drawers, 1);
});
