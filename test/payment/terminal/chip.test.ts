import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { CardCompletion, CollectOutcome, PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { agrees } from './equipped-reader.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, durable, ending, enquired, kindsOf } from './method-stage.ts';
import { approves, declines, isDown, isSilent, postsAndIsSilent } from './scripted-host.ts';
import { card } from './scripted-reader.ts';
import { ended, everything, sale, Stage, timeouts } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

function chipCard(): PresentedCard {
  return { ...card(), entryMode: 'CHIP', awaitsDecision: true };
}

async function inserted(messageId = 'M-1') {
  const sale = await begun(stage, 'CARD', messageId);
  const presented = chipCard();
  stage.reader.answer({ kind: 'card', card: presented });
  await settled();
  return { ...sale, card: presented };
}

const decisions = () => stage.equipped.decisions.map(({ kind }) => kind);
const aac: CardCompletion = { kind: 'refused', emv: new Map([['9F27', Uint8Array.of(0)]]) };

describe('the host approves', () => {
  test('and the card gives its certificate: approved only then', async () => {
    const last = Promise.withResolvers<CardCompletion>();
    stage.equipped.onComplete = () => last.promise;
    const { answer } = await inserted();
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'answered'], 'the answer is durable before the card hears');
    assert.ok(stage.trace.at('commit: answered') < stage.trace.at('reader: complete approved'));
    assert.equal(stage.views.at(-1)?.hint, 'leaveCardIn');
    assert.ok(stage.views.every(({ scene }) => scene !== 'approved'));
    assert.equal(await enquired(stage), 'running');
    last.resolve(agrees);
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'answered', 'cardCompleted', 'ended']);
    assert.ok(stage.trace.at('commit: cardCompleted+ended') < stage.trace.at('screen: approved'));
    assert.deepEqual(record.cardCompletion, { kind: 'cardCompleted', agreed: true, emv: { '9F27': '40' } });
    assert.equal(stage.views.findLast(({ scene }) => scene === 'approved')?.hint, 'removeCard');
    assert.equal(stage.edc.posted, 1);
    assertClean(stage);
  });

  test('and the card gets the host’s decision, once', async () => {
    const issuerData = new Map([['91', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 0x30, 0x30)]]);
    const outcome = { ...approves.outcome, issuerData };
    stage.edc.onRequest = () => ({ posted: true, outcome });
    const { answer } = await inserted();
    await answer;
    assert.deepEqual(stage.equipped.decisions, [{ kind: 'approved', responseCode: '00', issuerData }]);
  });

  for (const [what, completion, reported] of [
    ['the card refuses (AAC)', () => aac, 'DECLINED REVERSED'],
    ['the card is taken out', () => ({ kind: 'lost' }) as const, 'ERROR REVERSED'],
    [
      'the reader goes away',
      () => Promise.reject(new DeviceError('vanished', 'gone')) as Promise<CardCompletion>,
      'ERROR REVERSED',
    ],
  ] as const) {
    test(`and ${what}: reversed, and not SUCCESS`, async () => {
      stage.equipped.onComplete = completion;
      const { answer } = await inserted();
      const record = ended(await answer);
      assert.equal(ending(record), reported);
      assert.equal(record.cardCompletion?.agreed, false);
      assert.ok(stage.trace.events.includes('commit: cardCompleted+reversalQueued'), 'in one commit');
      assert.equal(stage.edc.posted, 0);
      assert.deepEqual(
        stage.edc.reversals.map(({ stan }) => stan),
        [1],
      );
      assert.deepEqual(decisions(), ['approved'], 'it is asked once');
      assert.ok(stage.views.every(({ scene }) => scene !== 'approved'));
      assertClean(stage);
    });
  }

  test('and the card refuses, and says why: merchant and log are told', async () => {
    const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
    const said = new Map([
      ['9F27', bytes('03')],
      ['95', bytes('0000000040')],
      ['9B', bytes('7800')],
    ]);
    stage.equipped.onComplete = () => ({ kind: 'refused', emv: said });
    const { answer } = await inserted();
    const { conclusion } = ended(await answer);
    assert.match(conclusion?.message ?? '', / approved \(issuer authentication failed\), the payment is reversed$/);
    const [failure, ...others] = stage.failures;
    assert.ok(failure instanceof DeviceError && others.length === 0);
    assert.match(failure.message, /: AAC, issuer authentication failed; TVR: issuer authentication failed; TSI: card/);
  });

  test('and the card refuses while the host is gone: told as pending, reversed later', async () => {
    stage.equipped.onComplete = () => aac;
    stage.edc.onReversal = () => ({ kind: 'unanswered' });
    const { answer } = await inserted();
    await stage.clock.advance(timeouts.reversalWaitMs);
    assert.equal(ending(ended(await answer)), 'DECLINED REVERSAL_PENDING');
    assert.equal(stage.edc.posted, 1);
    stage.edc.onReversal = () => ({ kind: 'acknowledged', responseCode: '00' });
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'DECLINED REVERSED');
    assert.equal(stage.edc.posted, 0);
    assertClean(stage);
  });

  test('and a cancel is too late while the card decides', async () => {
    const last = Promise.withResolvers<CardCompletion>();
    stage.equipped.onComplete = () => last.promise;
    const { answer } = await inserted();
    assert.deepEqual(await stage.terminal.cancel('POS-1', 'M-1'), { kind: 'tooLate', state: 'authorizing' });
    stage.act({ kind: 'cancel' });
    last.resolve(agrees);
    assert.equal(ending(ended(await answer)), 'SUCCESS');
  });

  test('and the answer can’t be written: the card gets no approval, and it is reversed', async () => {
    stage.journal.fault = (_call, operation) =>
      operation === 'append' && stage.edc.requests.length > 0 && stage.edc.reversals.length === 0 && !isReversing();
    const { answer } = await inserted();
    await stage.clock.advance(timeouts.reversalWaitMs);
    const record = ended(await answer);
    assert.equal(record.conclusion?.result, 'DATABASE_ERROR');
    assert.deepEqual(decisions(), ['unreachable']);
    stage.journal.fault = () => false;
    await stage.clock.advance(60_000);
    assert.equal(await enquired(stage), 'DATABASE_ERROR REVERSED');
    assert.equal(stage.edc.posted, 0);
    assertClean(stage);
  });
});

function isReversing(): boolean {
  return stage.views.some(({ hint }) => hint === 'reversing');
}

for (const [what, script, reported, decision] of [
  ['declines', declines('51'), 'DECLINED NONE', 'declined'],
  ['is down', isDown, 'ERROR NONE', 'unreachable'],
  ['is silent', isSilent, 'ERROR REVERSED', 'unreachable'],
  ['posts and is silent', postsAndIsSilent, 'ERROR REVERSED', 'unreachable'],
] as const) {
  test(`the host ${what}: the card gets that decision, and is released`, async () => {
    stage.edc.onRequest = () => script;
    const { answer, card: presented } = await inserted();
    assert.equal(ending(ended(await answer)), reported);
    assert.deepEqual(decisions(), [decision]);
    assert.equal(stage.edc.posted, 0);
    assert.ok(presented.encrypted.track2.every((byte) => byte === 0));
    assertClean(stage);
  });
}

test('a decline is told to the card with the host’s code', async () => {
  stage.edc.onRequest = () => declines('05');
  await (await inserted()).answer;
  assert.deepEqual(stage.equipped.decisions, [{ kind: 'declined', responseCode: '05', issuerData: new Map() }]);
});

test('and with what its issuer has for it, which is in no journal', async () => {
  const issuerData = new Map([['72', Uint8Array.of(0x86, 0x04, 0x84, 0x1e, 0, 0)]]);
  const { outcome } = declines('05');
  assert.ok(outcome.kind === 'declined');
  stage.edc.onRequest = () => ({ posted: false, outcome: { ...outcome, issuerData } });
  const record = ended(await (await inserted()).answer);
  assert.equal(ending(record), 'DECLINED NONE');
  assert.deepEqual(stage.equipped.decisions, [{ kind: 'declined', responseCode: '05', issuerData }]);
  assert.deepEqual(record.hostOutcome, outcome);
});

test('a card that no acquirer takes is released without a message to a host', async () => {
  const { answer } = await begun(stage, 'CARD');
  stage.reader.answer({ kind: 'card', card: { ...chipCard(), aid: 'A0000009990101' } });
  assert.equal(ending(ended(await answer)), 'DECLINED NONE');
  assert.deepEqual(decisions(), ['unreachable']);
  assert.deepEqual(kindsOf(stage), ['accepted', 'ended']);
});

test('a card that has vanished does not change a declined answer', async () => {
  stage.edc.onRequest = () => declines('51');
  stage.equipped.onComplete = () => Promise.reject(new DeviceError('vanished', 'gone'));
  assert.equal(ending(ended(await (await inserted()).answer)), 'DECLINED NONE');
  assert.equal(stage.failures.length, 1);
});

for (const [what, completion] of [
  ['between the host’s answer and the card’s', () => new Promise<CardCompletion>(() => undefined)],
  ['after the card’s answer, before it is written', () => Promise.resolve(agrees)],
] as const) {
  test(`cut off ${what}: reversed after the restart`, async () => {
    stage.equipped.onComplete = completion;
    const hang = new Promise<never>(() => undefined);
    const { answer } = await begun(stage, 'CARD');
    void answer;
    stage.edc.onRequest = () => approves;
    stage.journal.fault = () => false;
    if (what.startsWith('after')) {
      // The process dies before the commit reaches the disk: nothing of it is written, nobody hears of a failure.
      const { journal } = stage;
      const append = journal.append.bind(journal);
      journal.append = (id, events) =>
        events.some(({ kind }) => kind === 'cardCompleted') ? hang : append(id, events);
    }
    stage.reader.answer({ kind: 'card', card: chipCard() });
    await settled();
    assert.equal(stage.edc.posted, 1);
    await stage.restart();
    await settled();
    assert.equal(await enquired(stage), 'ERROR REVERSED');
    assert.equal(stage.edc.posted, 0);
    assert.equal(durable(stage).cardCompletion, undefined);
    assert.deepEqual(stage.journal.store.pending(), []);
  });
}

test('a contactless card has no second cryptogram: the host’s approval is enough', async () => {
  const { answer } = await begun(stage, 'CARD');
  stage.reader.present();
  assert.equal(ending(ended(await answer)), 'SUCCESS');
  assert.deepEqual(decisions(), []);
  assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'answered', 'ended']);
});

/** What the customer is asked for, and what is armed for it. */
async function askedAgain(outcome: CollectOutcome) {
  const armed = stage.trace.count('reader: armed') + 1;
  stage.reader.answer(outcome);
  await stage.trace.seen('reader: armed', armed);
  await settled();
  return { hint: stage.views.at(-1)?.hint, interfaces: stage.reader.requests.at(-1)?.interfaces };
}

const everyInterface = ['contactless', 'chip', 'magstripe'];
const contacts = ['chip', 'magstripe'];
const overLimit: CollectOutcome = { kind: 'refused', reason: 'over-limit' };

for (const [why, reason] of [
  ['unsupported', 'cardNotSupported'],
  ['expired', 'expiredCard'],
  ['blocked', 'cardBlocked'],
  ['declined', 'declinedByCard'],
] as const) {
  test(`the reader refuses a card as ${why}: declined, ${reason}, nothing is sent`, async () => {
    const { answer } = await begun(stage, 'CARD');
    stage.reader.answer({ kind: 'refused', reason: why });
    const { conclusion } = ended(await answer);
    assert.deepEqual([conclusion?.result, conclusion?.reason], ['DECLINED', reason]);
    assert.equal(stage.edc.posted, 0);
  });
}

test('over the contactless limit: the antenna is off, and the chip pays', async () => {
  const { answer } = await begun(stage, 'CARD');
  assert.deepEqual(await askedAgain(overLimit), { hint: 'insertCard', interfaces: contacts });
  assert.deepEqual(kindsOf(stage), ['accepted']);
  assert.deepEqual(await askedAgain({ kind: 'tryAgain', reason: 'read-error' }), {
    hint: 'presentAgain',
    interfaces: contacts,
  });
  stage.reader.answer({ kind: 'card', card: chipCard() });
  assert.equal(ending(ended(await answer)), 'SUCCESS');
  assert.deepEqual(decisions(), ['approved']);
  assert.equal(stage.edc.posted, 1);
  assertClean(stage);
});

test('over the contactless limit while the merchant may still choose: after another method a card may be tapped again', async () => {
  const turn = stage.trace.count('reader: armed') + 1;
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed', turn);
  await settled();
  assert.deepEqual(await askedAgain(overLimit), { hint: 'insertCard', interfaces: contacts });
  stage.act({ kind: 'choose', mode: 'CASH' });
  await stage.trace.seen('screen: tenderCash');
  const again = stage.trace.count('reader: armed') + 1;
  stage.act({ kind: 'choose', mode: 'CARD' });
  await stage.trace.seen('reader: armed', again);
  assert.deepEqual(stage.reader.requests.at(-1)?.interfaces, everyInterface);
  stage.reader.present();
  assert.equal(ending(ended(await answer)), 'SUCCESS');
  assertClean(stage);
});

test('over the contactless limit although contactless is not armed: declined', async () => {
  const { answer } = await begun(stage, 'CARD');
  await askedAgain(overLimit);
  stage.reader.answer(overLimit);
  assert.equal(ending(ended(await answer)), 'DECLINED NONE');
  assert.deepEqual(kindsOf(stage), ['accepted', 'ended']);
  assertClean(stage);
});

test('over the limit of a reader without a slot: declined', async () => {
  const bare = new Stage();
  try {
    const { answer } = await begun(bare, 'CARD');
    bare.reader.answer(overLimit);
    assert.equal(ending(ended(await answer)), 'DECLINED NONE');
    assertClean(bare);
  } finally {
    bare.close();
  }
});

for (const [reason, hint] of [
  ['collision', 'oneCardOnly'],
  ['card-lost', 'holdCard'],
] as const) {
  test(`${reason}: asked again, all of it armed`, async () => {
    const { answer } = await begun(stage, 'CARD');
    assert.deepEqual(await askedAgain({ kind: 'tryAgain', reason }), { hint, interfaces: everyInterface });
    stage.reader.present();
    assert.equal(ending(ended(await answer)), 'SUCCESS');
    assert.equal(stage.edc.posted, 1);
    assertClean(stage);
  });
}

for (const code of ['65', '70']) {
  test(`${code} for a contactless card: declined on record, then its chip pays`, async () => {
    stage.edc.onRequest = () => declines(code);
    const { answer } = await begun(stage, 'CARD');
    const presented = card();
    assert.deepEqual(await askedAgain({ kind: 'card', card: presented }), { hint: 'insertCard', interfaces: contacts });
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'answered']);
    assert.ok(presented.encrypted.track2.every((byte) => byte === 0));
    assert.equal(await enquired(stage), 'running');
    stage.edc.onRequest = () => approves;
    stage.reader.answer({ kind: 'card', card: chipCard() });
    const record = ended(await answer);
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(kindsOf(stage), [
      'accepted',
      'intent',
      'answered',
      'intent',
      'answered',
      'cardCompleted',
      'ended',
    ]);
    assert.partialDeepStrictEqual(record.intent, { card: { entryMode: 'CHIP' } });
    assert.equal(stage.edc.posted, 1);
    assert.deepEqual(stage.edc.reversals, []);
    assertClean(stage);
  });

  test(`${code} for a card in the slot, or at a reader without one, ends the payment`, async () => {
    stage.edc.onRequest = () => declines(code);
    assert.equal(ending(ended(await (await inserted()).answer)), 'DECLINED NONE');
    const bare = new Stage();
    try {
      bare.edc.onRequest = () => declines(code);
      const { answer } = await begun(bare, 'CARD');
      bare.reader.present();
      assert.equal(ending(ended(await answer)), 'DECLINED NONE');
    } finally {
      bare.close();
    }
  });
}

test('65, and the decline can’t be written: the payment ends without asking for the chip', async () => {
  stage.edc.onRequest = () => declines('65');
  const { answer } = await begun(stage, 'CARD');
  stage.journal.fault = (_call, operation) => operation === 'append' && stage.edc.requests.length > 0;
  stage.reader.present();
  await settled();
  await stage.clock.advance(timeouts.reversalWaitMs);
  assert.equal(ended(await answer).conclusion?.result, 'DATABASE_ERROR');
  assert.equal(stage.trace.count('reader: armed'), 1);
  assert.equal(stage.edc.posted, 0);
});

test('a chip that wants its stripe, and a stripe that has a chip, are asked for the other', async () => {
  const { answer } = await begun(stage, 'CARD');
  assert.deepEqual(stage.reader.requests.at(-1)?.interfaces, ['contactless', 'chip', 'magstripe']);
  for (const [reason, hint] of [
    ['use-chip', 'insertCard'],
    ['use-magstripe', 'swipeCard'],
  ] as const) {
    const armed = stage.trace.count('reader: armed') + 1;
    stage.reader.answer({ kind: 'tryAgain', reason });
    await stage.trace.seen('reader: armed', armed);
    await settled();
    assert.equal(stage.views.at(-1)?.hint, hint);
  }
  stage.reader.answer({ kind: 'card', card: { ...card(), entryMode: 'FALLBACK', aid: '', emv: new Map() } });
  const record = ended(await answer);
  assert.equal(ending(record), 'SUCCESS');
  assert.partialDeepStrictEqual(record.intent, { card: { brand: 'VISA', entryMode: 'FALLBACK', aid: '' } });
});
