import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Responses that stay open as long as their client. */
export class OpenStreams {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.on('close', () => this.#responses.delete(response));
  }

  /** Whether this connection has a stream, or will have one after earlier answers. */
  on(socket: Duplex): boolean {
    return [...this.#responses].some((response) => response.req.socket === socket);
  }

  /** Ends the streams of a client that has closed its side: a watcher that has done so has gone. */
  endStreamOf(socket: Duplex): void {
    for (const response of this.#responses) {
      if (response.req.socket === socket) response.destroy();
    }
  }

  /** Ends them all. */
  end(): void {
    for (const response of this.#responses) endStream(response);
  }
}

/** Ends a stream without waiting for a client that does not read. */
export function endStream(response: ServerResponse): void {
  response.end();
  if (response.writableLength > 0) response.destroy();
}
