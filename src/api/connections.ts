import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ConnectionLimits {
  /** At one time, of all addresses together. */
  readonly connectionsMax: number;
  /** At one time, of one address. */
  readonly perAddressMax: number;
  /** New ones of one address within a second. */
  readonly newPerSecondMax: number;
}

export const connectionLimits: ConnectionLimits = { connectionsMax: 512, perAddressMax: 128, newPerSecondMax: 64 };

/**
 * The connections that are open, so many at most. A new one takes the place of the oldest with nothing to answer, of its own
 * address or of the address that has most: who only holds connections keeps nobody else out, and cuts off no answer.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #isBusy: (carried: Duplex) => boolean;
  readonly #byAddress = new Map<string, Set<Socket>>();
  /** What requests call their socket, where that is another. */
  readonly #carried = new WeakMap<Socket, Duplex>();
  #count = 0;

  constructor(limits: ConnectionLimits, isBusy: (carried: Duplex) => boolean) {
    this.#limits = limits;
    this.#isBusy = isBusy;
  }

  /** Closes it at once where no other can make place. */
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

  /** From now on requests come over `carried`, which came out of the connection that `secured` (or itself) has at its other end. */
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

  /** A socket that is gone no longer says whose it was. */
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
