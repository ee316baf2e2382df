import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers that are due, because their requests were received completely. */
export class DueAnswers {
  /** Each with its connection: a destroyed request does not refer to it any more. */
  readonly #responses = new Map<ServerResponse, Duplex>();
  #onNone: (() => void) | undefined;

  add(response: ServerResponse): void {
    const { socket } = response.req;
    // The connection may already be gone.
    if (!(socket as Duplex | null) || socket.destroyed) return;
    this.#responses.set(response, socket);
    response.on('close', () => {
      this.#responses.delete(response);
      this.#look();
    });
  }

  /** Called when a client has closed its side. */
  handleClose(): void {
    this.#look();
  }

  /** Whether an answer is due on this connection. */
  on(socket: Duplex): boolean {
    // Uses the request's socket, because a response that waits behind another on its connection has none yet.
    return [...this.#responses.values()].includes(socket);
  }

  /**
   * Resolves when no client waits for an answer. A client that has closed its side may have gone, and is not waited
   * for.
   */
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
