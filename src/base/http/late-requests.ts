import type { IncomingMessage } from 'node:http';
import type { MonotonicClock } from '../ports/clock.ts';
import type { PacedSocket } from './paced-socket.ts';

/** How long a client may take, from the first byte of a request on. */
export interface RequestLimits {
  readonly headersMs: number;
  /** Headers and body. */
  readonly requestMs: number;
}

type Connection = Pick<PacedSocket, 'heldMs' | 'destroyed'>;

interface Reading {
  /** How many requests came with their headers. */
  readonly count: number;
  readonly last: Pick<IncomingMessage, 'complete'> | undefined;
  /** `heldMs` of the connection when the headers of the last request, and of the one before it, were complete. */
  readonly heldMs: number;
  readonly heldBeforeMs: number;
}

/** However long its bytes wait here, a request may take this multiple of its limit in all. */
const limitsInAll = 4;

const none: Reading = { count: 0, last: undefined, heldMs: 0, heldBeforeMs: 0 };

/**
 * Requests that are not complete in time, by Node's limits, which also count the time that their bytes wait for their
 * turns in this process. Such a request gets as much more time: the limits are for the silence of a client. But it ends
 * at last, because a client can have bytes waiting here at all times.
 */
export class LateRequests {
  readonly #limits: RequestLimits;
  readonly #clock: MonotonicClock;
  readonly #readings = new WeakMap<object, Reading>();

  constructor(limits: RequestLimits, clock: MonotonicClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** To be called for each request, once its headers are complete. */
  note(socket: Connection, request: Pick<IncomingMessage, 'complete'>): void {
    const { count, heldMs } = this.#readings.get(socket) ?? none;
    this.#readings.set(socket, { count: count + 1, last: request, heldMs: socket.heldMs, heldBeforeMs: heldMs });
  }

  /** Node's limit is over, and Node checks this request no more. `refuse` is called if the client is late. */
  handle(socket: Connection, refuse: () => void): void {
    const { count, last, heldMs, heldBeforeMs } = this.#readings.get(socket) ?? none;
    const hasHeaders = last?.complete === false;
    const { headersMs, requestMs } = this.#limits;
    const startMs = this.#clock.elapsedMs() - (hasHeaders ? requestMs : headersMs);
    const heldAtStartMs = hasHeaders ? heldBeforeMs : heldMs;
    const look = (): void => {
      const reading = this.#readings.get(socket) ?? none;
      const came = reading.count - count + (hasHeaders ? 1 : 0);
      if (socket.destroyed || came > 1 || (came === 1 && reading.last?.complete === true)) return;
      const tookMs = this.#clock.elapsedMs() - startMs;
      const silentMs = tookMs - (socket.heldMs - heldAtStartMs);
      const limitMs = came === 1 ? requestMs : headersMs;
      const leftMs = Math.min(limitMs - silentMs, limitsInAll * limitMs - tookMs);
      if (leftMs <= 0) refuse();
      else this.#clock.setTimeout(look, leftMs);
    };
    look();
  }
}
