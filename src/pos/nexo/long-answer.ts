import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/ports/clock.ts';
import { jsonHeaders } from '../api/pos-response.ts';

/** Clients give up after thirty seconds without a byte. A space before JSON has no meaning (RFC 8259, 2). */
const spaceMs = 10_000;

/** An answer whose head is sent at once, and whose body may come minutes later. */
export class LongAnswer {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  #timer: unknown;

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
    response.once('close', () => clock.clearTimeout(this.#timer));
    if (response.destroyed) return;
    // Whether the message is acceptable is not known yet: one that is not costs its sender the connection.
    response.writeHead(200, { ...jsonHeaders, connection: 'close' });
    response.flushHeaders();
    this.#wait();
  }

  end(text: string): void {
    this.#clock.clearTimeout(this.#timer);
    if (!this.#response.destroyed) this.#response.end(text);
  }

  /** Closes the connection in place of an answer. */
  drop(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#response.destroy();
  }

  #wait(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#response.write(' ');
      this.#wait();
    }, spaceMs);
  }
}
