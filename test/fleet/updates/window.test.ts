import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpen, parseWindow } from '../../../src/fleet/updates/window.ts';

const at = (time: string) => new Date(`2026-01-05T${time}:00+08:00`);

test('a window of the shop’s day, also over midnight', () => {
  const night = { from: '02:00', until: '05:00' };
  const late = { from: '23:30', until: '04:00' };
  for (const [window, time, expected] of [
    [night, '01:59', false],
    [night, '02:00', true],
    [night, '04:59', true],
    [night, '05:00', false],
    [late, '23:29', false],
    [late, '23:30', true],
    [late, '00:00', true],
    [late, '04:00', false],
    [undefined, '12:00', true],
  ] as const) {
    assert.equal(isOpen(window, at(time), 'Asia/Hong_Kong'), expected, `${time} ${JSON.stringify(window)}`);
  }
  assert.equal(isOpen(night, at('02:30'), 'UTC'), false);
});

test('the file of an image, and nothing that only looks like it', () => {
  assert.deepEqual(parseWindow('from=02:00\nuntil=05:00\n'), { from: '02:00', until: '05:00' });
  for (const text of ['', 'from=2:00\nuntil=05:00', 'from=02:00', 'from=24:00\nuntil=05:00']) {
    assert.throws(() => parseWindow(text), /HH:MM/);
  }
});
