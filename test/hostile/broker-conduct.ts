import { connack, int16, packet, publish, text, type, variable } from '../support/raw-broker.ts';

/** What a broker does to the terminal that connects to it. Without any of these it is one in order. */
export interface BrokerConduct {
  readonly what: string;
  /** Sent once the terminal has subscribed: once, over and over as fast as it is taken, or byte by byte. */
  readonly once?: Buffer;
  readonly flood?: Buffer;
  readonly trickle?: Buffer;
  /** In place of an acceptance: the connection before was cut, so that the terminal comes anew. */
  readonly accepting?: Buffer;
  /** Says nothing to packets of these types. */
  readonly ignores?: readonly number[];
  /** Of what the terminal sends nothing is read any more. */
  readonly readsNothing?: true;
  /** Cuts each connection as soon as it has this. */
  readonly cutsAt?: 'connection' | 'acceptance';
  /** Its certificate comes from somebody else, or its handshake never ends. */
  readonly tls?: 'foreign' | 'silent';
  /** One of each kind, for every commit. */
  readonly inBrief?: true;
  /** The terminal itself ends the connection, and says why. */
  readonly isLeft?: RegExp;
}

export const root = 'poid/v1/T-1';

const unasked: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['reserved packet', packet(0x00)],
  ['CONNECT', packet(type.connect << 4, text('MQTT'), Buffer.from([5, 0, 0, 0, 0]))],
  ['CONNACK', connack()],
  ['PUBACK', packet(0x40, int16(7))],
  ['PUBREC', packet(0x50, int16(7))],
  ['PUBREL', packet(0x62, int16(7))],
  ['PUBREL with a reason', packet(0x62, int16(7), Buffer.from([0x92, 0]))],
  ['PUBCOMP', packet(0x70, int16(7))],
  ['SUBSCRIBE', packet(0x82, int16(7), Buffer.from([0]), text('#'), Buffer.from([1]))],
  ['SUBACK', packet(0x90, int16(7), Buffer.from([0, 1]))],
  ['UNSUBSCRIBE', packet(0xa2, int16(7), Buffer.from([0]), text('#'))],
  ['UNSUBACK', packet(0xb0, int16(7), Buffer.from([0, 0]))],
  ['PINGREQ', packet(0xc0)],
  ['PINGRESP', packet(0xd0)],
  ['AUTH', packet(0xf0, Buffer.from([0x18, 0]))],
];

const user = (name: string, value: string) => Buffer.concat([Buffer.from([0x26]), text(name), text(value)]);
/** Of a call: where it is answered, for whom, until when, and what it is. */
const callProperties = Buffer.concat([
  Buffer.from([0x08]),
  text(`${root}/answer/thief`),
  Buffer.from([0x09]),
  text('c'),
  Buffer.from('020000003c', 'hex'),
  user('method', 'POST'),
  user('target', '/sp/v1/payment'),
]);
const sale = Buffer.from(
  '{"posId":"EVIL","messageId":"1","transactionType":"SALE","requestAmount":1,"currency":"HKD"}',
);
const call = (qos: 0 | 1 | 2, id = 1, payload: Buffer = sale, properties = callProperties) =>
  publish({ topic: `${root}/call`, qos, id, payload, properties });
const calls = (qos: 0 | 1) => Buffer.concat(Array.from({ length: 1_000 }, (_, at) => call(qos, at + 1)));
const properties = (count: number) =>
  Buffer.concat([callProperties, ...Array.from({ length: count }, (_, at) => user(`k${at}`, 'v'))]);

const messages: readonly BrokerConduct[] = [
  { what: 'calls without a signature, QoS 1', inBrief: true, flood: calls(1) },
  { what: 'calls without a signature, QoS 0', inBrief: true, flood: calls(0) },
  { what: 'short messages of no topic of the terminal', flood: publish({ topic: 'a', qos: 0 }) },
  { what: 'messages of 60 KB', flood: call(1, 1, Buffer.alloc(60_000, 0x5b)) },
  {
    what: 'messages with 5,000 properties',
    inBrief: true,
    flood: call(1, 1, Buffer.alloc(0), properties(5_000)),
    isLeft: /too long/,
  },
  { what: 'messages with 1,500 properties', flood: call(1, 1, Buffer.alloc(0), properties(1_500)) },
  {
    what: 'documents of the fleet that nobody has signed',
    flood: publish({ topic: `${root}/configuration`, payload: sale }),
  },
  {
    what: 'acknowledgements of the sink that make no sense',
    flood: publish({ topic: `${root}/books/ack`, payload: sale }),
  },
  { what: 'messages with QoS 2', flood: call(2), isLeft: /QoS 2/ },
];

const bytes: readonly BrokerConduct[] = [
  {
    what: 'a packet that is told to have 256 MB',
    once: Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]),
    isLeft: /of more than/,
  },
  {
    what: 'a length that never ends',
    inBrief: true,
    flood: Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0xff]),
    isLeft: /of more than/,
  },
  { what: 'half a packet', inBrief: true, once: call(1).subarray(0, 60) },
  { what: 'a packet byte by byte', trickle: call(1) },
  { what: 'a topic that is no UTF-8', flood: packet(0x32, int16(2), Buffer.from('fffe000100', 'hex')) },
  { what: 'a PUBLISH that is too short', flood: packet(0x32, int16(9), Buffer.from('ab')), isLeft: /./ },
  {
    what: 'properties that are longer than their packet',
    flood: packet(0x30, text('a'), variable(99), Buffer.from([1])),
    isLeft: /./,
  },
  {
    what: 'a topic alias that was not allowed',
    flood: publish({ topic: 'a', properties: Buffer.from('230007', 'hex') }),
    isLeft: /./,
  },
  { what: 'DISCONNECT, and more', flood: packet(0xe0, Buffer.from([0x8b, 0])), isLeft: /./ },
];

const acceptances: readonly BrokerConduct[] = [
  { what: 'an HTTP server', accepting: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), isLeft: /before CONNACK/ },
  { what: 'a TLS server where none is wanted', accepting: Buffer.from('15030300020228', 'hex'), isLeft: /./ },
  {
    what: 'a CONNACK of 60 KB',
    accepting: connack(Buffer.concat(Array.from({ length: 600 }, () => user('a'.repeat(50), 'b'.repeat(45))))),
    isLeft: /CONNACK of more than/,
  },
  { what: 'a refusal', accepting: connack(Buffer.alloc(0), 0x88), isLeft: /./ },
  { what: 'a Maximum Packet Size of 1', accepting: connack(Buffer.from('2700000001', 'hex')), isLeft: /too few/ },
  {
    what: 'a keep-alive of one second, and no answer to it',
    accepting: connack(Buffer.from('130001', 'hex')),
    ignores: [type.pingreq],
  },
  { what: 'no acceptance', ignores: [type.connect] },
  { what: 'no confirmation of a subscription', accepting: connack(), ignores: [type.subscribe] },
  { what: 'no acknowledgement', inBrief: true, accepting: connack(), ignores: [type.publish] },
  { what: 'one that reads nothing, and asks', inBrief: true, flood: calls(1), readsNothing: true },
  { what: 'one that cuts each connection', cutsAt: 'connection' },
  { what: 'one that cuts what it has accepted', inBrief: true, cutsAt: 'acceptance' },
];

const secure: readonly BrokerConduct[] = [
  { what: 'TLS: the certificate of another', tls: 'foreign' },
  { what: 'TLS: a handshake that never ends', tls: 'silent' },
  { what: 'TLS: PUBREL', inBrief: true, flood: packet(0x62, int16(7)), isLeft: /PUBREL/ },
  { what: 'TLS: calls without a signature', flood: calls(1) },
];

/** By what they attack. Those of `secure` need a broker with TLS. */
export const conducts: Readonly<Record<string, readonly BrokerConduct[]>> = {
  'packets that nothing has asked for': unasked.map(([name, flood]) => ({
    what: name,
    flood,
    isLeft: new RegExp(name.split(' ')[0] ?? ''),
    ...(name === 'PUBREL' || name === 'PINGRESP' ? { inBrief: true as const } : {}),
  })),
  messages,
  bytes,
  'connections and acceptance': acceptances,
  secure,
};
