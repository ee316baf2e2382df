import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertHostsAgree, booked, drained } from './books.ts';
import { byCash, byEps, byOctopus, byScannedCode, byShownCode } from './customer.ts';
import { armed, eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({
    acquirer: { replyTimeoutMs: 60_000 },
    configuration: { printer: undefined, timeouts: { pinMs: 3_000 } },
  });
});
after(() => stage.close());
afterEach(async () => {
  try {
    assert.deepEqual(await stage.unexpected(), []);
  } finally {
    await stage.sim('POST', '/api/reset', {});
    if (!stage.running) await stage.startDaemon();
  }
});

/** The POS asks after the restart, as often as it takes. */
async function answerAfterRestart(request: Json): Promise<Json> {
  await stage.startDaemon();
  await drained(stage);
  // An order that its host has called over is looked at once more before it counts as reversed.
  const { status, body } = await eventually(
    () => stage.enquiry(request),
    (answer) => answer.body.financialImpact !== 'REVERSAL_PENDING',
  );
  assert.equal(status, 200);
  return body;
}

/** Whatever waited for the customer when the terminal died waits no more, and the next payment goes through. */
async function assertReady(): Promise<void> {
  await eventually(
    async () => armed(await stage.bench()),
    (waiting) => waiting.length === 0,
    3_000,
  );
  assert.equal((await stage.paid('mastercard')).body.responseResult, 'SUCCESS');
}

/** How far a payment gets before the terminal is killed. */
const waits: readonly (readonly [scene: string, request: Json, customer?: () => Promise<void>])[] = [
  ['chooseMethod', {}],
  ['presentCard', { preferredEntryMode: 'CARD' }],
  ['scanCode', { preferredEntryMode: 'QR_SCAN' }],
  ['presentCode', { preferredEntryMode: 'QR_PRESENT' }],
  ['tapOctopus', { preferredInstrument: 'OCTOPUS' }],
  ['tenderCash', { preferredEntryMode: 'CASH' }],
  ['chooseAccount', { preferredInstrument: 'EPS' }, () => stage.swipe('eps')],
  [
    'enterPin',
    { preferredInstrument: 'EPS' },
    async () => {
      await stage.swipe('eps');
      await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
    },
  ],
];

describe('killed while it waits for its customer: nothing is charged, and nothing waits any more', () => {
  for (const [scene, fields, customer] of waits) {
    test(scene, async () => {
      const { request } = stage.begun(fields);
      await customer?.();
      await stage.view((view) => view.scene === scene && (scene !== 'presentCode' || view.code));
      await stage.stopDaemon('SIGKILL');
      const body = await answerAfterRestart(request);
      assert.equal(body.responseResult, 'ERROR');
      // A code on show was asked for under an intent: it is closed, as a reversal is.
      assert.equal(body.financialImpact, scene === 'presentCode' ? 'REVERSED' : 'NONE');
      for (const id of ['EDC', 'EPS', 'QR'] as const) assert.deepEqual(await stage.posted(id), []);
      assert.deepEqual(await stage.octopusLedger(), []);
      try {
        await assertReady();
      } finally {
        await replugged();
      }
    });
  }
});

/** Whatever it is still at, without power it is not. */
async function replugged(): Promise<void> {
  if (armed(await stage.bench()).length === 0) return;
  await stage.fault('scanner', { unplug: true });
  await stage.fault('scanner', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.scanner.state === 'ready',
  );
}

describe('killed while the other side is working', () => {
  afterEach(async () => {
    for (const id of ['EDC', 'EPS', 'QR'] as const) await stage.host(id, { mode: 'up' });
  });

  /** The host has posted it, and the terminal dies before it hears of it. */
  async function killedOncePosted(id: 'EDC' | 'EPS' | 'QR'): Promise<void> {
    await eventually(
      () => stage.posted(id),
      (posted) => posted.length === 1,
    );
    await stage.stopDaemon('SIGKILL');
    await stage.host(id, { mode: 'up' });
  }

  async function assertReversed(request: Json): Promise<void> {
    const body = await answerAfterRestart(request);
    assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'REVERSED'], body.message);
    await assertHostsAgree(stage, []);
    await assertReady();
  }

  test('a chip that waits in its slot', async () => {
    await stage.host('EDC', { mode: 'silent' });
    const { request } = stage.begun();
    await stage.insert('visa');
    await killedOncePosted('EDC');
    await assertReversed(request);
    assert.equal((await stage.bench()).reader.insertedCard, undefined);
  });

  test('EPS', async () => {
    await stage.host('EPS', { mode: 'silent' });
    const { request } = stage.begun(byEps().request);
    await byEps().present(stage);
    await killedOncePosted('EPS');
    await assertReversed(request);
  });

  test('a scanned wallet', async () => {
    await stage.host('QR', { mode: 'silent', enquiries: true });
    const { request } = stage.begun(byScannedCode('ALIPAY').request);
    await byScannedCode('ALIPAY').present(stage);
    await killedOncePosted('QR');
    await assertReversed(request);
    assert.equal((await stage.ledger('QR')).length, 2, 'it was not given back just once');
  });

  test('a customer who is asked for the password', async () => {
    await stage.host('QR', { customer: 'password' });
    const { request } = stage.begun(byScannedCode('ALIPAY').request);
    await stage.scan(await stage.walletCode('ALIPAY'));
    await stage.view(({ hint }) => hint === 'confirmOnPhone');
    await stage.stopDaemon('SIGKILL');
    await assertReversed(request);
    assert.equal((await stage.sim('POST', '/api/wallet/confirm', { holdMs: 1 })).status, 409);
  });

  for (const wallet of ['WECHAT', 'UPI_QR'] as const) {
    test(`a shown code of ${wallet} that was paid just then`, async () => {
      await stage.host('QR', { mode: 'up' });
      const { request } = stage.begun(byShownCode(wallet).request);
      const { code } = await stage.view((view) => view.code);
      await stage.host('QR', { mode: 'silent', enquiries: true });
      await stage.payCode(code);
      await killedOncePosted('QR');
      await assertReversed(request);
    });
  }

  test('a refund to a wallet', async () => {
    const way = byScannedCode('WECHAT');
    const sale = booked('SALE', way, 3_000, (await stage.paid(way)).body);
    await stage.host('QR', { mode: 'silent', enquiries: true });
    const { request } = stage.begun({ transactionType: 'REFUND', originalTerminalTransactionId: sale.id });
    await eventually(
      () => stage.posted('QR'),
      (posted) => posted.length === 2,
    );
    await stage.stopDaemon('SIGKILL');
    await stage.host('QR', { mode: 'up' });
    const body = await answerAfterRestart(request);
    assert.deepEqual([body.responseResult, body.financialImpact], ['SUCCESS', undefined], body.message);
    sale.refundedCents = sale.cents;
    await assertHostsAgree(stage, [sale, booked('REFUND', way, 3_000, body, { refundOf: sale })]);
  });

  test('an Octopus deduction: it can’t be reversed, so its outcome is found', async () => {
    const { request } = stage.begun(byOctopus().request);
    await stage.fault('octopus', { disconnectDuringDeduct: true });
    await stage.tapOctopus('octopus');
    await stage.stopDaemon('SIGKILL');
    const body = await answerAfterRestart(request);
    assert.equal(body.responseResult, 'SUCCESS', body.message);
    await assertHostsAgree(stage, [booked('SALE', byOctopus(), 3_000, body)]);
    await assertReady();
  });

  test('an Octopus deduction that is incomplete: UNKNOWN, and the next customer pays', async () => {
    const { request } = stage.begun(byOctopus().request);
    await stage.fault('octopus', { incompleteNext: 'notDeducted' });
    await stage.tapOctopus('octopus');
    await stage.view(({ hint }) => hint === 'sameOctopusCard');
    await stage.stopDaemon('SIGKILL');
    await stage.startDaemon();
    const { body } = await stage.enquiry(request);
    assert.deepEqual([body.responseResult, body.financialImpact], ['UNKNOWN', 'UNKNOWN']);
    assert.equal((await stage.paid(byOctopus('octopus-other'))).body.responseResult, 'SUCCESS');
    await assertReady();
  });

  test('cash: in the till and told, or neither', async () => {
    const { request } = stage.begun(byCash().request);
    await byCash('40').present(stage);
    await stage.stopDaemon('SIGKILL');
    await stage.startDaemon();
    const { body } = await stage.enquiry(request);
    if (body.responseResult === 'SUCCESS') assert.equal(body.transactionResult.changeAmount, 10);
    else assert.deepEqual([body.responseResult, body.financialImpact], ['ERROR', 'NONE']);
  });
});

test('FPS that was paid while the terminal was killed: reported in the end, because it can’t be refunded', async () => {
  const way = byShownCode('FPS');
  const own = await Stage.open({ configuration: { printer: undefined } });
  try {
    const { request } = own.begun(way.request);
    const { code } = await own.view((view) => view.code);
    await own.host('QR', { mode: 'silent', enquiries: true });
    await own.payCode(code);
    await own.stopDaemon('SIGKILL');
    await own.host('QR', { mode: 'up' });
    await own.startDaemon();
    // A wallet payment waits for what is queued before it.
    assert.equal((await own.paid(byScannedCode('ALIPAY'))).body.responseResult, 'SUCCESS');
    const { body } = await own.enquiry(request);
    assert.equal(body.responseResult, 'SUCCESS', body.message);
  } finally {
    await own.close();
  }
});
