import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
  await eventually(
    () => stage.status(),
    ({ ready, devices }) => ready && devices.printer.fault === 'none',
  );
});

async function fault(device: 'reader' | 'printer', body: Json): Promise<void> {
  const { status, body: answer } = await stage.sim('POST', `/api/${device}/fault`, body);
  assert.equal(status, 200, JSON.stringify(answer));
}

for (const [name, wrong, repaired] of [
  ['out of paper', { paperOut: true }, { paperOut: false }],
  ['with its cover open', { coverOpen: true }, { coverOpen: false }],
  ['unplugged', { unplug: true }, { unplug: false }],
] as const) {
  test(`printer ${name}: the answer goes out, the receipt waits and is printed later, once`, async () => {
    await stage.sim('DELETE', '/api/printer/paper');
    await fault('printer', wrong);
    // A card that asks for no signature prints one copy.
    const { body } = await stage.paid('mastercard');
    assert.equal(body.responseResult, 'SUCCESS');
    assert.equal((await stage.status()).waitingReceipts, 1);
    assert.ok(!(await stage.paper()).includes(body.terminalTransactionId));
    await fault('printer', repaired);
    await eventually(
      () => stage.status(),
      ({ waitingReceipts }) => waitingReceipts === 0,
    );
    const paper = await stage.paper();
    assert.equal(paper.split(body.terminalTransactionId).length - 1, 1, paper);
  });
}

test('receipts wait through a restart of the terminal', async () => {
  await stage.sim('DELETE', '/api/printer/paper');
  await fault('printer', { paperOut: true });
  const { body } = await stage.paid('visa');
  await stage.stopDaemon('SIGKILL');
  await fault('printer', { paperOut: false });
  await stage.startDaemon();
  await eventually(
    () => stage.paper(),
    (paper) => paper.includes(body.terminalTransactionId),
  );
});

test('reader unplugged while collecting: ERROR, NONE; no payment until it is back, then again', async () => {
  const request = stage.saleRequest();
  const payment = stage.payment(request);
  await eventually(
    () => stage.sim('GET', '/api/state'),
    ({ body }) => body.reader.armed,
  );
  await fault('reader', { unplug: true });
  const { body } = await payment;
  assert.equal(body.responseResult, 'ERROR');
  assert.equal(body.financialImpact, 'NONE');
  const refused = await stage.payment(stage.saleRequest());
  assert.equal(refused.status, 503);
  assert.match(refused.body.message, /card reader/);
  await fault('reader', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ ready }) => ready,
  );
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.ledger()).length, 1);
});

test('a collision asks for one card, and the payment goes on', async () => {
  const screen = await stage.scenes();
  await fault('reader', { collision: true });
  const payment = stage.payment(stage.saleRequest());
  await stage.tap('visa');
  await stage.tap('visa');
  assert.equal((await payment).body.responseResult, 'SUCCESS');
  const scenes = await screen.until('approved');
  assert.equal(scenes.filter((scene) => scene === 'presentCard').length, 2);
  assert.equal((await stage.ledger()).length, 1);
});

test('an unsupported card is declined, nothing is sent', async () => {
  await fault('reader', { unsupported: true });
  const { body } = await stage.paid('visa');
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.responseCode, 1);
  assert.equal(body.financialImpact, 'NONE');
  assert.deepEqual(await stage.ledger(), []);
});

test('one byte at a time, and garbage before frames: the sale goes through', async () => {
  await fault('reader', { splitBytes: true });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  await fault('reader', { splitBytes: false, garbageBefore: true });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, 2);
});

test('a garbled card answer asks for the card again', async () => {
  const payment = stage.payment(stage.saleRequest());
  await eventually(
    () => stage.sim('GET', '/api/state'),
    ({ body }) => body.reader.armed,
  );
  await fault('reader', { garble: true });
  await stage.tap('visa');
  await stage.tap('visa');
  assert.equal((await payment).body.responseResult, 'SUCCESS');
  assert.equal((await stage.ledger()).length, 1);
});
