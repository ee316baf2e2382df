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
      this.#look();
    });
  }

  /** A client has closed its side. */
  left(): void {
    this.#look();
  }

  /** Whether one of them is due on this connection. */
  on(socket: Duplex): boolean {
    // By the request: a response that waits behind another on its connection has no socket yet.
    return [...this.#responses].some((response) => response.req.socket === socket);
  }

  /** Resolves when nobody waits for one any more: who has closed his side may have gone, and keeps nobody waiting. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNone = resolve;
      this.#look();
    });
  }

  #look(): void {
    if ([...this.#responses].every(({ req }) => req.socket.readableEnded)) this.#onNone?.();
  }
}
