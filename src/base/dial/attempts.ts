import type { Socket } from 'node:net';
import type { MonotonicClock } from '../ports/clock.ts';

/** Begins a connection to one address. Calls back once it can be used; 'close' of the socket ends the attempt. */
export type Open = (address: string, onOpen: () => void) => Socket;

export interface AttemptsOptions {
  readonly addresses: readonly string[];
  readonly open: Open;
  readonly clock: MonotonicClock;
  /** On the clock's elapsed time. */
  readonly deadlineMs: number;
  /** The first connection. The others are closed before this is called. */
  readonly onOpen: (socket: Socket) => void;
  /** Every address has failed, for these reasons. */
  readonly onFailure: (errors: readonly Error[]) => void;
}

/**
 * Tries the addresses of one host in their order. Each has its share of the time that is left before the next one is
 * begun, and keeps trying beside it until the deadline: a lost packet is sent again after a second, and after two more.
 * An address that fails passes its time on to the others.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #waiting: string[];
  readonly #sockets = new Set<Socket>();
  readonly #errors: Error[] = [];
  #timer: unknown;
  #isOver = false;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#waiting = [...options.addresses];
    this.#beginNext();
  }

  /** Closes what is not connected. */
  end(): void {
    this.#isOver = true;
    this.#options.clock.clearTimeout(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #beginNext(): void {
    const { clock, deadlineMs, open } = this.#options;
    clock.clearTimeout(this.#timer);
    const left = this.#waiting.length;
    const address = this.#waiting.shift();
    if (address === undefined) {
      if (this.#sockets.size === 0) this.#fail();
      return;
    }
    if (left > 1) {
      const shareMs = Math.max(0, deadlineMs - clock.elapsedMs()) / left;
      this.#timer = clock.setTimeout(() => this.#beginNext(), shareMs);
    }
    const socket = open(address, () => this.#take(socket));
    this.#sockets.add(socket);
    // 'close' follows every 'error'. The listener stays: without one, an error would end the process.
    socket.on('error', (error) => {
      if (this.#sockets.has(socket)) this.#errors.push(error);
    });
    socket.once('close', () => this.#lose(socket));
  }

  #take(socket: Socket): void {
    if (!this.#sockets.delete(socket)) return;
    this.end();
    this.#options.onOpen(socket);
  }

  #lose(socket: Socket): void {
    if (this.#sockets.delete(socket) && !this.#isOver) this.#beginNext();
  }

  #fail(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onFailure(this.#errors);
  }
}
