import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Recording, recordingShape } from '../../hw-sim/session/recording.ts';
import { replay } from '../../hw-sim/session/replay.ts';
import { type Json, Stage } from '../e2e/stage.ts';

/** A terminal whose simulator knows where it is. */
async function staged(t: TestContext): Promise<Stage> {
  const stage = await Stage.open();
  t.after(() => stage.close());
  assert.equal((await stage.sim('POST', '/api/terminal', { api: stage.apiUrl })).status, 200);
  return stage;
}

function till(stage: Stage, fields: Json): Promise<Json> {
  return stage.sim('POST', '/api/till/call', { path: 'payment', body: stage.saleRequest(fields) });
}

/** A sale, its repeat and its void; a decline; a sale without an answer. */
async function recorded(stage: Stage): Promise<Recording> {
  const does = async (path: string, body: Json) =>
    assert.equal((await stage.sim('POST', path, body)).status, 200, path);
  await does('/api/session', {});
  const sale = stage.saleRequest({ preferredEntryMode: 'CARD' });
  const first = stage.sim('POST', '/api/till/call', { path: 'payment', body: sale });
  await does('/api/reader/tap', { card: 'visa', holdMs: 20_000 });
  const { terminalTransactionId } = JSON.parse((await first).body.body);
  await stage.sim('POST', '/api/till/call', { path: 'payment', body: sale });
  await till(stage, { transactionType: 'VOID', originalTerminalTransactionId: terminalTransactionId });
  for (const mode of [{ decline: '51' }, { mode: 'silent' }]) {
    await does('/api/host/EDC', mode);
    const answer = till(stage, { preferredEntryMode: 'CARD' });
    await does('/api/reader/tap', { card: 'visa', holdMs: 20_000 });
    await answer;
  }
  await does('/api/faults/clear', {});
  return recordingShape.parse((await stage.sim('GET', '/api/session')).body);
}

test('a session is recorded, and replays on another terminal as it was', async (t) => {
  const recording = await recorded(await staged(t));
  const told = recording.steps.flatMap((step) => ('till' in step ? [[step.told?.responseResult, step.journal]] : []));
  assert.deepEqual(told, [
    ['SUCCESS', 'VOIDED'],
    ['SUCCESS', 'VOIDED'],
    ['SUCCESS', 'APPROVED'],
    ['DECLINED', 'DECLINED'],
    ['ERROR', 'REVERSED'],
  ]);
  assert.ok(recording.hosts.includes('EDC 0400 reversal · purchase · HKD 30.00'), recording.hosts.join('\n'));
  assert.deepEqual(await replay(recording, (await staged(t)).simUrl), []);
});

test('what is not as it was recorded is told: in the answer, in the journal, at the host', async (t) => {
  const stage = await staged(t);
  const recording = await recorded(stage);
  const steps = recording.steps.map((step) =>
    'call' in step && step.body['decline'] === '51' ? { ...step, body: { decline: '05' } } : step,
  );
  const differences = await replay({ ...recording, steps }, stage.simUrl, 2000);
  assert.deepEqual(
    differences.map((each) => each.split(':')[0]),
    ['request 4, the till', 'the card hosts'],
  );
  assert.match(differences[0] ?? '', /recorded .*1051.* now .*1005/);
});
