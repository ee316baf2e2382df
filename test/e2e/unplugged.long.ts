import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byCard } from './customer.ts';
import { eventually, type Json, Stage } from './stage.ts';

type Device = 'reader' | 'printer' | 'scanner' | 'octopus';

/** A device that goes away in each state of a transaction: its reason is in log and status, and it comes back. */
describe('a device is unplugged', () => {
  let stage: Stage;
  let reported: Posting[] = [];
  /** Where the log of this test begins. */
  let logged = 0;

  before(async () => {
    stage = await Stage.open({ acquirer: { replyTimeoutMs: 10_000 } });
  });
  after(() => stage.close());
  beforeEach(() => {
    reported = [];
    logged = stage.log.length;
  });
  afterEach(async () => {
    await drained(stage);
    await assertHostsAgree(stage, reported);
    assert.deepEqual(await stage.unexpected(), []);
    await stage.sim('POST', '/api/reset', {});
    await eventually(
      () => stage.status(),
      ({ ready, devices, waitingReceipts }) => ready && devices.printer.fault === 'none' && waitingReceipts === 0,
    );
  });

  function lines(device: Device): Json[] {
    const whole = stage.log.slice(logged).split('\n').slice(0, -1);
    const parsed = whole.flatMap((line): Json[] => (line.startsWith('{') ? [JSON.parse(line)] : []));
    return parsed.filter((line) => line.msg === 'device' && line.device === device);
  }

  /** The status names the reason, and the log has it once, as a warning. */
  async function assertAbsent(device: Device): Promise<void> {
    const { devices } = await eventually(
      () => stage.status(),
      (status) => status.devices[device].state === 'absent',
    );
    assert.equal(devices[device].reason, 'unplugged');
    const said = await eventually(
      async () => lines(device),
      (found) => found.length > 0,
    );
    assert.deepEqual(
      said.map(({ level, state, code }) => ({ level, state, code })),
      [{ level: 40, state: 'absent', code: 'unplugged' }],
    );
  }

  async function plugIn(device: Device): Promise<void> {
    await stage.fault(device, { unplug: false });
    const { devices } = await eventually(
      () => stage.status(),
      (status) => status.devices[device].state === 'ready',
    );
    assert.equal('reason' in devices[device], false);
  }

  /** Starts the terminal anew with other settings of its printer. */
  async function configurePrinter(fields: Json): Promise<void> {
    const { printer, ...rest } = JSON.parse(await readFile(stage.configuration, 'utf8'));
    await writeFile(stage.configuration, JSON.stringify({ ...rest, printer: { ...printer, ...fields } }));
    await stage.stopDaemon('SIGTERM');
    await stage.startDaemon();
    logged = stage.log.length;
  }

  async function sell(): Promise<void> {
    const way = byCard('mastercard', 'tap');
    const { body } = await stage.paid(way);
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    reported.push(booked('SALE', way, 3_000, body));
  }

  for (const device of ['reader', 'printer', 'scanner', 'octopus'] as const) {
    test(`${device}, while the terminal is idle`, async () => {
      await stage.fault(device, { unplug: true });
      await assertAbsent(device);
      await plugIn(device);
      await sell();
    });
  }

  test('reader, while it waits for a card: ERROR, nothing moves', async () => {
    const { answer } = stage.begun({ preferredEntryMode: 'CARD' });
    await eventually(
      () => stage.bench(),
      ({ reader }) => reader.armed,
    );
    await stage.fault('reader', { unplug: true });
    const { body } = await answer;
    assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'NONE']);
    await assertAbsent('reader');
    await plugIn('reader');
    await sell();
  });

  test('reader, with a chip read, while the host authorizes: ERROR, and reversed', async () => {
    await stage.host('EDC', { mode: 'up', delayMs: 1_500 });
    const { answer } = stage.begun();
    await stage.insert('visa');
    await eventually(
      () => stage.posted(),
      (posted) => posted.length === 1,
    );
    await stage.fault('reader', { unplug: true });
    await assertAbsent('reader');
    const { body } = await answer;
    assert.equal(body.responseResult, 'ERROR');
    const { body: enquiry } = await eventually(
      () => stage.enquiry(body),
      (asked) => asked.body.financialImpact === 'REVERSED',
    );
    assert.notEqual(enquiry.responseResult, 'SUCCESS');
    await plugIn('reader');
    await stage.host('EDC', { mode: 'up' });
    await sell();
  });

  test('reader, after a tap, while the host authorizes: the card is not needed any more, approved', async () => {
    await stage.host('EDC', { mode: 'up', delayMs: 1_500 });
    const way = byCard('mastercard', 'tap');
    const { answer } = stage.begun();
    await stage.tap('mastercard');
    await eventually(
      () => stage.posted(),
      (posted) => posted.length === 1,
    );
    await stage.fault('reader', { unplug: true });
    const { body } = await answer;
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    reported.push(booked('SALE', way, 3_000, body));
    await assertAbsent('reader');
    await plugIn('reader');
    await stage.host('EDC', { mode: 'up' });
    await sell();
  });

  test('printer, while it prints: the POS has its answer, and the receipt is printed when it is back', async () => {
    // A printer that needs minutes for a receipt: what is done to it meanwhile is done while it prints.
    await configurePrinter({ lineTimeMs: 1_000 });
    await stage.sim('DELETE', '/api/printer/paper');
    const way = byCard('mastercard', 'tap');
    const { answer } = stage.begun();
    await stage.tap('mastercard');
    const { body } = await answer;
    reported.push(booked('SALE', way, 3_000, body));
    // Some of it is on the paper, and the printer still works on the rest.
    await eventually(
      () => stage.paper(),
      (paper) => paper.includes(body.terminalTransactionId),
    );
    await stage.fault('printer', { unplug: true });
    assert.equal(body.responseResult, 'SUCCESS');
    await assertAbsent('printer');
    assert.equal((await stage.status()).waitingReceipts, 1);
    await configurePrinter({ lineTimeMs: 1 });
    await stage.sim('DELETE', '/api/printer/paper');
    await plugIn('printer');
    await eventually(
      () => stage.status(),
      ({ waitingReceipts }) => waitingReceipts === 0,
    );
    assert.equal((await stage.paper()).split(body.terminalTransactionId).length - 1, 1);
  });
});
