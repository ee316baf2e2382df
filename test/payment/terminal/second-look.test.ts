import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import type { ClosedOrderRequery } from '../../../src/methods/wallet/closed-order-requery.ts';
import { printParts } from '../../pos/api/served.ts';
import { settled } from '../../support/manual-clock.ts';
import { lagMs, lookingAt } from './looking.ts';
import { begun, durable, ending, enquired } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { type PayScript, waitsAndIsSilent } from './scripted-wallet.ts';
import { ended, everything, Stage, timeouts, waits } from './stage.ts';

let stage: Stage;
let look: ClosedOrderRequery;
let failures: unknown[];
beforeEach(() => {
  failures = [];
  stage = new Stage(undefined, everything);
  look = looking();
});
afterEach(async () => {
  await look.close();
  stage.close();
  assert.deepEqual(failures, []);
});

const declinesPayment: PayScript = {
  state: 'declined',
  outcome: { kind: 'declined', reason: 'insufficientBalance', responseCode: '1143' },
};
const declinesAndIsSilent: PayScript = { state: 'declined', outcome: { kind: 'unknown', reason: 'no-answer' } };

const looking = () => lookingAt(stage, failures);

let settlements = 0;

async function settles(): Promise<void> {
  const messageId = `S-${(settlements += 1)}`;
  const done = stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: acquirerId('QR') });
  const answer = await done;
  assert.equal(answer.kind === 'ended' && answer.settlement.results?.[0]?.result, 'BALANCED');
}

/** As a POS hears it of an enquiry. */
async function reportedOf(messageId = 'M-1'): Promise<readonly [impact: unknown, message: string]> {
  const answer = await stage.terminal.enquire('POS-1', messageId);
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  const { financialImpact, message } = posResponse(answer.record, printParts, answer);
  return [financialImpact, String(message)];
}

const closed = () => stage.journal.store.closedOrders().length;
const refunds = () => stage.wallet.calls.filter(({ call }) => call === 'refund').map(({ order }) => order.tradeNo);

/** The customer's payment reaches the books when the host has called the order over already. */
function paidLate(tradeNo: string): void {
  const kept = stage.wallet.books.get(tradeNo) ?? assert.fail('no such order');
  kept.state = 'paid';
}

async function shown() {
  const sale = await begun(stage, 'QR_PRESENT');
  await settled();
  return sale;
}

async function cancelled(): Promise<string> {
  const { answer } = await shown();
  await stage.terminal.cancel('POS-1', 'M-1');
  assert.equal(
    ending(ended(await answer))
      .split(' ')
      .at(-1),
    'NONE',
  );
  return `${durable(stage).id}-1`;
}

describe('an order that its host has called over', () => {
  test('is enquired a whole lag after, some lags later, before the next settlement and a lag after it, and then no more', async () => {
    await cancelled();
    assert.equal(closed(), 1);
    const asked = stage.wallet.calls.length;
    await stage.clock.advance(lagMs);
    assert.equal(stage.wallet.calls.length, asked, 'not before a whole lag is over');
    await stage.clock.advance(lagMs);
    assert.equal(stage.wallet.calls.length, asked + 1);
    await stage.clock.advance(4 * lagMs);
    assert.equal(stage.wallet.calls.length, asked + 2);
    await stage.clock.advance(10 * lagMs);
    assert.deepEqual([stage.wallet.calls.length, closed()], [asked + 2, 1]);
    await settles();
    assert.deepEqual([stage.wallet.calls.length, closed()], [asked + 3, 1]);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual([stage.wallet.calls.length, closed()], [asked + 4, 0]);
    await stage.clock.advance(10 * lagMs);
    await settles();
    assert.equal(stage.wallet.calls.length, asked + 4);
  });

  for (const lags of [3, 40]) {
    test(`and that was paid ${lags} lags later is given back before its wallet is settled`, async () => {
      const tradeNo = await cancelled();
      await stage.clock.advance(lags * lagMs);
      paidLate(tradeNo);
      await settles();
      assert.deepEqual([refunds(), stage.posted, closed()], [[`${tradeNo}-R`], 0, 0]);
      assert.deepEqual(stage.journal.store.pending(), []);
    });
  }

  test('and that was paid before a settlement, when the query did not show it yet, is given back', async () => {
    const tradeNo = await cancelled();
    await stage.clock.advance(8 * lagMs);
    await settles();
    paidLate(tradeNo);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
  });

  test('a moment before a settlement is looked at before the next one too', async () => {
    const tradeNo = await cancelled();
    await settles();
    await stage.clock.advance(8 * lagMs);
    paidLate(tradeNo);
    await settles();
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
  });

  test('keeps no settlement from its end while its host does not answer, and is kept for the next', async () => {
    await cancelled();
    await stage.clock.advance(8 * lagMs);
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    await settles();
    assert.equal(closed(), 1);
    stage.wallet.onEnquire = () => undefined;
    await settles();
    await stage.clock.advance(2 * lagMs);
    assert.equal(closed(), 0);
  });

  test('is told by an enquiry as not certain before it was looked at, then as not charged', async () => {
    await cancelled();
    const [impact, message] = await reportedOf();
    assert.equal(impact, 'REVERSAL_PENDING');
    assert.match(message, /; the wallet is asked once more, and a late payment is refunded$/);
    await stage.clock.advance(2 * lagMs);
    assert.equal((await reportedOf())[0], 'NONE');
    assert.doesNotMatch((await reportedOf())[1], /once more/);
  });

  test('of a wallet that gives nothing back is told as unknown before it was looked at', async () => {
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
    await stage.terminal.cancel('POS-1', 'M-1');
    await answer;
    assert.equal((await reportedOf())[0], 'UNKNOWN');
    await stage.clock.advance(2 * lagMs);
    assert.equal((await reportedOf())[0], 'NONE');
  });

  test('and was paid after all is no earlier try where it was the only one', async () => {
    paidLate(await cancelled());
    await stage.clock.advance(2 * lagMs);
    const [impact, message] = await reportedOf();
    assert.equal(impact, 'REVERSED');
    assert.match(message, /; the host approved it afterwards, and that is reversed$/);
  });

  test('and that was paid after the cancel is given back once, and the enquiry says so', async () => {
    const tradeNo = await cancelled();
    paidLate(tradeNo);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
    assert.equal(stage.posted, 0);
    assert.equal((await enquired(stage)).split(' ').at(-1), 'REVERSED');
    await stage.clock.advance(10 * lagMs);
    await settles();
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
    assert.deepEqual([closed(), stage.journal.store.pending()], [0, []]);
  });

  test('and that was paid after the merchant has taken cash is given back, and the cash stands', async () => {
    const { answer } = await shown();
    stage.act({ kind: 'choose', mode: 'CASH' });
    await stage.trace.seen('screen: tenderCash');
    await settled();
    stage.act({ kind: 'tender', amount: '30' });
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    const tradeNo = `${durable(stage).id}-1`;
    paidLate(tradeNo);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
    assert.equal(await enquired(stage), 'SUCCESS');
    assert.deepEqual(stage.journal.store.pending(), []);
  });

  test('and that was paid by a wallet that gives nothing back stands as a sale of its own, and the enquiry says UNKNOWN', async () => {
    const { answer } = await begun(stage, 'QR_PRESENT', 'M-1', { preferredInstrument: 'FPS' });
    await stage.terminal.cancel('POS-1', 'M-1');
    await answer;
    const { id } = durable(stage);
    paidLate(`${id}-1`);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), []);
    assert.equal((await enquired(stage)).split(' ').at(-1), 'UNKNOWN');
    const [own, ...none] = stage.journal.store.later(id);
    assert.deepEqual(none, []);
    assert.partialDeepStrictEqual(own?.events.findLast(({ event }) => event.kind === 'ended')?.event, {
      result: 'SUCCESS',
    });
    assert.deepEqual([closed(), stage.journal.store.pending()], [0, []]);
  });

  test('by the queue is looked at too', async () => {
    stage.wallet.onPay = () => waitsAndIsSilent;
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    const { answer } = await begun(stage, 'QR_SCAN');
    stage.scanner.read(codes.ALIPAY);
    await settled();
    await stage.clock.advance(waits.walletResolveMs + waits.walletPollMs + timeouts.reversalWaitMs);
    await answer;
    stage.wallet.onEnquire = () => undefined;
    while (closed() === 0) await stage.clock.advance(10_000);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    const tradeNo = `${durable(stage).id}-1`;
    paidLate(tradeNo);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
    assert.equal(await enquired(stage), 'ERROR REVERSED');
  });

  test('is enquired with its host’s time, also after a restart with a wrong clock', async () => {
    Object.assign(stage.wallet, { hostTime: undefined });
    const { answer } = await shown();
    Object.assign(stage.wallet, { hostTime: '2026-01-31 23:58:39' });
    await stage.terminal.cancel('POS-1', 'M-1');
    await answer;
    await look.close();
    await stage.restart();
    look = looking();
    stage.wallet.calls.length = 0;
    await stage.clock.advance(2 * lagMs);
    const asked = stage.wallet.calls.filter(({ call }) => call === 'enquire').map(({ order }) => order.hostAt);
    assert.deepEqual(asked, ['2026-01-31 23:58:39']);
  });

  test('is looked at after a restart', async () => {
    const tradeNo = await cancelled();
    await look.close();
    await stage.restart();
    look = looking();
    paidLate(tradeNo);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
  });

  test('holds up no other payment, also while its host is silent', async () => {
    await cancelled();
    stage.wallet.onEnquire = () => ({ kind: 'unknown' });
    await stage.clock.advance(3 * lagMs);
    assert.equal(closed(), 1);
    stage.wallet.onEnquire = () => undefined;
    const { answer } = await begun(stage, 'QR_SCAN', 'M-2');
    stage.scanner.read(codes.ALIPAY);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
  });

  test('and is shown no more is given up after the next settlement', async () => {
    const tradeNo = await cancelled();
    stage.wallet.books.delete(tradeNo);
    await stage.clock.advance(8 * lagMs);
    assert.equal((await reportedOf())[0], 'NONE');
    await settles();
    await stage.clock.advance(2 * lagMs);
    assert.equal(closed(), 0);
    assert.deepEqual(refunds(), []);
  });
});

describe('a scanned order that its host has declined', () => {
  async function declined(isUnknown = false): Promise<string> {
    stage.wallet.onPay = () => (isUnknown ? declinesAndIsSilent : declinesPayment);
    const { answer } = await begun(stage, 'QR_SCAN');
    stage.scanner.read(codes.ALIPAY);
    await settled();
    assert.equal(ending(ended(await answer)), 'DECLINED NONE');
    assert.deepEqual(await reportedOf(), ['NONE', ended(await answer).conclusion?.message]);
    return `${durable(stage).id}-1`;
  }

  for (const isUnknown of [false, true]) {
    test(`${isUnknown ? 'by an enquiry' : 'at once'} and posts late is given back before its wallet is settled`, async () => {
      const tradeNo = await declined(isUnknown);
      await stage.clock.advance(20 * lagMs);
      paidLate(tradeNo);
      await settles();
      assert.deepEqual([refunds(), stage.posted, closed()], [[`${tradeNo}-R`], 0, 0]);
      const [impact, message] = await reportedOf();
      assert.equal(impact, 'REVERSED');
      assert.match(message, /the host approved it afterwards, and that is reversed/);
    });
  }

  test('is enquired no more a lag after a settlement', async () => {
    await declined();
    await stage.clock.advance(20 * lagMs);
    await settles();
    await stage.clock.advance(2 * lagMs);
    assert.equal(closed(), 0);
  });

  test('because it does not know this terminal, is not enquired', async () => {
    stage.wallet.onPay = () => ({
      outcome: { kind: 'declined', reason: 'terminalUnknown', responseCode: '1100' },
    });
    const { answer } = await begun(stage, 'QR_SCAN');
    stage.scanner.read(codes.ALIPAY);
    await settled();
    await answer;
    assert.equal(closed(), 0);
  });
});
