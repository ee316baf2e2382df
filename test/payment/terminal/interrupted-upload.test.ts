import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { UploadOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { ended, sale, Stage } from './stage.ts';

const EDC = acquirerId('EDC');
const accepted = { kind: 'accepted' } as const;
const unanswered = { kind: 'unanswered' } as const;
const attemptsMax = 4;

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
  stage.edc.onSettlement = ({ trailer }) => ({ kind: trailer ? 'balanced' : 'mismatch' });
});
afterEach(() => stage.close());

const pay = async (messageId: string) => ended(await stage.paid(sale(messageId)));

async function settle(messageId: string) {
  const answer = await stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
  assert.ok(answer.kind === 'ended');
  return answer.settlement.results?.map(({ batch, result }) => `${batch} ${result}`);
}

/** What the host has received, each original by the trace number of its sale. */
function received() {
  return stage.edc.uploads.map(
    ({ original, repeat, place: { number, count } }) =>
      `${original.trace.stan}${repeat ? ' again' : ''}${number < count ? '' : ' last'}`,
  );
}

/** The host never answers the upload of this sale, however often it is repeated. */
function ignoring(stan: number) {
  stage.edc.onUpload = ({ original }): UploadOutcome => (original.trace.stan === stan ? unanswered : accepted);
}

test('an upload without an answer is repeated with its own number, and the batch is settled', async () => {
  for (const id of ['M-1', 'M-2', 'M-3']) await pay(id);
  let ignored = 0;
  stage.edc.onUpload = ({ original }) =>
    original.trace.stan === 2 && (ignored += 1) < attemptsMax ? unanswered : accepted;
  assert.deepEqual(await settle('S-1'), ['1 UPLOADED']);
  assert.deepEqual(received(), ['1', '2', '2 again', '2 again', '2 again', '3 last']);
  const [, first, ...repeats] = stage.edc.uploads;
  for (const { stan } of repeats.slice(0, 3)) assert.equal(stan, first?.stan);
});

test('after four attempts without an answer, the next settlement continues with that message', async () => {
  for (const id of ['M-1', 'M-2', 'M-3']) await pay(id);
  ignoring(2);
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.equal(stage.edc.uploads.length, 1 + attemptsMax);
  stage.edc.uploads.length = 0;
  stage.edc.onUpload = () => accepted;
  const asked = stage.edc.settlements.length;
  assert.deepEqual(await settle('S-2'), ['1 UPLOADED']);
  assert.deepEqual(received(), ['2', '3 last']);
  assert.deepEqual(
    stage.edc.settlements.slice(asked).map(({ trailer }) => trailer),
    [true],
  );
});

for (const [what, outcome] of Object.entries({
  rejects: { kind: 'rejected', responseCode: '12' },
  refuses: { kind: 'refused', responseCode: '96' },
} as const)) {
  test(`a host that ${what} the rest, because it has forgotten the upload, is asked again and gets all of it`, async () => {
    for (const id of ['M-1', 'M-2', 'M-3']) await pay(id);
    ignoring(2);
    await settle('S-1');
    stage.edc.uploads.length = 0;
    let forgotten = true;
    stage.edc.onSettlement = ({ trailer }) => {
      if (!trailer) forgotten = false;
      return { kind: trailer ? 'balanced' : 'mismatch' };
    };
    stage.edc.onUpload = () => (forgotten ? outcome : accepted);
    assert.deepEqual(await settle('S-2'), ['1 UPLOADED']);
    assert.deepEqual(received(), ['2', '1', '2', '3 last']);
  });
}

test('a host whose totals differ after the rest is asked again and gets all of it', async () => {
  for (const id of ['M-1', 'M-2', 'M-3']) await pay(id);
  ignoring(2);
  await settle('S-1');
  stage.edc.uploads.length = 0;
  stage.edc.onUpload = () => accepted;
  const whole = () => stage.edc.uploads.length > 2;
  stage.edc.onSettlement = ({ trailer }) => ({ kind: trailer && whole() ? 'balanced' : 'mismatch' });
  assert.deepEqual(await settle('S-2'), ['1 UPLOADED']);
  assert.deepEqual(received(), ['2', '3 last', '1', '2', '3 last']);
});

test('a host that has balanced meanwhile is not asked for more', async () => {
  for (const id of ['M-1', 'M-2']) await pay(id);
  ignoring(2);
  await settle('S-1');
  ignoring(2);
  assert.deepEqual(await settle('S-2'), ['1 FAILED']);
  stage.edc.onUpload = () => ({ kind: 'refused', responseCode: '12' });
  stage.edc.onSettlement = () => ({ kind: 'balanced' });
  assert.deepEqual(await settle('S-3'), ['1 BALANCED']);
});

test('a host that can’t be reached is not sent repeats', async () => {
  for (const id of ['M-1', 'M-2']) await pay(id);
  stage.edc.onUpload = () => ({ kind: 'notSent' });
  assert.deepEqual(await settle('S-1'), ['1 FAILED']);
  assert.deepEqual(received(), ['1']);
});
