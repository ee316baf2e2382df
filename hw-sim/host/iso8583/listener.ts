import { createServer, type Server } from 'node:net';
import { HostPort } from '../host-port.ts';
import { emptyFrame } from './frame.ts';
import { Link, type LinkEvents } from './link.ts';

const connectionsMax = 64;

export interface ListenerEvents extends Omit<LinkEvents, 'onClose'> {
  /** A connection came or went. */
  onConnections(): void;
}

/** A port that opens, shuts and opens again under the same number, and the connections that came in through it. */
export class Listener {
  readonly #port: HostPort;
  readonly #events: ListenerEvents;
  readonly #links = new Set<Link>();
  #keepAlive: NodeJS.Timeout | undefined;

  /** `port` 0: any free one, which is kept from then on. */
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

  get links(): ReadonlySet<Link> {
    return this.#links;
  }

  /** Does nothing where it is open already. Rejects with the system's error (EADDRINUSE) where it can't. */
  open(): Promise<void> {
    return this.#port.open(() => this.#made());
  }

  /** Writes an empty frame to every connection each time so long; never where nothing is said. */
  keepAlive(everyMs?: number): void {
    clearInterval(this.#keepAlive);
    if (everyMs === undefined) return;
    this.#keepAlive = setInterval(() => {
      for (const link of this.#links) link.send(emptyFrame);
    }, everyMs);
    // A host that is closed, or forgotten, keeps no process alive.
    this.#keepAlive.unref();
  }

  /** Closes the port and every connection at once. Ends when they are closed. */
  shut(): Promise<void> {
    return this.#port.shut(() => {
      for (const link of this.#links) link.close();
    });
  }

  #made(): Server {
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
    return server;
  }
}
