import { toHex } from './signing.ts';

/** The used part of a client of the package `mqtt` (5.x), connected with protocolVersion 5. */
export interface MqttClient {
  readonly connected: boolean;
  publish(topic: string, payload: string, options: object, done: (error?: Error | null) => void): unknown;
  subscribe(topic: string, options: { qos: 1 }, done: (error: Error | null) => void): unknown;
  on(event: 'message', heard: (topic: string, payload: Uint8Array, packet: MqttPacket) => void): unknown;
}

interface MqttPacket {
  // As the package declares it: one of its packets has none.
  readonly properties?: {
    readonly correlationData?: Uint8Array;
    readonly userProperties?: Readonly<Record<string, string | string[]>>;
  };
}

export interface MqttFetchOptions {
  /** The terminal's name at the broker. Its URL is `https://` and the name in lower case, and `.poid`. */
  readonly terminal: string;
  /** The prefix of all topics. */
  readonly prefix?: string;
  /** The broker drops the call after this many seconds; the call's own signature contains the same expiry. */
  readonly expiryS?: number;
}

type Settle = { readonly resolve: (response: Response) => void };

/**
 * A `fetch` for `Client` and `pair` that calls a terminal through a broker (docs/cloud.md). One for each terminal.
 * Rejects at once without a connection to the broker; an unanswered call ends with its signal.
 */
export function mqttFetch(client: MqttClient, options: MqttFetchOptions): typeof globalThis.fetch {
  const { terminal, prefix = 'poid/v1', expiryS = 60 } = options;
  const root = `${prefix}/${terminal}`;
  const answerTopic = `${root}/answer/${randomHex()}`;
  const waiting = new Map<string, Settle>();
  client.on('message', (topic, payload, { properties: { correlationData, userProperties = {} } = {} }) => {
    const correlation = topic === answerTopic && correlationData ? text(correlationData) : '';
    const settle = waiting.get(correlation);
    const response = settle && responseOf(userProperties, payload);
    if (!response) return;
    settle.resolve(response);
    waiting.delete(correlation);
  });
  let subscribed: Promise<void> | undefined;
  const subscribe = () =>
    new Promise<void>((resolve, reject) => {
      client.subscribe(answerTopic, { qos: 1 }, (error) => (error ? reject(error) : resolve()));
    });
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', headers, body, signal } = init;
    signal?.throwIfAborted();
    if (!client.connected) throw new Error('there is no connection to the broker');
    const ended = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    subscribed ??= subscribe().catch((error: unknown) => {
      subscribed = undefined;
      throw error;
    });
    await Promise.race([subscribed, ended]);
    const correlation = randomHex();
    const fields = Object.fromEntries(new Headers(headers ?? {}));
    const answered = new Promise<Response>((resolve, reject) => {
      waiting.set(correlation, { resolve });
      client.publish(
        `${root}/call`,
        typeof body === 'string' ? body : '',
        {
          qos: 1,
          properties: {
            responseTopic: answerTopic,
            correlationData: bytes(correlation),
            messageExpiryInterval: expiryS,
            userProperties: { ...fields, method, target: url.pathname + url.search },
          },
        },
        (error) => error && reject(error),
      );
    });
    return Promise.race([answered, ended]).finally(() => waiting.delete(correlation));
  };
}

/** Undefined for a message that is not a terminal's answer: any client of the broker may have written it. */
function responseOf(
  properties: Readonly<Record<string, string | string[]>>,
  payload: Uint8Array,
): Response | undefined {
  const { status, ...fields } = properties;
  const single = Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string');
  try {
    return new Response(text(payload), { status: Number(status), headers: single });
  } catch {
    // A status or a header that there is not.
    return undefined;
  }
}

const randomHex = () => toHex(crypto.getRandomValues(new Uint8Array(16)));
const text = (payload: Uint8Array) => new TextDecoder().decode(payload);

/** mqtt.js needs a Buffer, which its bundle for browsers includes. */
function bytes(of: string): Uint8Array {
  const encoded = new TextEncoder().encode(of);
  const { Buffer: NodeBuffer } = globalThis as { Buffer?: { from(bytes: Uint8Array): Uint8Array } };
  return NodeBuffer?.from(encoded) ?? encoded;
}
