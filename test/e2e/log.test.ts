import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

/** The lines of the daemon's log that name this transaction. */
function storyOf(id: string): Json[] {
  return stage.log
    .split('\n')
    .filter((line) => line.includes(id))
    .map((line) => JSON.parse(line));
}

async function linesUntil(id: string, last: string): Promise<Json[]> {
  return eventually(
    () => Promise.resolve(storyOf(id)),
    (lines) => lines.at(-1)?.msg === last,
  );
}

test('the log tells a sale from its start to its receipt, and every line names it', async () => {
  const { body } = await stage.paid('visa');
  const lines = await linesUntil(body.terminalTransactionId, 'printed');
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    ['started', 'presented', 'intent', 'answer', 'approved', 'printed'].map((msg) => [30, msg]),
  );
  assert.partialDeepStrictEqual(lines[0], { posId: body.posId, type: 'SALE', currency: 'HKD' });
  assert.partialDeepStrictEqual(lines[2], { acquirerId: 'EDC', method: 'VISA', entryMode: 'CONTACTLESS' });
  assert.partialDeepStrictEqual(lines[3], { state: 'approved', code: '00' });
  assert.ok(lines[3].ms >= 0 && lines[4].ms >= lines[3].ms, 'how long the host and the whole took');
});

test('an answer that stays out is a warning, with the reversal and its end behind it', async () => {
  await stage.host('EDC', { mode: 'silent' });
  const { body } = await stage.paid('visa');
  await stage.host('EDC', { mode: 'up' });
  const lines = await eventually(
    () => Promise.resolve(storyOf(body.terminalTransactionId)),
    (found) => ['reversed', 'error'].every((each) => found.some(({ msg }) => msg === each)),
  );
  const reported = lines.map(({ level, msg }) => `${level} ${msg}`);
  assert.ok(reported.includes('40 answer') && reported.includes('40 reversal queued'), reported.join(', '));
  assert.ok(reported.indexOf('30 reversal sent') < reported.indexOf('30 reversed'), reported.join(', '));
});

test('a settlement has a line for each acquirer, the printer one for its trouble', async () => {
  const { body } = await stage.post('settlement', { posId: 'POS-1', messageId: 'log-1' });
  const lines = await linesUntil(body.terminalTransactionId, 'settled');
  assert.deepEqual(
    new Set(lines.map(({ acquirerId }) => acquirerId)),
    new Set(body.settlements.map((each: Json) => each.acquirer)),
  );
  await stage.fault('printer', { paperOut: true });
  await eventually(
    () => Promise.resolve(stage.log),
    (log) => /"level":40.*"state":"paper-out".*"msg":"device"/.test(log),
  );
});
