import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CloudConnection } from '../../../src/pos/cloud/connection.ts';
import type { Dial, Session, SessionEvents } from '../../../src/pos/cloud/session.ts';
import type { CloudMessage, SubscribeOptions } from '../../../src/payment/contracts/cloud-link.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A broker by hand: it accepts or refuses, brings messages, and breaks. */
class ScriptedBroker {
  refuses: Error | undefined;
  dials = 0;
  events: SessionEvents | undefined;
  readonly subscribed: [topic: string, options: SubscribeOptions][] = [];
  readonly published: string[] = [];
  /** It neither confirms a subscription nor takes part in an end. */
  isSilent = false;
  cuts = 0;
  readonly dial: Dial = async (events) => {
    this.dials += 1;
    if (this.refuses) throw this.refuses;
    this.events = events;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    return {
      publish: async (topic) => void this.published.push(topic),
      subscribe: async (topic, options) => {
        this.subscribed.push([topic, options]);
        if (this.isSilent) await new Promise(() => undefined);
      },
      unsubscribe: () => undefined,
      end: async () => {
        if (this.isSilent) await over;
        events.onEnd();
      },
      cut: () => {
        this.cuts += 1;
        end();
        events.onEnd();
      },
    } satisfies Session;
  };
}

function linked(bytes = [128, 0]) {
  const [broker, clock] = [new ScriptedBroker(), new ManualClock()];
  const states: string[] = [];
  const link = new CloudConnection({
    dial: broker.dial,
    root: 'poid/v1/T-1',
    clock,
    random: { bytes: () => Uint8Array.from(bytes) },
    onState: (state, reason) => states.push(reason === undefined ? state : `${state}: ${reason}`),
    waits: { firstMs: 1_000, mostMs: 4_000 },
    rate: { perSecond: 10, burst: 2 },
  });
  return { broker, clock, states, link };
}

test('it subscribes before it counts as connected, and brings each message to its subscriber', async () => {
  const { broker, link } = linked();
  const heard: string[] = [];
  const reported: boolean[] = [];
  link.subscribe('call', ({ payload }) => heard.push(String(payload)), { skipsRetained: true });
  link.watch((isUp) => reported.push(isUp));
  await assert.rejects(link.publish('status', { payload: Buffer.alloc(0) }), /no connection/);
  link.open();
  await settled();
  assert.deepEqual(broker.subscribed, [['poid/v1/T-1/call', { skipsRetained: true }]]);
  assert.deepEqual(reported, [false, true]);
  const bring = (topic: string, message: Partial<CloudMessage>) =>
    broker.events?.onMessage(topic, { payload: Buffer.from('x'), ...message });
  void bring('poid/v1/T-1/call', { payload: Buffer.from('one') });
  void bring('poid/v1/T-2/call', { payload: Buffer.from('of another terminal') });
  void bring('poid/v1/T-1/call', { payload: Buffer.from('retained'), retain: true });
  assert.deepEqual(heard, ['one']);
  await link.publish('status', { payload: Buffer.alloc(0) });
  assert.deepEqual(broker.published, ['poid/v1/T-1/status']);
});

test('it connects again after random times that grow, tells each reason once, and never queues', async () => {
  const { broker, clock, states, link } = linked([128, 0]);
  broker.refuses = new Error('connect ECONNREFUSED');
  link.open();
  for (const [at, ms] of [500, 1_000, 2_000, 2_000].entries()) {
    await settled();
    assert.equal(broker.dials, at + 1);
    assert.deepEqual(clock.pendingMs, [ms]);
    await clock.advance(ms);
  }
  await settled();
  assert.deepEqual(states, ['disconnected: connect ECONNREFUSED']);
  broker.refuses = undefined;
  await clock.advance(2_000);
  await settled();
  assert.equal(link.state, 'connected');
  broker.events?.onEnd();
  assert.deepEqual(states.slice(1), ['connected', 'disconnected: the connection broke']);
  await assert.rejects(link.publish('status', { payload: Buffer.alloc(0) }));
  await link.close();
  assert.equal(clock.pending, 0);
});

test('what floods is read no faster than allowed', async () => {
  const { broker, clock, link } = linked();
  let heard = 0;
  link.subscribe('call', () => (heard += 1));
  link.open();
  await settled();
  let read = 0;
  const flood = async () => {
    for (;;) {
      await broker.events?.onMessage('poid/v1/T-1/call', { payload: Buffer.alloc(0) });
      read += 1;
    }
  };
  void flood();
  for (let round = 0; round < 50; round++) await settled();
  assert.equal(read, 2);
  for (let tenth = 0; tenth < 10; tenth++) {
    await clock.advance(100);
    for (let round = 0; round < 5; round++) await settled();
  }
  assert.equal(read, 12);
  assert.equal(heard, 13);
});

test('a broker that confirms no subscription is left, and another attempt made', async () => {
  const { broker, clock, states, link } = linked();
  link.subscribe('call', () => undefined);
  broker.isSilent = true;
  link.open();
  await settled();
  await clock.advance(15_000);
  await settled();
  assert.equal(broker.cuts, 0);
  await clock.advance(2_000);
  await settled();
  assert.equal(broker.cuts, 1);
  assert.deepEqual(states, ['disconnected: the broker does not confirm the subscriptions']);
  broker.isSilent = false;
  await clock.advance(500);
  await settled();
  assert.equal(link.state, 'connected');
  // One that is asked for later counts as much.
  broker.isSilent = true;
  link.subscribe('fleet', () => undefined);
  await clock.advance(15_000);
  await settled();
  assert.equal(broker.cuts, 2);
  assert.equal(link.state, 'disconnected');
});

for (const phase of ['while it subscribes', 'once connected'] as const) {
  test(`the terminal ends in two seconds with a broker that does not take part, ${phase}`, async () => {
    const { broker, clock, link } = linked();
    link.subscribe('call', () => undefined);
    if (phase === 'while it subscribes') broker.isSilent = true;
    link.open();
    await settled();
    broker.isSilent = true;
    let isClosed = false;
    void link.close().then(() => (isClosed = true));
    await settled();
    assert.equal(isClosed, false);
    await clock.advance(2_000);
    await settled();
    assert.equal(isClosed, true);
    assert.deepEqual([broker.cuts, clock.pendingMs], [1, []]);
  });
}

test('calls that nobody acknowledges are left out, and slow nothing down', async () => {
  const { broker, link } = linked();
  const heard: string[] = [];
  link.subscribe('call', ({ payload }) => heard.push(String(payload)), { acknowledgedOnly: true });
  link.open();
  await settled();
  const bring = (message: Partial<CloudMessage>) =>
    broker.events?.onMessage('poid/v1/T-1/call', { payload: Buffer.from('x'), ...message });
  // More than the pace lets through, and the clock stands still.
  for (let each = 0; each < 100; each++) await bring({ qos: 0 });
  await bring({ qos: 1, payload: Buffer.from('one') });
  assert.deepEqual(heard, ['one']);
});
