import { createServer, type Server, type Socket } from 'node:net';
import { type OpenTap, tapSocket } from '../../wires/tap.ts';
import type { HostTls, TlsFault } from '../../tls/host-tls.ts';
import { HostPort } from '../host-port.ts';
import { Door } from './door.ts';
import type { HostWire } from './host-wire.ts';
import { Link, type LinkEvents } from './link.ts';

const connectionsMax = 64;

export interface ListenerEvents extends Omit<LinkEvents, 'onClose'> {
  /** A connection was opened or closed. */
  onConnections(): void;
  readonly openTap: OpenTap;
  readonly wire: HostWire;
}

/** A port that can be closed and opened again under the same number, with its connections. */
export class Listener {
  readonly #port: HostPort;
  readonly #events: ListenerEvents;
  readonly #links = new Set<Link>();
  readonly #door: Door;
  #keepAlive: NodeJS.Timeout | undefined;

  /** `port` 0: any free port, which is then kept. */
  constructor(address: string, port: number, events: ListenerEvents, tls?: HostTls) {
    this.#port = new HostPort(address, port);
    this.#events = events;
    this.#door = new Door(tls, (socket) => this.#begin(socket));
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

  /** Does nothing if it is open already. Rejects with the system's error (EADDRINUSE) if it can't. */
  open(): Promise<void> {
    return this.#port.open(() => this.#made());
  }

  /** Writes an empty frame to every connection at this interval; never if undefined. */
  keepAlive(everyMs?: number): void {
    clearInterval(this.#keepAlive);
    if (everyMs === undefined) return;
    this.#keepAlive = setInterval(() => {
      for (const link of this.#links) link.send(this.#events.wire.emptyFrame);
    }, everyMs);
    // The timer of a host that was not closed must not keep the process alive.
    this.#keepAlive.unref();
  }

  get isSecure(): boolean {
    return this.#door.isSecure;
  }

  /**
   * All further handshakes fail in this way. Open connections are closed, so that the terminal must begin a handshake.
   */
  setTlsFault(fault: TlsFault | undefined): void {
    if (fault === this.#door.fault) return;
    this.#door.fault = fault;
    this.#cut();
  }

  /** Closes the port and every connection at once. Resolves when they are closed. */
  shut(): Promise<void> {
    return this.#port.shut(() => this.#cut());
  }

  #cut(): void {
    this.#door.shut();
    for (const link of this.#links) link.close();
  }

  #made(): Server {
    const server = createServer((socket) => this.#door.enter(socket));
    server.maxConnections = connectionsMax;
    return server;
  }

  #begin(socket: Socket): void {
    tapSocket(socket, this.#events.openTap());
    const ended: LinkEvents = {
      onFrame: this.#events.onFrame,
      onMalformed: this.#events.onMalformed,
      onClose: (gone) => {
        this.#links.delete(gone);
        this.#events.onConnections();
      },
    };
    const link = new Link(socket, ended, this.#events.wire.splitter());
    this.#links.add(link);
    this.#events.onConnections();
  }
}
