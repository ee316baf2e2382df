import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { LineTrace, traceLimits, type TraceEnd, type TraceScope } from '../../src/observability/line-trace.ts';
import type { LineMessage } from '../../src/payment/contracts/line-message.ts';
import { ManualClock } from '../support/manual-clock.ts';

const message = (id = 'EDC', name = 'amount, transaction'): LineMessage => ({
  acquirerId: acquirerId(id),
  direction: 'sent',
  masked: () => ({ mti: '0200', bytes: 10, parts: [{ field: 4, name, bytes: 6, value: '000000003000' }] }),
});

function begun(scope: Partial<TraceScope> = {}, isRead = () => true) {
  const clock = new ManualClock();
  const trace = new LineTrace(clock);
  const lines: string[] = [];
  const ends: (readonly [TraceEnd, number])[] = [];
  const sink = {
    record: (line: string) => lines.push(line) > 0 && isRead(),
    ended: (reason: TraceEnd, messages: number) => void ends.push([reason, messages]),
  };
  assert.equal(trace.begin({ seconds: 60, ...scope }, sink), true);
  return { clock, trace, lines, ends, sink };
}

test('records nothing until it has begun, and after it has ended', () => {
  const idle = new LineTrace(new ManualClock());
  idle.hear({ ...message(), masked: () => assert.fail('it was decoded') });
  const { trace, lines, ends } = begun();
  trace.hear(message());
  trace.end('command');
  trace.hear({ ...message(), masked: () => assert.fail('it was decoded') });
  trace.end('stop');
  assert.equal(lines.length, 1);
  assert.deepEqual(ends, [['command', 1]]);
  const { at, ...rest } = JSON.parse(lines[0]!);
  assert.match(at, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(rest, { acquirer: 'EDC', direction: 'sent', ...message().masked() });
});

test('ends when its time is over, and leaves no timer', async () => {
  const { clock, trace, ends } = begun({ seconds: 60 });
  await clock.advance(59_999);
  assert.deepEqual(ends, []);
  await clock.advance(1);
  assert.deepEqual(ends, [['time', 0]]);
  assert.equal(trace.isRunning, false);
  assert.equal(clock.pending, 0);
});

test('one at a time', () => {
  const { trace, sink } = begun();
  assert.equal(trace.begin({ seconds: 1 }, sink), false);
  trace.end('command');
  assert.equal(trace.begin({ seconds: 1 }, sink), true);
});

test('records one acquirer alone, if asked to', () => {
  const { trace, lines } = begun({ acquirer: 'CUP' });
  trace.hear(message('EDC'));
  trace.hear(message('CUP'));
  assert.equal(lines.length, 1);
});

test('ends at its most messages, and at its most bytes', () => {
  const many = begun();
  for (let count = 0; count < traceLimits.messagesMax + 5; count++) many.trace.hear(message());
  assert.equal(many.lines.length, traceLimits.messagesMax);
  assert.deepEqual(many.ends, [['messages', traceLimits.messagesMax]]);
  const long = begun();
  const name = 'x'.repeat(traceLimits.bytesMax / 4);
  for (let count = 0; count < 5; count++) long.trace.hear(message('EDC', name));
  assert.deepEqual(long.ends, [['bytes', 3]]);
  assert.equal(long.lines.length, 3);
});

test('ends if it is not read', () => {
  const { trace, ends } = begun({}, () => false);
  trace.hear(message());
  assert.deepEqual(ends, [['notRead', 1]]);
});

test('ends with a message that can’t be decoded, and its caller hears of it', () => {
  const { trace, ends } = begun();
  const broken = () => {
    throw new TypeError('planted');
  };
  assert.throws(() => trace.hear({ ...message(), masked: broken }), /planted/);
  assert.deepEqual(ends, [['failure', 0]]);
  trace.hear({ ...message(), masked: broken });
});
