import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { CloudConnection } from '../../../src/pos/cloud/connection.ts';
import { dialBroker } from '../../../src/pos/cloud/dial.ts';
import { publishBytes, subscribeBytes } from '../../../src/pos/cloud/packet-limit.ts';
import { type CloudMessage, MessageTooLong } from '../../../src/payment/contracts/cloud-link.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Packet types (MQTT 5, 2.1.2). */
const [connect, publish, subscribe, disconnect] = [0x10, 0x30, 0x82, 0xe0];
const root = 'poid/v1/T-1';

/** The property Maximum Packet Size (3.2.2.3.6). */
function sizeProperty(value: number): number[] {
  return [0x27, ...Buffer.from(value.toString(16).padStart(8, '0'), 'hex')];
}

/** The packets of a stream, whole. */
function* packetsOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    let [length, head] = [0, 1];
    for (let byte = 0x80; byte > 0x7f; head++) {
      byte = bytes[at + head] ?? 0;
      length += (byte & 0x7f) * 128 ** (head - 1);
    }
    if (at + head + length > bytes.length) return;
    yield bytes.subarray(at, at + head + length);
    at += head + length;
  }
}

/** A broker with this CONNACK. It keeps what it hears, and disconnects a client that sends more than it takes. */
async function scripted(t: TestContext, properties: readonly number[], bytesMax: number) {
  const heard: Buffer[] = [];
  const sockets: Socket[] = [];
  let onHeard: () => void = () => undefined;
  const server = createServer((socket) => {
    sockets.push(socket);
    let [bytes, read] = [Buffer.alloc(0), 0];
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (const packet of [...packetsOf(bytes)].slice(read)) {
        read++;
        const type = packet[0] ?? 0;
        heard.push(packet);
        if (type !== connect && packet.length > bytesMax) {
          socket.destroy();
          return;
        }
        const body = packet.subarray(packet.findIndex((byte, at) => at > 0 && byte < 0x80) + 1);
        if (type === connect)
          socket.write(Buffer.from([0x20, 3 + properties.length, 0, 0, properties.length, ...properties]));
        if (type === subscribe) socket.write(Buffer.from([0x90, 4, body[0] ?? 0, body[1] ?? 0, 0, 1]));
        if ((type & 0xf6) === 0x32) {
          const topicBytes = body.readUInt16BE(0);
          socket.write(Buffer.from([0x40, 2, body[2 + topicBytes] ?? 0, body[3 + topicBytes] ?? 0]));
        }
      }
      onHeard();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const reported: string[] = [];
  const states: (readonly [string, string | undefined])[] = [];
  let onState: () => void = () => undefined;
  const link = new CloudConnection({
    dial: dialBroker({
      url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clientId: 'T-1',
      keepAliveS: 60,
      packetBytesMax: 65_536,
      will: { topic: `${root}/status`, payload: Buffer.from('{"state":"offline"}'), delayS: 20 },
    }),
    root,
    clock: new ManualClock(),
    random: { bytes: () => Uint8Array.from([128, 0]) },
    onTooLong: (topic, { message }) => reported.push(`${topic}: ${message}`),
    onState: (...state) => {
      states.push([state[0], state[1]]);
      onState();
    },
  });
  t.after(() => link.close());
  link.subscribe('call', () => undefined);
  link.open();
  while (states.length === 0) await new Promise<void>((resolve) => (onState = resolve));
  const published = () => heard.filter((packet) => (packet[0] ?? 0) >> 4 === publish >> 4);
  const untilPublished = async (count: number) => {
    while (published().length < count) await new Promise<void>((resolve) => (onHeard = resolve));
    return published();
  };
  return { link, reported, states, heard, sockets, published, untilPublished };
}

const messages: readonly [string, CloudMessage][] = [
  ['events', { payload: Buffer.alloc(0) }],
  ['events', { payload: Buffer.from('{}'), expiryS: 60 }],
  ['status', { payload: Buffer.alloc(90, 0x20), qos: 1, retain: true }],
  [
    'answer/x',
    { payload: Buffer.alloc(200), qos: 1, expiryS: 60, correlation: Buffer.alloc(64), properties: { status: '200' } },
  ],
  ['answer/x', { payload: Buffer.alloc(16_000), qos: 1, properties: { ä: '€'.repeat(40), signature: 's'.repeat(90) } }],
  ['answer/x', { payload: Buffer.alloc(2_100_000), qos: 1, responseTopic: 'poid/v1/T-1/answer/y', properties: {} }],
];

test('a packet has the length that is foretold, whatever is in it', { timeout: 20_000 }, async (t) => {
  const { link, heard, untilPublished } = await scripted(t, [], Number.POSITIVE_INFINITY);
  for (const [at, [topic, message]] of messages.entries()) {
    await link.publish(topic, message);
    const packets = await untilPublished(at + 1);
    assert.equal(packets.at(-1)?.length, publishBytes(`${root}/${topic}`, message), `${topic} ${at}`);
  }
  const subscribed = heard.find((packet) => packet[0] === subscribe);
  assert.equal(subscribed?.length, subscribeBytes(`${root}/call`));
});

for (const bytesMax of [100, 1_000, 16_384, 268_435_455]) {
  test(`a broker that takes ${bytesMax} bytes gets no more, and keeps the connection`, {
    timeout: 20_000,
  }, async (t) => {
    const { link, reported, states, sockets, untilPublished } = await scripted(t, sizeProperty(bytesMax), bytesMax);
    assert.deepEqual(states, [['connected', undefined]]);
    const size = Math.min(bytesMax, 300_000);
    const head = publishBytes(`${root}/status`, { payload: new Uint8Array(size - 40), qos: 1 }) - (size - 40);
    const message = (bytes: number): CloudMessage => ({ payload: new Uint8Array(bytes - head), qos: 1 });
    await link.publish('status', message(size));
    const [packet] = await untilPublished(1);
    assert.equal(packet?.length, size);
    if (size < bytesMax) return;
    for (const topic of ['answer/one', 'answer/two', 'status'])
      await assert.rejects(link.publish(topic, message(size + 1)), MessageTooLong);
    assert.deepEqual(link.tooLong, ['answer', 'status']);
    assert.equal(reported.length, 2, reported.join('; '));
    assert.match(
      reported[1] ?? '',
      new RegExp(`^status: a packet of ${size + 1} bytes, and the broker takes ${bytesMax} at most$`),
    );
    await link.publish('status', message(size));
    assert.equal((await untilPublished(2)).length, 2);
    assert.deepEqual([sockets.length, link.state], [1, 'connected']);
  });
}

for (const [what, properties, reason] of [
  [
    'takes too little to subscribe',
    sizeProperty(20),
    /^the broker takes packets of 20 bytes, too few to subscribe to poid\/v1\/T-1\/call$/,
  ],
  ['says 0', sizeProperty(0), /Maximum Packet Size/],
  ['says it twice', [...sizeProperty(1_000), ...sizeProperty(1_000)], /Maximum Packet Size/],
] as const) {
  test(`a broker that ${what} is left, with a reason, and nothing is sent to it`, { timeout: 20_000 }, async (t) => {
    const { states, heard } = await scripted(t, properties, 20);
    assert.equal(states[0]?.[0], 'disconnected');
    assert.match(states[0]?.[1] ?? '', reason);
    const others = heard.map((packet) => packet[0]).filter((type) => type !== connect && type !== disconnect);
    assert.deepEqual(others, []);
  });
}
