import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The responses that stay open for as long as their client does. */
export class OpenStreams {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.on('close', () => this.#responses.delete(response));
  }

  /** Whether this connection has one, or will once the answers before it are out. */
  on(socket: Duplex): boolean {
    return [...this.#responses].some((response) => response.req.socket === socket);
  }

  /** Who watches, and has closed his side, has gone. */
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

/** Waits for no client that has not read so far. */
export function endStream(response: ServerResponse): void {
  response.end();
  if (response.writableLength > 0) response.destroy();
}
