import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keptFrames } from '../../../hw-sim/session/kept-frames.ts';
import { Wires } from '../../../hw-sim/wires/record.ts';

/** Wires whose clock counts the bytes that crossed them, and a scanner's line. */
function staged() {
  let nowMs = 0;
  const wires = new Wires(() => ++nowMs);
  const scanner = wires.add('scanner', 'scanner')();
  return { wires, now: () => nowMs, scan: (code: string) => scanner.left(Buffer.from(`${code}\r\n`)) };
}

describe('the frames of a recording', () => {
  it('are those after its beginning, with their time from there, and their bytes as the page shows them', () => {
    const { wires, scan, now } = staged();
    scan('1');
    const began = { afterFrame: wires.frames().at(-1)?.id ?? 0, beganMs: now() };
    scan('280000000000000001');
    const { frames, leftOff } = keptFrames(wires, began);
    assert.deepEqual(
      frames.map(({ line, direction, kind, summary, bytes }) => [line, direction, kind, summary, bytes]),
      [['scanner', 'toTerminal', 'frame', 'a code of 18 characters', `${'**'.repeat(14)}303030310D0A`]],
    );
    assert.ok(frames.every(({ atMs }) => atMs > 0 && atMs <= now() - began.beganMs));
    assert.deepEqual(leftOff, []);
  });

  it('are the newest where there are too many, and it says of which line earlier ones are left off', () => {
    const { wires, scan } = staged();
    for (const code of ['11', '22', '33']) scan(code);
    const began = { afterFrame: 0, beganMs: 0 };
    const few = keptFrames(wires, began, { frames: 2, bytes: 1000 });
    assert.deepEqual([few.frames.length, few.leftOff.map(({ what }) => what)], [2, ['scanner']]);
    assert.match(few.leftOff[0]?.why ?? '', /^scanner: earlier frames are left off: .* newest 2 frames/);
    const small = keptFrames(wires, began, { frames: 1000, bytes: 4 });
    assert.deepEqual([small.frames.length, small.leftOff.length], [1, 1]);
  });

  it('lack what the wires no longer keep, and it says so, until a new recording begins', () => {
    const { wires, scan, now } = staged();
    for (let code = 0; code < 2001; code++) scan(String(code));
    const lost = keptFrames(wires, { afterFrame: 0, beganMs: 0 });
    assert.deepEqual(
      [lost.frames.length, lost.leftOff],
      [2000, [{ what: 'scanner', why: 'scanner: earlier frames are no longer kept, or were cleared' }]],
    );
    wires.clear();
    scan('1');
    assert.deepEqual(keptFrames(wires, { afterFrame: 0, beganMs: now() - 1 }).leftOff, []);
    assert.equal(keptFrames(wires, { afterFrame: 0, beganMs: 0 }).leftOff.length, 1);
  });
});
