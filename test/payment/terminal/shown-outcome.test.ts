import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { JournalError } from '../../../src/payment/contracts/journal.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, begun, ending } from './method-stage.ts';
import { approves, declines, isDown, isSilent } from './scripted-host.ts';
import { card } from './scripted-reader.ts';
import { ended, everything, Stage, timeouts } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

/** A card was held to a reader that shows what comes of it. */
async function tapped() {
  const sale = await begun(stage, 'CARD', 'M-1');
  stage.reader.answer({ kind: 'card', card: { ...card(), awaitsOutcome: true } });
  await settled();
  return sale;
}

const shown = () => stage.equipped.shown.map((decision) => ('responseCode' in decision ? decision.responseCode : 'Z3'));

for (const [what, host, reported, code] of [
  ['approved', approves, 'SUCCESS', '00'],
  ['declined', declines('51'), 'DECLINED NONE', '51'],
  ['not to be asked', isDown, 'ERROR NONE', 'Z3'],
] as const) {
  test(`${what}: the reader gets it once, after it is durable, and it decides nothing`, async () => {
    stage.edc.onRequest = () => host;
    const { answer } = await tapped();
    const record = ended(await answer);
    assert.equal(ending(record), reported);
    assert.deepEqual(shown(), [code]);
    assert.deepEqual(stage.equipped.decisions, [], 'a card that is gone has no say');
    assert.ok(
      stage.trace.at('commit: answered+ended') < stage.trace.at(`reader: show ${stage.equipped.shown[0]?.kind}`),
    );
    assertClean(stage);
  });
}

test('an answer that does not come: Z3', async () => {
  stage.edc.onRequest = () => isSilent;
  const { answer } = await tapped();
  await stage.clock.advance(timeouts.reversalWaitMs);
  assert.notEqual(ending(ended(await answer)), 'SUCCESS');
  assert.deepEqual(shown(), ['Z3']);
});

test('an approval that can’t be written is shown as none', async () => {
  stage.edc.onRequest = () => {
    stage.journal.fault = () => true;
    return approves;
  };
  const { answer } = await tapped();
  await answer.catch((error: unknown) => assert.ok(error instanceof JournalError));
  await settled();
  assert.deepEqual(shown(), ['Z3']);
  stage.journal.fault = () => false;
});
