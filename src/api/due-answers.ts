import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers to requests that have come in whole. */
export class DueAnswers {
  /** With the connection of each: a request that was destroyed has none. */
  readonly #responses = new Map<ServerResponse, Duplex>();
  #onNone: (() => void) | undefined;

  add(response: ServerResponse): void {
    const { socket } = response.req;
    // It may be gone already.
    if (!(socket as Duplex | null) || socket.destroyed) return;
    this.#responses.set(response, socket);
    response.on('close', () => {
      this.#responses.delete(response);
      this.#look();
    });
  }

  /** A client has closed its side. */
  handleClose(): void {
    this.#look();
  }

  /** Whether one of them is due on this connection. */
  on(socket: Duplex): boolean {
    // By the request: a response that waits behind another on its connection has no socket yet.
    return [...this.#responses.values()].includes(socket);
  }

  /** Resolves when nobody waits for one any more: who has closed his side may have gone, and keeps nobody waiting. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNone = resolve;
      this.#look();
    });
  }

  #look(): void {
    if ([...this.#responses.values()].every(({ readableEnded }) => readableEnded)) this.#onNone?.();
  }
}
