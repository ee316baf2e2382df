import type { IConnackPacket, IPublishPacket, MqttClient } from 'mqtt';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { CloudMessage } from '../../payment/contracts/cloud-link.ts';
import { limitsOf } from './broker-limits.ts';
import type { BrokerStream } from './broker-stream.ts';
import { subscribeBytes } from './packet-limit.ts';
import type { BrokerLimits, Session, SessionEvents } from './session.ts';

/** A message is refused if more bytes than these wait to be sent or acknowledged. */
const unsentBytesMax = 1_048_576;
const unacknowledgedBytesMax = 4_194_304;
/** If a broker does not acknowledge a message within this time, the connection ends. */
const acknowledgeMs = 30_000;

/** The stream of a session. `fault`: why the stream has ended the connection, if it has. */
export interface Carrier {
  readonly client: MqttClient;
  readonly stream: () => BrokerStream;
  readonly fault: () => string | undefined;
  readonly clock: MonotonicClock;
}

/** Resolves once the broker has accepted the connection. */
export async function openSession(
  carrier: Carrier,
  { onMessage, onEnd }: SessionEvents,
  signal: AbortSignal,
): Promise<Session> {
  const { client, stream, fault } = carrier;
  client.handleMessage = (packet, done) => {
    const read = async () => {
      await onMessage(packet.topic, messageOf(packet));
      done();
    };
    read().catch((error: unknown) => client.emit('error', error as Error));
  };
  let failure: Error | undefined;
  // Without a listener an error would end the process. After an error, nothing more from the broker is read.
  client.on('error', (error) => {
    failure ??= error;
    client.stream.destroy();
  });
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  // The broker has ended the connection; it may leave the socket open.
  client.once('disconnect', () => client.stream.destroy());
  const abort = () => client.stream.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const accepted = await Promise.race([
    new Promise<IConnackPacket>((resolve) => client.once('connect', resolve)),
    closed,
  ]);
  signal.removeEventListener('abort', abort);
  if (!accepted) {
    client.end(true);
    const reason = fault();
    throw failure ?? new Error(reason ?? 'the broker closed the connection');
  }
  const limits = limitsOf(accepted.properties);
  if (typeof limits === 'string') {
    // A protocol error, as is more than one (MQTT 5, 3.2.2.3).
    client.end(true, { reasonCode: 0x82 });
    stream().destroy();
    throw new Error(limits);
  }
  const over = closed.then(() => {
    client.end(true);
    onEnd(fault() ?? (failure && `the connection broke: ${failure.message}`));
    throw failure ?? new Error('the connection to the broker has ended');
  });
  over.catch(() => undefined);
  return sessionOf(carrier, over, limits);
}

function sessionOf({ client, stream, clock }: Carrier, over: Promise<never>, limits: BrokerLimits): Session {
  const { packetBytesMax } = limits;
  let unacknowledgedBytes = 0;
  const awaitAcknowledgement = async (sent: Promise<unknown>, bytes: number) => {
    unacknowledgedBytes += bytes;
    const late = () => stream().fail('the broker does not acknowledge what it is sent');
    const timer = clock.setTimeout(late, acknowledgeMs);
    try {
      await Promise.race([sent, over]);
    } finally {
      clock.clearTimeout(timer);
      unacknowledgedBytes -= bytes;
    }
  };
  return {
    limits,
    async publish(topic, message) {
      const isFull = stream().writableLength > unsentBytesMax || unacknowledgedBytes > unacknowledgedBytesMax;
      if (!client.connected || isFull) throw new Error('the connection to the broker accepts no message now');
      const sent = client.publishAsync(topic, Buffer.from(message.payload), publishOptions(message, limits));
      await awaitAcknowledgement(sent, message.payload.length);
    },
    async subscribe(topic, { skipsRetained = false }) {
      if (packetBytesMax !== undefined && subscribeBytes(topic) > packetBytesMax)
        throw new Error(`the broker takes packets of ${packetBytesMax} bytes, too few to subscribe to ${topic}`);
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

function publishOptions({ qos = 0, retain = false, ...message }: CloudMessage, limits: BrokerLimits) {
  const { expiryS, responseTopic, correlation, properties = {} } = message;
  return {
    qos: limits.hasNoQos1 ? 0 : qos,
    retain: retain && !limits.hasNoRetain,
    properties: {
      ...(expiryS === undefined ? {} : { messageExpiryInterval: expiryS }),
      ...(responseTopic === undefined ? {} : { responseTopic }),
      ...(correlation === undefined ? {} : { correlationData: Buffer.from(correlation) }),
      // The library ends a connection on which it is to write none of them.
      ...(Object.keys(properties).length === 0 ? {} : { userProperties: properties }),
    },
  } as const;
}

function messageOf({ payload, qos, retain, properties = {} }: IPublishPacket): CloudMessage {
  const {
    messageExpiryInterval: expiryS,
    responseTopic,
    correlationData,
    contentType,
    userProperties = {},
  } = properties;
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
    ...(contentType === undefined ? {} : { contentType }),
  };
}
