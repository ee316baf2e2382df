import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import { settled } from '../../support/manual-clock.ts';
import { restartAfterCrowd } from './crowd.ts';
import { card } from './scripted-reader.ts';
import { ended, everything, sale, Stage } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, { ...everything, pinPad: false, eps: false });
});
afterEach(() => stage.close());

/** The reader has a slot, a stripe and a PIN pad. */
function equip(): void {
  stage.close();
  stage = new Stage(undefined, everything);
}

interface Opening {
  readonly answer: Promise<PayAnswer>;
  /** The journal says that the acceptance is durable. */
  readonly durable: () => void;
}

/** A payment whose acceptance the journal has not acknowledged yet. */
async function opening(fields: Partial<PaymentRequest> = { preferredEntryMode: 'CARD' }): Promise<Opening> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.journal.replies.set('open', promise);
  const answer = stage.terminal.pay(sale('M-1', fields));
  await stage.trace.seen('commit: accepted');
  await settled();
  return { answer, durable: resolve };
}

/** The same, of a journal that fails in the end. `holdsDisarm`: the reader confirms when the test says so. */
async function failing(
  holdsDisarm = false,
): Promise<{ readonly answer: Promise<PayAnswer>; readonly fails: () => void }> {
  const { promise, reject } = Promise.withResolvers<void>();
  stage.journal.replies.set('open', promise);
  stage.reader.holdsDisarm = holdsDisarm;
  const answer = stage.terminal.pay(sale('M-1', { preferredEntryMode: 'CARD' }));
  await stage.trace.seen('reader: armed');
  return { answer, fails: () => reject(new Error('the disk is gone')) };
}

const isWiped = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

test('nothing is shown, told, sent or written before the acceptance is durable, though the card was read', async () => {
  const { answer, durable } = await opening();
  const { encrypted } = stage.reader.present();
  await settled();
  assert.deepEqual(stage.trace.events, ['commit: accepted', 'reader: armed', 'reader: card']);
  assert.deepEqual(stage.journal.operations.slice(-1), ['open']);
  assert.deepEqual(stage.views, []);
  assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-1'), { kind: 'running', state: 'collecting' });
  assert.ok(!isWiped(encrypted.track2));

  durable();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  assert.deepEqual(stage.trace.events.slice(3), [
    'screen: presentCard',
    'screen: processing',
    'commit: intent',
    'EDC: sale',
    'commit: answered+ended',
    'screen: approved',
  ]);
  assert.equal(stage.edc.posted, 1);
  assert.ok(isWiped(encrypted.track2));
});

test('the same request joins it before the acceptance is durable', async () => {
  const { answer, durable } = await opening();
  const repeat = stage.terminal.pay(sale('M-1', { preferredEntryMode: 'CARD' }));
  stage.reader.present();
  durable();
  assert.deepEqual(await repeat, await answer);
  assert.equal(stage.trace.count('reader: armed'), 1);
  assert.equal(stage.edc.posted, 1);
});

test('the device that is armed while the merchant chooses goes on as well', async () => {
  const { answer, durable } = await opening({});
  assert.equal(stage.trace.count('reader: armed'), 1);
  durable();
  await stage.trace.seen('screen: chooseMethod');
  stage.reader.present();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  assert.equal(stage.trace.count('reader: armed'), 1);
});

test('EPS goes on with the stripe that was read meanwhile', async () => {
  equip();
  const { answer, durable } = await opening({ preferredInstrument: 'EPS' });
  stage.reader.answer({ kind: 'card', card: { ...card(), entryMode: 'MAGSTRIPE' } });
  await settled();
  assert.deepEqual(stage.views, []);
  durable();
  await stage.trace.seen('screen: chooseAccount');
  stage.act({ kind: 'account', account: 'SAVINGS' });
  await stage.trace.seen('pin pad: armed');
  stage.pinPad.enter();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  assert.equal(stage.trace.count('reader: armed'), 1);
});

test('the merchant changes to cash afterwards: the reader is disarmed once, and first', async () => {
  const { answer, durable } = await opening();
  durable();
  await stage.trace.seen('screen: presentCard');
  stage.act({ kind: 'choose', mode: 'CASH' });
  await stage.trace.seen('reader: cancelled');
  await settled();
  stage.act({ kind: 'tender', amount: '50' });
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  assert.deepEqual([stage.trace.count('reader: armed'), stage.trace.count('reader: cancelling')], [1, 1]);
});

test('a disk that hangs: the reader’s time is over once, and the payment ends so after the acceptance', async () => {
  const { answer, durable } = await opening();
  stage.reader.answer({ kind: 'timeout' });
  await settled();
  assert.deepEqual(stage.views, []);
  durable();
  assert.equal(ended(await answer).conclusion?.reason, 'customerTimeout');
  assert.equal(stage.trace.count('reader: armed'), 1);
});

test('a payment that is cancelled before it is written arms nothing while it is', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.journal.replies.set('open', promise);
  const answer = stage.terminal.pay(sale('M-1', { preferredEntryMode: 'CARD' }));
  const cancel = stage.terminal.cancel('POS-1', 'M-1');
  await stage.trace.seen('commit: accepted');
  await settled();
  assert.deepEqual(stage.trace.events, ['commit: accepted']);
  resolve();
  assert.equal((await cancel).kind, 'cancelled');
  assert.equal(ended(await answer).conclusion?.result, 'TRANSACTION_ALREADY_CANCEL');
  assert.equal(stage.trace.count('reader: armed'), stage.trace.count('reader: cancelled'));
});

describe('an identity that is taken', () => {
  test('is answered once the reader is disarmed; a card that crosses is overwritten and never sent', async () => {
    const first = await stage.paid(sale('M-1', { preferredEntryMode: 'CARD' }));
    await restartAfterCrowd(stage, ended(first).id);
    stage.reader.holdsDisarm = true;
    const from = stage.trace.events.length;
    let isAnswered = false;
    const repeat = stage.terminal.pay(sale('M-1', { preferredEntryMode: 'CARD' })).finally(() => (isAnswered = true));
    await stage.trace.seen('reader: cancelling');
    await settled();
    assert.equal(isAnswered, false);
    const { encrypted } = stage.reader.present();
    assert.deepEqual(await repeat, first);
    assert.deepEqual(stage.trace.events.slice(from), ['reader: armed', 'reader: cancelling', 'reader: card']);
    assert.ok(isWiped(encrypted.track2));
    assert.equal(stage.edc.posted, 1);
  });

  test('that was one of the latest before a start arms nothing, whatever its body; nor one that the journal may have', async () => {
    const request = sale('M-1', { preferredEntryMode: 'CARD' });
    const first = await stage.paid(request);
    await stage.restart();
    const listed = Promise.withResolvers<void>();
    stage.journal.replies.set('listSlice', listed.promise);
    const armed = stage.trace.count('reader: armed');
    const unread = stage.terminal.recover();
    assert.deepEqual(await stage.terminal.pay(request), first);
    listed.resolve();
    await unread;
    await settled();
    assert.deepEqual(await stage.terminal.pay(request), first);
    assert.deepEqual(await stage.terminal.pay(sale('M-1', { digest: 'another' })), { kind: 'otherRequest' });
    assert.equal(stage.trace.count('reader: armed'), armed);
  });

  test('by a settlement arms nothing, before a start and after it', async () => {
    await stage.terminal.settle({ posId: 'POS-1', messageId: 'S-1', digest: 'd' });
    assert.deepEqual(await stage.terminal.pay(sale('S-1')), { kind: 'otherRequest' });
    await stage.restart();
    await settled();
    assert.deepEqual(await stage.terminal.pay(sale('S-1')), { kind: 'otherRequest' });
    assert.equal(stage.trace.count('reader: armed'), 0);
    assert.deepEqual(stage.views, []);
  });
});

describe('a journal that fails', () => {
  test('disarms, and the answer waits for the confirmation', async () => {
    const { answer, fails } = await failing(true);
    let isAnswered = false;
    void answer.finally(() => (isAnswered = true));
    fails();
    await stage.trace.seen('reader: cancelling');
    await settled();
    assert.equal(isAnswered, false);
    stage.reader.confirmDisarm();
    assert.equal((await answer).kind, 'journalFailed');
    assert.deepEqual(stage.views, []);
  });

  test('a card that was read before is overwritten, and nothing of it is sent', async () => {
    const { answer, fails } = await failing();
    const { encrypted } = stage.reader.present();
    await settled();
    fails();
    assert.equal((await answer).kind, 'journalFailed');
    assert.ok(isWiped(encrypted.track2));
    assert.deepEqual(stage.views, []);
    assert.equal(stage.edc.posted, 0);
  });
});

test('a chip that was read is given back where the acceptance fails', async () => {
  equip();
  const { answer, fails } = await failing();
  stage.reader.answer({ kind: 'card', card: { ...card(), entryMode: 'CHIP', awaitsDecision: true } });
  await settled();
  fails();
  assert.equal((await answer).kind, 'journalFailed');
  assert.deepEqual(stage.equipped.decisions, [{ kind: 'unreachable' }]);
  assert.equal(stage.posted, 0);
});

test('what the reader says to the customer meanwhile is shown after the acceptance', async () => {
  const { answer, durable } = await opening();
  stage.reader.retry('collision');
  await settled();
  assert.equal(stage.views.length, 0);
  durable();
  await stage.trace.seen('screen: presentCard', 2);
  assert.equal(stage.views.at(-1)?.hint, 'oneCardOnly');
  stage.reader.present();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
});

test('a reader that fails meanwhile: told after the acceptance, as at any other time', async () => {
  const { answer, durable } = await opening();
  stage.reader.fail(new DeviceError('vanished', 'it was pulled out'));
  await settled();
  assert.deepEqual(stage.views, []);
  durable();
  assert.equal(ended(await answer).conclusion?.reason, 'cardReaderFailed');
});

const others: Readonly<Record<string, Partial<PaymentRequest>>> = {
  'an Octopus card': { preferredInstrument: 'OCTOPUS' },
  'a scanned code': { preferredEntryMode: 'QR_SCAN' },
  'a code to show': { preferredEntryMode: 'QR_PRESENT' },
  cash: { preferredEntryMode: 'CASH' },
};
for (const [name, fields] of Object.entries(others)) {
  test(`${name} waits for the acceptance: no device is armed and nothing is asked`, async () => {
    const { answer, durable } = await opening(fields);
    assert.deepEqual(stage.trace.events, ['commit: accepted']);
    durable();
    await settled();
    assert.ok(stage.trace.events.length > 1);
    await stage.terminal.cancel('POS-1', 'M-1');
    await answer;
  });
}
