import { readFile } from 'node:fs/promises';
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { IPublishPacket, MqttClient } from 'mqtt';
import type { CloudMessage } from '../ports/cloud-link.ts';
import { PacketGuard } from './packet-guard.ts';
import type { Dial, Session, SessionEvents } from './session.ts';

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
  /** What the broker tells when the connection breaks. */
  readonly will: CloudMessage & { readonly topic: string; readonly delayS: number };
}

const connectMs = 15_000;
/** The broker keeps subscriptions and what comes meanwhile for so long. */
const sessionS = 60;
/** Messages that the broker may send without an acknowledgement. */
const receiveMax = 16;
/** More unsent bytes than these: the network does not take them, and the message is refused. */
const unsentBytesMax = 1_048_576;

/** Connects to an MQTT 5 broker. The library is loaded at the first connection. */
export function dialBroker(options: DialOptions): Dial {
  return async (events, signal) => {
    // Not the package's entry: that brings web sockets and proxies along.
    const [{ default: module }, secrets] = await Promise.all([import('mqtt/lib/client'), readSecrets(options)]);
    const { default: Client } = module;
    signal.throwIfAborted();
    return openSession(new Client(() => openSocket(options, secrets), clientOptions(options)), events, signal);
  };
}

async function readSecrets({ ca, certificate, key }: DialOptions) {
  const read = async (file: string | undefined) => (file === undefined ? undefined : readFile(file));
  const [authority, cert, privateKey] = await Promise.all([ca, certificate, key].map(read));
  return { ca: authority, cert, key: privateKey };
}

function openSocket({ url, packetBytesMax }: DialOptions, secrets: Awaited<ReturnType<typeof readSecrets>>) {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const named = isIP(host) === 0 ? { servername: host } : {};
  const socket =
    protocol === 'mqtts:'
      ? connectTls({ host, port: Number(port || 8_883), minVersion: 'TLSv1.2', ...named, ...secrets })
      : connectPlain({ host, port: Number(port || 1_883) });
  const guard = new PacketGuard(packetBytesMax);
  socket.on('data', (bytes: Buffer) => {
    if (!guard.admits(bytes)) socket.destroy(new Error('the broker sent a packet that is too long'));
  });
  return socket;
}

function clientOptions({ clientId, keepAliveS, packetBytesMax, will }: DialOptions) {
  return {
    protocolVersion: 5,
    clientId,
    keepalive: keepAliveS,
    connectTimeout: connectMs,
    // A new client is made for each connection: nothing of the last one is kept in memory.
    reconnectPeriod: 0,
    resubscribe: false,
    clean: false,
    queueQoSZero: false,
    properties: { sessionExpiryInterval: sessionS, receiveMaximum: receiveMax, maximumPacketSize: packetBytesMax },
    will: {
      topic: will.topic,
      payload: Buffer.from(will.payload),
      qos: will.qos ?? 0,
      retain: will.retain ?? false,
      properties: { willDelayInterval: will.delayS },
    },
  } as const;
}

/** Resolves once the broker has accepted the connection. */
async function openSession(
  client: MqttClient,
  { onMessage, onEnd }: SessionEvents,
  signal: AbortSignal,
): Promise<Session> {
  client.handleMessage = (packet, done) => {
    const read = async () => {
      await onMessage(packet.topic, messageOf(packet));
      done();
    };
    read().catch((error: unknown) => client.emit('error', error as Error));
  };
  let trouble: Error | undefined;
  // Without a listener an error would end the process.
  client.on('error', (error) => (trouble ??= error));
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  // The broker has ended the connection; it may leave the socket open.
  client.once('disconnect', () => client.stream.destroy());
  const abort = () => client.stream.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const isOpen = await Promise.race([
    new Promise<true>((resolve) => client.once('connect', () => resolve(true))),
    closed,
  ]);
  signal.removeEventListener('abort', abort);
  if (!isOpen) {
    client.end(true);
    throw trouble ?? new Error('the broker closed the connection');
  }
  const over = closed.then(() => {
    client.end(true);
    onEnd();
    throw trouble ?? new Error('the connection to the broker is over');
  });
  over.catch(() => undefined);
  return sessionOf(client, over);
}

function sessionOf(client: MqttClient, over: Promise<never>): Session {
  return {
    async publish(topic, message) {
      if (!client.connected || client.stream.writableLength > unsentBytesMax)
        throw new Error('the connection to the broker takes nothing now');
      const sent = client.publishAsync(topic, Buffer.from(message.payload), publishOptions(message));
      await Promise.race([sent, over]);
    },
    async subscribe(topic, { skipsRetained = false }) {
      const asked = client.subscribeAsync(topic, { qos: 1, rh: skipsRetained ? 2 : 0, rap: skipsRetained });
      const granted = await Promise.race([asked, over]);
      if (granted.some(({ qos }) => qos > 2)) throw new Error(`the broker refuses the subscription of ${topic}`);
    },
    unsubscribe(topic) {
      client.unsubscribe(topic, () => undefined);
    },
    async end() {
      client.end(false);
      await over.catch(() => undefined);
    },
    cut() {
      client.stream.destroy();
    },
  };
}

function publishOptions({ qos = 0, retain = false, ...message }: CloudMessage) {
  const { expiryS, responseTopic, correlation, properties } = message;
  return {
    qos,
    retain,
    properties: {
      ...(expiryS === undefined ? {} : { messageExpiryInterval: expiryS }),
      ...(responseTopic === undefined ? {} : { responseTopic }),
      ...(correlation === undefined ? {} : { correlationData: Buffer.from(correlation) }),
      ...(properties === undefined ? {} : { userProperties: properties }),
    },
  };
}

function messageOf({ payload, qos, retain, properties = {} }: IPublishPacket): CloudMessage {
  const { messageExpiryInterval: expiryS, responseTopic, correlationData, userProperties = {} } = properties;
  const single = Object.entries(userProperties).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return {
    payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
    qos: qos === 0 ? 0 : 1,
    retain,
    properties: Object.fromEntries(single),
    ...(expiryS === undefined ? {} : { expiryS }),
    ...(responseTopic === undefined ? {} : { responseTopic }),
    ...(correlationData === undefined ? {} : { correlation: correlationData }),
  };
}
