import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, Stage } from './stage.ts';

const stopMs = 700;
let stage: Stage;
before(async () => {
  stage = await Stage.open({
    acquirer: { replyTimeoutMs: 8_000 },
    configuration: { timeouts: { stopMs, noRecordGraceMs: 8_001 } },
  });
});
after(() => stage.close());

test('a stop is over in its time, whatever the host does; the next start concludes what was under way', async () => {
  // Told at the start: nobody who lengthened a time-out has to find out by a stop.
  assert.match(stage.log, /a payment may take \d+ ms by its time-outs, but a stop waits 700 ms/);
  await stage.host('EDC', { mode: 'silent' });
  const { request, answer } = stage.begun();
  await stage.tap('visa');
  await stage.view(({ scene }) => scene === 'processing');
  const begunMs = performance.now();
  await stage.stopDaemon('SIGTERM');
  const tookMs = performance.now() - begunMs;
  assert.ok(tookMs >= stopMs && tookMs < 6_000, `${tookMs} ms`);
  assert.match(stage.log, /not finished within 700 ms: transactions in flight are left to the next start/);
  await assert.rejects(answer, 'the POS hears that its connection ended, and asks');

  await stage.host('EDC', { mode: 'up' });
  await stage.startDaemon();
  const { body } = await eventually(
    () => stage.enquiry(request),
    (each) => each.body.financialImpact === 'REVERSED',
  );
  assert.notEqual(body.responseResult, 'SUCCESS');
  assert.deepEqual(await stage.posted(), []);
});

test('a stop without a payment ends at once, without a warning', async () => {
  const { length } = stage.log;
  await stage.stopDaemon('SIGTERM');
  assert.doesNotMatch(stage.log.slice(length), /not finished within/);
});
