import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

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
 * The open connections, limited in number. A new connection replaces the oldest one without a due answer, from its own
 * address or from the address with the most connections. So an address that only holds connections keeps nobody out,
 * and no answer is cut off.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #isBusy: (carried: Duplex) => boolean;
  readonly #byAddress = new Map<string, Set<Socket>>();
  /** The socket object by which requests refer to a connection, if it is another one. */
  readonly #carried = new WeakMap<Socket, Duplex>();
  #count = 0;

  constructor(limits: ConnectionLimits, isBusy: (carried: Duplex) => boolean) {
    this.#limits = limits;
    this.#isBusy = isBusy;
  }

  /** Adds a connection; destroys it if no other can be replaced. */
  add(socket: Socket): void {
    const { remoteAddress: address = '' } = socket;
    const own = this.#byAddress.get(address) ?? new Set();
    const full = own.size >= this.#limits.perAddressMax;
    if (full ? !this.#makePlace(own) : this.#count >= this.#limits.connectionsMax && !this.#makePlace(this.#most())) {
      socket.destroy();
      return;
    }
    this.#byAddress.set(address, own.add(socket));
    this.#count++;
    socket.once('close', () => this.#forget(address, socket));
  }

  /** Notes that requests now arrive through `carried`, which wraps the connection of `secured`. */
  carry(secured: Socket, carried: Duplex): void {
    const own = this.#byAddress.get(secured.remoteAddress ?? '') ?? [];
    const socket = [...own].find(({ remotePort }) => remotePort === secured.remotePort);
    if (socket) this.#carried.set(socket, carried);
  }

  #makePlace(sockets: ReadonlySet<Socket>): boolean {
    for (const socket of sockets) {
      const carried = this.#carried.get(socket);
      if (carried && this.#isBusy(carried)) continue;
      this.#forget(socket.remoteAddress ?? this.#addressOf(socket), socket);
      socket.destroy();
      return true;
    }
    return false;
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
