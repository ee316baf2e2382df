import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type CardAtHand, type HostOutcome, UnsendableOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { EncryptedPin } from '../../../src/base/ports/pin-pad.ts';
import {
  authOrder,
  chipWithPin,
  epsOrders,
  epsReversals,
  offlineSaleOrder,
  pin,
  refundOrder,
  tippedSaleOrder,
  voidOrder,
} from './orders.ts';
import { answerFrame, bench, bytes, cardAtHand, type PresentedOrder, reversalOrder, saleOrder } from './terminal.ts';

/** Published test values: fixtures/crypto/dukpt-aes.json. */
const aesPin: EncryptedPin = {
  format: 'ISO-4',
  ksn: bytes('123456789012345600000001'),
  block: bytes('A912150391AB65A67E52883D81CE2D15'),
};

const deadline = { timeout: 10_000 };
const eps = { dialect: 'EPS' } as const;

async function outcomeOf(t: TestContext, order: PresentedOrder, answer: string): Promise<HostOutcome> {
  const { host, acquirer } = await bench(t, eps);
  const outcome = acquirer.request(order);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(answer);
  return outcome;
}

for (const [responseCode, reason] of [
  ['55', 'wrongPin'],
  ['75', 'pinTriesExceeded'],
  ['51', 'insufficientFunds'],
] as const) {
  test(`EPS: ${responseCode} declines`, deadline, async (t) => {
    const answer = answerFrame({ processingCode: '001000', responseCode, approvalCode: '' });
    const outcome = await outcomeOf(t, epsOrders.savings, answer);
    assert.deepEqual(outcome, { kind: 'declined', reason, responseCode, rrn: '623710000123' });
  });
}

test('EPS: an approval needs its code, and speaks of the total with the cash', deadline, async (t) => {
  const order = epsOrders.cashSavings;
  const garbled = { kind: 'unknown', reason: 'garbled-answer' };
  const answer = { processingCode: '091000', amount: '000000013000' };
  assert.deepEqual(await outcomeOf(t, order, answerFrame({ ...answer, approvalCode: '' })), garbled);
  assert.deepEqual(await outcomeOf(t, order, answerFrame({ ...answer, amount: '000000003000' })), garbled);
});

test('EPS: an answer about the other account answers something else', deadline, async (t) => {
  const { host, acquirer, nextLate } = await bench(t, eps);
  const outcome = acquirer.request(epsOrders.savings);
  const side = await host.accepted();
  await side.readFrame();
  const late = nextLate();
  await side.write(answerFrame({ processingCode: '002000' }));
  assert.equal((await late).stan, '000123');
  await side.write(answerFrame({ processingCode: '001000' }));
  assert.equal((await outcome).kind, 'approved');
});

test('EPS: no cash is no cash back', deadline, async (t) => {
  const { host, acquirer } = await bench(t, eps);
  const send = async (order: PresentedOrder) => {
    const outcome = acquirer.request(order);
    side ??= await host.accepted();
    const request = await side.readFrame();
    await side.write(answerFrame({ processingCode: '001000' }));
    await outcome;
    return request;
  };
  let side: Awaited<ReturnType<typeof host.accepted>> | undefined;
  const plain = await send(epsOrders.savings);
  const zero = await send({ ...epsOrders.savings, card: { ...epsOrders.savings.card, cashbackMinor: 0n } });
  assert.equal(zero, plain);
});

test('EPS: what the host does not take never leaves', deadline, async (t) => {
  const { acquirer, host } = await bench(t, eps);
  const card = epsOrders.savings.card;
  const { account: _account, ...withoutAccount } = card;
  const { pin: _pin, ...withoutPin } = card;
  const wrong: readonly PresentedOrder[] = [
    { ...saleOrder, card: withoutAccount },
    { ...saleOrder, card: withoutPin },
    { ...saleOrder, card: { ...card, cashbackMinor: 3001n } },
    { ...saleOrder, card: { ...card, cashbackMinor: -1n } },
    { ...tippedSaleOrder, card },
    { ...authOrder, card },
    { ...refundOrder, card },
  ];
  for (const order of wrong) await assert.rejects(acquirer.request(order), RangeError);
  await assert.rejects(acquirer.request({ ...voidOrder, card: { ...voidOrder.card, account: 'SAVINGS' } }), RangeError);
  await assert.rejects(acquirer.advise({ ...offlineSaleOrder, card: { ...card } }, false), UnsendableOrder);
  await assert.rejects(acquirer.reverse(reversalOrder, false), UnsendableOrder, 'a reversal without the account');
  assert.equal(host.connections, 0);
});

for (const dialect of ['EDC', 'CUP'] as const) {
  test(`${dialect} knows neither account nor cash back`, deadline, async (t) => {
    const { acquirer, host } = await bench(t, { dialect });
    const wrong: readonly Partial<CardAtHand>[] = [{ account: 'SAVINGS' }, { cashbackMinor: 1n }];
    for (const part of wrong) {
      await assert.rejects(acquirer.request({ ...saleOrder, card: { ...cardAtHand, ...part } }), RangeError);
    }
    await assert.rejects(acquirer.reverse(epsReversals.savings, false), UnsendableOrder);
    // Its fields are there, and one of them has no place in a message.
    const trace = { ...reversalOrder.trace, stan: 1_000_000 };
    await assert.rejects(acquirer.reverse({ ...reversalOrder, trace }, false), UnsendableOrder);
    await assert.rejects(acquirer.advise({ ...offlineSaleOrder, approvalCode: '12345\u00e9' }, false), UnsendableOrder);
    assert.equal(host.connections, 0);
  });

  test(`${dialect}: a wrong PIN comes back as a decline`, deadline, async (t) => {
    const { host, acquirer } = await bench(t, { dialect });
    const outcome = acquirer.request({ ...saleOrder, card: chipWithPin });
    const side = await host.accepted();
    await side.readFrame();
    await side.write(answerFrame({ responseCode: '55', approvalCode: '' }));
    assert.deepEqual(await outcome, { kind: 'declined', reason: 'wrongPin', responseCode: '55', rrn: '623710000123' });
  });
}

test('a PIN block of format 4 goes behind its key in field 48, and not into field 52', deadline, async (t) => {
  for (const dialect of ['EDC', 'EPS'] as const) {
    const { host, acquirer } = await bench(t, { dialect });
    const order = dialect === 'EPS' ? epsOrders.savings : saleOrder;
    const outcome = acquirer.request({ ...order, card: { ...order.card, pin: aesPin } });
    const side = await host.accepted();
    const request = await side.readFrame();
    assert.ok(request.includes('DFEE510C12345678901234560000000199C110A912150391AB65A67E52883D81CE2D15'));
    const bitmap = BigInt(`0x${request.slice(4 + 10 + 4, 4 + 10 + 4 + 16)}`);
    assert.equal((bitmap >> BigInt(64 - 52)) & 1n, 0n, 'field 52');
    await side.write(answerFrame({ processingCode: dialect === 'EPS' ? '001000' : '000000' }));
    assert.equal((await outcome).kind, 'approved');
  }
});

test('a PIN block that is not as long as its format never leaves', deadline, async (t) => {
  const { acquirer, host } = await bench(t);
  for (const wrong of [
    { ...pin, format: 'ISO-4', block: new Uint8Array(16) },
    { ...pin, format: 'ISO-4' },
    { ...aesPin, format: 'ISO-0' },
    { ...aesPin, ksn: aesPin.ksn.subarray(2) },
    { ...pin, block: pin.block.subarray(1) },
    { ...pin, ksn: bytes('123456789012345600000001') },
  ] as const) {
    await assert.rejects(acquirer.request({ ...saleOrder, card: { ...cardAtHand, pin: wrong } }), RangeError);
  }
  assert.equal(host.connections, 0);
});
