import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardCompletion } from '../../../../drivers/card-reader/mms/completion.ts';
import type { CardCompletion, CardDecision } from '../../../../src/base/ports/card-reader.ts';
import { DeviceError, type DeviceErrorCode } from '../../../../src/base/ports/device.ts';
import { settled } from '../../../support/manual-clock.ts';
import { request } from '../contract.ts';
import { mmsStage, type MmsStage } from './stage.ts';
import { secondGenerateAc } from './card-on-wire.ts';
import { answerTo, bytes, named } from './fixture-messages.ts';

const approved: CardDecision = { kind: 'approved', responseCode: '00', issuerData: new Map() };
const declined: CardDecision = { kind: 'declined', responseCode: '05', issuerData: new Map() };
const unreachable: CardDecision = { kind: 'unreachable' };
const contact = 0x10;
const over = (how: string) => named(`transaction over, ${how}`);
const certified = named('chip: batch data, approved with a certificate');

/** A chip waits, and has been told; the device answers by the test's hand from then on. */
async function decided(decision = approved): Promise<MmsStage & { completion: Promise<CardCompletion> }> {
  const stage = mmsStage();
  await settled();
  const outcome = stage.reader.collect(request, new AbortController().signal);
  await settled();
  stage.present('chip');
  assert.equal((await outcome).kind, 'card');
  stage.byHand();
  stage.reported.length = 0;
  stage.requests.length = 0;
  const completion = stage.reader.complete(decision);
  completion.catch(() => {});
  await settled();
  assert.deepEqual(stage.requests, ['1004']);
  return { ...stage, completion };
}

function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof DeviceError, String(error));
    assert.equal(error.code, code);
    return true;
  });
}

test('only what an issuer approved, the reader approved and the card certified is agreed', () => {
  const agreements: string[] = [];
  for (const decision of [approved, declined, unreachable]) {
    for (const result of ['00', '01', '02', '03', '10', 'FF', '0000', '', undefined]) {
      for (const information of ['40', '00', '80', 'C0', undefined]) {
        for (const cryptogram of ['9D0E2A1C5B3F4477', '9D0E', undefined]) {
          for (const technology of [contact, 0x20, 0x08]) {
            const data = secondGenerateAc({ '9F27': information, '9F26': cryptogram }, { DFDF1A: result });
            try {
              const found = cardCompletion(technology, data, decision);
              if (found.kind === 'agreed') agreements.push(`${decision.kind} ${result} ${information} ${technology}`);
            } catch (error) {
              assert.ok(error instanceof DeviceError && error.code === 'protocol', String(error));
            }
          }
        }
      }
    }
  }
  assert.deepEqual(agreements, [`approved 00 40 ${contact}`]);
});

test('a last word that is not whole is none', () => {
  const whole = secondGenerateAc();
  for (let length = 0; length < whole.length; length++) {
    assert.throws(
      () => cardCompletion(contact, whole.subarray(0, length), approved),
      { code: 'protocol' },
      `${length}`,
    );
  }
  assert.throws(() => cardCompletion(contact, secondGenerateAc({ '95': '00000080' }), approved), { code: 'protocol' });
  assert.throws(() => cardCompletion(contact, secondGenerateAc({ '5A': '4761739001010119' }), approved), {
    code: 'protocol',
  });
  const kept = cardCompletion(contact, secondGenerateAc({ '9F10': '06011203A00000' }), approved);
  assert.ok(kept.kind === 'agreed');
  assert.deepEqual([...kept.emv.keys()].sort(), ['95', '9B', '9F26', '9F27']);
});

test('the decision on the wire', async () => {
  const issuerData = new Map([
    ['91', bytes('1122334455667788 3030')],
    ['71', bytes('9F180400000001 86068418000001AA')],
    ['72', bytes('9F180400000002 8606841E000001BB')],
  ]);
  const stage = await decided({ ...approved, issuerData });
  const sent = stage.messages.at(-1);
  assert.ok(sent);
  sent[5] = 0x01;
  assert.deepEqual(sent, named('resume, approved, with scripts'));
});

test('the answer, the last word and the end: at once, and one after the other', async () => {
  const atOnce = await decided();
  atOnce.send(answerTo(atOnce.reference(), 'resume answer'), certified, over('chip approved'));
  assert.equal((await atOnce.completion).kind, 'agreed');
  assert.deepEqual(atOnce.requests, ['1004']);
  const slow = await decided();
  let settledYet = false;
  void slow.completion.finally(() => (settledYet = true));
  for (const message of [answerTo(slow.reference(), 'resume answer'), certified]) {
    slow.send(message);
    await settled();
    assert.equal(settledYet, false);
  }
  slow.send(over('chip approved'));
  assert.equal((await slow.completion).kind, 'agreed');
});

test('a last word before its answer is of nobody', async () => {
  const stage = await decided();
  stage.send(certified, over('chip approved'), answerTo(stage.reference(), 'resume answer'));
  await stage.clock.advance(10_000);
  assert.deepEqual(stage.requests, ['1004', '1008']);
  stage.send(answerTo(stage.reference(), 'cancel answer, no transaction'));
  assert.deepEqual(await stage.completion, { kind: 'lost' });
});

test('an answer to another command, or with another reference, is none', async () => {
  const stage = await decided();
  stage.send(answerTo(stage.reference() + 1, 'resume answer'), answerTo(stage.reference(), 'cancel answer'), certified);
  await stage.clock.advance(2_000);
  assert.deepEqual(stage.requests, ['1004', '1008']);
  stage.send(answerTo(stage.reference(), 'cancel answer'));
  assert.deepEqual(await stage.completion, { kind: 'lost' });
});

test('an end that does not come: cancelled, and what the card said stands', async () => {
  for (const confirmed of [true, false]) {
    const stage = await decided();
    stage.send(answerTo(stage.reference(), 'resume answer'), certified);
    await stage.clock.advance(2_000);
    assert.deepEqual(stage.requests, ['1004', '1008']);
    if (confirmed) stage.send(answerTo(stage.reference(), 'cancel answer, no transaction'));
    else await stage.clock.advance(3_000);
    assert.equal((await stage.completion).kind, 'agreed');
    assert.equal(stage.reader.state, confirmed ? 'ready' : 'connecting');
  }
  const gone = await decided();
  gone.send(answerTo(gone.reference(), 'resume answer'), certified);
  await settled();
  gone.unplug();
  assert.equal((await gone.completion).kind, 'agreed', 'the card has spoken');
});

test('an end that contradicts the last word: nothing is agreed', async () => {
  for (const how of ['chip failed', 'cancelled', 'timed out', 'chip declined', 'contactless approved']) {
    const stage = await decided();
    stage.send(answerTo(stage.reference(), 'resume answer'), certified, over(how));
    await rejects(stage.completion, 'protocol');
  }
});

test('an end without a last word: lost, or not to be understood', async () => {
  for (const how of ['chip failed', 'cancelled', 'timed out', 'chip declined']) {
    const stage = await decided();
    stage.send(answerTo(stage.reference(), 'resume answer'), over(how));
    assert.deepEqual(await stage.completion, { kind: 'lost' }, how);
    assert.deepEqual(stage.requests, ['1004'], how);
  }
  const silent = await decided();
  silent.send(answerTo(silent.reference(), 'resume answer'), over('chip approved'));
  await settled();
  silent.send(answerTo(silent.reference(), 'cancel answer, no transaction'));
  await rejects(silent.completion, 'protocol');
});

test('a card that was taken out before: the reader has no transaction, lost', async () => {
  const stage = await decided();
  stage.send(over('chip failed'), answerTo(stage.reference(), 'resume answer, no transaction'));
  assert.deepEqual(await stage.completion, { kind: 'lost' });
  assert.deepEqual(stage.requests, ['1004']);
});

test('a decision that the reader refuses: let go, and refused', async () => {
  const stage = await decided();
  const refusal = answerTo(stage.reference(), 'resume answer, no transaction');
  refusal.set(bytes('80010102'), 10);
  stage.send(refusal);
  await settled();
  assert.deepEqual(stage.requests, ['1004', '1008']);
  stage.send(answerTo(stage.reference(), 'cancel answer'));
  await rejects(stage.completion, 'refused');
});

test('a chip whose transaction ends while it waits for its decision is lost', async () => {
  const stage = mmsStage();
  await settled();
  const outcome = stage.reader.collect(request, new AbortController().signal);
  await settled();
  stage.present('chip');
  assert.equal((await outcome).kind, 'card');
  stage.word('gone');
  assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
  assert.equal(stage.reader.state, 'ready');
});
