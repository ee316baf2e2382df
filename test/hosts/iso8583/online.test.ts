import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { HostOutcome, OnlineOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import { authOrder, refundOrder, tippedSaleOrder, voidOrder, voidRefundOrder } from './orders.ts';
import { answerFrame, bench, framed, original, replyTimeoutMs, reversalOrder, text } from './terminal.ts';

const deadline = { timeout: 10_000 };
const garbled: HostOutcome = { kind: 'unknown', reason: 'garbled-answer' };

async function outcomeOf(t: TestContext, order: OnlineOrder, ...answers: string[]): Promise<HostOutcome> {
  const { host, clock, acquirer } = await bench(t);
  const outcome = acquirer.request(order);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(...answers);
  const settled = await outcome;
  assert.equal(clock.pending, 0, 'no timer is left behind');
  return settled;
}

const approved: HostOutcome = {
  kind: 'approved',
  responseCode: '00',
  approvalCode: '',
  rrn: '623710000123',
  hostTime: '101530',
  hostDate: '0825',
  issuerData: new Map(),
};

for (const [order, answer] of [
  [voidOrder, { processingCode: '020000', stan: '000124' }],
  [voidRefundOrder, { processingCode: '220000', stan: '000124' }],
  [refundOrder, { processingCode: '200000' }],
] as const) {
  test(`${order.operation}: approved with or without an approval code`, deadline, async (t) => {
    assert.deepEqual(await outcomeOf(t, order, answerFrame({ ...answer, approvalCode: '' })), approved);
    assert.deepEqual(await outcomeOf(t, order, answerFrame({ ...answer, approvalCode: '      ' })), approved);
    const named = { ...approved, approvalCode: 'A1B2C3' };
    assert.deepEqual(await outcomeOf(t, order, answerFrame(answer)), named);
  });

  test(`${order.operation}: declined, and garbled by another amount`, deadline, async (t) => {
    const declined = { kind: 'declined', reason: 'invalidTransaction', responseCode: '12', rrn: '623710000123' };
    assert.deepEqual(await outcomeOf(t, order, answerFrame({ ...answer, responseCode: '12' })), declined);
    assert.deepEqual(await outcomeOf(t, order, answerFrame({ ...answer, amount: '000000000001' })), garbled);
  });

  test(`${order.operation}: a host that has it already may have approved it`, deadline, async (t) => {
    const unknown = { kind: 'unknown', reason: 'duplicate', responseCode: '94' };
    assert.deepEqual(await outcomeOf(t, order, answerFrame({ ...answer, responseCode: '94' })), unknown);
  });

  test(`${order.operation}: the answer to a sale is not its answer`, deadline, async (t) => {
    const stan = 'stan' in answer ? answer.stan : '000123';
    const sale = answerFrame({ stan });
    assert.equal((await outcomeOf(t, order, sale, answerFrame({ ...answer, responseCode: '05' }))).kind, 'declined');
  });
}

test('an auth is answered 0110, and its approval has a code', deadline, async (t) => {
  const outcome = await outcomeOf(t, authOrder, answerFrame(), answerFrame({ mti: '0110', responseCode: '05' }));
  assert.equal(outcome.kind, 'declined');
  assert.deepEqual(await outcomeOf(t, authOrder, answerFrame({ mti: '0110', approvalCode: '' })), garbled);
  assert.deepEqual(await outcomeOf(t, authOrder, answerFrame({ mti: '0110' })), {
    ...approved,
    approvalCode: 'A1B2C3',
  });
});

test('an approved void says which amount', deadline, async (t) => {
  // 3 11 24 39 41
  const answer = framed('0210', '2020010002800000', '020000', '000124', '0003', text('00'), text('12345678'));
  assert.deepEqual(await outcomeOf(t, voidOrder, answer), garbled);
});

test('a void names what the host said of its original, and leaves out what it did not say', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const order = { ...voidOrder, original: { ...original, rrn: '', hostTime: '', hostDate: '' } };
  const outcome = acquirer.request(order);
  const side = await host.accepted();
  // 3 4 11 22 24 25 38 41 42 48 49 62
  assert.equal((await side.readFrame()).slice(18, 34), '3020058004C18004');
  side.end();
  assert.deepEqual(await outcome, { kind: 'unknown', reason: 'link-closed' });
});

test('a void and its reversal: silence is unknown, a host that is down is not sent', deadline, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  const silent = acquirer.request(voidOrder);
  const side = await host.accepted();
  await side.readFrame();
  clock.pass(replyTimeoutMs);
  assert.deepEqual(await silent, { kind: 'unknown', reason: 'no-answer' });
  const reversal = acquirer.reverse({ ...reversalOrder, operation: 'void', trace: voidOrder.trace }, false);
  await side.readFrame();
  // The answer to the void comes late, and is not that of the reversal.
  await side.write(
    answerFrame({ processingCode: '020000', stan: '000124' }),
    answerFrame({ mti: '0410', processingCode: '020000', stan: '000124', responseCode: '96' }),
  );
  assert.deepEqual(await reversal, { kind: 'refused', responseCode: '96' });
  const lost = acquirer.request({ ...voidOrder, trace: { ...voidOrder.trace, stan: 125 } });
  await side.readFrame();
  await host.close();
  assert.deepEqual(await lost, { kind: 'unknown', reason: 'link-closed' });
  assert.deepEqual(await acquirer.request(voidOrder), { kind: 'notSent', reason: 'host-down' });
});

test('a reversal never sends a track, even where the caller still has one', deadline, async (t) => {
  const { host, acquirer } = await bench(t);
  const reversal = acquirer.reverse({ ...tippedSaleOrder, operation: 'sale' }, false);
  const side = await host.accepted();
  const frame = await side.readFrame();
  assert.ok(!frame.includes('57C1'));
  assert.ok(frame.includes('5AC110D1D2'));
  side.end();
  assert.deepEqual(await reversal, { kind: 'unanswered' });
});

test('what can only be a fault of the caller is thrown, and nothing is dialled', deadline, async (t) => {
  const { acquirer, host } = await bench(t);
  const wrong: readonly OnlineOrder[] = [
    { ...voidOrder, trace: { ...voidOrder.trace, invoice: 46 } },
    { ...voidOrder, amount: { minor: 3000n, currency: 'JPY' } },
    { ...voidOrder, original: { ...original, hostTime: '1015' } },
    { ...voidOrder, card: { ...voidOrder.card, encryptedPan: new Uint8Array(0) } },
    { ...voidOrder, card: { ...voidOrder.card, encryptedPan: new Uint8Array(128) } },
  ];
  for (const order of wrong) await assert.rejects(acquirer.request(order));
  assert.equal(acquirer.link, 'idle');
  assert.equal(host.connections, 0);
});
