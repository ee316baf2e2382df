import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostDateTime, hostTimes } from '../../../src/hosts/qfpay/host-time.ts';

test('the time of Hong Kong, of 24 hours', () => {
  for (const [at, text] of [
    ['2025-12-31T15:59:59Z', '2025-12-31 23:59:59'],
    ['2025-12-31T16:00:00Z', '2026-01-01 00:00:00'],
    ['2026-01-15T02:15:30.999Z', '2026-01-15 10:15:30'],
    ['2026-07-15T04:00:01Z', '2026-07-15 12:00:01'],
    ['2026-07-15T05:00:00Z', '2026-07-15 13:00:00'],
  ] as const) {
    assert.equal(hostDateTime(new Date(at)), text);
  }
  assert.equal(hostDateTime(new Date('2026-07-15T05:00:00Z'), 'Europe/London'), '2026-07-15 06:00:00');
  assert.throws(() => hostDateTime(new Date(Number.NaN)), RangeError);
});

test('hhmmss and MMDD of what the host told, and nothing else', () => {
  assert.deepEqual(hostTimes('2026-01-15 23:05:09'), { hostTime: '230509', hostDate: '0115' });
  for (const text of ['', '2026-01-15', '2026-01-15T23:05:09', '2026-01-15 23:05:09 ', '26-01-15 23:05:09']) {
    assert.equal(hostTimes(text), undefined, text);
  }
});
