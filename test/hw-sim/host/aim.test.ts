import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Aim, wayOf } from '../../../hw-sim/host/iso8583/aim.ts';
import { checkMode, type HostMode } from '../../../hw-sim/host/iso8583/mode.ts';

const message = (mti: string, processing = '000000', amount = '000000003000') => ({
  mti,
  fields: new Map([
    [3, processing],
    [4, amount],
  ]),
});

describe('a fault aimed at the n-th message', () => {
  const silentAtSecond: HostMode = { mode: 'silent', decline: '51', atMessage: 2, keepAliveMs: 100 };

  test('meets the n-th online request, and nothing before, between and after', () => {
    const aim = new Aim();
    const met = ['0200', '0400', '0220', '0100', '0200', '0500'].map((mti) =>
      aim.modeFor(message(mti), silentAtSecond),
    );
    assert.deepEqual(
      met.map(({ mode }) => mode),
      ['up', 'up', 'up', 'silent', 'up', 'up'],
    );
    // What belongs to the line and not to a message stays.
    assert.deepEqual(met[0], { mode: 'up', keepAliveMs: 100 });
  });

  test('counts anew from when it was set; without a number every message meets it', () => {
    const aim = new Aim();
    aim.modeFor(message('0200'), silentAtSecond);
    aim.begin();
    assert.equal(aim.modeFor(message('0200'), silentAtSecond).mode, 'up');
    assert.equal(aim.modeFor(message('0200'), silentAtSecond).mode, 'silent');
    assert.equal(new Aim().modeFor(message('0400'), { mode: 'silent' }).mode, 'silent');
  });

  test('is refused where it has no meaning', () => {
    checkMode(silentAtSecond);
    for (const wrong of [
      { mode: 'silent', atMessage: 0 },
      { mode: 'silent', atMessage: 1.5 },
      { mode: 'down', atMessage: 1 },
      { mode: 'silent', atMessage: 1, reversals: true },
      { mode: 'silent', atMessage: 1, settlement: true },
    ] as const) {
      assert.throws(() => checkMode(wrong), RangeError, JSON.stringify(wrong));
    }
  });
});

describe('a fault by amount', () => {
  const up: HostMode = { mode: 'up', faultByAmount: true };
  const modeOf = (mti: string, processing: string, amount: string, mode = up) =>
    wayOf(message(mti, processing, amount), mode).mode;

  test('30.80 is not answered, 30.81 ends the line; 30.00 and 30.51 are answered', () => {
    assert.equal(modeOf('0200', '000000', '000000003080'), 'silent');
    assert.equal(modeOf('0100', '000000', '000000003081'), 'closeAfterRequest');
    assert.equal(modeOf('0200', '200000', '000000003082'), 'garbage');
    assert.deepEqual(wayOf(message('0200', '000000', '000000003083'), up), { ...up, mode: 'late', delayMs: 9000 });
    assert.equal(modeOf('0200', '000000', '000000003000'), 'up');
    assert.equal(modeOf('0200', '000000', '000000003051'), 'up');
  });

  test('strikes no void, no reversal, and nothing unless it was set', () => {
    assert.equal(modeOf('0200', '020000', '000000003080'), 'up');
    assert.equal(modeOf('0400', '000000', '000000003080'), 'up');
    assert.equal(modeOf('0200', '000000', '000000003080', { mode: 'up' }), 'up');
  });
});
