import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Limits the requests that wait on one connection, each for the answer before. */
export class PipelinedRequests {
  readonly #most: number;
  readonly #waiting = new WeakMap<Duplex, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request; false if it exceeds the limit. */
  takes({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= this.#most) return false;
    this.#waiting.set(socket, waiting + 1);
    response.once('close', () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1));
    return true;
  }
}
