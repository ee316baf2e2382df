import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTopic } from '../../../src/pos/cloud/event-topic.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { CloudLine } from './cloud-line.ts';

function stage() {
  const [line, clock] = [new CloudLine(), new ManualClock()];
  const topic = new EventTopic(line, clock);
  const reported = () => line.sent.map(({ payload }): unknown => JSON.parse(Buffer.from(payload).toString()));
  return { line, clock, topic, reported };
}

test('events are sent a moment later and in their order: no payment waits for their sending', async () => {
  const { line, clock, topic, reported } = stage();
  line.set(true);
  topic.publish('state', '{"state":"collecting"}');
  topic.publish('state', '{"state":"authorizing"}');
  assert.deepEqual(reported(), []);
  await clock.advance(50);
  topic.publish('receipt', '{"receiptStatus":"PRINTED"}');
  await clock.advance(50);
  assert.deepEqual(reported(), [
    { event: 'state', state: 'collecting' },
    { event: 'state', state: 'authorizing' },
    { event: 'receipt', receiptStatus: 'PRINTED' },
  ]);
  assert.deepEqual([...new Set(line.sent.map((each) => each.topic))], ['events']);
});

test('without a connection nothing is kept, and nothing is sent later', async () => {
  const { line, clock, topic, reported } = stage();
  topic.publish('state', '{"state":"collecting"}');
  line.set(true);
  topic.publish('state', '{"state":"authorizing"}');
  line.set(false);
  line.set(true);
  await clock.advance(1_000);
  assert.deepEqual(reported(), []);
  topic.publish('state', '{"state":"idle"}');
  await clock.advance(50);
  assert.equal(reported().length, 1);
  topic.publish('state', '{"state":"idle"}');
  await topic.close();
  await clock.advance(50);
  assert.deepEqual([reported().length, clock.pending], [1, 0]);
});

test('what can’t be sent fast enough is bounded', async () => {
  const { line, clock, topic, reported } = stage();
  line.set(true);
  for (let each = 0; each < 10_000; each++) topic.publish('state', `{"state":"${each}"}`);
  await clock.advance(50);
  assert.equal(reported().length, 100);
});
