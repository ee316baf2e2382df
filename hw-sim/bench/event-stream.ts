import type { ServerResponse } from 'node:http';
import { HttpError } from './http-error.ts';

const clientsMax = 32;

/** Changes within this time are sent as one: a receipt causes hundreds of them. */
const gatherMs = 40;

/** Server-sent events: the whole state for every client, at the start and after every change. */
export class EventStream {
  readonly #state: () => object;
  readonly #clients = new Set<ServerResponse>();
  /** Clients that missed a state, because they had not read the one before. */
  readonly #behind = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(state: () => object) {
    this.#state = state;
  }

  add(response: ServerResponse): void {
    if (this.#clients.size >= clientsMax) throw new HttpError(503, `at most ${clientsMax} may listen to the events`);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.on('close', () => {
      this.#clients.delete(response);
      this.#behind.delete(response);
    });
    response.on('drain', () => {
      if (this.#behind.delete(response)) this.changed();
    });
    this.#clients.add(response);
    response.write(this.#event());
  }

  changed(): void {
    if (this.#clients.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const event = this.#event();
      for (const client of this.#clients) {
        if (client.writableNeedDrain) this.#behind.add(client);
        else client.write(event);
      }
    }, gatherMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const client of this.#clients) client.destroy();
  }

  #event(): string {
    return `data: ${JSON.stringify(this.#state())}\n\n`;
  }
}
