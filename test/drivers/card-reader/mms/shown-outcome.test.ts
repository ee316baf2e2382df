import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CardDecision } from '../../../../src/base/ports/card-reader.ts';
import { DeviceError, type DeviceErrorCode } from '../../../../src/base/ports/device.ts';
import { request } from '../contract.ts';
import { settled } from '../../../support/manual-clock.ts';
import { mmsStage, type MmsStage } from './stage.ts';
import { answerTo, named } from './fixture-messages.ts';

const approved: CardDecision = {
  kind: 'approved',
  responseCode: '00',
  issuerData: new Map([['91', Uint8Array.from(Buffer.from('11223344556677883030', 'hex'))]]),
};
const declined: CardDecision = { kind: 'declined', responseCode: '05', issuerData: new Map() };
const pinRequest = { amount: request.amount, timeoutMs: 60_000, again: false };
const unreachable: CardDecision = { kind: 'unreachable' };

/** A card was held there, and is gone; the device waits for 1004. */
async function tapped(): Promise<MmsStage> {
  const stage = mmsStage();
  await settled();
  const outcome = stage.reader.collect(request, new AbortController().signal);
  await settled();
  stage.present('contactless');
  assert.equal((await outcome).kind, 'card');
  stage.requests.length = 0;
  stage.states.length = 0;
  return stage;
}

/** The last request, as if it were the first. */
function sent({ messages }: MmsStage): string {
  const message = Uint8Array.from(messages.at(-1) ?? []);
  message[5] = 0x01;
  return Buffer.from(message).toString('hex');
}

const resumed = (name: string) => Buffer.from(named(name)).toString('hex');
const resumedApproved = resumed('resume, declined 05').replace(/3035$/, '3030');

async function answers(stage: MmsStage, ...names: string[]): Promise<void> {
  const [first = '', ...rest] = names;
  stage.send(answerTo(stage.reference(), first), ...rest.map(named));
  await settled();
}

function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => error instanceof DeviceError && error.code === code);
}

for (const [decision, expected] of [
  [approved, resumedApproved],
  [declined, resumed('resume, declined 05')],
  [unreachable, resumed('resume, host unreachable')],
] as const) {
  test(`${decision.kind}: the device hears the host's word, without what is for a card that is gone`, async () => {
    const stage = await tapped();
    await stage.reader.show(decision);
    assert.deepEqual(stage.requests, ['1004']);
    assert.equal(sent(stage), expected);
    await stage.reader.show(decision);
    assert.deepEqual(stage.requests, ['1004'], 'once');
    assert.equal(stage.reader.state, 'ready');
  });
}

test('it settles once the device has ended', async () => {
  const stage = await tapped();
  stage.byHand();
  let shown = false;
  const showing = stage.reader.show(approved).then(() => (shown = true));
  await settled();
  await answers(stage, 'resume answer', 'contactless: batch data, declined');
  assert.equal(shown, false);
  stage.send(named('transaction over, contactless approved'));
  await showing;
  assert.deepEqual(stage.requests, ['1004']);
});

test('whatever comes first without a word: Z3, and then what was asked for', async () => {
  const next = await tapped();
  const outcome = next.reader.collect(request, new AbortController().signal);
  await settled();
  assert.deepEqual(next.requests, ['1004', '1001']);
  next.present('contactless');
  assert.equal((await outcome).kind, 'card');

  const pin = await tapped();
  const entered = pin.reader.pinPad.enterPin(pinRequest, new AbortController().signal);
  await settled();
  assert.deepEqual(pin.requests, ['1004', '2001']);
  pin.pin('pin');
  assert.equal((await entered).kind, 'pin');
  await pin.reader.show(approved);
  assert.deepEqual(pin.requests, ['1004', '2001'], 'too late');

  const forgotten = await tapped();
  await forgotten.clock.advance(299_999);
  assert.deepEqual(forgotten.requests, [], 'no heartbeat meanwhile');
  await forgotten.clock.advance(1);
  assert.deepEqual(forgotten.requests, ['1004']);
  assert.equal(sent(forgotten), resumed('resume, host unreachable'));

  const closed = await tapped();
  await closed.reader.close();
  assert.deepEqual(closed.requests, ['1004']);
});

test('a card that is gone has no last word', async () => {
  const stage = await tapped();
  assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
  assert.deepEqual(stage.requests, []);
  await stage.reader.show(approved);
  assert.deepEqual(stage.requests, ['1004']);
});

test('a device that has given up, that refuses or says nothing: cancelled', async () => {
  const over = await tapped();
  over.byHand();
  const showing = over.reader.show(approved);
  await settled();
  await answers(over, 'resume answer, no transaction');
  await answers(over, 'cancel answer, no transaction');
  await showing;
  assert.deepEqual(over.requests, ['1004', '1008']);

  const silent = await tapped();
  silent.fallSilent();
  const failed = silent.reader.show(approved);
  failed.catch(() => {});
  await silent.clock.advance(60_000);
  await rejects(failed, 'timeout');
  assert.notDeepEqual(silent.states, []);

  const endless = await tapped();
  endless.byHand();
  const ending = endless.reader.show(approved);
  await settled();
  await answers(endless, 'resume answer');
  await endless.clock.advance(2_000);
  assert.deepEqual(endless.requests, ['1004', '1008']);
  await answers(endless, 'cancel answer');
  await ending;
});

test('unplugged before, and while it is told', async () => {
  const before = await tapped();
  before.unplug();
  await before.reader.show(approved);
  assert.deepEqual(before.requests, []);
  const meanwhile = await tapped();
  meanwhile.byHand();
  const showing = meanwhile.reader.show(approved);
  showing.catch(() => {});
  await settled();
  meanwhile.unplug();
  await rejects(showing, 'vanished');
});
