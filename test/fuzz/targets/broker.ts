import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { MqttClient } from 'mqtt';
import module from 'mqtt/lib/client';
import { openSession } from '../../../src/pos/cloud/broker-session.ts';
import { BrokerStream } from '../../../src/pos/cloud/broker-stream.ts';
import { parseAcknowledgement } from '../../../src/pos/cloud/books/outbox.ts';
import { Calls } from '../../../src/pos/cloud/calls.ts';
import { PacketGuard } from '../../../src/pos/cloud/packet-guard.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import type { CloudMessage } from '../../../src/payment/contracts/cloud-link.ts';
import { connack, int16, packet, publish, text } from '../../support/raw-broker.ts';
import { binaryTokens } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const { default: Client } = module;
const root = 'poid/v1/T-1';
const user = (name: string, value: string) => Buffer.concat([Buffer.from([0x26]), text(name), text(value)]);
const call = Buffer.concat([
  Buffer.from([0x08]),
  text(`${root}/answer/a`),
  Buffer.from([0x09]),
  text('c'),
  Buffer.from('020000003c', 'hex'),
  user('method', 'POST'),
  user('target', '/sp/v1/payment'),
]);
const seeds = [
  publish({ topic: `${root}/call`, payload: Buffer.from('{}'), properties: call }),
  publish({ topic: `${root}/books/ack`, qos: 0, payload: Buffer.from('{"stream":"a","seq":1}') }),
  publish({ topic: `${root}/call`, qos: 2 }),
  packet(0x40, int16(1)),
  packet(0x62, int16(1), Buffer.from([0x92, 0])),
  packet(0x90, int16(1), Buffer.from([0, 1])),
  packet(0xd0),
  packet(0xe0, Buffer.from([0x8b, 0])),
  packet(0xf0, Buffer.from([0x18, 0])),
  connack(Buffer.from('2700000001240025002100101303e8', 'hex')),
].map((each) => Buffer.concat([connack(), each]));
const tokens = [
  ...binaryTokens,
  ...['2600016100016200', '0300', '230007', '0200000001', '11ffffffff', '24', '25', '27', '1f0001', '160000'].map(
    (each) => Buffer.from(each, 'hex'),
  ),
  call,
  user('__proto__', 'x'),
  user('constructor', 'y'),
];

/** Both ends of a connection: the broker's writes, the terminal's is its client's. */
let server: Promise<Server> | undefined;
async function pair(): Promise<{ near: Socket; far: Socket }> {
  server ??= (async () => {
    const listening = createServer();
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  })();
  const listening = await server;
  const accepted = once(listening, 'connection') as Promise<[Socket]>;
  const near = connect((listening.address() as { port: number }).port, '127.0.0.1');
  const [far] = await accepted;
  far.on('error', () => undefined);
  far.resume();
  return { near, far };
}

/** The guard, the library's parser and its handlers, and who hears of it: nothing is thrown, nothing stays open. */
export const brokerPackets: Target = {
  name: 'broker-packets',
  share: 1,
  connects: true,
  inputs: hostile({ seeds, tokens }),
  async check(input) {
    const { near, far } = await pair();
    const stream = new BrokerStream(near, { packetBytesMax: 65_536, clock: systemClock, onFault: assertSilent });
    stream.expect('connect');
    const client: MqttClient = new Client(() => stream, {
      protocolVersion: 5,
      clientId: 'T-1',
      keepalive: 0,
      connectTimeout: 1_000,
      reconnectPeriod: 0,
      clean: false,
      queueQoSZero: false,
    });
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    const hear = makeHearing();
    const opening = openSession(
      { client, stream: () => stream, fault: () => undefined, clock: systemClock },
      { onMessage: async (topic, message) => hear(topic, message), onEnd: () => undefined },
      new AbortController().signal,
    ).catch((error: Error) => error);
    far.end(input);
    await closed;
    await opening;
    client.end(true);
    far.destroy();
  },
  async close() {
    (await server)?.close();
  },
};

function makeHearing(): (topic: string, message: CloudMessage) => void {
  const subscribers = new Map<string, (message: CloudMessage) => void>();
  const link = {
    publish: async () => undefined,
    subscribe: (topic: string, hear: (message: CloudMessage) => void) => {
      subscribers.set(`${root}/${topic}`, hear);
      return () => undefined;
    },
  };
  const answer = async () => ({ status: 200, fields: {}, body: '{}' });
  void new Calls({ link, root, answer });
  return (topic, message) => {
    subscribers.get(topic)?.(message);
    const acknowledged = parseAcknowledgement(message.payload);
    if (acknowledged) assert.ok(acknowledged.seq >= 0);
  };
}

/** The guard alone, byte for byte: it takes all or says why not, and never more than a packet at a time. */
export const packetGuard: Target = {
  name: 'packet-guard',
  share: 4,
  inputs: hostile({ seeds, tokens }),
  check(input) {
    const guard = new PacketGuard(65_536);
    guard.expect('connect');
    for (let at = 0; at < input.length; ) {
      const length = guard.next(input.subarray(at));
      if (typeof length === 'string') return assertSilent(length);
      assert.ok(length > 0 && length <= input.length - at);
      at += length;
    }
  },
};
