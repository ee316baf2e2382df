import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { dialHost } from '../../base/dial/dial.ts';
import { isLoopback } from '../../base/domain/loopback.ts';
import { systemClock } from '../../base/ports/clock.ts';
import { CommissioningError } from '../commissioning-error.ts';

export interface BrokerAddress {
  /** mqtts://broker.example:8883 */
  readonly url: string;
  /** Paths of PEM files. */
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly prefix: string;
}

/** The retained messages of one terminal. */
export interface Retained {
  status?: Readonly<Record<string, unknown>>;
  configuration?: Readonly<Record<string, unknown>>;
  books?: Readonly<Record<string, unknown>>;
}

const topics = { status: 'status', 'configuration/state': 'configuration', 'books/state': 'books' } as const;
/** Retained messages come at once, one after the other: a pause of this length ends them. */
const quietMs = 500;
const connectMs = 10_000;

/** The retained states of all terminals below the prefix, by terminal. Rejects with CommissioningError. */
export async function readRetained({ url, prefix, ...files }: BrokerAddress): Promise<Map<string, Retained>> {
  const client = await connect(url, await readSecrets(files));
  const found = new Map<string, Retained>();
  let heardAt = performance.now();
  client.on('message', (topic, payload) => {
    heardAt = performance.now();
    const [terminal = '', ...rest] = topic.slice(prefix.length + 1).split('/');
    const name = topics[rest.join('/') as keyof typeof topics];
    const value = parse(payload);
    if (!name || !value) return;
    found.set(terminal, { ...found.get(terminal), [name]: value });
  });
  try {
    const wanted = Object.keys(topics).map((topic) => `${prefix}/+/${topic}`);
    const granted = await client.subscribeAsync(wanted, { qos: 1 });
    if (granted.some(({ qos }) => qos > 2))
      throw new CommissioningError('the broker does not let this user read states');
    heardAt = performance.now();
    while (performance.now() - heardAt < quietMs) await pause(quietMs / 5);
  } finally {
    await client.endAsync(true);
  }
  return found;
}

interface Secrets {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

async function readSecrets({ ca, certificate, key }: Omit<BrokerAddress, 'url' | 'prefix'>): Promise<Secrets> {
  const read = async (name: string, file: string | undefined) =>
    file === undefined ? {} : { [name]: await readFile(file) };
  return { ...(await read('ca', ca)), ...(await read('cert', certificate)), ...(await read('key', key)) };
}

/** Resolves once the broker has accepted the connection. Rejects with CommissioningError. */
async function connect(url: string, secrets: Secrets): Promise<MqttClient> {
  const { protocol, hostname, port } = addressOf(url);
  // Not the package's entry: that brings web sockets and proxies along.
  const { default: module } = await import('mqtt/lib/client');
  const { default: Client } = module;
  const isSecure = protocol === 'mqtts:';
  const target = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isSecure ? 8_883 : 1_883)),
    secure: isSecure ? secrets : undefined,
    connectTimeoutMs: connectMs,
  };
  const socket = await dialHost(target, systemClock, new AbortController().signal).catch((error: Error) =>
    refuse(error.message),
  );
  const client = new Client(() => socket, { protocolVersion: 5, reconnectPeriod: 0, connectTimeout: connectMs });
  let fault: Error | undefined;
  client.on('error', (error) => (fault ??= error));
  const closed = new Promise<false>((resolve) => client.once('close', () => resolve(false)));
  const isOpen = await Promise.race([
    new Promise<true>((resolve) => client.once('connect', () => resolve(true))),
    closed,
  ]);
  if (isOpen) return client;
  client.end(true);
  return refuse(fault?.message ?? 'it closed the connection');
}

function refuse(why: string): never {
  throw new CommissioningError(`the broker can't be reached: ${why}`);
}

function addressOf(url: string): URL {
  const address = URL.parse(url);
  if (address?.protocol === 'mqtts:' || (address?.protocol === 'mqtt:' && isLoopback(address.hostname))) return address;
  throw new CommissioningError('--url takes mqtts://HOST:PORT; plain mqtt to this machine only');
}

function parse(payload: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(payload.toString()) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
