import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type OpenTap, tapSocket } from '../../wires/tap.ts';
import { HostPort } from '../host-port.ts';

const connectionsMax = 64;
const requestTimeoutMs = 30_000;
const idleTimeoutMs = 65_000;

export interface ListenerEvents {
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** Bytes that are no HTTP, or an incomplete request. */
  onMalformed(why: string, bytes: Buffer): void;
  /** A connection was opened or closed. */
  onConnections(): void;
  readonly openTap: OpenTap;
}

/** An HTTP port that can be closed and opened again under the same number. */
export class Listener {
  readonly #port: HostPort;
  readonly #events: ListenerEvents;
  readonly #sockets = new Set<Socket>();

  /** `port` 0: any free port, which is then kept. */
  constructor(address: string, port: number, events: ListenerEvents) {
    this.#port = new HostPort(address, port);
    this.#events = events;
  }

  get port(): number {
    return this.#port.number;
  }

  get listening(): boolean {
    return this.#port.listening;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Does nothing if it is open already. Rejects with the system's error (EADDRINUSE) if it can't. */
  open(): Promise<void> {
    return this.#port.open(() => this.#made());
  }

  /** Closes the port and every connection at once. Resolves when they are closed. */
  shut(): Promise<void> {
    return this.#port.shut(() => {
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  #made(): Server {
    const server = createServer((request, response) => this.#events.onRequest(request, response));
    server.maxConnections = connectionsMax;
    server.requestTimeout = requestTimeoutMs;
    server.headersTimeout = requestTimeoutMs;
    server.keepAliveTimeout = idleTimeoutMs;
    server.on('connection', (socket) => this.#admit(socket));
    server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket) => {
      // A connection that was cut is no fault of the terminal: no finding.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') this.#events.onMalformed(...findingOf(error));
      socket.destroy();
    });
    return server;
  }

  #admit(socket: Socket): void {
    socket.setNoDelay(true);
    tapSocket(socket, this.#events.openTap());
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
