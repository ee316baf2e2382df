import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitedLog } from '../../src/observability/limited-log.ts';
import type { Log, LogFields } from '../../src/observability/log.ts';
import { ManualClock } from '../support/manual-clock.ts';

function opened() {
  const lines: string[] = [];
  const write = (event: string, { acquirerId = '', device = '', reason = '' }: LogFields = {}) =>
    void lines.push([event, acquirerId, device, reason].filter((each) => each !== '').join(' '));
  const log: Log = { info: write, warn: write, failure: (event) => write(event), lostLines: 3 };
  const clock = new ManualClock();
  return { log: new LimitedLog(log, clock), lines, clock };
}

test('of a kind that is repeated 20 lines a minute are written, and one that counts the others', async () => {
  const { log, lines, clock } = opened();
  for (let i = 0; i < 10_000; i++) log.warn('late answer', { acquirerId: 'EDC', reason: String(i) });
  assert.equal(lines.length, 20);
  assert.equal(lines[19], 'late answer EDC 19');
  await clock.advance(60_000);
  assert.deepEqual(lines.slice(20), ['late answer EDC 9980 more within a minute']);
  log.warn('late answer', { acquirerId: 'EDC' });
  assert.equal(lines.at(-1), 'late answer EDC');
  await clock.advance(60_000);
  assert.deepEqual([lines.length, clock.pending], [22, 0]);
});

test('a kind is an event with its acquirer or device, at any level; no other takes its room', () => {
  const { log, lines } = opened();
  for (let i = 0; i < 30; i++) {
    log.info('device', { device: 'printer', state: `${i}` });
    log.warn('device', { device: 'printer' });
    log.info('device', { device: 'reader' });
    log.failure('api', new Error(String(i)));
  }
  const count = (start: string) => lines.filter((each) => each.startsWith(start)).length;
  assert.deepEqual([count('device printer'), count('device reader'), count('api')], [20, 20, 20]);
  assert.equal(log.lostLines, 3);
});

test('at the end what was counted is written, and no timer is left', async () => {
  const { log, lines, clock } = opened();
  for (let i = 0; i < 21; i++) log.warn('fleet: extract');
  await log.close();
  assert.equal(lines.at(-1), 'fleet: extract 1 more within a minute');
  assert.equal(clock.pending, 0);
});
