import { createServer, type Server } from 'node:net';
import { Link, type LinkEvents } from './link.ts';

const connectionsMax = 64;

export interface ListenerEvents extends Omit<LinkEvents, 'onClose'> {
  /** A connection came or went. */
  onConnections(): void;
}

/** A port that opens, shuts and opens again under the same number, and the connections that came in through it. */
export class Listener {
  readonly #address: string;
  readonly #events: ListenerEvents;
  readonly #links = new Set<Link>();
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

  get links(): ReadonlySet<Link> {
    return this.#links;
  }

  /** Does nothing where it is open already. Rejects with the system's error (EADDRINUSE) where it can't. */
  async open(): Promise<void> {
    if (this.#server) return;
    const server = createServer((socket) => {
      const link = new Link(socket, {
        onFrame: this.#events.onFrame,
        onMalformed: this.#events.onMalformed,
        onClose: (gone) => {
          this.#links.delete(gone);
          this.#events.onConnections();
        },
      });
      this.#links.add(link);
      this.#events.onConnections();
    });
    server.maxConnections = connectionsMax;
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
    for (const link of this.#links) link.close();
    await closed;
  }
}
