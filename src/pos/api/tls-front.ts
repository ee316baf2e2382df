import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { tlsRules } from '../../base/domain/tls-suites.ts';
import type { Turns } from '../../base/http/turns.ts';
import { MeteredSocket, type Pace } from '../../base/tls/metered-socket.ts';
import { HandshakeTurns } from './handshake-turns.ts';

/** The TLS record type of a handshake (RFC 8446, 5.1). No HTTP method begins with this byte. */
const handshakeRecord = 22;
/** 37 KeyUpdates; a POS sends one after gigabytes. Most requests are one piece. */
const meter = { overheadBytesMax: 1_024, pieceBytes: 512 };

/** An HTTPS server that answers a plain HTTP client with an explanation. */
export interface TlsFront {
  readonly server: Server;
  /** The connection below `secured`, whose handshake has just ended. To be called for each, before it is read. */
  readonly settle: (secured: Socket) => Socket;
  /** Destroys connections that have not completed the handshake: the server does not know them. */
  closeAll(): void;
}

/**
 * `turns`: those of the data. Encrypted bytes take turns as well, because some of them never become data. `fault`: the
 * answer to a client without TLS.
 */
export function tlsFront(
  options: ServerOptions,
  firstByteMs: number,
  turns: Turns,
  fault: (code: string) => string,
): TlsFront {
  const server = createServer({ ...options, ...tlsRules, handshakeTimeout: firstByteMs });
  const sockets = new Set<Socket>();
  const handshakes = new HandshakeTurns();
  const connections = new SecuredConnections(server, turns);
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const late = setTimeout(() => socket.destroy(), firstByteMs);
    socket.on('close', () => clearTimeout(late));
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return void socket.destroy();
      if (first[0] !== handshakeRecord) return refuse(socket, fault('PLAIN_HTTP'));
      socket.unshift(first);
      const leave = handshakes.enter(remoteAddress, () => {
        clearTimeout(late);
        connections.secure(socket, remoteAddress);
      });
      socket.once('close', leave);
    });
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    server,
    settle: (secured) => connections.settle(secured),
    closeAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The connections that Node's TLS layer has taken, and those below them. */
class SecuredConnections {
  readonly #server: Server;
  readonly #turns: Turns;
  readonly #secure: readonly ((socket: MeteredSocket) => void)[];
  /** The connection that the TLS layer is reading from. A handshake ends while the last of its bytes are read. */
  #present: MeteredSocket | undefined;

  constructor(server: Server, turns: Turns) {
    this.#server = server;
    this.#turns = turns;
    this.#secure = server.listeners('connection') as ((socket: MeteredSocket) => void)[];
    server.removeAllListeners('connection');
  }

  secure(socket: Socket, caller: string): void {
    const metered = new MeteredSocket(socket, { ...meter, pace: this.#paceOf(caller) });
    metered.on('data', () => (this.#present = metered));
    for (const secure of this.#secure) secure.call(this.#server, metered);
    metered.on('data', () => (this.#present = undefined));
  }

  settle(secured: Socket): Socket {
    if (!this.#present) throw new Error('a handshake ended while nothing was read');
    this.#present.watch(secured);
    return this.#present.raw;
  }

  #paceOf(caller: string): Pace {
    return {
      next: async () => {
        await this.#turns.next(caller);
        return true;
      },
      spend: () => Promise.resolve(),
    };
  }
}

/** Drops further data until the answer is sent or the time limit is over. */
function refuse(socket: Socket, answer: string): void {
  socket.resume();
  socket.end(answer);
}
