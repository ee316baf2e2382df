import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OnlineOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, durable, ending, enquired, kindsOf } from './method-stage.ts';
import { acknowledges, approves, declines, isDown, isSilent, postsAndIsSilent } from './scripted-host.ts';
import { card } from './scripted-reader.ts';
import { ended, everything, sale, Stage, timeouts } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

/** A bank's card by its magstripe: no AID, no EMV objects. */
function bankCard(): PresentedCard {
  return { ...card(), entryMode: 'MAGSTRIPE', aid: '', appName: '', emv: new Map() };
}

interface Customer {
  readonly card: PresentedCard;
  readonly answer: Promise<Awaited<ReturnType<typeof stage.terminal.pay>>>;
}

/** A sale whose card is through and whose account is chosen: the PIN is asked for. */
async function atPin(messageId = 'M-1', fields: Partial<PaymentRequest> = {}): Promise<Customer> {
  const { answer } = await begun(stage, 'EPS', messageId, fields);
  const presented = bankCard();
  const asked = stage.trace.count('pin pad: armed') + 1;
  stage.reader.answer({ kind: 'card', card: presented });
  await settled();
  stage.act({ kind: 'account', account: 'SAVINGS' });
  await stage.trace.seen('pin pad: armed', asked);
  return { card: presented, answer };
}

/** Enters a PIN and waits for the host's answer to it. */
async function entered() {
  const pin = stage.pinPad.enter();
  await settled();
  return pin;
}

const cardOf = (order: OnlineOrder | undefined) =>
  order && 'encryptedTrack2' in order.card ? order.card : assert.fail('no card was at hand');

/** The track and the PIN block of each order as they were when it was sent: they are overwritten later. */
function watchOrders() {
  const sent: { track: string; block: string | undefined; stan: number; account: string | undefined }[] = [];
  const scripts = [approves];
  stage.eps.onRequest = (order) => {
    const { encryptedTrack2, pin, account } = cardOf(order);
    sent.push({
      track: Buffer.from(encryptedTrack2).toString('hex'),
      block: pin && Buffer.from(pin.block).toString('hex'),
      stan: order.trace.stan,
      account,
    });
    return (scripts.length > 1 ? scripts.shift() : scripts[0]) ?? assert.fail('no answer');
  };
  return { sent, scripts };
}

const track = 'c1'.repeat(24);
const block = 'c3'.repeat(8);

describe('an EPS sale', () => {
  test('account, then PIN, then the host: approved', async () => {
    const { sent } = watchOrders();
    const { answer } = await begun(stage, 'EPS');
    assert.deepEqual(
      stage.reader.requests.at(-1)?.interfaces,
      ['magstripe'],
      'a chip in its slot leaves no way to a PIN',
    );
    stage.reader.answer({ kind: 'card', card: bankCard() });
    await settled();
    assert.partialDeepStrictEqual(stage.views.at(-1), { scene: 'chooseAccount', accounts: ['SAVINGS', 'CURRENT'] });
    assert.deepEqual(kindsOf(stage), ['accepted']);
    stage.act({ kind: 'account', account: 'CURRENT' });
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'enterPin');
    assert.deepEqual(stage.pinPad.requests, [
      { amount: { minor: 3000n, currency: 'HKD' }, timeoutMs: timeouts.pinMs, again: false },
    ]);
    stage.pinPad.enter();
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(sent, [{ track, block, stan: 1, account: 'CURRENT' }]);
    assert.partialDeepStrictEqual(record.intent, {
      acquirerId: 'EPS',
      operation: 'sale',
      account: 'CURRENT',
      card: { brand: 'EPS', entryMode: 'MAGSTRIPE', authenticationMethod: 'ONLINE_PIN' },
    });
    assert.equal(stage.eps.posted, 1);
    assertClean(stage);
  });

  test('PIN block and track are never in the journal', async () => {
    const { answer } = await atPin();
    await entered();
    await answer;
    const kept = JSON.stringify(stage.journal.store.read(durable(stage).id)).toLowerCase();
    assert.ok(!kept.includes(block) && !kept.includes(track));
  });

  test('an unknown account, or one at another moment, has no effect', async () => {
    const { answer } = await begun(stage, 'EPS');
    stage.act({ kind: 'account', account: 'SAVINGS' });
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'presentCard');
    stage.reader.answer({ kind: 'card', card: bankCard() });
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'chooseAccount');
    stage.act({ kind: 'cancel' });
    assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
    assert.equal(stage.trace.count('pin pad: armed'), 0);
  });

  test('the same card as a card payment goes to its brand, without an account', async () => {
    const { answer } = await begun(stage, 'CARD');
    stage.reader.answer({ kind: 'card', card: bankCard() });
    const record = ended(await answer);
    assert.partialDeepStrictEqual(record.intent, { acquirerId: 'EDC', card: { brand: 'VISA' } });
    assert.ok(record.intent && !('account' in record.intent));
  });

  for (const [what, script, reported, posted] of [
    ['declines 51', declines('51'), 'DECLINED NONE', 0],
    ['declines 75, tries exceeded', declines('75'), 'DECLINED NONE', 0],
    ['can’t process it now', declines('91'), 'ERROR NONE', 0],
    ['is down', isDown, 'ERROR NONE', 0],
    ['is silent', isSilent, 'ERROR REVERSED', 0],
    ['posts and is silent', postsAndIsSilent, 'ERROR REVERSED', 0],
  ] as const) {
    test(`and the host ${what}: ${reported}, no PIN is asked for again`, async () => {
      stage.eps.onRequest = () => script;
      const { answer } = await atPin();
      await entered();
      const record = ended(await answer);
      assert.equal(ending(record), reported);
      assert.equal(stage.pinPad.requests.length, 1);
      assert.equal(stage.eps.posted, posted);
      assertClean(stage);
    });
  }

  test('a reversal names the account and carries neither PIN nor track', async () => {
    stage.eps.onRequest = () => postsAndIsSilent;
    let seen: unknown;
    stage.eps.onReversal = (order) => {
      seen = order.card;
      return acknowledges;
    };
    const { answer } = await atPin();
    await entered();
    assert.equal(ending(ended(await answer)), 'ERROR REVERSED');
    assert.ok(seen && typeof seen === 'object');
    assert.deepEqual(Object.keys(seen).toSorted(), ['account', 'encryptedPan', 'entryMode', 'ksn']);
  });
});

describe('a wrong PIN', () => {
  test('may be entered again: a new trace number, the same track, the pad says so', async () => {
    const { sent, scripts } = watchOrders();
    scripts.splice(0, 1, declines('55'), declines('55'), approves);
    const { answer } = await atPin();
    await entered();
    assert.partialDeepStrictEqual(stage.views.at(-1), { scene: 'enterPin', hint: 'wrongPin' });
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'answered']);
    await entered();
    await entered();
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(
      sent,
      [1, 2, 3].map((stan) => ({ track, block, stan, account: 'SAVINGS' })),
    );
    assert.deepEqual(
      stage.pinPad.requests.map(({ again }) => again),
      [false, true, true],
    );
    assert.equal(record.intent?.trace.stan, 3);
    assert.equal(stage.trace.count('reader: armed'), 1, 'the card is asked for once');
    assert.equal(stage.eps.posted, 1);
    assert.deepEqual(stage.eps.reversals, []);
    assertClean(stage);
  });

  test('until the host says that its tries are exceeded: declined', async () => {
    const { scripts } = watchOrders();
    scripts.splice(0, 1, declines('55'), declines('55'), declines('75'));
    const { answer } = await atPin();
    for (let tries = 0; tries < 3; tries++) await entered();
    const record = ended(await answer);
    assert.equal(ending(record), 'DECLINED NONE');
    assert.equal(record.conclusion?.code, 1075);
    assert.equal(stage.pinPad.requests.length, 3);
    assertClean(stage);
  });

  test('and then the customer gives up: nothing is reversed, what was declined is declined', async () => {
    stage.eps.onRequest = () => declines('55');
    const { answer } = await atPin();
    await entered();
    stage.pinPad.wait.answer({ kind: 'cancelled' });
    assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
    assert.deepEqual(stage.eps.reversals, []);
    assertClean(stage);
  });

  test('and then the merchant takes another way: the card is forgotten, and one payment is made', async () => {
    stage.eps.onRequest = () => declines('55');
    const { answer, card: presented } = await atPin();
    const wrong = await entered();
    stage.act({ kind: 'choose', mode: 'CASH' });
    await stage.trace.seen('screen: tenderCash');
    assert.ok(wrong.block.every((byte) => byte === 0));
    assert.ok(presented.encrypted.track2.every((byte) => byte === 0));
    stage.act({ kind: 'tender', amount: '30' });
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.ok(record.intent && 'cash' in record.intent);
    assert.equal(stage.posted, 0);
    assertClean(stage);
  });

  test('and the next one is not answered: that one is reversed', async () => {
    const { scripts } = watchOrders();
    scripts.splice(0, 1, declines('55'), postsAndIsSilent);
    const { answer } = await atPin();
    await entered();
    await entered();
    assert.equal(ending(ended(await answer)), 'ERROR REVERSED');
    assert.deepEqual(
      stage.eps.reversals.map(({ stan }) => stan),
      [2],
    );
    assert.equal(stage.eps.posted, 0);
    assertClean(stage);
  });

  for (const [moment, reversed, reported] of [
    ['while the PIN is asked for again', [], 'DECLINED NONE'],
    ['while the host is asked again', [2], 'ERROR REVERSED'],
  ] as const) {
    test(`and the terminal is cut off ${moment}: ${reported}`, async () => {
      let asked = 0;
      stage.eps.onRequest = ({ trace }) => {
        if ((asked += 1) === 1) return declines('55');
        stage.eps.books.set(trace.stan, 'POSTED');
        return new Promise(() => undefined);
      };
      await atPin();
      await entered();
      if (reversed.length > 0) await entered();
      await stage.restart();
      await settled();
      assert.equal(await enquired(stage), reported);
      assert.deepEqual(
        stage.eps.reversals.map(({ stan }) => stan),
        reversed,
      );
      assert.equal(stage.eps.posted, 0);
    });
  }

  test('55 where no PIN was entered is a decline', async () => {
    stage.edc.onRequest = () => declines('55');
    const { answer } = await begun(stage, 'CARD');
    stage.reader.present();
    const record = ended(await answer);
    assert.equal(ending(record), 'DECLINED NONE');
    assert.equal(record.conclusion?.code, 1055);
    assert.equal(stage.pinPad.requests.length, 0);
  });
});

describe('the PIN', () => {
  for (const [what, end, message] of [
    [
      'is cancelled by the customer',
      () => stage.pinPad.wait.answer({ kind: 'cancelled' }),
      /cancelled by the customer/,
    ],
    ['takes too long', () => stage.pinPad.wait.answer({ kind: 'timeout' }), /did not pay in time/],
    ['is cancelled by the merchant', () => stage.act({ kind: 'cancel' }), /cancelled by the merchant/],
    ['takes longer than collecting may', () => stage.clock.advance(timeouts.collectMs), /did not pay in time/],
    [
      'can’t be asked for',
      () => stage.pinPad.wait.fail(new DeviceError('vanished', 'gone')),
      /the PIN pad failed \(vanished\)/,
    ],
  ] as const) {
    test(`${what}: the host is not asked, the pad accepts no more digits, the track is overwritten`, async () => {
      const { answer, card: presented } = await atPin();
      await end();
      const record = ended(await answer);
      assert.match(record.conclusion?.message ?? '', message);
      assert.equal(stage.eps.requests.length, 0);
      assert.deepEqual(kindsOf(stage), ['accepted', 'ended']);
      assert.ok(presented.encrypted.track2.every((byte) => byte === 0));
      assertClean(stage);
    });
  }

  test('and the terminal is idle only once the pad has confirmed a cancel', async () => {
    const { answer } = await atPin();
    stage.pinPad.wait.holdsDisarm = true;
    const cancelling = stage.terminal.cancel('POS-1', 'M-1');
    await settled();
    assert.equal(stage.terminal.running?.step, 'disarming');
    stage.pinPad.wait.confirmDisarm();
    assert.equal((await cancelling).kind, 'cancelled');
    await answer;
  });

  for (const [what, scripts, entries] of [
    ['approved', [approves], 1],
    ['declined', [declines('51')], 1],
    ['unknown', [postsAndIsSilent], 1],
    ['approved at the third PIN', [declines('55'), declines('55'), approves], 3],
  ] as const) {
    test(`${what}: track and every PIN block are overwritten at the end`, async () => {
      const rest = [...scripts];
      stage.eps.onRequest = () => rest.shift() ?? assert.fail('asked too often');
      const { answer, card: presented } = await atPin();
      const pins = [];
      for (let entry = 0; entry < entries; entry++) pins.push(await entered());
      await answer;
      for (const pin of pins) assert.deepEqual(pin.block, Buffer.alloc(8));
      assert.deepEqual(presented.encrypted.track2, Buffer.alloc(24));
      const [order] = stage.eps.requests;
      assert.ok(
        cardOf(order).encryptedTrack2.every((byte) => byte === 0),
        'in what was sent as well',
      );
    });
  }

  test('a wrong PIN is overwritten as soon as the next one is there', async () => {
    const host = Promise.withResolvers<typeof approves>();
    let asked = 0;
    stage.eps.onRequest = () => ((asked += 1) === 1 ? declines('55') : host.promise);
    const { answer } = await atPin();
    const wrong = await entered();
    const right = await entered();
    assert.deepEqual(wrong.block, Buffer.alloc(8));
    assert.notDeepEqual(right.block, Buffer.alloc(8));
    host.resolve(approves);
    await answer;
    assert.deepEqual(right.block, Buffer.alloc(8));
  });
});

describe('cash back', () => {
  test('is in the order, in the record and on the screen, within the total', async () => {
    const { answer } = await atPin('M-1', { cashbackMinor: 1000n });
    assert.equal(stage.views.at(-1)?.cashback, '10.00');
    stage.pinPad.enter();
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    const [order] = stage.eps.requests;
    assert.deepEqual(order?.amount, { minor: 3000n, currency: 'HKD' });
    assert.equal(order?.card.cashbackMinor, 1000n);
    assert.equal(record.request.cashbackMinor, '1000');
    assert.ok(record.intent && 'account' in record.intent && record.intent.cashbackMinor === '1000');
    const view = stage.views.findLast(({ scene }) => scene === 'approved');
    assert.partialDeepStrictEqual(view, { cashback: '10.00', hint: 'takeCash' });
    assert.equal(stage.trace.count('drawer: open'), 1);
  });

  test('that is not paid, and a sale without it, leave the drawer shut', async () => {
    stage.eps.onRequest = () => declines('51');
    const declined = await atPin('M-1', { cashbackMinor: 1000n });
    await entered();
    assert.match(ending(ended(await declined.answer)) ?? '', /^DECLINED/);
    stage.eps.onRequest = () => approves;
    const plain = await atPin('M-2');
    await entered();
    assert.equal(ending(ended(await plain.answer)), 'SUCCESS');
    assert.equal(stage.trace.count('drawer: open'), 0);
  });

  test('is named by its reversal', async () => {
    stage.eps.onRequest = () => postsAndIsSilent;
    let cash: bigint | undefined;
    stage.eps.onReversal = ({ card: { cashbackMinor } }) => {
      cash = cashbackMinor;
      return acknowledges;
    };
    const { answer } = await atPin('M-1', { cashbackMinor: 1000n });
    await entered();
    assert.equal(ending(ended(await answer)), 'ERROR REVERSED');
    assert.equal(cash, 1000n);
  });

  test('starts EPS by itself, and the merchant can’t change to a method without cash back', async () => {
    const answer = stage.terminal.pay(sale('M-1', { cashbackMinor: 1000n }));
    await stage.trace.seen('reader: armed');
    await settled();
    assert.deepEqual(stage.views.at(-1)?.modes, ['EPS']);
    stage.act({ kind: 'choose', mode: 'CASH' });
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'presentCard');
    stage.act({ kind: 'cancel' });
    assert.equal(ending(ended(await answer)), 'TRANSACTION_ALREADY_CANCEL NONE');
  });
});

test('without a PIN pad EPS is refused up front: nothing is armed, nothing written', async () => {
  const bare = new Stage(undefined, { ...everything, pinPad: false });
  try {
    for (const fields of [{ preferredInstrument: 'EPS' }, { cashbackMinor: 1000n }] as const) {
      const answer = await bare.terminal.pay(sale('M-1', fields));
      assert.equal(answer.kind, 'refused');
    }
    assert.equal(bare.trace.count('reader: armed'), 0);
    assert.equal(bare.trace.count('commit: accepted'), 0);
    const answer = bare.terminal.pay(sale('M-2'));
    await bare.trace.seen('reader: armed');
    await settled();
    assert.ok(!bare.views.at(-1)?.modes?.includes('EPS'));
    bare.act({ kind: 'cancel' });
    await answer;
  } finally {
    bare.close();
  }
});
