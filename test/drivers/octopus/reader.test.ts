import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type DeviceAbsence, DeviceError, type DeviceErrorCode } from '../../../src/base/ports/device.ts';
import { becomes } from '../../support/device-state.ts';
import {
  answerTimeoutMs,
  stage,
  never,
  open,
  opened,
  order,
  pollMs,
  pollPauseMs,
  ready,
  reconnectMs,
} from './stage.ts';

const limit = { timeout: 10_000 };
const card = { cardId: '90000018', balance: 4700 };
const deducted = { kind: 'deducted', card: { cardId: '90000018', balanceMinor: 47_000n }, receipt: 'R1' };
const unknown = { kind: 'unknown' };
const cancelled = { kind: 'cancelled' };

const rejects = (promise: Promise<unknown>, code: DeviceErrorCode) =>
  assert.rejects(promise, (error) => error instanceof DeviceError && error.code === code);

test('the agent comes late, goes and comes back: found again by itself, opened each time', limit, async (t) => {
  const all = await stage(t);
  const { agent, clock, reader, states } = all;
  const first = await open(all);
  await agent.stop();
  await becomes(reader, 'absent');
  await first.over;
  for (let attempt = 0; attempt < 3; attempt++) {
    await clock.running(reconnectMs);
    clock.pass(reconnectMs - 1);
    assert.equal(clock.pending, 1, 'not before its time');
    clock.pass(1);
    await clock.running(reconnectMs);
    assert.equal(reader.state, 'absent');
  }
  await agent.listen();
  clock.pass(reconnectMs);
  await open(all);
  assert.deepEqual(states, ['ready', 'absent', 'ready']);
  assert.equal(clock.pending, 0);
});

test('why there is no agent, once for each reason', limit, async (t) => {
  const whys: DeviceAbsence[] = [];
  const heard = { again: () => {} };
  const untilReported = async (count: number) => {
    while (whys.length < count) await new Promise<void>((resolve) => (heard.again = resolve));
  };
  const all = await stage(t, {
    onFault: (_error, why) => {
      whys.push(why);
      heard.again();
    },
  });
  const { agent, clock } = all;
  await open(all);
  await agent.stop();
  await untilReported(1);
  for (let attempt = 0; attempt < 3; attempt++) {
    await clock.running(reconnectMs);
    clock.pass(reconnectMs);
  }
  await clock.running(reconnectMs);
  // Something else is in its place.
  writeFileSync(agent.path, '');
  clock.pass(reconnectMs);
  await clock.running(reconnectMs);
  rmSync(agent.path);
  await agent.listen();
  clock.pass(reconnectMs);
  const side = await agent.accepted();
  await side.request();
  clock.pass(answerTimeoutMs);
  await side.over;
  await untilReported(2);
  assert.deepEqual(whys, ['unplugged', 'failed']);
});

test('an agent that does not open is given up and tried again', limit, async (t) => {
  const all = await stage(t);
  const { agent, clock, reader } = all;
  for (const answer of [undefined, { code: 0 }, { ...opened, deviceId: 7 }, { ...opened, code: 100051 }]) {
    const side = await agent.accepted();
    const { id } = await side.request();
    if (answer) await side.answer({ id, ...answer });
    else clock.pass(answerTimeoutMs);
    await side.over;
    assert.equal(reader.state, 'absent');
    await clock.running(reconnectMs);
    clock.pass(reconnectMs);
  }
  await open(all);
});

test('without an agent: poll rejects, the others say what is known', limit, async (t) => {
  const { reader } = await stage(t);
  await rejects(reader.poll(never), 'absent');
  assert.deepEqual(await reader.deduct(order), unknown);
  assert.deepEqual(await reader.find(order.reference), { kind: 'unanswered' });
  assert.deepEqual(await reader.upload(), { kind: 'unanswered' });
});

test('it polls slice by slice until a card is there', limit, async (t) => {
  const { side, reader, clock } = await ready(t);
  const poll = reader.poll(never);
  for (const code of [100020, 100032, 100020]) {
    const { id, ...call } = await side.request();
    assert.deepEqual(call, { call: 'poll', timeoutMs: pollMs });
    await side.answer({ id, code });
    await clock.running(pollPauseMs);
    assert.equal(side.unread, '');
    clock.pass(pollPauseMs);
  }
  await side.answer({ id: (await side.request()).id, code: 0, ...card });
  assert.deepEqual(await poll, { kind: 'card', card: deducted.card });
  assert.equal(clock.pending, 0);
});

test('a signal ends a poll with its slice, and a card that was seen meanwhile is left alone', limit, async (t) => {
  const { side, reader, clock } = await ready(t);
  const stop = new AbortController();
  const poll = reader.poll(stop.signal);
  const { id } = await side.request();
  stop.abort();
  assert.equal(await Promise.race([poll, setImmediate('waits')]), 'waits', 'the agent still looks for a card');
  await side.answer({ id, code: 0, ...card });
  assert.deepEqual(await poll, cancelled);
  assert.deepEqual(await reader.poll(stop.signal), cancelled);
  assert.equal(side.unread, '');
  assert.equal(clock.pending, 0);
});

test('an agent that stays silent: the poll ends after its slice and a second', limit, async (t) => {
  const { side, reader, clock } = await ready(t);
  const poll = reader.poll(never);
  await side.request();
  clock.pass(pollMs + answerTimeoutMs - 1);
  assert.equal(await Promise.race([poll, setImmediate('waits')]), 'waits');
  clock.pass(1);
  await rejects(poll, 'timeout');
  await side.over;
});

test('one poll at a time', limit, async (t) => {
  const { side, reader } = await ready(t);
  const poll = reader.poll(never);
  await rejects(reader.poll(never), 'refused');
  await side.answer({ id: (await side.request()).id, code: 0, ...card });
  await poll;
  const next = reader.poll(never);
  await side.answer({ id: (await side.request()).id, code: 100016 });
  assert.deepEqual(await next, { kind: 'tryAgain', code: 100016 });
});

test('one request is on its way at a time, and each has a second of its own', limit, async (t) => {
  const { side, reader, clock } = await ready(t);
  const upload = reader.upload();
  const deduct = reader.deduct(order);
  const find = reader.find(order.reference);
  const first = await side.request();
  assert.equal(first.call, 'upload');
  clock.pass(answerTimeoutMs - 1);
  await setImmediate();
  assert.equal(side.unread, '');
  await side.answer({ id: first.id, code: 0, count: 1, total: 1 });
  assert.deepEqual(await upload, { kind: 'uploaded', count: 1, totalMinor: 10n });
  const second = await side.request();
  assert.equal(second.call, 'deduct');
  clock.pass(answerTimeoutMs - 1);
  await side.answer({ id: second.id, code: 0, ...card, receipt: 'R1' });
  assert.deepEqual(await deduct, deducted);
  const third = await side.request();
  assert.equal(third.call, 'find');
  assert.equal(new Set([first.id, second.id, third.id]).size, 3);
  await side.answer({ id: third.id, code: 0, state: 'none' });
  assert.deepEqual(await find, { kind: 'none' });
});

test(
  'another reader than the one that was asked: its record proves nothing, and it deducts nothing',
  limit,
  async (t) => {
    const { side, reader } = await ready(t);
    assert.equal(reader.deviceId, opened.deviceId);
    const find = reader.find(order.reference, 'another');
    const { id } = await side.request();
    await side.answer({ id, code: 0, state: 'none' });
    assert.deepEqual(await find, { kind: 'otherReader' });
    assert.deepEqual(await reader.deduct({ ...order, deviceId: 'another' }), { kind: 'unknown' });
    assert.equal(side.unread, '');
  },
);

test('too many that wait are not sent', limit, async (t) => {
  const { side, reader, clock } = await ready(t);
  const waiting = Array.from({ length: 8 }, () => reader.upload());
  await side.request();
  assert.deepEqual(await reader.deduct(order), unknown);
  clock.pass(answerTimeoutMs);
  assert.ok((await Promise.all(waiting)).every(({ kind }) => kind === 'unanswered'));
});

test('a deduction that is not answered in time is unknown, and is never sent again', limit, async (t) => {
  const all = await ready(t);
  const { side, reader, clock } = all;
  const deduct = reader.deduct(order);
  const { id, ...call } = await side.request();
  assert.deepEqual(call, { call: 'deduct', cardId: '90000018', amount: 300, reference: order.reference });
  clock.pass(answerTimeoutMs);
  assert.deepEqual(await deduct, unknown);
  await side.over;
  clock.pass(reconnectMs);
  const next = await open(all);
  const find = reader.find(order.reference);
  const asked = await next.request();
  assert.equal(asked.call, 'find', 'nothing came before it');
  assert.notEqual(asked.id, id);
  await next.answer({ id: asked.id, code: 0, state: 'deducted', ...card, receipt: 'R1' });
  assert.deepEqual(await find, deducted);
});

test('a connection that goes during a deduction leaves it unknown, and it is never sent again', limit, async (t) => {
  const all = await ready(t);
  const { side, reader, clock } = all;
  const deduct = reader.deduct(order);
  await side.request();
  await side.send('{"id":2,"code":');
  side.end();
  assert.deepEqual(await deduct, unknown);
  await becomes(reader, 'absent');
  clock.pass(reconnectMs);
  const next = await open(all);
  await setImmediate();
  assert.equal(next.unread, '');
});

test('a connection that goes during a poll rejects it', limit, async (t) => {
  const { side, reader } = await ready(t);
  const poll = reader.poll(never);
  await side.request();
  side.end();
  await rejects(poll, 'vanished');
});

const head = (id: number, rest = '') => `{"id":${id},"code":0${rest}}\n`;
const good = ',"cardId":"90000018","balance":4700,"receipt":"R1"';

/** These are no answers: nothing on that connection can be believed any more. */
const garbage: readonly [what: string, bytes: (id: number) => string | Uint8Array][] = [
  ['no JSON', () => 'deducted\n'],
  ['an empty line', () => '\n'],
  ['no object', () => '[]\n'],
  ['null', () => 'null\n'],
  ['another id', (id) => head(id + 1, good)],
  ['an id as text', (id) => `{"id":"${id}","code":0${good}}\n`],
  ['no code', (id) => `{"id":${id}${good}}\n`],
  ['a code as text', (id) => `{"id":${id},"code":"0"${good}}\n`],
  ['half a code', (id) => `{"id":${id},"code":0.5${good}}\n`],
  [
    'not UTF-8',
    (id) => Buffer.concat([Buffer.from(`{"id":${id},"code":0,"x":"`), Buffer.of(0xff), Buffer.from('"}\n')]),
  ],
  ['a line too long', (id) => head(id, `${good},"x":"${'A'.repeat(4096)}"`)],
  ['a line without an end', () => 'A'.repeat(4096)],
  ['an answer to what was answered before', (id) => head(id - 1, good)],
];

for (const [what, bytes] of garbage) {
  test(
    `${what}: a deduction is unknown, a poll rejects, a find is unanswered, and the connection ends`,
    limit,
    async (t) => {
      const run = async (start: (reader: Awaited<ReturnType<typeof ready>>['reader']) => Promise<unknown>) => {
        const { side, reader } = await ready(t);
        const reported = start(reader).catch((error: unknown) => error);
        await side.send(bytes((await side.request()).id));
        const outcome = await reported;
        await side.over;
        assert.equal(reader.state, 'absent');
        return outcome;
      };
      assert.deepEqual(await run((reader) => reader.deduct(order)), unknown);
      assert.deepEqual(await run((reader) => reader.find(order.reference)), { kind: 'unanswered' });
      assert.deepEqual(await run((reader) => reader.upload()), { kind: 'unanswered' });
      const fault = await run((reader) => reader.poll(never));
      assert.ok(fault instanceof DeviceError && fault.code === 'protocol');
    },
  );
}

/** Answers of the right form to deduct that promise what they do not have. */
const hollow: readonly [what: string, rest: string][] = [
  ['nothing in it', ''],
  ['no receipt', ',"cardId":"90000018","balance":4700'],
  ['no balance', ',"cardId":"90000018","receipt":"R1"'],
  ['half a balance', ',"cardId":"90000018","balance":0.5,"receipt":"R1"'],
  ['a balance as text', ',"cardId":"90000018","balance":"4700","receipt":"R1"'],
  ['a balance beyond all counting', ',"cardId":"90000018","balance":1e300,"receipt":"R1"'],
  ['another card', ',"cardId":"90000026","balance":4700,"receipt":"R1"'],
  ['a card id that is none', ',"cardId":90000018,"balance":4700,"receipt":"R1"'],
];

for (const [what, rest] of hollow) {
  test(`"deducted" with ${what} is unknown`, limit, async (t) => {
    const { side, reader } = await ready(t);
    const deduct = reader.deduct(order);
    await side.send(head((await side.request()).id, rest));
    assert.deepEqual(await deduct, unknown);
  });
}

test('a code that nobody knows, or a refusal without its balance, is unknown to a deduction', limit, async (t) => {
  const { side, reader } = await ready(t);
  for (const answer of [{ code: 100099 }, { code: 5 }, { code: 100048 }, { code: 100048, balance: '51' }]) {
    const deduct = reader.deduct(order);
    await side.answer({ id: (await side.request()).id, ...answer });
    assert.deepEqual(await deduct, unknown);
  }
  const poll = reader.poll(never);
  await side.answer({ id: (await side.request()).id, code: 100099 });
  await rejects(poll, 'protocol');
  assert.equal(reader.state, 'ready');
});

test('"found" that is none of the three is unanswered', limit, async (t) => {
  const { side, reader } = await ready(t);
  for (const answer of [{}, { state: 'maybe' }, { state: 'deducted' }, { state: 'deducted', ...card }]) {
    const find = reader.find(order.reference);
    await side.answer({ id: (await side.request()).id, code: 0, ...answer });
    assert.deepEqual(await find, { kind: 'unanswered' });
  }
});

test('totals that are none are unanswered', limit, async (t) => {
  const { side, reader } = await ready(t);
  for (const answer of [{}, { count: 1 }, { count: -1, total: 1 }, { count: 1, total: 0.5 }]) {
    const upload = reader.upload();
    await side.answer({ id: (await side.request()).id, code: 0, ...answer });
    assert.deepEqual(await upload, { kind: 'unanswered' });
  }
});

test('an answer in pieces, and one with more than was promised, are answers', limit, async (t) => {
  const { side, reader } = await ready(t);
  const deduct = reader.deduct(order);
  const line = head((await side.request()).id, `${good},"time":"2026-08-25"`);
  for (const character of line) await side.send(character);
  assert.deepEqual(await deduct, deducted);
});

test('control characters of a receipt do not get to a printer', limit, async (t) => {
  const { side, reader } = await ready(t);
  const deduct = reader.deduct(order);
  await side.answer({ id: (await side.request()).id, code: 0, ...card, receipt: 'R\u001b1' });
  assert.deepEqual(await deduct, { ...deducted, receipt: 'R 1' });
});

test('what nobody asked for ends the connection', limit, async (t) => {
  const { side, reader } = await ready(t);
  await side.answer({ id: 7, code: 0 });
  await side.over;
  await becomes(reader, 'absent');
});

test('amounts are multiples of ten cents; what can not be asked for is never sent', limit, async (t) => {
  const { side, reader } = await ready(t);
  for (const amountMinor of [0n, -10n, 5n, 3005n, 10n ** 20n]) {
    await assert.rejects(reader.deduct({ ...order, amountMinor }), RangeError);
  }
  const secret = '90000018x';
  await assert.rejects(reader.deduct({ ...order, cardId: secret }), (error) => {
    assert.ok(error instanceof RangeError);
    assert.ok(!String(error.stack).includes(secret), 'not the value');
    return true;
  });
  for (const reference of ['', 'a b', 'a'.repeat(129), 'a\n']) {
    await assert.rejects(reader.deduct({ ...order, reference }), RangeError);
    await assert.rejects(reader.find(reference), RangeError);
  }
  await setImmediate();
  assert.equal(side.unread, '');
  const smallest = reader.deduct({ ...order, amountMinor: 10n });
  const { id, amount } = await side.request();
  assert.equal(amount, 1);
  await side.answer({ id, code: 100020 });
  assert.deepEqual(await smallest, { kind: 'tryAgain', code: 100020 });
});

test('close ends what runs and what waits, is final, and leaves nothing behind', limit, async (t) => {
  const { side, reader, clock, states, agent } = await ready(t);
  const poll = reader.poll(never);
  const deduct = reader.deduct(order);
  await side.request();
  await reader.close();
  assert.equal(clock.pending, 0);
  await reader.close();
  assert.deepEqual(await poll, cancelled);
  assert.deepEqual(await deduct, unknown);
  await side.over;
  assert.deepEqual([reader.state, clock.pending, states.at(-1)], ['absent', 0, 'absent']);
  clock.pass(reconnectMs * 10);
  assert.deepEqual(await reader.poll(never), cancelled);
  assert.equal(agent.connections, 1);
});

test('close while it waits for the agent', limit, async (t) => {
  const { agent, reader, clock } = await stage(t);
  await agent.stop();
  await becomes(reader, 'absent');
  await reader.close();
  assert.equal(clock.pending, 0);
});
