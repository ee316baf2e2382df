import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundle, controllerId, Stage } from './stage.ts';

test('what can be taken is confirmed, is offered then, and is installed', async (t) => {
  const stage = await Stage.open(t);
  const action = stage.hawkbit.deploy(controllerId, { content: bundle, needsConfirmation: true });
  const waits = await stage.step();
  assert.deepEqual(action.said, ['confirmation confirmed']);
  assert.ok(waits <= 1_000, String(waits));
  await stage.step();
  assert.equal(await stage.installations(), 1);
  assert.deepEqual(action.said.slice(0, 4), ['confirmation confirmed', 'proceeding', 'download', 'downloaded']);
});

test('what would be refused is denied once, with the reason; another one is taken', async (t) => {
  const stage = await Stage.open(t);
  const content = Buffer.alloc(stage.bundleBytesMax + 1);
  const tooLarge = stage.hawkbit.deploy(controllerId, { content, needsConfirmation: true });
  const none = { filename: 'readme.txt', content: bundle, needsConfirmation: true };
  for (let steps = 0; steps < 3; steps++) await stage.step();
  assert.deepEqual(tooLarge.said, ['confirmation denied']);
  assert.match(tooLarge.feedback[0]?.details[0] ?? '', /1000001 bytes, and the terminal takes 1000000/);
  // hawkBit keeps it waiting until somebody cancels it.
  stage.hawkbit.cancel(tooLarge);
  await stage.step();
  assert.deepEqual(tooLarge.said, ['confirmation denied', 'cancel closed success']);
  const noBundle = stage.hawkbit.deploy(controllerId, none);
  await stage.step();
  assert.match(noBundle.feedback[0]?.details[0] ?? '', /0 files \.raucb/);
  assert.equal(await stage.installations(), 0);
});

test('a confirmation that hawkBit did not hear is given again', async (t) => {
  const stage = await Stage.open(t);
  stage.hawkbit.faults.failFeedbacks = 1;
  const action = stage.hawkbit.deploy(controllerId, { content: bundle, needsConfirmation: true });
  await stage.step();
  assert.deepEqual(action.said, []);
  await stage.step();
  assert.deepEqual(action.said, ['confirmation confirmed']);
});
