import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { SecondLook } from '../../src/method/wallet/second-look.ts';
import { settled } from './manual-clock.ts';
import { begun, durable, ending, enquired } from './method-stage.ts';
import { codes } from './scripted-scanner.ts';
import { waitsAndIsSilent } from './scripted-wallet.ts';
import { ended, everything, Stage, timeouts, waits } from './stage.ts';

const lagMs = 60_000;

let stage: Stage;
let look: SecondLook;
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

function looking(): SecondLook {
  const { journal, wallet, forwarder, clock } = stage;
  let drawn = 0;
  const random = { bytes: (length: number) => new Uint8Array(length).fill((drawn += 1)) };
  const wallets = new Map([[wallet.id, wallet]]);
  return new SecondLook({
    journal,
    wallets,
    forwarder,
    clock,
    random,
    lagMs,
    onFailure: (error) => failures.push(error),
  });
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
  test('is enquired once more, a whole lag after, and then no more', async () => {
    await cancelled();
    assert.equal(closed(), 1);
    const asked = stage.wallet.calls.length;
    await stage.clock.advance(lagMs);
    assert.equal(stage.wallet.calls.length, asked, 'not before a whole lag is over');
    await stage.clock.advance(lagMs);
    assert.deepEqual([stage.wallet.calls.length, closed()], [asked + 1, 0]);
    await stage.clock.advance(10 * lagMs);
    assert.equal(stage.wallet.calls.length, asked + 1);
  });

  test('and that was paid after the cancel is given back once, and the enquiry says so', async () => {
    const tradeNo = await cancelled();
    paidLate(tradeNo);
    await stage.clock.advance(2 * lagMs);
    assert.deepEqual(refunds(), [`${tradeNo}-R`]);
    assert.equal(stage.posted, 0);
    assert.equal((await enquired(stage)).split(' ').at(-1), 'REVERSED');
    await stage.clock.advance(10 * lagMs);
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

  test('and is shown no more is given up in the end', async () => {
    const tradeNo = await cancelled();
    stage.wallet.books.delete(tradeNo);
    await stage.clock.advance(40 * lagMs);
    assert.equal(closed(), 0);
    assert.deepEqual(refunds(), []);
  });
});
