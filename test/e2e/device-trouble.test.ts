import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { byCash, byOctopus, byScannedCode, byShownCode } from './customer.ts';
import { ServerEvents } from './server-events.ts';
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

/** Waits until the merchant is told so on the idle screen. */
async function noticed(notice: string): Promise<void> {
  const events = await ServerEvents.open(`${stage.screenUrl}/events`);
  for (;;) {
    const { event, data } = (await events.next()) ?? assert.fail('the screen went away');
    if (event === 'desk' && JSON.parse(data).notices.includes(notice)) break;
  }
  events.close();
}

/** The news of receipts, until this one. */
async function receiptEvents(events: ServerEvents, last: string): Promise<Json[]> {
  const answer: Json[] = [];
  while (answer.at(-1)?.receiptStatus !== last) {
    const event = await events.next();
    assert.ok(event, 'the stream has ended');
    if (event.event === 'receipt') answer.push(JSON.parse(event.data));
  }
  return answer;
}

for (const [name, wrong, repaired, fault, notice] of [
  ['out of paper', { paperOut: true }, { paperOut: false }, 'paper-out', 'paperOut'],
  ['with its cover open', { coverOpen: true }, { coverOpen: false }, 'cover-open', 'printerCoverOpen'],
  ['unplugged', { unplug: true }, { unplug: false }, 'absent', 'printerAbsent'],
] as const) {
  test(`printer ${name}: the answer goes out, the receipt waits and is printed later, once`, async () => {
    await stage.sim('DELETE', '/api/printer/paper');
    await stage.fault('printer', wrong);
    await eventually(
      () => stage.status(),
      ({ devices }) => devices.printer.fault === fault,
    );
    const events = await ServerEvents.open(`${stage.apiUrl}/sp/v1/events?posId=POS-1`);
    // A card that asks for no signature prints one copy.
    const { body } = await stage.paid('mastercard');
    assert.equal(body.responseResult, 'SUCCESS');
    assert.deepEqual([body.receiptStatus, body.receiptFault], ['WAITING', fault]);
    assert.equal((await stage.status()).waitingReceipts, 1);
    await noticed(notice);
    assert.ok(!(await stage.paper()).includes(body.terminalTransactionId));
    // An event has the present state: the receipt is printed only after this one.
    const waiting = await receiptEvents(events, 'WAITING');
    await stage.fault('printer', repaired);
    await eventually(
      () => stage.status(),
      ({ waitingReceipts }) => waitingReceipts === 0,
    );
    const { posId, messageId, terminalTransactionId } = body;
    const enquired = await stage.post('enquiry', { posId, messageId });
    assert.deepEqual([enquired.body.receiptStatus, enquired.body.receiptFault], ['PRINTED', undefined]);
    const reported = [...waiting, ...(await receiptEvents(events, 'PRINTED'))];
    events.close();
    for (const each of reported) {
      assert.partialDeepStrictEqual(each, { posId, messageId, terminalTransactionId });
    }
    assert.deepEqual(
      reported.map(({ receiptStatus, receiptFault }) => [receiptStatus, receiptFault]),
      [
        ['WAITING', fault],
        ['PRINTED', undefined],
      ],
    );
    const paper = await stage.paper();
    assert.equal(paper.split(body.terminalTransactionId).length - 1, 1, paper);
  });
}

test('receipts wait through a restart of the terminal', async () => {
  await stage.sim('DELETE', '/api/printer/paper');
  await stage.fault('printer', { paperOut: true });
  const { body } = await stage.paid('visa');
  await stage.stopDaemon('SIGKILL');
  await stage.fault('printer', { paperOut: false });
  await stage.startDaemon();
  await eventually(
    () => stage.paper(),
    (paper) => paper.includes(body.terminalTransactionId),
  );
});

test('reader unplugged while the customer chooses: the other ways stay', async () => {
  const { answer } = stage.begun();
  await eventually(
    () => stage.bench(),
    ({ reader }) => reader.armed,
  );
  await stage.fault('reader', { unplug: true });
  const { modes } = await stage.view(({ hint }) => hint === 'readerLost');
  assert.ok(modes.includes('CASH') && !modes.includes('CARD'), String(modes));
  await stage.act('chooseMethod', { kind: 'choose', mode: 'CASH' });
  await stage.act('tenderCash', { kind: 'tender', amount: '50' });
  assert.equal((await answer).body.responseResult, 'SUCCESS');
  await stage.fault('reader', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ ready }) => ready,
  );
});

test('reader unplugged while a card is waited for: ERROR, NONE; no card until it is back, cash meanwhile', async () => {
  const request = stage.saleRequest({ preferredEntryMode: 'CARD' });
  const payment = stage.payment(request);
  await eventually(
    () => stage.bench(),
    ({ reader }) => reader.armed,
  );
  await stage.fault('reader', { unplug: true });
  const { body } = await payment;
  assert.equal(body.responseResult, 'ERROR');
  assert.deepEqual([body.financialImpact, body.reason], ['NONE', 'cardReaderFailed']);
  const refused = await stage.payment(stage.saleRequest({ preferredEntryMode: 'CARD' }));
  assert.deepEqual([refused.status, refused.body.reason], [503, 'cardReaderAbsent']);
  assert.match(refused.body.message, /card reader/);
  const { body: byCashNow } = await stage.paid(byCash('50'));
  assert.equal(byCashNow.responseResult, 'SUCCESS');
  await stage.fault('reader', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ ready }) => ready,
  );
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.ledger()).length, 1);
});

test('a collision: the screen asks for one card, and the payment goes on', async () => {
  const screen = await stage.scenes();
  await stage.fault('reader', { collision: true });
  const { answer } = stage.begun();
  await stage.tap('visa');
  await stage.view(({ hint }) => hint === 'oneCardOnly');
  await stage.tap('visa');
  assert.equal((await answer).body.responseResult, 'SUCCESS');
  const scenes = await screen.until('approved');
  assert.equal(scenes.filter((scene) => scene === 'chooseMethod').length, 2);
  assert.equal((await stage.ledger()).length, 1);
});

test('an unsupported card is declined, nothing is sent', async () => {
  await stage.fault('reader', { unsupported: true });
  const { body } = await stage.paid('visa');
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.responseCode, 1);
  assert.equal(body.financialImpact, 'NONE');
  assert.deepEqual(await stage.ledger(), []);
});

test('one byte at a time, and garbage before frames: the sale goes through', async () => {
  await stage.fault('reader', { splitBytes: true });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  await stage.fault('reader', { splitBytes: false, garbageBefore: true });
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, 2);
});

test('a garbled card answer asks for the card again', async () => {
  const payment = stage.payment(stage.saleRequest());
  await eventually(
    () => stage.bench(),
    ({ reader }) => reader.armed,
  );
  await stage.fault('reader', { garble: true });
  await stage.tap('visa');
  await stage.tap('visa');
  assert.equal((await payment).body.responseResult, 'SUCCESS');
  assert.equal((await stage.ledger()).length, 1);
});

for (const [name, wrong] of [
  ['noise before it', { noise: true }],
  ['a byte of it spoilt', { garble: true }],
  ['no end', { tooLong: true }],
] as const) {
  test(`a code with ${name} must be scanned again, and nothing is sent before`, async () => {
    const { answer } = stage.begun({ preferredEntryMode: 'QR_SCAN' });
    await stage.fault('scanner', wrong);
    await stage.scan(await stage.walletCode('ALIPAY'));
    await stage.view(({ hint }) => hint === 'notAWalletCode');
    assert.deepEqual(await stage.ledger('QR'), []);
    await stage.scan(await stage.walletCode('ALIPAY'));
    assert.equal((await answer).body.responseResult, 'SUCCESS');
    assert.equal((await stage.posted('QR')).length, 1);
  });
}

test('a code of no wallet (a loyalty card, a link) must be scanned again', async () => {
  const { answer } = stage.begun({ preferredEntryMode: 'QR_SCAN' });
  for (const code of ['163456789012345678', 'https://example.com/pay']) {
    await stage.scan(code);
    await stage.view(({ hint }) => hint === 'notAWalletCode');
  }
  await stage.scan(await stage.walletCode('WECHAT'));
  assert.equal((await answer).body.responseResult, 'SUCCESS');
});

for (const { device, way, scene } of [
  { device: 'scanner', way: byScannedCode('ALIPAY'), scene: 'scanCode' },
  { device: 'octopus', way: byOctopus(), scene: 'tapOctopus' },
] as const) {
  test(`${device} unplugged while it waits: ERROR, NONE; the other ways go on, and so does this one when it is back`, async () => {
    const { answer } = stage.begun(way.request);
    await stage.view((view) => view.scene === scene);
    await stage.fault(device, { unplug: true });
    const { body } = await answer;
    assert.equal(body.responseResult, 'ERROR');
    assert.equal(body.financialImpact, 'NONE');
    assert.notEqual((await stage.status()).devices[device].state, 'ready');

    const { answer: other } = stage.begun();
    const { modes } = await stage.view((view) => view.scene === 'chooseMethod');
    assert.ok(!modes.includes(device === 'scanner' ? 'QR_SCAN' : 'OCTOPUS'), modes.join(' '));
    await stage.tap('visa');
    assert.equal((await other).body.responseResult, 'SUCCESS');

    await stage.fault(device, { unplug: false });
    await eventually(
      () => stage.status(),
      ({ devices }) => devices[device].state === 'ready',
    );
    assert.equal((await stage.paid(way)).body.responseResult, 'SUCCESS');
  });
}

test('the reader unplugged while a PIN is asked for: ERROR, NONE, and no PIN was sent', async () => {
  const { answer } = stage.begun({ preferredInstrument: 'EPS' });
  await stage.swipe('eps');
  await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
  await stage.view(({ scene }) => scene === 'enterPin');
  await stage.fault('reader', { unplug: true });
  const { body } = await answer;
  assert.equal(body.responseResult, 'ERROR');
  assert.equal(body.financialImpact, 'NONE');
  assert.deepEqual(await stage.ledger('EPS'), []);
});

test('cash and codes need no reader', async () => {
  await stage.fault('reader', { unplug: true });
  for (const way of [byCash(), byShownCode('FPS'), byScannedCode('UPI_QR'), byOctopus()]) {
    const { body } = await stage.paid(way);
    assert.equal(body.responseResult, 'SUCCESS', `${way.name}: ${body.message}`);
  }
});

test('an Octopus card that can’t be read is asked for again, one that is blocked is declined', async () => {
  const { answer } = stage.begun(byOctopus().request);
  await stage.fault('octopus', { readErrorNext: 'poll' });
  await stage.tapOctopus('octopus');
  assert.equal((await answer).body.responseResult, 'SUCCESS');
  const { body } = await stage.paid(byOctopus('octopus-blocked'));
  assert.equal(body.responseResult, 'DECLINED');
  assert.equal(body.financialImpact, 'NONE');
  assert.match(body.message, /100019/);
  assert.equal((await stage.octopusLedger()).length, 1);
});
