import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pinOutcome } from '../../../../drivers/card-reader/neo2/pin-pad.ts';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import type { PinOutcome, PinRequest } from '../../../../src/base/ports/pin-pad.ts';
import { handshake, pending, ready, rejects, request as collectRequest, type Stage } from './stage.ts';
import { answer } from './card-answer.ts';
import { named } from './fixture-frames.ts';
import { settled } from '../../../support/manual-clock.ts';

const request: PinRequest = { amount: { minor: 3000n, currency: 'HKD' }, timeoutMs: 60_000, again: false };
const first = named('enter PIN, first answer');
const pin = named('enter PIN answer, PIN');
const byKey = named('enter PIN answer, cancel key');
const byCommand = named('enter PIN answer, cancelled by command');
const timedOut = named('enter PIN answer, time-out');

const said = (data: Uint8Array, status = 0x00, acknowledged = true) => pinOutcome({ status, data, acknowledged });
const text = (value: string) => Buffer.from(value, 'latin1');
const hexOf = (value: Uint8Array) => Buffer.from(value).toString('hex').toUpperCase();

/** The pad takes digits: `outcome` is what enterPin() comes to. */
async function entering(): Promise<Stage & { outcome: Promise<PinOutcome>; abort: AbortController }> {
  const made = await ready();
  const abort = new AbortController();
  const outcome = made.reader.pinPad.enterPin(request, abort.signal);
  outcome.catch(() => {});
  await settled();
  assert.deepEqual(made.transport.sent, ['62-01']);
  made.transport.receive(first);
  assert.ok(await pending(outcome));
  return { ...made, outcome, abort };
}

test('a PIN', async () => {
  const { transport, clock, outcome } = await entering();
  assert.deepEqual(transport.frames.at(-1), named('enter PIN, 60 s'));
  transport.receive(pin);
  const found = await outcome;
  assert.ok(found.kind === 'pin');
  assert.equal(found.pin.format, 'ISO-0');
  assert.equal(hexOf(found.pin.ksn), 'FFFF9876543210E00001');
  assert.equal(hexOf(found.pin.block), '1B9C1845EB993A7A');
  await clock.advance(30_000);
  assert.deepEqual(transport.sent, ['62-01', '18-01']);
});

test('a PIN under an AES key: format 4, longer in both parts', async () => {
  const { transport, outcome } = await entering();
  transport.receive(named('enter PIN answer, PIN under an AES key'));
  const found = await outcome;
  assert.ok(found.kind === 'pin');
  assert.equal(found.pin.format, 'ISO-4');
  assert.equal(hexOf(found.pin.ksn), '123456789012345600000001');
  assert.equal(hexOf(found.pin.block), 'A912150391AB65A67E52883D81CE2D15');
});

for (const digits of [20 + 32, 24 + 16, 24 + 31]) {
  test(`${digits} digits are no key serial number and block`, () => {
    assert.throws(() => said(text(`\0${'1'.repeat(digits)}`)), /no PIN block/);
  });
}

test('both answers at once', async () => {
  const { transport, reader } = await ready();
  const outcome = reader.pinPad.enterPin({ ...request, again: true }, new AbortController().signal);
  await settled();
  assert.deepEqual(transport.frames.at(-1), named('enter PIN, 60 s, the last one was wrong'));
  transport.receive(Buffer.concat([first, pin]));
  assert.equal((await outcome).kind, 'pin');
});

test('the cancel key, and the time-out of the pad', async () => {
  const cancelled = await entering();
  cancelled.transport.receive(byKey);
  assert.deepEqual(await cancelled.outcome, { kind: 'cancelled' });
  const late = await entering();
  await late.clock.advance(60_000);
  late.transport.receive(timedOut);
  assert.deepEqual(await late.outcome, { kind: 'timeout' });
  assert.deepEqual(late.transport.sent, ['62-01'], 'no heartbeat disturbs it');
});

test('states and statuses that take no PIN', () => {
  for (const state of [0x02, 0x03, 0x05, 0x06, 0xff]) {
    assert.throws(() => said(Uint8Array.of(state)), { code: 'refused' }, `state ${state}`);
  }
  for (const status of [0x02, 0x04, 0x05, 0x06, 0x0a, 0x0b, 0x63]) {
    assert.throws(() => said(new Uint8Array(), status, false), { code: 'refused' }, `status ${status}`);
  }
  assert.throws(() => said(named('enter PIN answer, no key').slice(14, -2)), { code: 'refused' });
  assert.throws(() => said(named('enter PIN answer, keys exhausted').slice(14, -2)), { code: 'refused' });
});

test('a block that is none, and nothing of it is told', () => {
  const good = '\0FFFF9876543210E000011b9c1845eb993a7a';
  assert.equal(said(text(good)).kind, 'pin');
  const wrong = [
    '\0',
    good.slice(0, -1),
    `${good}0`,
    `${good}00`,
    good.replace('1b9c', '1b9g'),
    good.replace('1b9c', '1b c'),
    '',
  ];
  for (const data of wrong) {
    assert.throws(
      () => said(text(data)),
      (error) => {
        assert.ok(error instanceof DeviceError && error.code === 'protocol');
        assert.doesNotMatch(error.message, /9876|1845/);
        return true;
      },
      JSON.stringify(data),
    );
  }
  assert.throws(() => said(text(good), 0x00, false), { code: 'protocol' }, 'without its first answer');
});

test('abort: cancelled only once the pad has ended, 62-00 once', async () => {
  const { transport, clock, outcome, abort } = await entering();
  abort.abort();
  abort.abort();
  assert.ok(await pending(outcome));
  await clock.advance(2_999);
  assert.ok(await pending(outcome));
  assert.deepEqual(transport.sent, ['62-01', '62-00']);
  assert.deepEqual(transport.frames.at(-1), named('cancel PIN'));
  transport.receive(byCommand);
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.deepEqual(transport.sent, ['62-01', '62-00']);
});

test('an abort before the first answer', async () => {
  const { transport, reader } = await ready();
  const abort = new AbortController();
  const outcome = reader.pinPad.enterPin(request, abort.signal);
  await settled();
  abort.abort();
  transport.receive(first);
  assert.ok(await pending(outcome));
  transport.receive(byCommand);
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.deepEqual(transport.sent, ['62-01', '62-00']);
  assert.deepEqual(await reader.pinPad.enterPin(request, abort.signal), { kind: 'cancelled' });
  assert.deepEqual(transport.sent, ['62-01', '62-00'], 'aborted before it starts: nothing is sent');
});

test('a PIN, a key or a time-out that crosses with the cancellation is dropped', async () => {
  for (const crossing of [pin, byKey, timedOut]) {
    const { transport, reader, outcome, abort } = await entering();
    transport.answers.delete('18-01');
    abort.abort();
    await settled();
    transport.receive(crossing);
    assert.ok(await pending(outcome));
    // What an idle reader says to 62-00 is not known. Whatever it is, it is not the next PIN's first answer.
    transport.receive(first);
    transport.receive(named('ping answer'));
    assert.deepEqual(await outcome, { kind: 'cancelled' });
    assert.deepEqual(transport.sent, ['62-01', '62-00', '18-01']);
    transport.answers.set('18-01', named('ping answer'));
    const next = reader.pinPad.enterPin(request, new AbortController().signal);
    await settled();
    transport.receive(first);
    transport.receive(pin);
    assert.equal((await next).kind, 'pin');
  }
});

test('a PIN and an abort at the same moment: no PIN', async () => {
  const { transport, outcome, abort } = await entering();
  transport.receive(pin);
  abort.abort();
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.ok(!transport.sent.includes('62-00'));
});

test('a cancellation that is not confirmed: time-out, and the reader is prepared anew', async () => {
  const { transport, clock, reader, outcome, abort } = await entering();
  abort.abort();
  await clock.advance(2_999);
  assert.ok(await pending(outcome));
  await clock.advance(1);
  await rejects(outcome, 'timeout');
  await settled();
  assert.deepEqual(transport.sent, ['62-01', '62-00', ...handshake]);
  assert.equal(reader.state, 'ready');
});

test('a first answer after the abort does not put the deadline off', async () => {
  const { transport, clock, reader } = await ready();
  const abort = new AbortController();
  const outcome = reader.pinPad.enterPin(request, abort.signal);
  outcome.catch(() => {});
  await settled();
  abort.abort();
  transport.receive(first);
  await clock.advance(3_000);
  await rejects(outcome, 'timeout');
});

test('a cancellation that was damaged on its way is sent once more', async () => {
  const { transport, outcome, abort } = await entering();
  abort.abort();
  await settled();
  transport.receive(answer(0x62, 0x04));
  await settled();
  assert.deepEqual(transport.sent, ['62-01', '62-00', '62-00']);
  transport.receive(byCommand);
  assert.deepEqual(await outcome, { kind: 'cancelled' });
});

test('no first answer, or no last one: the pad is stopped, then time-out', async () => {
  const { transport, clock, reader } = await ready();
  transport.answers.set('62-00', byCommand);
  const outcome = reader.pinPad.enterPin(request, new AbortController().signal);
  outcome.catch(() => {});
  await clock.advance(1_999);
  assert.deepEqual(transport.sent, ['62-01']);
  await clock.advance(1);
  await rejects(outcome, 'timeout');
  assert.deepEqual(transport.sent, ['62-01', '62-00', '18-01']);
  const started = await entering();
  started.transport.answers.set('62-00', byCommand);
  await started.clock.advance(62_999);
  assert.deepEqual(started.transport.sent, ['62-01']);
  await started.clock.advance(1);
  await rejects(started.outcome, 'timeout');
  assert.deepEqual(started.transport.sent, ['62-01', '62-00', '18-01']);
  assert.equal(started.reader.state, 'ready');
});

test('an answer with a wrong CRC: the pad is stopped, and no PIN', async () => {
  const { transport, outcome } = await entering();
  transport.answers.set('62-00', byCommand);
  const damaged = Uint8Array.from(pin);
  damaged[30] = (damaged[30] ?? 0) ^ 0x01;
  transport.receive(damaged);
  await rejects(outcome, 'protocol');
  assert.deepEqual(transport.sent, ['62-01', '62-00', '18-01']);
});

test('an answer that leaves open whether the pad has ended: it is stopped', async () => {
  // A 62-01 that came twice is acknowledged and refused; an acknowledgement that came twice has no state.
  for (const [strange, code] of [[answer(0x62, 0x0b), 'refused'] as const, [first, 'protocol'] as const]) {
    const { transport, outcome } = await entering();
    transport.answers.set('62-00', byCommand);
    transport.receive(strange);
    await rejects(outcome, code);
    assert.deepEqual(transport.sent, ['62-01', '62-00', '18-01']);
  }
  const refused = await ready();
  const outcome = refused.reader.pinPad.enterPin(request, new AbortController().signal);
  await settled();
  refused.transport.receive(answer(0x62, 0x0b));
  await rejects(outcome, 'refused');
  assert.deepEqual(refused.transport.sent, ['62-01'], 'it never began');
});

test('it vanishes, and it is closed, while a PIN is entered', async () => {
  const gone = await entering();
  gone.transport.become('absent');
  await rejects(gone.outcome, 'vanished');
  const closed = await entering();
  const closing = closed.reader.close();
  await settled();
  assert.deepEqual([closed.transport.sent, closed.transport.closed], [['62-01', '62-00'], false]);
  closed.transport.receive(byCommand);
  await closing;
  assert.deepEqual(await closed.outcome, { kind: 'cancelled' });
  assert.deepEqual([closed.transport.closed, closed.clock.pending], [true, 0]);
});

test('one thing at a time, and nothing without a reader', async () => {
  const { transport, reader, outcome } = await entering();
  await rejects(reader.collect(collectRequest, new AbortController().signal), 'refused');
  await rejects(reader.pinPad.enterPin(request, new AbortController().signal), 'refused');
  transport.receive(pin);
  await outcome;
  assert.deepEqual(transport.sent, ['62-01']);
  transport.become('absent');
  await rejects(reader.pinPad.enterPin(request, new AbortController().signal), 'absent');
});
