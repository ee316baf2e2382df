import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Presence, will } from '../../../src/pos/cloud/presence.ts';
import { type CloudMessage, MessageTooLong } from '../../../src/payment/contracts/cloud-link.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('the status is told at each connect and from time to time, retained, and says nothing of whose payment runs', async () => {
  const clock = new ManualClock();
  const reported: { topic: string; message: CloudMessage; fields: Record<string, unknown> }[] = [];
  let notify: (isUp: boolean) => void = () => undefined;
  let isUp = false;
  const link = {
    watch(watcher: (isUp: boolean) => void) {
      notify = watcher;
      watcher(isUp);
      return () => (notify = () => undefined);
    },
    async publish(topic: string, message: CloudMessage) {
      if (!isUp) throw new Error('down');
      reported.push({ topic, message, fields: JSON.parse(Buffer.from(message.payload).toString()) });
    },
  };
  const failures: unknown[] = [];
  const status = async () => ({
    responseResult: 'SUCCESS',
    responseCode: 0,
    state: 'collecting',
    version: '1.2.3',
    running: { posId: 'POS-1', messageId: 'M-1' },
    pendingReversals: 1,
  });
  const onFailure = (error: unknown) => failures.push(error);
  const presence = new Presence({ link, clock, status, everyMs: 60_000, onFailure });
  await clock.advance(60_000);
  assert.equal(reported.length, 0);
  isUp = true;
  notify(true);
  await clock.advance(60_000);
  assert.equal(reported.length, 2);
  const [{ topic, message, fields } = assert.fail('nothing')] = reported;
  assert.deepEqual([topic, message.qos, message.retain], ['status', 1, true]);
  const since = '2026-01-01T00:00:00.000Z';
  const at = '2026-01-01T00:01:00.000Z';
  assert.deepEqual(fields, {
    state: 'online',
    at,
    since,
    terminal: 'collecting',
    version: '1.2.3',
    pendingReversals: 1,
  });
  isUp = false;
  notify(false);
  assert.equal(clock.pending, 0);
  isUp = true;
  notify(true);
  await presence.close();
  assert.equal(reported.at(-1)?.fields['state'], 'offline');
  assert.equal(clock.pending, 0);
  assert.deepEqual(failures, []);
  assert.deepEqual([JSON.parse(Buffer.from(will.payload).toString()), will.retain], [{ state: 'offline' }, true]);
});

test('a status that is longer than the broker takes is told in short', async () => {
  const clock = new ManualClock();
  const reported: string[] = [];
  const link = {
    watch(watcher: (isUp: boolean) => void) {
      watcher(true);
      return () => undefined;
    },
    async publish(_topic: string, { payload }: CloudMessage) {
      if (payload.length > 200) throw new MessageTooLong(payload.length, 200);
      reported.push(Buffer.from(payload).toString());
    },
  };
  const status = async () => ({ state: 'idle', version: '1.2.3', long: 'x'.repeat(200) });
  const onFailure = (error: unknown) => assert.fail(String(error));
  const presence = new Presence({ link, clock, status, everyMs: 60_000, onFailure });
  await clock.advance(0);
  const at = '2026-01-01T00:00:00.000Z';
  assert.deepEqual(
    reported.map((each) => JSON.parse(each)),
    [{ state: 'online', at, since: at, terminal: 'idle' }],
  );
  await presence.close();
});
