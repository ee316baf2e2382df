import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCards } from '../../hw-sim/card/card.ts';
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
  const reported = recording.steps.flatMap((step) =>
    'till' in step ? [[typeof step.told === 'object' && step.told.responseResult, step.journal]] : [],
  );
  assert.deepEqual(reported, [
    ['SUCCESS', 'VOIDED'],
    ['SUCCESS', 'VOIDED'],
    ['SUCCESS', 'APPROVED'],
    ['DECLINED', 'DECLINED'],
    ['ERROR', 'REVERSED'],
  ]);
  assert.ok(recording.hosts.includes('EDC 0400 reversal · purchase · HKD 30.00'), recording.hosts.join('\n'));
  assert.deepEqual(recording.leftOff, []);
  const states = recording.events.flatMap(({ event, of, told }) =>
    event === 'state' && of === 0 ? [told['state']] : [],
  );
  assert.deepEqual(states, ['collecting', 'authorizing', 'approved']);
  const request = recording.frames.find(({ line, summary }) => line === 'EDC' && summary.startsWith('0200'));
  assert.match(request?.bytes ?? '', /^[0-9A-F*]{100,}$/);
  assert.ok(request?.direction === 'fromTerminal' && request.atMs > 0);
  assert.deepEqual(await replay(recording, (await staged(t)).simUrl), { differences: [], notCompared: [] });
});

test('what is not as it was recorded is told: in the answer, in the journal, at the host', async (t) => {
  const stage = await staged(t);
  const recording = await recorded(stage);
  const steps = recording.steps.map((step) =>
    'call' in step && step.body['decline'] === '51' ? { ...step, body: { decline: '05' } } : step,
  );
  const { differences } = await replay({ ...recording, steps }, stage.simUrl, 10_000);
  assert.deepEqual(
    differences.map((each) => each.split(':')[0]),
    ['request 4, the till', 'the card hosts'],
  );
  assert.match(differences[1] ?? '', /51 insufficient funds", now ".*05 /);
  assert.match(differences[0] ?? '', /recorded .*1051.* now .*1005/);
});

test('a frame of another kind is told with its line, and what stood before it', async (t) => {
  const stage = await staged(t);
  const recording = await recorded(stage);
  const frames = recording.frames.map((frame) =>
    frame.summary.startsWith('02/23') ? { ...frame, summary: '02/0A transaction: failed' } : frame,
  );
  const { differences } = await replay({ ...recording, frames }, stage.simUrl, 10_000);
  assert.equal(differences.length, 1, differences.join('\n'));
  assert.match(
    differences[0] ?? '',
    /^the line reader: recorded "← 02\/0A transaction: failed", now "← 02\/23 .*" \(1 before it .*"→ 02-40 activate transaction"\)$/,
  );
});

test('no card number in the clear is in a recording, in whatever form a line has it', async (t) => {
  const stage = await staged(t);
  const does = async (path: string, body: Json) =>
    assert.equal((await stage.sim('POST', path, body)).status, 200, path);
  await does('/api/session', {});
  const cards = await loadCards(fileURLToPath(new URL('../../fixtures/cards', import.meta.url)));
  const tapped = till(stage, { preferredEntryMode: 'CARD' });
  await does('/api/reader/tap', { card: 'mastercard', holdMs: 20_000 });
  await tapped;
  await does('/api/reader/fault', { chipFails: true });
  const swiped = till(stage, { preferredEntryMode: 'CARD' });
  await does('/api/reader/insert', { card: 'visa', holdMs: 20_000 });
  await does('/api/reader/swipe', { card: 'visa', holdMs: 20_000 });
  await swiped;
  const recording = recordingShape.parse((await stage.sim('GET', '/api/session')).body);
  assert.ok(recording.hosts.filter((each) => each.includes('00 approved')).length === 2, recording.hosts.join('\n'));
  const text = JSON.stringify(recording);
  for (const { name, pan } of cards.values()) {
    // Digits as text, packed in hexadecimal, and as characters in hexadecimal.
    for (const form of [pan, Buffer.from(pan).toString('hex').toUpperCase()]) assert.ok(!text.includes(form), name);
  }
});
