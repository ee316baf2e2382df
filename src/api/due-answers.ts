import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers to requests that have come in whole. */
export class DueAnswers {
  readonly #responses = new Set<ServerResponse>();
  #onNone: (() => void) | undefined;

  add(response: ServerResponse): void {
    if (response.req.socket.destroyed) return;
    this.#responses.add(response);
    response.on('close', () => {
      this.#responses.delete(response);
      if (this.#responses.size === 0) this.#onNone?.();
    });
  }

  /** Whether one of them is due on this connection. */
  on(socket: Duplex): boolean {
    // By the request: a response that waits behind another on its connection has no socket yet.
    return [...this.#responses].some((response) => response.req.socket === socket);
  }

  /** Resolves when none is due any more. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNone = resolve;
      if (this.#responses.size === 0) resolve();
    });
  }
}
