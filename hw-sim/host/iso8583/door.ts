import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import type { HostTls, TlsFault } from '../../tls/host-tls.ts';

/** Accepts connections, with a TLS handshake if the host has TLS. */
export class Door {
  readonly #tls: HostTls | undefined;
  readonly #onOpen: (socket: Socket) => void;
  /** Connections whose handshake has not ended. */
  readonly #waiting = new Set<Socket>();
  readonly #servers = new Map<TlsFault | 'none', Server>();
  fault: TlsFault | undefined;

  /** `onOpen`: called with each connection that is ready for messages. */
  constructor(tls: HostTls | undefined, onOpen: (socket: Socket) => void) {
    this.#tls = tls;
    this.#onOpen = onOpen;
  }

  get isSecure(): boolean {
    return this.#tls !== undefined;
  }

  enter(socket: Socket): void {
    if (!this.#tls) return this.#onOpen(socket);
    this.#waiting.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#waiting.delete(socket));
    if (this.fault === 'cutHandshake') {
      socket.once('data', () => socket.resetAndDestroy());
      return;
    }
    this.#serverFor(this.#tls, this.fault).emit('connection', socket);
  }

  /** Closes every connection whose handshake has not ended. */
  shut(): void {
    for (const socket of this.#waiting) socket.destroy();
  }

  /** One server for each fault, because a session belongs to the certificate of its first handshake. */
  #serverFor(tls: HostTls, fault: Exclude<TlsFault, 'cutHandshake'> | undefined): Server {
    const known = this.#servers.get(fault ?? 'none');
    if (known) return known;
    const server = tls.open(fault);
    server.on('secureConnection', (secure) => this.#onOpen(secure));
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    this.#servers.set(fault ?? 'none', server);
    return server;
  }
}
