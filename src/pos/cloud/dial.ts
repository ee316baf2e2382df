import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { MqttClient, Packet } from 'mqtt';
import { dialHost } from '../../base/dial/dial.ts';
import { type MonotonicClock, systemClock } from '../../base/ports/clock.ts';
import type { CloudMessage } from '../../payment/contracts/cloud-link.ts';
import { openSession } from './broker-session.ts';
import { BrokerStream } from './broker-stream.ts';
import { FlowLimit } from './flow-limit.ts';
import type { BrokerLimits, Dial, Session, SessionEvents } from './session.ts';

export interface DialOptions {
  /** mqtts://broker:8883 */
  readonly url: string;
  /** Paths of PEM files, read for each connection: a certificate may be renewed meanwhile. */
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly clientId: string;
  readonly keepAliveS: number;
  readonly packetBytesMax: number;
  /** The will, which the broker publishes when the connection breaks. */
  readonly will: CloudMessage & { readonly topic: string; readonly delayS: number };
  readonly clock?: MonotonicClock;
}

/** Time-out of name lookup, connection and TLS handshake together, and again of the broker's first answer. */
const connectMs = 15_000;
/** The broker keeps subscriptions and their messages for this long. */
const sessionS = 60;
/** Messages that the broker may send without an acknowledgement. */
const receiveMax = 16;
/** Reason codes of a CONNACK: retain, and the QoS of the will, are not supported (MQTT 5, 3.2.2.2). */
const refusedRetain = 0x9a;
const refusedQos = 0x9b;

type WillLimits = Pick<BrokerLimits, 'hasNoQos1' | 'hasNoRetain'>;

/** Connects to an MQTT 5 broker. The library is loaded at the first connection. */
export function dialBroker(options: DialOptions): Dial {
  // The will is sent before the broker reports its features: the report is used for the next attempt.
  let known: WillLimits = {};
  return async (events, signal) => {
    for (;;) {
      try {
        const session = await connect(options, known, events, signal);
        known = session.limits ?? {};
        return session;
      } catch (error) {
        const learnt = learnFrom(error, known);
        if (!learnt) throw error;
        known = learnt;
      }
    }
  };
}

/** The will that the broker may accept after this refusal; undefined if another one would not help. */
function learnFrom(error: unknown, known: WillLimits): WillLimits | undefined {
  const { code } = error as { readonly code?: unknown };
  if (code === refusedRetain && !known.hasNoRetain) return { ...known, hasNoRetain: true };
  return code === refusedQos && !known.hasNoQos1 ? { ...known, hasNoQos1: true } : undefined;
}

async function connect(
  options: DialOptions,
  limits: WillLimits,
  events: SessionEvents,
  signal: AbortSignal,
): Promise<Session> {
  const { packetBytesMax, clock = systemClock } = options;
  // Not the package's entry: that brings web sockets and proxies along.
  const [{ default: module }, secrets] = await Promise.all([import('mqtt/lib/client'), readSecrets(options)]);
  const { default: Client } = module;
  const socket = await openSocket(options, secrets, signal);
  let fault: string | undefined;
  const stream = new BrokerStream(socket, { packetBytesMax, clock, onFault: (reason) => (fault = reason) });
  // Written while the client is made.
  stream.expect('connect');
  const client = new Client(() => stream, clientOptions(options, limits));
  expectAnswers(client, stream);
  return openSession({ client, stream: () => stream, fault: () => fault, clock }, events, signal);
}

/** Announces to the stream the packets that the broker will answer. */
function expectAnswers(client: MqttClient, stream: BrokerStream): void {
  client.on('packetsend', (packet: Packet) => {
    const { cmd } = packet;
    if (cmd === 'subscribe' || cmd === 'unsubscribe' || cmd === 'pingreq') stream.expect(cmd);
    if (cmd === 'publish' && packet.qos === 1) stream.expect(cmd);
  });
}

async function readSecrets({ ca, certificate, key }: DialOptions) {
  const read = async (file: string | undefined) => (file === undefined ? undefined : readFile(file));
  const [authority, cert, privateKey] = await Promise.all([ca, certificate, key].map(read));
  return { ca: authority, cert, key: privateKey };
}

type Secrets = Awaited<ReturnType<typeof readSecrets>>;

function openSocket(
  { url, clock = systemClock }: Pick<DialOptions, 'url' | 'clock'>,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'mqtts:';
  const target = { host, port: Number(port || (isSecure ? 8_883 : 1_883)), secure: isSecure ? secrets : undefined };
  // Below TLS as above it: what the broker sends there may carry no messages.
  const pace = () => new FlowLimit(clock);
  return dialHost({ ...target, pace, connectTimeoutMs: connectMs }, systemClock, signal);
}

function clientOptions({ clientId, keepAliveS, packetBytesMax, will }: DialOptions, limits: WillLimits) {
  return {
    protocolVersion: 5,
    clientId,
    keepalive: keepAliveS,
    connectTimeout: connectMs,
    // A new client is made for each connection, so that no state of the last one is kept in memory.
    reconnectPeriod: 0,
    resubscribe: false,
    clean: false,
    queueQoSZero: false,
    properties: { sessionExpiryInterval: sessionS, receiveMaximum: receiveMax, maximumPacketSize: packetBytesMax },
    will: {
      topic: will.topic,
      payload: Buffer.from(will.payload),
      qos: limits.hasNoQos1 ? 0 : (will.qos ?? 0),
      retain: !limits.hasNoRetain && (will.retain ?? false),
      properties: { willDelayInterval: will.delayS },
    },
  } as const;
}
