import { lstat, unlink } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';

/** Waiting clients: a restarted daemon may connect before its old connection is seen to close. */
const waitingMax = 4;

export interface UnixListenerEvents {
  /** The client that is served from now on. */
  onClient(socket: Socket): void;
  /** One client too many was turned away. */
  onTurnedAway(): void;
}

/** A Unix stream socket at a path, for one client at a time. The others wait until that one has disconnected. */
export class UnixListener {
  readonly path: string;
  readonly #events: UnixListenerEvents;
  readonly #waiting: Socket[] = [];
  #served: Socket | undefined;
  #server: Server | undefined;

  constructor(path: string, events: UnixListenerEvents) {
    this.path = path;
    this.#events = events;
  }

  get listening(): boolean {
    return this.#server !== undefined;
  }

  /** Replaces a socket that an earlier process left behind. Rejects with the system's error if it can't. */
  async open(): Promise<void> {
    if (this.#server) return;
    const left = await lstat(this.path).catch(() => undefined);
    if (left?.isSocket() === true) await unlink(this.path);
    const server = createServer({ pauseOnConnect: true }, (socket) => this.#arrive(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.path, resolve);
    });
    // From now on only accept can fail, for lack of descriptors: then the client's connection is refused.
    server.on('error', () => undefined);
    this.#server = server;
  }

  /** Closes the socket and every connection at once, and removes the path. */
  async shut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#waiting.splice(0)) socket.destroy();
    this.#served?.destroy();
    await closed;
  }

  #arrive(socket: Socket): void {
    if (this.#waiting.length >= waitingMax) {
      socket.destroy();
      this.#events.onTurnedAway();
      return;
    }
    // The error is ignored: the closed connection is noticed when its turn comes.
    socket.on('error', () => undefined);
    this.#waiting.push(socket);
    this.#serveNext();
  }

  #serveNext(): void {
    if (this.#served) return;
    let socket = this.#waiting.shift();
    while (socket?.destroyed === true) socket = this.#waiting.shift();
    if (!socket) return;
    this.#served = socket;
    this.#events.onClient(socket);
    // Runs after the listeners of the code that serves the client: they finish before the next client is served.
    socket.once('close', () => {
      this.#served = undefined;
      this.#serveNext();
    });
    socket.resume();
  }
}
