import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import { armed, stage, cancelled, handshake, pending, ready, rejects, request } from './stage.ts';
import { answer, bytes, visaData } from './card-answer.ts';
import { settled } from '../../../support/manual-clock.ts';

const card = answer(0x02, 0x00, visaData());

test('a connection: disarm, ping, version, poll on demand, ready', async () => {
  const { transport, reader, states } = stage('connecting');
  await settled();
  assert.deepEqual([reader.name, reader.state, transport.sent], ['neo2 at /dev/reader', 'connecting', []]);
  transport.become('ready');
  await settled();
  assert.deepEqual(transport.sent, handshake);
  assert.deepEqual([reader.state, reader.firmware, states], ['ready', 'VP3350 FW v1.01.052', ['ready']]);
  transport.become('absent');
  transport.become('ready');
  await settled();
  assert.deepEqual(transport.sent, [...handshake, ...handshake]);
  assert.deepEqual(states, ['ready', 'absent', 'connecting', 'ready']);
});

test('an idle reader that does not answer a cancellation is ready all the same', async () => {
  const { transport, clock, reader } = stage();
  transport.answers.delete('05-01');
  await clock.advance(2_999);
  assert.deepEqual(transport.sent, ['05-01']);
  await clock.advance(1);
  assert.equal(reader.state, 'ready');
});

test('a reader that was left asking for a PIN is told 62-00, the only command that it takes', async () => {
  const { transport, reader } = stage();
  transport.answers.set('05-01', answer(0x05, 0x0b));
  transport.answers.set('62-00', answer(0x62, 0x00, Uint8Array.of(0x02)));
  await settled();
  assert.deepEqual(transport.sent, ['05-01', '62-00', '18-01', '29-00', '01-01']);
  assert.equal(reader.state, 'ready');
});

test('a reader that is silent, or says no, is absent and tried again', async () => {
  for (const missing of ['18-01', '29-00', '01-01']) {
    const { transport, clock, reader, states } = stage();
    const kept = transport.answers.get(missing);
    transport.answers.delete(missing);
    await clock.advance(2_000);
    assert.equal(reader.state, 'absent', missing);
    await rejects(reader.collect(request, new AbortController().signal), 'absent');
    if (kept) transport.answers.set(missing, kept);
    await clock.advance(2_000);
    assert.equal(reader.state, 'ready', missing);
    assert.deepEqual(states, ['absent', 'ready']);
  }
  const { transport, reader } = stage();
  transport.answers.set('01-01', answer(0x01, 0x0b));
  await settled();
  assert.equal(reader.state, 'absent');
});

test('a heartbeat while idle; one lost answer is forgiven, two are not', async () => {
  const { transport, clock, reader, states } = await ready();
  await clock.advance(90_000);
  assert.deepEqual(transport.sent, ['18-01', '18-01', '18-01']);
  const ping = transport.answers.get('18-01');
  assert.ok(ping);
  transport.answers.delete('18-01');
  await clock.advance(30_000);
  transport.answers.set('18-01', ping);
  await clock.advance(2_000);
  assert.deepEqual([reader.state, states], ['ready', []]);
  transport.answers.delete('18-01');
  await clock.advance(30_000 + 4_000 + 2_000);
  assert.deepEqual(states, ['connecting', 'absent']);
  transport.answers.set('18-01', ping);
  await clock.advance(2_000);
  assert.equal(reader.state, 'ready');
});

test('a card', async () => {
  const { transport, outcome } = await armed();
  assert.equal(transport.frames.at(-1)?.[14], 60);
  transport.receive(card);
  const found = await outcome;
  assert.ok(found.kind === 'card');
  assert.equal(found.card.maskedPan, '476173******0119');
  assert.deepEqual(transport.sent, ['02-40']);
});

test('no heartbeat disturbs an armed reader, and it goes on afterwards', async () => {
  const { transport, clock, outcome } = await armed();
  await clock.advance(59_000);
  assert.deepEqual(transport.sent, ['02-40']);
  transport.receive(card);
  await outcome;
  await clock.advance(30_000);
  assert.deepEqual(transport.sent, ['02-40', '18-01']);
});

test('collect waits for a heartbeat that has the line, and can be aborted then', async () => {
  const { transport, clock, reader } = await ready();
  transport.answers.delete('18-01');
  await clock.advance(30_000);
  const abort = new AbortController();
  const aborted = reader.collect(request, abort.signal);
  await rejects(reader.collect(request, new AbortController().signal), 'refused');
  abort.abort();
  transport.receive(answer(0x18, 0x00));
  assert.deepEqual(await aborted, { kind: 'cancelled' });
  assert.deepEqual(transport.sent, ['18-01']);
  const outcome = reader.collect(request, new AbortController().signal);
  await settled();
  transport.receive(card);
  assert.equal((await outcome).kind, 'card');
  assert.deepEqual(transport.sent, ['18-01', '02-40']);
});

test('events and foreign answers do not end the wait', async () => {
  const { transport, outcome } = await armed();
  transport.receive(bytes('4500550004030300 00E8DD'));
  transport.receive(answer(0x02, 0x0e, Uint8Array.of(0x01)));
  transport.receive(answer(0x18, 0x00));
  assert.ok(await pending(outcome));
  transport.receive(card);
  assert.equal((await outcome).kind, 'card');
});

test('the time-out of the reader, and a card that fails', async () => {
  const first = await armed();
  first.transport.receive(answer(0x02, 0x08));
  assert.deepEqual(await first.outcome, { kind: 'timeout' });
  const second = await armed();
  second.transport.receive(answer(0x02, 0x0a, bytes('C1 FFEE1F 04 21000001')));
  assert.deepEqual(await second.outcome, { kind: 'tryAgain', reason: 'collision' });
  assert.deepEqual(second.transport.sent, ['02-40']);
});

test('a reader that refuses to be armed has lost its poll mode: it is prepared anew', async () => {
  const { transport, reader, states, outcome } = await armed();
  transport.receive(answer(0x02, 0x0b));
  await rejects(outcome, 'refused');
  await settled();
  assert.deepEqual(transport.sent, ['02-40', ...handshake]);
  assert.deepEqual(states, ['connecting', 'ready']);
  assert.equal(reader.state, 'ready');
});

test('card data in the clear: protocol, and nothing of it is told', async () => {
  const { transport, outcome } = await armed();
  transport.receive(answer(0x02, 0x00, visaData({ pan: '5A 08 4761739001010119' })));
  await assert.rejects(outcome, (error) => {
    assert.ok(error instanceof DeviceError && error.code === 'protocol');
    assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /4761739001010119/);
    return true;
  });
});

test('abort: cancelled only once the reader has confirmed it, 05-01 once', async () => {
  const { transport, clock, outcome, abort } = await armed();
  transport.answers.delete('05-01');
  abort.abort();
  abort.abort();
  assert.ok(await pending(outcome));
  assert.deepEqual(transport.sent, ['02-40', '05-01']);
  await clock.advance(2_999);
  assert.ok(await pending(outcome));
  transport.receive(cancelled);
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.deepEqual(transport.sent, ['02-40', '05-01']);
});

test('a card that crosses with the cancellation is dropped', async () => {
  const { transport, reader, outcome, abort } = await armed();
  transport.answers.delete('05-01');
  abort.abort();
  await settled();
  transport.receive(card);
  assert.ok(await pending(outcome));
  transport.receive(cancelled);
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  transport.answers.set('05-01', cancelled);
  const next = reader.collect(request, new AbortController().signal);
  await settled();
  assert.ok(await pending(next));
  transport.receive(card);
  assert.equal((await next).kind, 'card');
});

test('a card and an abort at the same moment: no card', async () => {
  const after = await armed();
  after.transport.receive(card);
  after.abort.abort();
  assert.deepEqual(await after.outcome, { kind: 'cancelled' });
  assert.deepEqual(after.transport.sent, ['02-40']);
  const before = await armed();
  before.abort.abort();
  before.transport.receive(card);
  assert.deepEqual(await before.outcome, { kind: 'cancelled' });
  assert.deepEqual(before.transport.sent, ['02-40', '05-01']);
});

test('aborted before it starts: nothing is sent', async () => {
  const { transport, reader } = await ready();
  assert.deepEqual(await reader.collect(request, AbortSignal.abort()), { kind: 'cancelled' });
  assert.deepEqual(transport.sent, []);
  transport.become('absent');
  assert.deepEqual(await reader.collect(request, AbortSignal.abort()), { kind: 'cancelled' });
});

test('a cancellation that is not confirmed: time-out, and the reader is prepared anew', async () => {
  const { transport, clock, reader, states, outcome, abort } = await armed();
  transport.answers.delete('05-01');
  abort.abort();
  await clock.advance(3_000);
  await rejects(outcome, 'timeout');
  assert.equal(reader.state, 'connecting');
  transport.receive(cancelled);
  await clock.advance(0);
  assert.deepEqual(transport.sent, ['02-40', '05-01', ...handshake]);
  assert.deepEqual(states, ['connecting', 'ready']);
});

test('the answer to a cancellation: any that shows it was read', async () => {
  const idle = await armed();
  idle.transport.answers.set('05-01', answer(0x05, 0x0a));
  idle.abort.abort();
  assert.deepEqual(await idle.outcome, { kind: 'cancelled' });
  assert.equal(idle.reader.state, 'ready');
  const damaged = await armed();
  damaged.transport.answers.set('05-01', answer(0x05, 0x04));
  damaged.abort.abort();
  await rejects(damaged.outcome, 'refused');
  assert.notEqual(damaged.states.length, 0);
});

test('an answer with a wrong CRC: disarm, then try again', async () => {
  for (const position of [-1, 13, 40]) {
    const { transport, outcome } = await armed();
    const damaged = Uint8Array.from(card);
    const at = position < 0 ? damaged.length + position : position;
    damaged[at] = (damaged[at] ?? 0) ^ 0x01;
    transport.receive(damaged);
    // A length that is too long by one is known to be wrong only when no more bytes come.
    if (position === 13) transport.receive(Uint8Array.of(0));
    assert.deepEqual(await outcome, { kind: 'tryAgain', reason: 'read-error' }, `byte ${position}`);
    assert.deepEqual(transport.sent, ['02-40', '05-01']);
  }
});

test('half an answer and bytes of none: given up after the gap, disarm, try again', async () => {
  for (const garbage of [card.subarray(0, 5), card.subarray(0, 12), card.subarray(0, -1), bytes('AAAAAAAA')]) {
    const { transport, clock, outcome } = await armed();
    transport.receive(garbage);
    await clock.advance(499);
    assert.deepEqual(transport.sent, ['02-40']);
    await clock.advance(1);
    assert.deepEqual(await outcome, { kind: 'tryAgain', reason: 'read-error' });
    assert.deepEqual(transport.sent, ['02-40', '05-01']);
  }
});

test('noise before a good answer, and an answer in pieces, are an answer', async () => {
  const { transport, clock, outcome } = await armed();
  transport.receive(bytes('00FF00'));
  for (let at = 0; at < card.length; at += 7) {
    await clock.advance(400);
    transport.receive(card.subarray(at, at + 7));
  }
  assert.equal((await outcome).kind, 'card');
  assert.deepEqual(transport.sent, ['02-40']);
});

test('the remains of a damaged answer do not spoil the cancellation', async () => {
  const { transport, clock, outcome, abort } = await armed();
  transport.answers.delete('05-01');
  abort.abort();
  await settled();
  const damaged = Uint8Array.from(card);
  damaged[40] = (damaged[40] ?? 0) ^ 0x80;
  transport.receive(damaged);
  await clock.advance(500);
  transport.receive(Buffer.concat([card.subarray(30), cancelled]));
  assert.deepEqual(await outcome, { kind: 'cancelled' });
});

test('an abort while a garbled answer is being cleared up: cancelled', async () => {
  const { transport, clock, outcome, abort } = await armed();
  transport.answers.delete('05-01');
  transport.receive(bytes('AA'));
  await clock.advance(500);
  abort.abort();
  transport.receive(cancelled);
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.deepEqual(transport.sent, ['02-40', '05-01']);
});

test('no answer at all: cancel, then time-out, never later than its deadlines', async () => {
  const { transport, clock, reader, outcome } = await armed();
  await clock.advance(62_999);
  assert.deepEqual(transport.sent, ['02-40']);
  await clock.advance(1);
  await rejects(outcome, 'timeout');
  assert.deepEqual(transport.sent, ['02-40', '05-01']);
  assert.equal(reader.state, 'ready');
});

test('the longest time-out of a reader is 255 s', async () => {
  const { transport, clock, reader } = await ready();
  const outcome = reader.collect({ ...request, timeoutMs: 600_000 }, new AbortController().signal);
  outcome.catch(() => {});
  await clock.advance(257_999);
  assert.equal(transport.frames.at(-1)?.[14], 255);
  assert.ok(await pending(outcome));
  await clock.advance(1);
  await rejects(outcome, 'timeout');
});

test('it vanishes while armed, while cancelled, and while the abort comes', async () => {
  const whileArmed = await armed();
  whileArmed.transport.become('absent');
  await rejects(whileArmed.outcome, 'vanished');
  assert.equal(whileArmed.reader.state, 'absent');
  const whileCancelled = await armed();
  whileCancelled.transport.answers.delete('05-01');
  whileCancelled.abort.abort();
  await settled();
  whileCancelled.transport.become('absent');
  await rejects(whileCancelled.outcome, 'vanished');
  const atOnce = await armed();
  atOnce.transport.become('absent');
  atOnce.abort.abort();
  await rejects(atOnce.outcome, 'vanished');
  assert.deepEqual(atOnce.transport.sent, ['02-40']);
});

test('it vanishes and is back: half an answer from before means nothing', async () => {
  const { transport, reader, outcome } = await armed();
  transport.receive(card.subarray(0, 100));
  transport.become('absent');
  transport.become('ready');
  await rejects(outcome, 'vanished');
  await settled();
  assert.deepEqual(transport.sent, ['02-40', ...handshake]);
  assert.equal(reader.state, 'ready');
  const next = reader.collect(request, new AbortController().signal);
  await settled();
  transport.receive(card);
  assert.equal((await next).kind, 'card');
});

test('it vanishes at each step of the preparation', async () => {
  for (const step of handshake) {
    const { transport, reader, clock, states } = stage();
    const kept = transport.answers.get(step);
    transport.answers.delete(step);
    await settled();
    assert.equal(transport.sent.at(-1), step);
    transport.become('absent');
    await settled();
    assert.equal(reader.state, 'absent');
    const sent = transport.sent.length;
    await clock.advance(60_000);
    assert.equal(transport.sent.length, sent, 'nothing is sent into the void');
    assert.equal(clock.pending, 0, 'and nothing is tried while there is no path');
    if (kept) transport.answers.set(step, kept);
    transport.become('ready');
    await settled();
    assert.deepEqual(states, ['absent', 'connecting', 'ready'], step);
  }
});

test('a write that fails, or is never taken', async () => {
  const refused = await ready();
  refused.transport.writes = 'refused';
  await rejects(refused.reader.collect(request, new AbortController().signal), 'vanished');
  const stuck = await ready();
  stuck.transport.writes = 'stuck';
  const abort = new AbortController();
  const outcome = stuck.reader.collect(request, abort.signal);
  outcome.catch(() => {});
  await settled();
  abort.abort();
  await stuck.clock.advance(3_000);
  await rejects(outcome, 'timeout');
});

test('close disarms first, then releases everything', async () => {
  const { transport, clock, reader, outcome } = await armed();
  transport.answers.delete('05-01');
  const closing = reader.close();
  await settled();
  assert.deepEqual([transport.sent, transport.closed], [['02-40', '05-01'], false]);
  transport.receive(cancelled);
  await closing;
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.deepEqual([reader.state, transport.closed, transport.listeners, clock.pending], ['absent', true, 0, 0]);
  await reader.close();
  await rejects(reader.collect(request, new AbortController().signal), 'absent');
});

test('close while it is being prepared, and while it is away', async () => {
  const preparing = stage();
  preparing.transport.answers.clear();
  await settled();
  await preparing.reader.close();
  assert.deepEqual([preparing.reader.state, preparing.transport.closed, preparing.clock.pending], ['absent', true, 0]);
  const away = stage('absent');
  await away.reader.close();
  assert.deepEqual([away.transport.sent, away.clock.pending], [[], 0]);
});

test('nothing is left behind by many transactions', async () => {
  const { transport, clock, reader } = await ready();
  const abort = new AbortController();
  for (let i = 0; i < 200; i++) {
    const outcome = reader.collect(request, abort.signal);
    await settled();
    transport.receive(card);
    await outcome;
  }
  assert.equal(clock.pending, 1);
  await reader.close();
  assert.equal(clock.pending, 0);
});
