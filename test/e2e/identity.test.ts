import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { eventually, http, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ acquirer: { replyTimeoutMs: 2_000 } });
});
after(() => stage.close());
afterEach(async () => {
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

function identity({ posId, messageId }: Json): Json {
  return { posId, messageId };
}

async function collecting(request: Json): Promise<void> {
  await eventually(
    () => stage.post('enquiry', identity(request)),
    ({ body }) => body.state === 'collecting',
  );
}

test('the same POST in parallel and later: one transaction, equal answers', async () => {
  const request = stage.saleRequest();
  const parallel = [stage.payment(request), stage.payment({ ...request, requestAmount: 30.0 })];
  await stage.tap('visa');
  const [first, second] = await Promise.all(parallel);
  const later = await stage.payment(request);
  assert.equal(first?.body.responseResult, 'SUCCESS');
  assert.deepEqual(second, first);
  assert.deepEqual(later, first);
  const enquiry = await stage.post('enquiry', identity(request));
  assert.deepEqual(enquiry, first);
  assert.equal((await stage.ledger()).length, 1);
});

test('another request under a used messageId is refused, while it runs and later', async () => {
  const request = stage.saleRequest();
  const running = stage.payment(request);
  await collecting(request);
  const other = { ...request, requestAmount: 31 };
  const early = await stage.payment(other);
  await stage.tap('visa');
  await running;
  for (const { status, body } of [early, await stage.payment(other)]) {
    assert.equal(status, 409);
    assert.equal(body.responseResult, 'ALREADY_EXISTS');
    assert.equal(body.responseCode, 106);
    assert.equal(body.financialImpact, 'NONE');
  }
  assert.equal((await stage.ledger()).length, 1);
});

test('50 POSTs at once: one runs, 49 are told at once that the terminal is busy, and with which messageId', async () => {
  const requests = Array.from({ length: 50 }, () => stage.saleRequest());
  const answers = requests.map((request) => stage.payment(request));
  let busy = 0;
  const refused = Promise.withResolvers<void>();
  for (const answer of answers) void answer.then(({ status }) => status === 409 && ++busy === 49 && refused.resolve());
  await refused.promise;
  await stage.tap('visa');
  const bodies = (await Promise.all(answers)).map(({ body }) => body);
  const winners = bodies.filter((body) => body.responseResult === 'SUCCESS');
  assert.equal(winners.length, 1);
  for (const body of bodies.filter((each) => each.responseResult !== 'SUCCESS')) {
    assert.equal(body.responseResult, 'ERROR');
    assert.equal(body.financialImpact, 'NONE');
    assert.deepEqual(body.running, identity(winners[0]));
  }
  assert.equal((await stage.ledger()).length, 1);
});

test('a client that hangs up loses nothing', async () => {
  const request = stage.saleRequest();
  const hangUp = new AbortController();
  const lost = fetch(`${stage.apiUrl}/sp/v1/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal: hangUp.signal,
  });
  await collecting(request);
  hangUp.abort();
  await assert.rejects(lost);
  await stage.tap('visa');
  const { body } = await eventually(
    () => stage.post('enquiry', identity(request)),
    (answer) => answer.body.responseResult !== 'PROCESSING',
  );
  assert.equal(body.responseResult, 'SUCCESS');
  const { receiptStatus: _then, ...repeated } = (await stage.payment(request)).body;
  // Its receipt was printed meanwhile, or not.
  const { receiptStatus: _first, ...first } = body;
  assert.deepEqual(repeated, first);
  assert.equal((await stage.ledger()).length, 1);
});

test('cancel while collecting: answered once the terminal is idle and the reader disarmed', async () => {
  const request = stage.saleRequest();
  const payment = stage.payment(request);
  await eventually(
    () => stage.sim('GET', '/api/state'),
    ({ body }) => body.reader.armed,
  );
  const cancel = await stage.post('cancel', identity(request));
  assert.equal(cancel.status, 200);
  assert.equal(cancel.body.responseResult, 'SUCCESS');
  assert.equal((await stage.status()).state, 'idle');
  assert.equal((await stage.sim('GET', '/api/state')).body.reader.armed, false);
  const { status, body } = await payment;
  assert.equal(status, 200);
  assert.equal(body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(body.responseCode, 107);
  assert.equal(body.financialImpact, 'NONE');
  assert.equal(body.transactionResult.tranStatus, 'ERROR');

  const again = await stage.post('cancel', identity(request));
  assert.deepEqual([again.status, again.body], [cancel.status, cancel.body]);
  assert.deepEqual(await stage.ledger(), []);
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
});

test('cancel while authorizing or after the end: too late, and it says so; of another identity: not found', async () => {
  await stage.host('EDC', { mode: 'up', delayMs: 1_000 });
  const request = stage.saleRequest();
  const payment = stage.payment(request);
  await stage.tap('visa');
  await eventually(
    () => stage.post('enquiry', identity(request)),
    ({ body }) => body.state === 'authorizing',
  );
  const late = await stage.post('cancel', identity(request));
  assert.equal(late.status, 409);
  assert.equal(late.body.responseResult, 'INVALID_TRANSACTION_STATUS');
  assert.equal(late.body.state, 'authorizing');
  const stranger = await stage.post('cancel', { posId: 'POS-2', messageId: request.messageId });
  assert.equal(stranger.status, 404);
  assert.equal(stranger.body.responseCode, 3);
  assert.equal((await payment).body.responseResult, 'SUCCESS');
  const after = await stage.post('cancel', identity(request));
  assert.equal(after.body.responseResult, 'INVALID_TRANSACTION_STATUS');
  assert.equal(after.body.transaction.responseResult, 'SUCCESS');
});

test('no card in time: TIMEOUT, nothing charged', async () => {
  const hasty = await Stage.open({ configuration: { timeouts: { collectMs: 250 } } });
  try {
    const { status, body } = await hasty.payment(hasty.saleRequest());
    assert.equal(status, 200);
    assert.equal(body.responseResult, 'TIMEOUT');
    assert.equal(body.responseCode, 5);
    assert.equal(body.financialImpact, 'NONE');
    assert.equal((await hasty.sim('GET', '/api/state')).body.reader.armed, false);
    assert.deepEqual(await hasty.unexpected(), []);
  } finally {
    await hasty.close();
  }
});

test('a request has its own time to present, within the limits that capabilities tell', async () => {
  const patient = await Stage.open({ configuration: { timeouts: { collectMs: 600_000, collectLeastMs: 1_000 } } });
  try {
    const capabilities = (await http('GET', `${patient.apiUrl}/sp/v1/capabilities`)).body;
    assert.deepEqual(capabilities.collectTimeoutSeconds, { default: 600, min: 1, max: 600 });
    const { body } = await patient.payment(patient.saleRequest({ collectTimeoutSeconds: 1 }));
    assert.equal(body.reason, 'customerTimeout');
    assert.equal((await patient.sim('GET', '/api/state')).body.reader.armed, false);
    const refused = await patient.payment(patient.saleRequest({ collectTimeoutSeconds: 601 }));
    assert.equal(refused.status, 422);
    assert.equal(refused.body.reason, 'collectTimeNotPossible');
    assert.deepEqual(await patient.unexpected(), []);
  } finally {
    await patient.close();
  }
});

test('an enquiry for an unknown identity: NOT_FOUND', async () => {
  const { status, body } = await stage.post('enquiry', { posId: 'POS-1', messageId: 'never' });
  assert.equal(status, 404);
  assert.equal(body.responseResult, 'NOT_FOUND');
  assert.equal(body.responseCode, 3);
});

test('status tells version, state, devices, acquirers and open batches', async () => {
  const status = (await http('GET', `${stage.apiUrl}/sp/v1/status`)).body;
  assert.equal(status.state, 'idle');
  assert.equal(status.ready, true);
  assert.equal(status.devices.reader.state, 'ready');
  assert.equal(status.devices.printer.fault, 'none');
  assert.equal(status.devices.scanner.state, 'ready');
  assert.equal(status.devices.octopus.state, 'ready');
  assert.equal(status.pendingReversals, 0);
  assert.deepEqual(
    status.acquirers.map(({ id }: Json) => id),
    ['CUP', 'EDC', 'EPS', 'QR', 'OCTOPUS', 'CASH'],
  );
  // A new journal begins its numbers by chance.
  for (const { openBatch } of status.acquirers) assert.ok(openBatch >= 1 && openBatch <= 999_999, String(openBatch));
  assert.match(status.version, /^\d+\.\d+\.\d+(?:~git\d+(?:\.g[\da-f]+)?(?:\.local)?)?$/);
});
