import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId, terminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { OctopusPoll } from '../../../src/base/ports/octopus-reader.ts';
import { OctopusReturn } from '../../../src/methods/octopus/card-return.ts';
import { buildTree } from '../../../src/payment/records/record-tree.ts';
import { transactionRecord } from '../../../src/payment/records/record.ts';
import { settled } from '../../support/manual-clock.ts';
import { deducts, octopusCard, staysIncomplete } from './scripted-octopus.ts';
import { everything, Stage } from './stage.ts';

const id = terminalTransactionId(new Date(0), Buffer.alloc(10));
const other = { cardId: '87654321', balanceMinor: 9_000n };

let stage: Stage;
let reader: OctopusReturn;
let completed: number;
beforeEach(() => {
  stage = new Stage(undefined, everything);
  completed = 0;
  const { octopus, journal, clock } = stage;
  reader = new OctopusReturn({
    reader: octopus,
    journal,
    clock,
    onCompleted: () => (completed += 1),
    onFailure: (error) => stage.failures.push(error),
  });
});
afterEach(async () => {
  await reader.stop();
  assert.ok(!stage.octopus.wait.armed);
  stage.close();
});

/** A deduction whose card was pulled away, of which the POS was told UNKNOWN. */
function incomplete(): string {
  const { store } = stage.journal;
  const request = { kind: 'accepted', posId: 'POS-1', messageId: 'M-1', digest: '', type: 'SALE' } as const;
  store.open(id, { ...request, amountMinor: '3000', currency: 'HKD', shape: 'A', printedBy: 'terminal' });
  const { stan } = store.intend(id, {
    operation: 'sale',
    acquirerId: acquirerId('OCTOPUS'),
    mid: '',
    tid: '',
    octopus: { maskedNumber: '****5678' },
  });
  store.append(id, [
    { kind: 'answered', outcome: { kind: 'unknown', reason: 'incomplete' } },
    { kind: 'reversalQueued', reason: 'incomplete' },
    { kind: 'ended', outcome: 'error', result: 'UNKNOWN', code: 7, message: '' },
  ]);
  const reference = `${id}-${stan}`;
  stage.octopus.books.set(reference, 'incomplete');
  return reference;
}

const found = () => reader.findOut(transactionRecord(id, stage.journal.store.read(id)), true);

test('its card comes back while the terminal is idle: completed under the same reference, and found out', async () => {
  const reference = incomplete();
  assert.equal(await found(), undefined);
  assert.ok(!stage.octopus.wait.armed, 'others have their turn first');
  await stage.clock.advance(1_000);
  assert.ok(stage.octopus.wait.armed);
  stage.octopus.tap();
  await settled();
  // An intent of an earlier version: its reader is not known.
  const { cardId } = octopusCard;
  assert.deepEqual(stage.octopus.deductions, [{ amountMinor: 3000n, cardId, reference, deviceId: undefined }]);
  assert.equal(completed, 1);
  const events = (await found()) ?? [];
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['answered', 'ended', 'receiptQueued', 'resolved'],
  );
  stage.journal.store.append(id, events);
  const tree = await buildTree(id, stage.journal);
  assert.equal(tree?.record.conclusion?.result, 'SUCCESS');
  assert.equal(tree.record.matters, undefined, 'the POS was answered UNKNOWN: nothing is to be given back');
  await stage.clock.advance(10_000);
  assert.ok(!stage.octopus.wait.armed, 'nothing is missing any more');
  assert.equal(stage.octopus.deducted, 1);
});

test('another card is left alone, and one that is pulled away again is waited for again', async () => {
  incomplete();
  await found();
  await stage.clock.advance(1_000);
  stage.octopus.tap(other);
  await settled();
  assert.deepEqual(stage.octopus.deductions, []);
  await stage.clock.advance(3_000);
  stage.octopus.onDeduct = () => staysIncomplete;
  stage.octopus.tap();
  await settled();
  assert.equal(await found(), undefined);
  await stage.clock.advance(3_000);
  stage.octopus.onDeduct = () => deducts;
  stage.octopus.tap();
  await settled();
  assert.equal(stage.octopus.deducted, 1);
});

test('a payment has the reader at once, and its own card completes what was begun before', async () => {
  const reference = incomplete();
  await found();
  await stage.clock.advance(1_000);
  const paying = new AbortController();
  const poll: Promise<OctopusPoll> = reader.poll(paying.signal);
  await settled();
  assert.deepEqual(
    stage.trace.events.filter((event) => event.startsWith('octopus:')),
    ['octopus: find', 'octopus: armed', 'octopus: cancelling', 'octopus: cancelled', 'octopus: armed'],
  );
  await stage.clock.advance(120_000);
  stage.octopus.tap();
  assert.equal((await poll).kind, 'card');
  assert.deepEqual(
    stage.octopus.deductions.map((each) => each.reference),
    [reference],
  );
  assert.equal(completed, 1);
});

test('what the operator has settled with the company is no longer looked for', async () => {
  incomplete();
  await found();
  await stage.clock.advance(1_000);
  stage.journal.store.append(id, [{ kind: 'setAside', outcome: 'NOT_POSTED' }]);
  stage.octopus.tap();
  await settled();
  assert.deepEqual(stage.octopus.deductions, []);
  await stage.clock.advance(120_000);
  assert.ok(!stage.octopus.wait.armed);
});

test('a reader that fails is left alone for a while', async () => {
  incomplete();
  await found();
  await stage.clock.advance(1_000);
  stage.octopus.wait.fail(new DeviceError('vanished', 'the agent is gone'));
  await settled();
  await stage.clock.advance(9_999);
  assert.ok(!stage.octopus.wait.armed);
  await stage.clock.advance(1);
  assert.ok(stage.octopus.wait.armed);
  assert.equal(stage.failures.length, 1);
});
