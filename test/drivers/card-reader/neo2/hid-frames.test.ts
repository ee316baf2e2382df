import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hidFrames, splitFrame } from '../../../../drivers/card-reader/neo2/hid-frames.ts';
import { ScriptedPath } from '../scripted-path.ts';
import { answer, bytes } from './card-answer.ts';
import { frames, named } from './fixture-frames.ts';
import { neo2Stage, reportsOf } from './hid-stage.ts';
import { settled } from '../../../support/manual-clock.ts';

function stage(): { readonly path: ScriptedPath; readonly received: Buffer[]; line: ReturnType<typeof hidFrames> } {
  const path = new ScriptedPath();
  const line = hidFrames(path);
  const received: Buffer[] = [];
  line.onData((chunk) => received.push(Buffer.from(chunk)));
  return { path, line, received };
}

const report = (id: number, payload: Uint8Array = new Uint8Array()) =>
  Uint8Array.from({ length: 64 }, (_, i) => (i === 0 ? id : (payload[i - 1] ?? 0)));

test('the published ping of the HID dump: one report, padded (IDG p.42)', () => {
  assert.deepEqual(splitFrame(named('ping')), [report(0x01, bytes('5669564F746563683200 18 01 0000 B3CD'))]);
});

test('the published frame of 216 bytes: 02, 03, 03, 04 (IDG p.41-42, p.197)', () => {
  const frame = named('set terminal data');
  const reports = splitFrame(frame);
  assert.deepEqual(
    reports.map((each) => each[0]),
    [0x02, 0x03, 0x03, 0x04],
  );
  assert.deepEqual(Buffer.concat(reports.map((each) => each.subarray(1))).subarray(0, 216), Buffer.from(frame));
  const last = reports[3];
  assert.ok(last);
  assert.deepEqual(
    [...last.subarray(28)],
    Array.from({ length: 36 }, () => 0),
    '27 bytes and the padding',
  );
  for (const each of reports) assert.equal(each.length, 64);
});

test('every frame of the fixtures is cut as the device cuts it, and comes back whole', () => {
  for (const { name, hex } of frames) {
    const frame = bytes(hex);
    assert.deepEqual(splitFrame(frame), reportsOf(frame), name);
    const { path, received } = stage();
    for (const each of reportsOf(frame)) path.receive(each);
    assert.deepEqual(Buffer.concat(received), Buffer.from(frame), name);
  }
});

test('every length, with zeros of its own at the end', () => {
  for (let length = 0; length <= 200; length++) {
    const frame = answer(0x02, 0x00, new Uint8Array(length));
    assert.deepEqual(splitFrame(frame), reportsOf(frame), `${length}`);
    const { path, received } = stage();
    for (const each of reportsOf(frame)) path.receive(each);
    assert.deepEqual(Buffer.concat(received), Buffer.from(frame), `${length}`);
  }
});

test('a continuation without its first report is ignored, and so is a report of another id', () => {
  const { path, received } = stage();
  path.receive(report(0x03, named('ping answer')));
  path.receive(report(0x04, named('ping answer')));
  path.receive(report(0x05, named('ping answer')));
  path.receive(report(0x00, named('ping answer')));
  assert.deepEqual(received, []);
  const [first, ...rest] = reportsOf(answer(0x02, 0x00, new Uint8Array(100)));
  assert.ok(first && rest[0]);
  path.receive(first);
  path.receive(rest[0]);
  const before = received.length;
  path.receive(rest[0]);
  assert.equal(received.length, before, 'the frame was over');
});

test('after its last report a frame gets no more, however long it said that it is', () => {
  const { path, received } = stage();
  const [first, second, , last] = reportsOf(named('set terminal data'));
  assert.ok(first && second && last);
  for (const each of [first, last, second]) path.receive(each);
  assert.equal(Buffer.concat(received).length, 126);
});

test('a frame that another one cuts off: disarmed, try again; and one that a reconnection cuts off', async () => {
  const made = neo2Stage('hid');
  const { path, reader, clock, reported } = made;
  await settled();
  const outcome = reader.collect(
    { amount: { minor: 3000n, currency: 'HKD' }, type: 'purchase', timeoutMs: 60_000 },
    new AbortController().signal,
  );
  await settled();
  const [first] = reportsOf(named('chip that waits for its decision'));
  assert.ok(first);
  path.receive(first);
  made.present('contactless');
  await clock.advance(1_000);
  assert.deepEqual(await outcome, { kind: 'tryAgain', reason: 'read-error' });
  assert.equal(reported.at(-1), 'disarm');
  path.receive(first);
  path.become('absent');
  path.become('ready');
  await settled();
  assert.equal(reader.state, 'ready');
});

test('what begins like no frame is handed on as it is', () => {
  const { path, received } = stage();
  path.receive(report(0x01, new Uint8Array(63).fill(0xaa)));
  assert.deepEqual(received, [Buffer.alloc(63, 0xaa)]);
});

test('the reports of two frames are not mixed', async () => {
  const { path, line } = stage();
  const long = named('set terminal data');
  await Promise.all([line.write(long), line.write(named('ping'))]);
  assert.deepEqual(path.written, [...splitFrame(long), ...splitFrame(named('ping'))]);
});

test('a write that fails is told, and the next one is not held up by it', async () => {
  const { path, line } = stage();
  path.writes = 'refused';
  await assert.rejects(line.write(named('ping')), { code: 'absent' });
  path.writes = 'taken';
  await line.write(named('ping'));
  path.writes = 'stuck';
  void line.write(named('ping'));
  await settled();
  path.writes = 'taken';
  path.become('absent');
  path.become('ready');
  await line.write(named('ping'));
  assert.equal(path.written.length, 2);
});

test('close closes the reports and leaves nothing behind', async () => {
  const { path, line } = stage();
  await line.close();
  assert.deepEqual([path.closed, path.listeners, line.state], [true, 0, 'absent']);
});
