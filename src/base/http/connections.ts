import type { Socket } from 'node:net';
import type { PacedSocket } from './paced-socket.ts';

export interface ConnectionLimits {
  /** At one time, from all addresses. */
  readonly connectionsMax: number;
  /** At one time, from one address. */
  readonly perAddressMax: number;
  /** New connections of one address per second. */
  readonly newPerSecondMax: number;
}

export const connectionLimits: ConnectionLimits = { connectionsMax: 512, perAddressMax: 128, newPerSecondMax: 64 };

/**
 * The use of a connection. `answering`: an answer is being prepared, or an event stream is open. `unread`: only an
 * answer remains to be sent, and the client does not read it. `sending`: the client reads it.
 */
export type ConnectionUse = 'answering' | 'unread' | 'sending' | 'idle';

/**
 * The uses whose connections are replaced, in this order. A connection whose answer is being prepared is never
 * replaced.
 */
const replaceable = ['unread', 'idle', 'sending'] as const satisfies readonly ConnectionUse[];

/** The part of all places that is reserved for addresses with fewer than `few` connections. */
const reservedPart = 1 / 4;
const few = 4;

/**
 * The open connections, limited in number. A quarter of the places is reserved for addresses with fewer than four
 * connections, so that a few addresses whose connections are all being answered leave room for others. A new
 * connection replaces another one of its own address, or of the address with the most connections: the oldest whose
 * client does not read its answer, else the oldest idle one, else the oldest to which an answer is being sent. So an
 * address that only holds connections excludes no other, and no payment loses its answer.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #useOf: (carried: PacedSocket) => ConnectionUse;
  readonly #byAddress = new Map<string, Set<Socket>>();
  /** The socket object by which requests refer to a connection, if it is another one. */
  readonly #carried = new WeakMap<Socket, PacedSocket>();
  #count = 0;

  constructor(limits: ConnectionLimits, useOf: (carried: PacedSocket) => ConnectionUse) {
    this.#limits = limits;
    this.#useOf = useOf;
  }

  /** Adds a connection; destroys it if no other can be replaced. */
  add(socket: Socket): void {
    const { remoteAddress: address = '' } = socket;
    const own = this.#byAddress.get(address) ?? new Set();
    const full = own.size >= this.#limits.perAddressMax;
    if (full ? !this.#makePlace(own) : this.#count >= this.#placesFor(own.size) && !this.#makePlace(this.#most())) {
      socket.destroy();
      return;
    }
    this.#byAddress.set(address, own.add(socket));
    this.#count++;
    socket.once('close', () => this.#forget(address, socket));
  }

  /** Notes that requests of the connection now arrive through `carried`. */
  carry(socket: Socket, carried: PacedSocket): void {
    this.#carried.set(socket, carried);
    carried.once('unread', () => socket.resetAndDestroy());
  }

  #placesFor(own: number): number {
    const { connectionsMax } = this.#limits;
    return own < few ? connectionsMax : connectionsMax - Math.floor(connectionsMax * reservedPart);
  }

  #makePlace(sockets: ReadonlySet<Socket>): boolean {
    const oldest = new Map<ConnectionUse, Socket>();
    for (const socket of sockets) {
      const carried = this.#carried.get(socket);
      const use = carried ? this.#useOf(carried) : 'idle';
      if (!oldest.has(use)) oldest.set(use, socket);
    }
    const use = replaceable.find((each) => oldest.has(each));
    const replaced = use && oldest.get(use);
    if (!replaced) return false;
    this.#forget(replaced.remoteAddress ?? this.#addressOf(replaced), replaced);
    // The kernel drops its part of an unread answer.
    if (use === 'unread') replaced.resetAndDestroy();
    else replaced.destroy();
    return true;
  }

  #most(): ReadonlySet<Socket> {
    return [...this.#byAddress.values()].reduce((most, each) => (each.size > most.size ? each : most), new Set());
  }

  /** A destroyed socket no longer has its address. */
  #addressOf(socket: Socket): string {
    return [...this.#byAddress].find(([, sockets]) => sockets.has(socket))?.[0] ?? '';
  }

  #forget(address: string, socket: Socket): void {
    const own = this.#byAddress.get(address);
    if (!own?.delete(socket)) return;
    this.#count--;
    if (own.size === 0) this.#byAddress.delete(address);
  }
}
