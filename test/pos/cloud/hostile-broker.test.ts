import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CloudConnection } from '../../../src/pos/cloud/connection.ts';
import { dialBroker } from '../../../src/pos/cloud/dial.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import type { CloudMessage } from '../../../src/payment/contracts/cloud-link.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  answerTo,
  connack,
  packet,
  publish,
  RawBroker,
  type RawConnection,
  type RawPacket,
  text,
  type,
} from '../../support/raw-broker.ts';

const root = 'poid/v1/T-1';

interface Play {
  /** What the broker does with a packet; returns true to leave out what a broker in order does. */
  readonly onPacket?: (packet: RawPacket, connection: RawConnection, at: number) => boolean | void;
  readonly accepting?: Buffer;
  readonly clock?: ManualClock;
}

async function playBroker(t: TestContext, { onPacket = () => false, accepting = connack(), clock }: Play) {
  const broker = await RawBroker.start((each, connection, at) => {
    if (onPacket(each, connection, at)) return;
    const answer = answerTo(each, accepting);
    if (answer) connection.send(answer);
  });
  const states: string[] = [];
  const lacks: string[] = [];
  const lost = Promise.withResolvers<string>();
  const up = Promise.withResolvers<void>();
  const dial = dialBroker({
    url: `mqtt://127.0.0.1:${broker.port}`,
    clientId: 'T-1',
    keepAliveS: 60,
    packetBytesMax: 65_536,
    will: { topic: `${root}/status`, payload: Buffer.from('{}'), delayS: 20, qos: 1, retain: true },
    ...(clock ? { clock } : {}),
  });
  const link = new CloudConnection({
    dial,
    root,
    // The attempts are the test's: none comes by itself.
    clock: clock ?? systemClock,
    random: { bytes: () => Uint8Array.from([255, 255]) },
    onState: (state, reason) => {
      states.push(reason === undefined ? state : `${state}: ${reason}`);
      if (reason === undefined) up.resolve();
      else lost.resolve(reason);
    },
    onLack: (sentence) => lacks.push(sentence),
  });
  t.after(async () => {
    await link.close();
    broker.close();
  });
  return { broker, link, states, lacks, up: up.promise, lost: lost.promise };
}

/** What a broker may not send once a subscription is confirmed, and what is said of it. */
const floods: readonly [name: string, bytes: Buffer, said: RegExp][] = [
  ['PUBREL', packet(0x62, Buffer.from([0, 7])), /sent PUBREL without being asked/],
  ['PUBREC', packet(0x50, Buffer.from([0, 7])), /sent PUBREC without being asked/],
  ['PUBCOMP', packet(0x70, Buffer.from([0, 7])), /sent PUBCOMP without being asked/],
  ['PUBACK', packet(0x40, Buffer.from([0, 7])), /sent PUBACK without being asked/],
  ['SUBACK', packet(0x90, Buffer.from([0, 7, 0, 1])), /sent SUBACK without being asked/],
  ['UNSUBACK', packet(0xb0, Buffer.from([0, 7, 0, 0])), /sent UNSUBACK without being asked/],
  ['PINGRESP', packet(0xd0), /sent PINGRESP without being asked/],
  ['PINGREQ', packet(0xc0), /sent PINGREQ without being asked/],
  ['CONNACK', connack(), /sent CONNACK without being asked/],
  ['AUTH', packet(0xf0, Buffer.from([0x18, 0])), /sent AUTH without being asked/],
  ['PUBLISH with QoS 2', publish({ topic: 'a', qos: 2 }), /sent a message with QoS 2/],
  ['bytes that are no PUBLISH', packet(0x32, Buffer.from([0, 5, 0x61])), /broke: /],
  ['a property twice', publish({ topic: 'a', properties: Buffer.from('0200000001020000', 'hex') }), /broke|read/],
];

for (const [name, bytes, said] of floods)
  test(`${name}, over and over: the connection ends at once, with a sentence`, async (t) => {
    const { up, lost, broker, link } = await playBroker(t, {});
    link.subscribe('call', () => undefined);
    link.open();
    await up;
    broker.connections[0]?.send(Buffer.concat(Array.from({ length: 50_000 }, () => bytes)));
    assert.match(await lost, said);
    await broker.connections[0]?.closed;
  });

for (const [what, bytes] of [
  ['a PUBLISH without content', packet(0x30)],
  ['a PUBLISH with QoS 1 without content', packet(0x32)],
] as const)
  test(`${what}: the connection ends, with a sentence`, async (t) => {
    const { up, lost, broker, link } = await playBroker(t, {});
    link.open();
    await up;
    broker.connections[0]?.send(bytes);
    assert.match(await lost, /^the connection broke: /);
    await broker.connections[0]?.closed;
  });

test('a broker that refuses a subscription is left, with a sentence', async (t) => {
  const { lost, link, broker } = await playBroker(t, {
    onPacket: ({ type: kind, body }, connection) => {
      if (kind !== type.subscribe) return false;
      connection.send(packet(0x90, body.subarray(0, 2), Buffer.from([0, 0x87])));
      return true;
    },
  });
  link.subscribe('call', () => undefined);
  link.open();
  assert.match(await lost, /authorized|refuses the subscription/i);
  await broker.connections[0]?.closed;
});

/** CONNACK's properties: Topic Alias Maximum (0x22), Server Keep Alive (0x13). */
for (const [what, properties] of [
  ['65,535 topic aliases', '22ffff'],
  ['a keep-alive of zero', '130000'],
] as const)
  test(`a broker that accepts with ${what} is used as any other`, async (t) => {
    const { link, up, broker } = await playBroker(t, { accepting: connack(Buffer.from(properties, 'hex')) });
    const heard = Promise.withResolvers<CloudMessage>();
    link.subscribe('call', heard.resolve);
    link.open();
    await up;
    await link.publish('status', { payload: Buffer.from('{}'), qos: 1 });
    const [sent] = broker.connections[0]?.packets.filter(({ type: kind }) => kind === type.publish) ?? [];
    assert.ok(sent?.body.includes(`${root}/status`), 'by its topic');
    broker.connections[0]?.send(publish({ topic: `${root}/call` }));
    await heard.promise;
  });

test('user properties with the names of an object’s own members, or twice, change nothing else', async (t) => {
  const property = (name: string, value: string) => Buffer.concat([Buffer.from([0x26]), text(name), text(value)]);
  const properties = Buffer.concat(
    ['__proto__', 'constructor', 'toString', 'twice', 'twice', '__proto__'].map((name) => property(name, 'x')),
  );
  const { link, up, broker } = await playBroker(t, {});
  const heard = Promise.withResolvers<CloudMessage>();
  link.subscribe('call', heard.resolve);
  link.open();
  await up;
  broker.connections[0]?.send(publish({ topic: `${root}/call`, properties }));
  const { properties: found = {} } = await heard.promise;
  assert.equal(found['twice'], undefined);
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
  assert.equal(typeof {}.toString, 'function');
  assert.equal(Object.getPrototypeOf(found), Object.prototype);
});

test('a packet that never ends is given up after 30 s', async (t) => {
  const clock = new ManualClock();
  const { up, lost, broker, link } = await playBroker(t, { clock });
  link.open();
  await up;
  broker.connections[0]?.send(publish({ topic: 'a', payload: Buffer.alloc(100) }).subarray(0, 50));
  await clock.running(30_000);
  clock.pass(30_000);
  assert.equal(await lost, 'the broker takes more than 30 s for one packet');
});

test('a broker that does not acknowledge is given up after 30 s, and what it was sent is refused', async (t) => {
  const clock = new ManualClock();
  const { up, lost, link } = await playBroker(t, { clock, onPacket: ({ type: kind }) => kind === type.publish });
  link.open();
  await up;
  const sent = link.publish('books', { payload: Buffer.from('x'), qos: 1 });
  const refused = assert.rejects(sent);
  await clock.running(30_000);
  // Two wait for it: what was written has left long before.
  clock.pass(30_000);
  assert.equal(await lost, 'the broker does not acknowledge what it is sent');
  await refused;
});

test('a broker that stops reading: what is not sent stays within a limit, is refused, and it is given up', async (t) => {
  const clock = new ManualClock();
  const { up, lost, broker, link } = await playBroker(t, { clock });
  link.open();
  await up;
  broker.connections[0]?.socket.pause();
  const before = process.memoryUsage().rss;
  let refused = 0;
  for (let each = 0; each < 400; each++) {
    link.publish('books', { payload: Buffer.alloc(60_000), qos: 0 }).catch(() => (refused += 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(refused > 200, `${refused} of 400 were refused`);
  assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024);
  clock.pass(30_000);
  assert.match(await lost, /^the broker does not (?:read|acknowledge) what (?:it )?is sent$/);
});

test('messages are read no faster than allowed, whatever their QoS, and nothing is lost of them', async (t) => {
  const { up, broker, link } = await playBroker(t, {});
  const heard: number[] = [];
  link.subscribe('call', ({ payload }: CloudMessage) => heard.push(Number(payload)), { acknowledgedOnly: true });
  const last = Promise.withResolvers<void>();
  link.subscribe('books/ack', () => last.resolve());
  link.open();
  await up;
  const begun = performance.now();
  const flood = Array.from({ length: 1_500 }, () => publish({ topic: `${root}/call`, qos: 0 }));
  const acknowledged = [1, 2, 3].map((id) =>
    publish({ topic: `${root}/call`, qos: 1, id, payload: Buffer.from(`${id}`) }),
  );
  broker.connections[0]?.send(
    Buffer.concat([...flood, ...acknowledged, publish({ topic: `${root}/books/ack`, qos: 0 })]),
  );
  await last.promise;
  assert.ok(performance.now() - begun > 1_000, 'more than a thousand packets a second');
  assert.deepEqual(heard, [1, 2, 3]);
});

test('what was not acknowledged is sent again on the next connection', async (t) => {
  const clock = new ManualClock();
  const sent: string[] = [];
  const { link, up, lost } = await playBroker(t, {
    clock,
    onPacket: ({ type: kind, body }, connection, at) => {
      if (kind !== type.publish) return false;
      sent.push(`${at}: ${body.subarray(body.indexOf('{')).toString()}`);
      if (at === 0) connection.send(packet(0xd0));
      return at === 0;
    },
  });
  // As the outbox does: what is not known to have arrived is sent again as soon as there is a connection.
  const arrived = Promise.withResolvers<void>();
  link.watch((isUp) => {
    if (isUp)
      link.publish('books', { payload: Buffer.from('{"seq":1}'), qos: 1 }).then(arrived.resolve, () => undefined);
  });
  link.open();
  await up;
  assert.match(await lost, /PINGRESP/);
  clock.pass(5_000);
  await arrived.promise;
  assert.deepEqual(sent, ['0: {"seq":1}', '1: {"seq":1}']);
});

test('the pauses before the next attempt grow while the broker breaks the protocol', async (t) => {
  const clock = new ManualClock();
  const { broker, link } = await playBroker(t, {
    clock,
    onPacket: ({ type: kind }, connection) => {
      if (kind === type.connect) connection.send(Buffer.concat([connack(), packet(0x62, Buffer.from([0, 1]))]));
      return true;
    },
  });
  link.subscribe('call', () => undefined);
  link.open();
  const pauses: number[] = [];
  for (const most of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    while (!clock.pendingMs.some((ms) => ms > most * 0.9 && ms < most))
      await new Promise((resolve) => setImmediate(resolve));
    pauses.push(most);
    clock.pass(most);
  }
  assert.equal(pauses.length, 6);
  assert.ok(broker.connections.length >= 5);
});

/** CONNACK's properties: Maximum QoS (0x24), Retain Available (0x25). */
const [qos0, noRetain] = [Buffer.from([0x24, 0]), Buffer.from([0x25, 0])];

test('Maximum QoS 0 and Retain Available 0: nothing of it is sent, status and log say so, and calls come', async (t) => {
  const published: number[] = [];
  const { link, up, lacks, broker } = await playBroker(t, {
    accepting: connack(Buffer.concat([qos0, noRetain])),
    onPacket: ({ type: kind, first }) => {
      if (kind === type.publish) published.push(first);
      return false;
    },
  });
  const heard = Promise.withResolvers<CloudMessage>();
  link.subscribe('call', heard.resolve, { acknowledgedOnly: true });
  link.open();
  await up;
  await link.publish('status', { payload: Buffer.from('{}'), qos: 1, retain: true });
  broker.connections[0]?.send(publish({ topic: `${root}/call`, qos: 0 }));
  await heard.promise;
  assert.deepEqual(published, [0x30]);
  assert.deepEqual(link.unsupported, ['qos1', 'retain']);
  assert.equal(lacks.length, 2);
  assert.match(lacks.join('; '), /QoS 0 only.*retains nothing/);
});

test('Maximum QoS 1 takes nothing away', async (t) => {
  const { link, up, lacks } = await playBroker(t, { accepting: connack(Buffer.from([0x24, 1])) });
  link.open();
  await up;
  assert.deepEqual([link.unsupported, lacks], [[], []]);
});

test('a broker that refuses the will for its QoS and for being retained gets one without', async (t) => {
  const wills: number[] = [];
  const { link, up } = await playBroker(t, {
    onPacket: ({ type: kind, body }, connection) => {
      if (kind !== type.connect) return false;
      // The connect flags follow the name and the version of the protocol (3.1.2.3).
      const flags = body[7] ?? 0;
      wills.push(flags & 0x38);
      if (flags & 0x20) connection.send(connack(noRetain, 0x9a));
      else if (flags & 0x18) connection.send(connack(qos0, 0x9b));
      else connection.send(connack(Buffer.concat([qos0, noRetain])));
      return true;
    },
  });
  link.open();
  await up;
  assert.deepEqual(wills, [0x28, 0x08, 0x00]);
  assert.deepEqual(link.unsupported, ['qos1', 'retain']);
});
