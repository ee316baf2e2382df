import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LateRequests } from '../../../src/base/http/late-requests.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const limits = { headersMs: 10_000, requestMs: 15_000 };

/** A connection; `refused` counts how often a request of it was refused. */
function stage() {
  const clock = new ManualClock();
  const late = new LateRequests(limits, clock);
  const socket = { heldMs: 0, destroyed: false };
  const counts = { refused: 0 };
  const handle = () => late.handle(socket, () => (counts.refused += 1));
  return { clock, late, socket, counts, handle };
}

test('a client that is silent is refused at once', () => {
  const { counts, handle, clock } = stage();
  handle();
  assert.equal(counts.refused, 1);
  assert.equal(clock.pending, 0);
});

test('headers that waited here get as much more time, and are refused after that', () => {
  const { clock, socket, counts, handle } = stage();
  socket.heldMs = 4_000;
  handle();
  assert.deepEqual(clock.pendingMs, [4_000]);
  // They wait on.
  socket.heldMs = 5_000;
  clock.pass(4_000);
  assert.equal(counts.refused, 0);
  clock.pass(999);
  assert.equal(counts.refused, 0);
  clock.pass(1);
  assert.equal(counts.refused, 1);
});

test('a request that is complete meanwhile is not refused', () => {
  const { clock, late, socket, counts, handle } = stage();
  socket.heldMs = 4_000;
  handle();
  late.note(socket, { complete: true });
  clock.pass(60_000);
  assert.deepEqual([counts.refused, clock.pending], [0, 0]);
});

test('its body has the time of the whole request', () => {
  const { clock, late, socket, counts, handle } = stage();
  socket.heldMs = 4_000;
  handle();
  late.note(socket, { complete: false });
  clock.pass(4_000);
  assert.deepEqual([counts.refused, clock.pendingMs], [0, [5_000]]);
  clock.pass(5_000);
  assert.equal(counts.refused, 1);
});

test('what earlier requests waited does not count for a later one', () => {
  const { late, socket, counts, handle } = stage();
  socket.heldMs = 4_000;
  late.note(socket, { complete: true });
  handle();
  assert.equal(counts.refused, 1);
});

test('a body that waited here gets as much more time', () => {
  const { clock, late, socket, counts, handle } = stage();
  late.note(socket, { complete: true });
  late.note(socket, { complete: false });
  socket.heldMs = 3_000;
  handle();
  clock.pass(2_999);
  assert.equal(counts.refused, 0);
  clock.pass(1);
  assert.equal(counts.refused, 1);
});

test('a client whose bytes always wait here is refused at last', () => {
  const { clock, late, socket, counts, handle } = stage();
  late.note(socket, { complete: false });
  socket.heldMs = limits.requestMs;
  handle();
  for (let second = 0; second < 44; second++) {
    clock.pass(1_000);
    socket.heldMs += 1_000;
  }
  assert.equal(counts.refused, 0);
  clock.pass(1_000);
  assert.deepEqual([counts.refused, clock.pending], [1, 0]);
});

test('a connection that is gone is left alone', () => {
  const { clock, socket, counts, handle } = stage();
  socket.heldMs = 4_000;
  handle();
  socket.destroyed = true;
  clock.pass(60_000);
  assert.equal(counts.refused, 0);
});
