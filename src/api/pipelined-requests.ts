import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests on one connection whose answers wait, each for the one before: so many at most. */
export class PipelinedRequests {
  readonly #most: number;
  readonly #waiting = new WeakMap<Duplex, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False where this one is too many. */
  takes({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= this.#most) return false;
    this.#waiting.set(socket, waiting + 1);
    response.once('close', () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1));
    return true;
  }
}
