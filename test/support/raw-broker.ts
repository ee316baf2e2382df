import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TlsOptions } from 'node:tls';

/** Packet types (MQTT 5, 2.1.2). */
export const type = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  unsuback: 11,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
  auth: 15,
} as const;

export interface RawPacket {
  readonly first: number;
  readonly type: number;
  readonly body: Buffer;
}

/** A variable byte integer (1.5.5). */
export function variable(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  do {
    bytes.push((left % 128) + (left >= 128 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.from(bytes);
}

export function packet(first: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([first]), variable(body.length), body]);
}

export function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}

export function int16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

export function connack(properties: Uint8Array = Buffer.alloc(0), reasonCode = 0): Buffer {
  return packet(0x20, Buffer.from([0, reasonCode]), variable(properties.length), properties);
}

export interface RawMessage {
  readonly topic: string;
  readonly payload?: Uint8Array;
  readonly qos?: 0 | 1 | 2;
  readonly id?: number;
  readonly properties?: Uint8Array;
}

export function publish({
  topic,
  payload = Buffer.alloc(0),
  qos = 1,
  id = 1,
  properties = Buffer.alloc(0),
}: RawMessage) {
  const packetId = qos === 0 ? Buffer.alloc(0) : int16(id);
  return packet(0x30 | (qos << 1), text(topic), packetId, variable(properties.length), properties, payload);
}

/** One connection of a client, as a broker sees it. */
export class RawConnection {
  readonly socket: Socket;
  /** What the client has sent. */
  readonly packets: RawPacket[] = [];
  readonly closed: Promise<void>;
  #bytes = Buffer.alloc(0);

  constructor(socket: Socket, onPacket: (packet: RawPacket, connection: RawConnection) => void) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      for (let next = this.#take(); next; next = this.#take()) {
        this.packets.push(next);
        onPacket(next, this);
      }
    });
  }

  send(bytes: Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  #take(): RawPacket | undefined {
    let [length, at] = [0, 1];
    for (; ; at++) {
      const byte = this.#bytes[at];
      if (byte === undefined) return undefined;
      length += (byte & 0x7f) * 128 ** (at - 1);
      if (byte < 0x80) break;
    }
    const end = at + 1 + length;
    if (this.#bytes.length < end) return undefined;
    const first = this.#bytes[0] ?? 0;
    const body = Buffer.from(this.#bytes.subarray(at + 1, end));
    this.#bytes = this.#bytes.subarray(end);
    return { first, type: first >> 4, body };
  }
}

/** What a broker in order answers to a packet. Nothing for what needs no answer. */
export function answerTo({ type: kind, first, body }: RawPacket, accepting = connack()): Buffer | undefined {
  if (kind === type.connect) return accepting;
  if (kind === type.subscribe) return packet(0x90, body.subarray(0, 2), Buffer.from([0, 1]));
  if (kind === type.unsubscribe) return packet(0xb0, body.subarray(0, 2), Buffer.from([0, 0]));
  if (kind === type.pingreq) return packet(0xd0);
  if (kind !== type.publish || (first & 0x06) !== 2) return undefined;
  const topicBytes = body.readUInt16BE(0);
  return packet(0x40, body.subarray(2 + topicBytes, 4 + topicBytes));
}

/** A broker on the level of packets, on a free port of the loopback interface. */
export class RawBroker {
  readonly #server: Server;
  readonly connections: RawConnection[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(
    onPacket: (packet: RawPacket, connection: RawConnection, at: number) => void,
    tls?: TlsOptions,
  ): Promise<RawBroker> {
    const take = (socket: Socket) => {
      const at = broker.connections.length;
      broker.connections.push(new RawConnection(socket, (packet, connection) => onPacket(packet, connection, at)));
    };
    const broker: RawBroker = new RawBroker(tls ? createSecureServer(tls, take) : createServer(take));
    broker.#server.listen(0, '127.0.0.1');
    await once(broker.#server, 'listening');
    return broker;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** A connection that somebody else has taken. */
  take(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  close(): void {
    for (const { socket } of this.connections) socket.destroy();
    this.#server.close();
  }
}
