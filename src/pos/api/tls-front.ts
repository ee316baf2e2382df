import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { tlsRules } from '../../base/domain/tls-suites.ts';
import { clientFaultAnswer } from './client-fault.ts';

/** The TLS record type of a handshake (RFC 8446, 5.1). No HTTP method begins with this byte. */
const handshakeRecord = 22;

/** An HTTPS server that answers a plain HTTP client with an explanation. */
export interface TlsFront {
  readonly server: Server;
  /** Destroys connections that have not completed the handshake: the server does not know them. */
  closeAll(): void;
}

export function tlsFront(options: ServerOptions, firstByteMs: number): TlsFront {
  const server = createServer({ ...options, ...tlsRules, handshakeTimeout: firstByteMs });
  const sockets = new Set<Socket>();
  const secured = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const late = setTimeout(() => socket.destroy(), firstByteMs);
    socket.on('close', () => clearTimeout(late));
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return void socket.destroy();
      if (first[0] !== handshakeRecord) return refuse(socket);
      clearTimeout(late);
      socket.unshift(first);
      for (const secure of secured) secure.call(server, socket);
    });
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    server,
    closeAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Drops further data until the answer is sent or the time limit is over. */
function refuse(socket: Socket): void {
  socket.resume();
  socket.end(clientFaultAnswer('PLAIN_HTTP'));
}
