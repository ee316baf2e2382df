import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers that are due, because their requests were received completely. */
export class DueAnswers {
  /** By connection. Uses the request's, because a response that waits behind another has none yet. */
  readonly #bySocket = new Map<Duplex, Set<ServerResponse>>();
  #onNone: (() => void) | undefined;

  add(response: ServerResponse): void {
    const { socket } = response.req;
    // The connection may already be closed.
    if (!(socket as Duplex | null) || socket.destroyed) return;
    const own = this.#bySocket.get(socket) ?? new Set();
    this.#bySocket.set(socket, own.add(response));
    response.on('close', () => {
      own.delete(response);
      if (own.size === 0) this.#bySocket.delete(socket);
      this.#look();
    });
  }

  /** Called when a client has closed its side. */
  handleClose(): void {
    this.#look();
  }

  /** Whether an answer is due on this connection: it is being prepared, or not all of it was sent. */
  on(socket: Duplex): boolean {
    return this.#bySocket.has(socket);
  }

  /** Whether an answer is being prepared for this connection, such as one that waits for the customer. */
  isPreparing(socket: Duplex): boolean {
    // At most as many as may be pipelined.
    return [...(this.#bySocket.get(socket) ?? [])].some(({ writableEnded }) => !writableEnded);
  }

  /**
   * Resolves when no client waits for an answer. A client that has closed its side may have ended, and is not waited
   * for.
   */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNone = resolve;
      this.#look();
    });
  }

  #look(): void {
    if ([...this.#bySocket.keys()].every(({ readableEnded }) => readableEnded)) this.#onNone?.();
  }
}
