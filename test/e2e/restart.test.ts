import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 60_000 }, configuration: { printer: undefined } });
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

test('killed while authorizing: after the restart the enquiry agrees with the ledger', async () => {
  await stage.host('EDC', { mode: 'silent' });
  const request = stage.saleRequest();
  const lost = stage.payment(request);
  lost.catch(() => undefined);
  await stage.tap('visa');
  await eventually(
    () => stage.posted(),
    (posted) => posted.length === 1,
  );
  await stage.stopDaemon('SIGKILL');
  await assert.rejects(lost);

  await stage.host('EDC', { mode: 'up' });
  await stage.startDaemon();
  const { status, body } = await eventually(
    () => stage.post('enquiry', { posId: request.posId, messageId: request.messageId }),
    (answer) => answer.body.financialImpact === 'REVERSED',
  );
  assert.equal(status, 200);
  assert.equal(body.responseResult, 'ERROR');
  assert.equal(body.transactionResult.tranStatus, 'REVERSED');
  assert.deepEqual(
    (await stage.ledger()).map((entry) => entry.status),
    ['REVERSED'],
  );

  // The POS that never heard sends its POST again: the same transaction, not a second one.
  const again = await stage.payment(request);
  assert.equal(again.body.transactionResult.tranStatus, 'ERROR');
  assert.deepEqual({ ...again.body, transactionResult: body.transactionResult }, body);
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  assert.equal((await stage.posted()).length, 1);
});

test('killed while collecting: nothing was charged, and it says so', async () => {
  const request = stage.saleRequest();
  const lost = stage.payment(request);
  lost.catch(() => undefined);
  await eventually(
    () => stage.sim('GET', '/api/state'),
    ({ body }) => body.reader.armed,
  );
  await stage.stopDaemon('SIGKILL');
  await assert.rejects(lost);
  await stage.startDaemon();
  const { body } = await stage.post('enquiry', { posId: request.posId, messageId: request.messageId });
  assert.equal(body.responseResult, 'ERROR');
  assert.equal(body.financialImpact, 'NONE');
  assert.deepEqual(await stage.ledger(), []);
});

test('killed after the approval: the same answer after the restart', async () => {
  const answer = await stage.paid('visa');
  await stage.stopDaemon('SIGKILL');
  await stage.startDaemon();
  const { posId, messageId } = answer.body;
  assert.deepEqual(await stage.post('enquiry', { posId, messageId }), answer);
  assert.equal((await stage.posted()).length, 1);
});

test('stopped while collecting: the POS gets its answer before the daemon ends', async () => {
  const request = stage.saleRequest();
  const payment = stage.payment(request);
  await eventually(
    () => stage.sim('GET', '/api/state'),
    ({ body }) => body.reader.armed,
  );
  await stage.stopDaemon('SIGTERM');
  const { body } = await payment;
  assert.equal(body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(body.financialImpact, 'NONE');
  assert.equal((await stage.sim('GET', '/api/state')).body.reader.armed, false);
  await stage.startDaemon();
});

test('a card payment that a restart cut off leaves a slip: it is taken back, and nothing will be charged', async () => {
  const printing = await Stage.open({ acquirer: { replyTimeoutMs: 60_000 }, hosts: ['EDC'] });
  try {
    await printing.host('EDC', { mode: 'silent' });
    const lost = printing.payment(printing.saleRequest());
    lost.catch(() => undefined);
    await printing.tap('visa');
    await eventually(
      () => printing.posted(),
      (posted) => posted.length === 1,
    );
    await printing.stopDaemon('SIGKILL');
    await printing.host('EDC', { mode: 'up' });
    await printing.startDaemon();
    const paper = await eventually(
      () => printing.paper(),
      (text) => text.includes('NOTHING WILL BE CHARGED'),
    );
    assert.match(paper, /30\.00[^]*ERROR[^]*IT IS BEING TAKEN BACK\s+NOTHING WILL BE CHARGED/);
    assert.doesNotMatch(paper, /APPROVED/);
  } finally {
    await printing.close();
  }
});
