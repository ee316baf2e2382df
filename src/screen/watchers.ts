import type { ServerResponse } from 'node:http';
import { refuse } from './refusal.ts';

/** Interval of comment lines, by which a browser detects a dead connection. */
const heartbeatMs = 15_000;
const watchersMax = 16;
/** Bytes that may wait for a watcher that does not read. A view is some 100 bytes, with a drawn code some 20,000. */
const unreadBytesMax = 65_536;
/** How long a browser waits before it connects again. */
const reconnectMs = 1_000;

/** The browsers that follow the screen as server-sent events. */
export class Watchers {
  readonly #responses = new Set<ServerResponse>();
  readonly #heartbeat = setInterval(() => this.tell(':\n\n'), heartbeatMs);

  /** Sends `present` at once, and every later event. */
  add(response: ServerResponse, present: string): void {
    if (this.#responses.size >= watchersMax) return refuse(response, 503);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`retry: ${reconnectMs}\n${present}`);
    this.#responses.add(response);
    response.on('close', () => this.#responses.delete(response));
  }

  get isEmpty(): boolean {
    return this.#responses.size === 0;
  }

  tell(text: string): void {
    for (const response of this.#responses) {
      if (response.writableLength > unreadBytesMax) response.destroy();
      else response.write(text);
    }
  }

  close(): void {
    clearInterval(this.#heartbeat);
  }
}
