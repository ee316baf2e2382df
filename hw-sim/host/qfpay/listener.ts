import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const connectionsMax = 64;
const requestTimeoutMs = 30_000;
const idleTimeoutMs = 65_000;

export interface ListenerEvents {
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** Bytes that are no HTTP, or not the whole of a request. */
  onMalformed(why: string, bytes: Buffer): void;
  /** A connection came or went. */
  onConnections(): void;
}

/** An HTTP port that opens, shuts and opens again under the same number. */
export class Listener {
  readonly #address: string;
  readonly #events: ListenerEvents;
  readonly #sockets = new Set<Socket>();
  #port: number;
  #server: Server | undefined;

  /** `port` 0: any free one, which is kept from then on. */
  constructor(address: string, port: number, events: ListenerEvents) {
    this.#address = address;
    this.#port = port;
    this.#events = events;
  }

  get port(): number {
    return this.#port;
  }

  get listening(): boolean {
    return this.#server !== undefined;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Does nothing where it is open already. Rejects with the system's error (EADDRINUSE) where it can't. */
  async open(): Promise<void> {
    if (this.#server) return;
    const server = createServer((request, response) => this.#events.onRequest(request, response));
    server.maxConnections = connectionsMax;
    server.requestTimeout = requestTimeoutMs;
    server.headersTimeout = requestTimeoutMs;
    server.keepAliveTimeout = idleTimeoutMs;
    server.on('connection', (socket) => this.#admit(socket));
    server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket) => {
      // A connection that was cut is nobody's mistake.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') this.#events.onMalformed(...findingOf(error));
      socket.destroy();
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, this.#address, resolve);
    });
    // From here on only accepting can fail, for want of descriptors: the terminal sees its connection refused.
    server.on('error', () => undefined);
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
    this.#server = server;
  }

  /** Closes the port and every connection at once. Ends when they are closed. */
  async shut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #admit(socket: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    this.#events.onConnections();
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#events.onConnections();
    });
  }
}

function findingOf({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): [why: string, bytes: Buffer] {
  const bytes = rawPacket ?? Buffer.alloc(0);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['a request that was not completed in time', bytes];
  return [code === 'HPE_HEADER_OVERFLOW' ? 'a request with too long a header' : 'bytes that are no HTTP', bytes];
}
