import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CollectOutcome, CollectRequest } from '../../../../src/base/ports/card-reader.ts';
import { DeviceError, type DeviceErrorCode } from '../../../../src/base/ports/device.ts';
import { request } from '../contract.ts';
import { settled } from '../../../support/manual-clock.ts';
import { mmsStage, type MmsStage } from './stage.ts';
import { answerTo, named } from './fixture-messages.ts';

const over = (how: string) => named(`transaction over, ${how}`);
const contactless = named('contactless card asks for authorization');
const chip = named('chip asks for authorization');

type Armed = MmsStage & { outcome: Promise<CollectOutcome>; abort: AbortController };

/** The start has been sent; the device answers by the test's hand. */
async function starting(changed: Partial<CollectRequest> = {}): Promise<Armed> {
  const stage = mmsStage();
  await settled();
  assert.equal(stage.reader.state, 'ready');
  stage.byHand();
  stage.requests.length = 0;
  stage.states.length = 0;
  const abort = new AbortController();
  const outcome = stage.reader.collect({ ...request, ...changed }, abort.signal);
  outcome.catch(() => {});
  await settled();
  assert.deepEqual(stage.requests, ['1001']);
  return { ...stage, outcome, abort };
}

async function armed(): Promise<Armed> {
  const stage = await starting();
  stage.send(answerTo(stage.reference(), 'start answer'));
  await settled();
  return stage;
}

/** Answers the last request. */
async function answers(stage: MmsStage, ...names: string[]): Promise<void> {
  const [first = '', ...rest] = names;
  stage.send(answerTo(stage.reference(), first), ...rest.map(named));
  await settled();
}

function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof DeviceError, String(error));
    assert.equal(error.code, code);
    return true;
  });
}

test('the start on the wire, and references that count', async () => {
  const stage = await starting({ interfaces: ['contactless'] });
  const sent = Uint8Array.from(stage.messages.at(-1) ?? []);
  assert.equal(sent[5], 0x03, 'after the first two questions');
  sent[5] = 0x01;
  assert.deepEqual(sent, named('start, contactless, 60 s, 30.00 HKD'));
});

test('references run from 01 to FF and begin again', async () => {
  const stage = mmsStage();
  await settled();
  for (let i = 0; i < 300; i++) {
    const outcome = stage.reader.collect(request, new AbortController().signal);
    await settled();
    stage.present('magstripe');
    await outcome;
  }
  const references = stage.messages.map((message) => message[5] ?? 0);
  assert.deepEqual(
    references,
    references.map((_, i) => (i % 0xff) + 1),
  );
});

test('a start that the reader refuses', async () => {
  const stage = await starting();
  await answers(stage, 'start answer, bad parameter');
  await rejects(stage.outcome, 'refused');
  assert.deepEqual(stage.requests, ['1001'], 'it never armed');
  const busy = await starting();
  await answers(busy, 'start answer, in progress');
  assert.deepEqual(busy.requests, ['1001', '1008'], 'and whatever it does is ended');
  await answers(busy, 'cancel answer');
  await rejects(busy.outcome, 'refused');
});

test('a start that is not answered: cancelled, then time-out', async () => {
  const stage = await starting();
  await stage.clock.advance(1_999);
  assert.deepEqual(stage.requests, ['1001']);
  await stage.clock.advance(1);
  assert.deepEqual(stage.requests, ['1001', '1008']);
  await answers(stage, 'cancel answer');
  await rejects(stage.outcome, 'timeout');
});

test('an abort before the start is answered, and the answer that comes then', async () => {
  const stage = await starting();
  const reference = stage.reference();
  stage.abort.abort();
  await settled();
  stage.send(answerTo(reference, 'start answer'), contactless);
  await settled();
  assert.deepEqual(stage.requests, ['1001', '1008']);
  await answers(stage, 'cancel answer', 'transaction over, cancelled');
  assert.deepEqual(await stage.outcome, { kind: 'cancelled' });
});

test('what comes before the answer to a start is of an earlier one', async () => {
  const stage = await starting();
  stage.send(over('cancelled'), contactless, over('timed out'), named('PIN'));
  await answers(stage, 'start answer');
  stage.send(named('stripe'), over('stripe approved'));
  const found = await stage.outcome;
  assert.ok(found.kind === 'card');
  assert.equal(found.card.entryMode, 'MAGSTRIPE');
});

test('answer and card in one breath', async () => {
  const stage = await starting();
  stage.send(answerTo(stage.reference(), 'start answer'), named('contact card detected'), chip);
  const found = await stage.outcome;
  assert.ok(found.kind === 'card' && found.card.awaitsDecision);
});

test('a contactless card is handed out at once: the device hears later what came of it', async () => {
  const stage = await armed();
  stage.send(contactless);
  const found = await stage.outcome;
  assert.ok(found.kind === 'card');
  const { entryMode, awaitsDecision, awaitsOutcome } = found.card;
  assert.deepEqual([entryMode, awaitsDecision, awaitsOutcome], ['CONTACTLESS', undefined, true]);
  assert.deepEqual(stage.requests, ['1001']);
});

test('a stripe is handed out once the transaction is over, and not when it ends otherwise', async () => {
  const stage = await armed();
  stage.send(named('stripe'));
  let handedOut = false;
  void stage.outcome.then(() => (handedOut = true));
  await settled();
  assert.equal(handedOut, false);
  await stage.clock.advance(2_000);
  assert.deepEqual(stage.requests, ['1001', '1008'], 'an end that does not come is fetched');
  await answers(stage, 'cancel answer, no transaction');
  assert.equal((await stage.outcome).kind, 'card');
  const chipCard = await armed();
  chipCard.send(named('stripe'), over('use the chip'));
  assert.deepEqual(await chipCard.outcome, { kind: 'tryAgain', reason: 'use-chip' });
});

test('progress and foreign notifications do not end the wait', async () => {
  const stage = await armed();
  stage.send(
    named('contact card detected'),
    named('contact card inserted'),
    named('contact card removed'),
    named('contactless card detected'),
    named('PIN entry timed out'),
    answerTo(0x77, 'cancel answer, no transaction'),
    Uint8Array.from(Buffer.from('AA00810483001803820400000000', 'hex')),
    Uint8Array.from(Buffer.from('AA00810483001001820401020000', 'hex')),
  );
  await settled();
  assert.deepEqual(stage.requests, ['1001']);
  stage.send(chip);
  assert.equal((await stage.outcome).kind, 'card');
});

test('a collision ends in a cancellation, and the end that crosses is of nobody', async () => {
  const stage = await armed();
  stage.send(named('contactless collision'));
  await settled();
  assert.deepEqual(stage.requests, ['1001', '1008']);
  stage.send(over('card error'));
  await answers(stage, 'cancel answer, no transaction');
  assert.deepEqual(await stage.outcome, { kind: 'tryAgain', reason: 'collision' });
});

test('an end without a card: not to be understood', async () => {
  const stage = await armed();
  stage.send(over('chip approved'));
  await rejects(stage.outcome, 'protocol');
  const byKey = await armed();
  byKey.send(over('cancelled by the customer'));
  assert.deepEqual(await byKey.outcome, { kind: 'tryAgain', reason: 'read-error' });
});

test('what an end without a card says', async () => {
  const ends: readonly [how: string, outcome: CollectOutcome][] = [
    ['chip not accepted', { kind: 'refused', reason: 'unsupported' }],
    ['contactless not accepted', { kind: 'refused', reason: 'unsupported' }],
    ['chip declined offline', { kind: 'refused', reason: 'declined' }],
    ['contactless declined offline', { kind: 'refused', reason: 'declined' }],
    ['chip declined', { kind: 'refused', reason: 'declined' }],
    ['contactless declined', { kind: 'refused', reason: 'declined' }],
    ['no application on the chip, use the stripe', { kind: 'tryAgain', reason: 'use-magstripe' }],
    ['chip can not be read, use the stripe', { kind: 'tryAgain', reason: 'use-magstripe' }],
    ['contactless, try another interface', { kind: 'tryAgain', reason: 'use-chip' }],
    ['chip failed', { kind: 'tryAgain', reason: 'read-error' }],
    ['stripe read error', { kind: 'tryAgain', reason: 'read-error' }],
  ];
  for (const [how, outcome] of ends) {
    const stage = await armed();
    stage.send(over(how));
    assert.deepEqual(await stage.outcome, outcome, how);
    assert.deepEqual(stage.requests, ['1001'], how);
  }
});

test('a cancellation that is not possible at this moment is repeated', async () => {
  const stage = await armed();
  stage.abort.abort();
  await settled();
  await answers(stage, 'cancel answer, can not be cancelled');
  await stage.clock.advance(499);
  assert.deepEqual(stage.requests, ['1001', '1008']);
  await stage.clock.advance(1);
  assert.deepEqual(stage.requests, ['1001', '1008', '1008']);
  await answers(stage, 'cancel answer');
  assert.deepEqual(await stage.outcome, { kind: 'cancelled' });
});

test('one that is never possible: given up, and the reader is found anew', async () => {
  const stage = await armed();
  stage.abort.abort();
  for (let i = 0; i < 6; i++) {
    await settled();
    await answers(stage, 'cancel answer, can not be cancelled');
    await stage.clock.advance(500);
  }
  await rejects(stage.outcome, 'timeout');
  assert.deepEqual(stage.states, ['connecting']);
});

test('a card that can not be cancelled any more, and its end', async () => {
  const stage = await armed();
  stage.abort.abort();
  await settled();
  await answers(stage, 'cancel answer, can not be cancelled', 'stripe', 'transaction over, contactless declined');
  assert.deepEqual(await stage.outcome, { kind: 'cancelled' });
  assert.deepEqual(stage.requests, ['1001', '1008']);
});

test('a cancellation that has only been started is not confirmed', async () => {
  const stage = await armed();
  let ended = false;
  void stage.outcome.then(() => (ended = true));
  stage.abort.abort();
  await settled();
  const started = answerTo(stage.reference(), 'cancel answer');
  started[10] = 0x01;
  stage.send(started);
  await settled();
  assert.equal(ended, false);
  stage.send(over('cancelled'));
  assert.deepEqual(await stage.outcome, { kind: 'cancelled' });
});

test('a cancellation that the reader refuses for another reason', async () => {
  const stage = await armed();
  stage.abort.abort();
  await settled();
  const refusal = answerTo(stage.reference(), 'cancel answer, no transaction');
  refusal.set([0x80, 0x01, 0x01, 0x02], 10);
  stage.send(refusal);
  await rejects(stage.outcome, 'refused');
  assert.deepEqual(stage.states, ['connecting']);
});

test('half a message is given up after the gap, and what is none at once', async () => {
  const half = await armed();
  const first = new Uint8Array(64);
  first.set([0x01, 0x00, 0x00, 0x01, 0x00]);
  half.path.receive(first);
  await half.clock.advance(499);
  assert.deepEqual(half.requests, ['1001']);
  await half.clock.advance(1);
  assert.deepEqual(half.requests, ['1001', '1008']);
  await answers(half, 'cancel answer');
  assert.deepEqual(await half.outcome, { kind: 'tryAgain', reason: 'read-error' });
  const noise = await armed();
  noise.send(chip.subarray(0, 100));
  await settled();
  assert.deepEqual(noise.requests, ['1001', '1008']);
});

test('a write that fails, or is never taken', async () => {
  const refused = mmsStage();
  await settled();
  refused.path.writes = 'refused';
  await rejects(refused.reader.collect(request, new AbortController().signal), 'vanished');
  const stuck = mmsStage();
  await settled();
  stuck.path.writes = 'stuck';
  const outcome = stuck.reader.collect(request, new AbortController().signal);
  outcome.catch(() => {});
  await stuck.clock.advance(5_000);
  await rejects(outcome, 'timeout');
});
