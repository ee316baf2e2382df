import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { becomes } from '../../support/device-state.ts';
import { stage, exchanges, never, order, pollPauseMs, ready } from './stage.ts';

const limit = { timeout: 10_000 };

/** As the fixtures write it: amounts as digits. */
const written = (outcome: unknown): unknown =>
  JSON.parse(JSON.stringify(outcome, (_key, value) => (typeof value === 'bigint' ? String(value) : value)));

const [first, ...refusals] = exchanges.filter(({ request }) => request.includes('"open"'));

test('open, byte for byte', limit, async (t) => {
  const { agent, reader, states } = await stage(t);
  assert.equal(reader.state, 'connecting');
  const side = await agent.accepted();
  assert.equal(await side.line(), first?.request);
  assert.equal(reader.state, 'connecting');
  await side.send(`${first?.answer}\n`);
  await becomes(reader, 'ready');
  assert.deepEqual(states, ['ready']);
  assert.equal(reader.name, `octopus device 17A2 at ${agent.path}`);
});

for (const { name, request, answer } of refusals) {
  test(name, limit, async (t) => {
    const { agent, reader, states } = await stage(t);
    const side = await agent.accepted();
    assert.equal(await side.line(), request);
    await side.send(`${answer}\n`);
    await becomes(reader, 'absent');
    await side.over;
    assert.deepEqual(states, ['absent']);
  });
}

for (const { name, request, answer, outcome } of exchanges.filter((each) => !each.request.includes('"open"'))) {
  test(`${name}, byte for byte`, limit, async (t) => {
    const { side, reader, clock } = await ready(t);
    const stop = new AbortController();
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      poll: () => reader.poll(stop.signal),
      deduct: () => reader.deduct(order),
      find: () => reader.find(order.reference),
      upload: () => reader.upload(),
    };
    const reported = calls[JSON.parse(request).call]?.().catch((error: unknown) => error);
    assert.equal(await side.line(), request);
    await side.send(`${answer}\n`);
    switch (outcome.kind) {
      case 'goOn':
        await clock.running(pollPauseMs);
        stop.abort();
        assert.deepEqual(await reported, { kind: 'cancelled' });
        break;
      case 'error': {
        const error = await reported;
        assert.ok(error instanceof DeviceError);
        assert.equal(error.code, outcome.error);
        break;
      }
      default:
        assert.deepEqual(written(await reported), outcome);
    }
    if (reader.state === 'ready') assert.equal(clock.pending, 0);
    assert.equal(side.unread, '', 'asked once');
  });
}

test('a reader that the agent has lost is opened again', limit, async (t) => {
  for (const code of [100001, 100005]) {
    for (const call of ['poll', 'deduct', 'find', 'upload'] as const) {
      const { side, reader } = await ready(t);
      const calls = {
        poll: () => reader.poll(never),
        deduct: () => reader.deduct(order),
        find: () => reader.find(order.reference),
        upload: () => reader.upload(),
      };
      const reported = calls[call]().catch(() => {});
      await side.answer({ id: (await side.request()).id, code });
      await reported;
      await becomes(reader, 'absent');
      await side.over;
    }
  }
});
